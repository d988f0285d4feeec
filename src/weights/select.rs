//! Which kernel multiplies a problem's weights: by an estimate of each one's time.
//!
//! ```text
//!   few rows    weights once from memory, and the sums of each tile of rows
//!   many rows   waves of tiles: decoding 128 rows of a k tile, then multiplying them
//! ```
//!
//! Law: every kernel that may launch the problem is ranked; the estimates order launches of one
//! problem and are no times.

use super::{Body, Menu, WeightsConfiguration, WeightsProblem};
use kernel_abi::weights::{PackedLayout, UNIT};

/// The kernels of a menu that take the problem's tokens, the fastest by estimate first.
#[must_use]
pub fn ranked(
    menu: &Menu,
    problem: &WeightsProblem,
    multiprocessors: u32,
) -> Vec<WeightsConfiguration> {
    let mut all: Vec<_> = (menu.configurations.iter())
        .filter(|of| !matches!(of.body, Body::FewRows { .. }) || problem.product.m <= of.tokens)
        .map(|of| (estimate(of, problem, multiprocessors), *of))
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.into_iter().map(|(_, of)| of).collect()
}

/// Microseconds, by what an H200 took: straight lines through the times of seven formats at two
/// sizes of weights, of int4 in groups of 128 at four.
fn estimate(of: &WeightsConfiguration, problem: &WeightsProblem, multiprocessors: u32) -> f64 {
    let [m, n, k] = [problem.product.m, problem.product.n, problem.product.k];
    let packed = problem.packed;
    let megabytes = (packed.code_bytes(n, k) + packed.group_bytes(n, k)) as f64 * 1e-6;
    // At 4.1 TB/s.
    let memory = 0.245 * megabytes;
    let tokens = f64::from(of.tokens);
    let busy = match of.body {
        // Decoding and multiplying a million codes takes longer the more tokens a tile has.
        Body::FewRows { .. } => {
            let codes = f64::from(n) * f64::from(k) * 1e-6;
            codes * decoding(packed) * (0.13 + 0.032 * tokens)
        }
        Body::ManyRows { ctas, .. } => {
            let along_n = ctas * n.div_ceil(ctas * of.rows);
            let tiles = f64::from(m.div_ceil(of.tokens)) * f64::from(along_n);
            let waves = (tiles / f64::from(multiprocessors)).ceil();
            let unit = decoding(packed) + 0.003 * tokens;
            waves * f64::from(k.div_ceil(UNIT)) * unit
        }
    };
    4.2 + f64::max(memory, busy)
}

/// Microseconds in which a CTA decodes 128 rows by 128 of k: a constant for their codes, and a part
/// for each word of a record, which has the scales.
fn decoding(packed: &PackedLayout) -> f64 {
    let of_codes = match (packed.format, packed.bits) {
        ("int4" | "uint4", _) => 0.26,
        (_, 4) => 0.35,
        _ => 0.42,
    };
    let words = match packed.group {
        Some(_) => packed.record_bytes / 2,
        None => 0,
    };
    of_codes + 0.0215 * f64::from(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::{InputType, MENUS};

    fn best(m: u32, n: u32, k: u32) -> &'static str {
        best_of("int4:128", m, n, k)
    }

    fn best_of(format: &str, m: u32, n: u32, k: u32) -> &'static str {
        let menu = MENUS
            .iter()
            .find(|of| of.name == format && of.input() == InputType::Bf16)
            .unwrap();
        let problem = WeightsProblem::new((m, n, k), InputType::Bf16, menu.format.packed);
        let all = ranked(menu, &problem, 132);
        assert!(
            all.iter()
                .all(|of| { !matches!(of.body, Body::FewRows { .. }) || m <= of.tokens })
        );
        all[0].kernel.rsplit('_').next().unwrap()
    }

    /// What was the fastest of all on an H200, 2026-11-30.
    #[test]
    fn the_choice_is_what_was_measured() {
        assert_eq!(best(1, 28672, 8192), "t8");
        assert_eq!(best(16, 8192, 8192), "t16");
        assert_eq!(best(32, 4096, 4096), "t32");
        assert_eq!(best(32, 28672, 8192), "m32");
        assert_eq!(best(64, 28672, 8192), "m64");
        assert_eq!(best(64, 8192, 8192), "m32");
        assert_eq!(best(128, 28672, 8192), "m128");
        assert_eq!(best(512, 8192, 8192), "m128");
        for format in ["mxfp4:32", "nvfp4:16", "q4_K", "int8:row", "q8_0", "q6_K"] {
            assert_eq!(best_of(format, 1, 28672, 8192), "t8", "{format}");
            assert_eq!(best_of(format, 64, 28672, 8192), "m64", "{format}");
            assert_eq!(best_of(format, 128, 28672, 8192), "m128", "{format}");
            assert_eq!(best_of(format, 64, 8192, 8192), "m32", "{format}");
            assert_eq!(best_of(format, 128, 8192, 8192), "m64", "{format}");
        }
    }
}

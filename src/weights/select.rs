//! Which kernel multiplies a problem's weights: by an estimate of each one's time.
//!
//! ```text
//!   few rows    weights once from memory, and the sums of each tile of rows
//!   many rows   waves of tiles: decoding 128 rows of a k tile, or multiplying them, whichever is longer
//! ```
//!
//! Law: every kernel that may launch the problem is ranked; the estimates order launches of one
//! problem and are no times.

use super::{Body, Menu, WeightsConfiguration, WeightsProblem};

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

/// Microseconds, by what an H200 took: straight lines through the times of int4 in groups of 128
/// at four sizes of weights.
fn estimate(of: &WeightsConfiguration, problem: &WeightsProblem, multiprocessors: u32) -> f64 {
    let [m, n, k] = [problem.product.m, problem.product.n, problem.product.k];
    let packed = problem.packed;
    let megabytes = (packed.code_bytes(n, k) + packed.group_bytes(n, k)) as f64 * 1e-6;
    // At 4.1 TB/s.
    let memory = 0.245 * megabytes;
    let tokens = f64::from(of.tokens);
    match of.body {
        // A CTA's products of the codes take the longer the more tokens it has.
        Body::FewRows { .. } => {
            let codes = f64::from(n) * f64::from(k) * 1e-6;
            4.2 + f64::max(memory, 0.0098 * codes * tokens)
        }
        Body::ManyRows { ctas, .. } => {
            let along_n = ctas * n.div_ceil(ctas * of.rows);
            let tiles = f64::from(m.div_ceil(of.tokens)) * f64::from(along_n);
            let waves = (tiles / f64::from(multiprocessors)).ceil();
            // 128 of k of a tile: decoding its rows, and their products.
            let unit = 0.49 + 0.00227 * tokens;
            4.2 + f64::max(memory, waves * f64::from(k.div_ceil(128)) * unit)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::{InputType, MENUS};

    fn best(m: u32, n: u32, k: u32) -> &'static str {
        let menu = MENUS
            .iter()
            .find(|of| of.format.packed.to_string() == "int4:128, scales bf16 (m16n8k16)")
            .unwrap();
        let problem = WeightsProblem::new((m, n, k), InputType::Bf16, menu.format.packed);
        let all = ranked(menu, &problem, 132);
        assert!(
            all.iter()
                .all(|of| { !matches!(of.body, Body::FewRows { .. }) || m <= of.tokens })
        );
        all[0].kernel.rsplit('_').next().unwrap()
    }

    /// What was the fastest of all on an H200.
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
    }
}

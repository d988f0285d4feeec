//! Chooses the kernel that multiplies a problem's weights of few bits: by name, or by an estimate
//! of each kernel's time.
//!
//! ```text
//!   rows of kernel-abi's table ─ that read the problem's weights ─┬─ named? ─► that one ──────────────┐
//!   Resources: a GPU ─────────────────────────────────────────────┴─ ranked ─► the first with a plan ─┴─► WeightsChoice { configuration, plan }
//!
//!   few rows    time of reading the weights once, and of adding the sums of each tile
//!   many rows   time of waves of tiles: decoding 128 rows of a k tile, then multiplying
//! ```
//!
//! Law: the choice has a plan, and the chosen kernel reads weights with the packing of the problem.
//! The estimates serve only to order the launches of one problem, and do not predict times.

use super::device::ChoiceError;
use super::model::occupied;
use super::names::Named;
use kernel_abi::ProblemError;
use kernel_abi::weights::{
    Body, PackedLayout, Resources, WeightsConfiguration, WeightsPlan, WeightsProblem,
};

/// A kernel and its launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightsChoice {
    /// The kernel.
    pub configuration: WeightsConfiguration,
    /// The launch of the kernel.
    pub plan: WeightsPlan,
}

/// Returns the resources of a GPU with `multiprocessors` multiprocessors and `shared_bytes` bytes
/// of shared memory per CTA, for CTAs that each have their own multiprocessor.
///
/// ```
/// let h200 = kernel_choice::weights::resources(132, 227 << 10);
/// assert_eq!((h200.multiprocessors, h200.clusters), (132, [66, 30, 15]));
/// ```
#[must_use]
pub fn resources(multiprocessors: u32, shared_bytes: u32) -> Resources {
    Resources {
        multiprocessors,
        clusters: [2, 4, 8].map(|ctas| occupied(multiprocessors, ctas) / ctas),
        shared_bytes,
    }
}

/// Chooses the kernel with this name, or the first kernel of [`ranked`] that has a plan.
///
/// ```
/// use gpu_kernels_sm90::weights::configurations::MENUS;
/// use kernel_abi::ProblemError;
/// use kernel_abi::gemm::InputType;
/// use kernel_abi::weights::WeightsProblem;
/// use kernel_choice::ChoiceError;
/// use kernel_choice::weights::{choose, resources};
/// # #[derive(Debug)]
/// # enum Error { Problem(ProblemError), Choice(ChoiceError) }
/// # impl From<ProblemError> for Error { fn from(error: ProblemError) -> Self { Self::Problem(error) } }
/// # impl From<ChoiceError> for Error { fn from(error: ChoiceError) -> Self { Self::Choice(error) } }
/// let menu = MENUS.iter().find(|menu| menu.name == "int4:128" && menu.input() == InputType::Bf16).unwrap();
/// let problem = WeightsProblem::new((1, 28672, 8192), InputType::Bf16, menu.format.packed);
/// // `Error` is made of a `ProblemError` and of a `ChoiceError`.
/// let choice = choose::<Error>(menu.configurations, &problem, &resources(132, 227 << 10), None)?;
/// assert_eq!(choice.configuration.kernel, "weights_int4_g128_bf16_t8");
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// Returns [`ChoiceError::NoWeights`] if no row reads such weights,
/// [`ChoiceError::NoWeightsKernel`] if no row that reads such weights has the name,
/// [`ChoiceError::NoManyRows`] if only kernels of few rows are there and the problem needs another,
/// and the plan's [`ProblemError`].
pub fn choose<'a, E: From<ChoiceError> + From<ProblemError>>(
    rows: impl IntoIterator<Item = &'a WeightsConfiguration>,
    problem: &WeightsProblem,
    of: &Resources,
    name: Option<&str>,
) -> Result<WeightsChoice, E> {
    let (input, packed) = (problem.product.input, problem.packed);
    let all = rows.into_iter().filter(|row| row.input == input);
    let all: Vec<&WeightsConfiguration> = all.collect();
    let rows: Vec<_> = (all.iter().copied())
        .filter(|row| row.packed == packed)
        .collect();
    let Some(first) = rows.first() else {
        let mut available: Vec<_> = all.iter().map(|row| format_of(row.packed)).collect();
        available.dedup();
        return Err(ChoiceError::NoWeights {
            input: input.name(),
            packed,
            available,
        }
        .into());
    };
    let planned = |configuration: &WeightsConfiguration| -> Result<WeightsChoice, ProblemError> {
        let plan = configuration.plan(problem, of)?;
        Ok(WeightsChoice {
            configuration: *configuration,
            plan,
        })
    };
    if let Some(name) = name {
        let Some(named) = rows.iter().find(|row| row.kernel == name) else {
            return Err(ChoiceError::NoWeightsKernel {
                name: name.into(),
                packed,
                available: rows.iter().map(|row| row.kernel).collect(),
            }
            .into());
        };
        return Ok(planned(named)?);
    }
    let mut refused = None;
    for configuration in ranked(rows.iter().copied(), problem, of.multiprocessors) {
        match planned(&configuration) {
            Ok(choice) => return Ok(choice),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    // If no row is ranked, planning the kernel for the most tokens fails, and its error says how
    // many tokens the kernel takes.
    let most = rows.iter().max_by_key(|row| row.tokens).unwrap_or(first);
    let refused = match (refused, planned(most)) {
        (Some(error), _) | (None, Err(error)) => error,
        (None, Ok(choice)) => return Ok(choice),
    };
    let is_few = |of: &&WeightsConfiguration| matches!(of.body, Body::FewRows { .. });
    if rows.iter().all(is_few) && of_many_rows(most).plan(problem, of).is_ok() {
        return Err(ChoiceError::NoManyRows {
            packed,
            refused,
            available: rows.iter().map(|row| row.kernel).collect(),
        }
        .into());
    }
    Err(refused.into())
}

/// Returns a kernel of many rows that reads the same weights as a kernel of few rows. It has a plan
/// if any kernel of many rows has one.
fn of_many_rows(of: &WeightsConfiguration) -> WeightsConfiguration {
    WeightsConfiguration {
        body: Body::ManyRows {
            shared_bytes: 0,
            ctas: 1,
        },
        ..*of
    }
}

/// Returns a format and its group, such as `int4:128` or `e4m3:row`.
fn format_of(packed: &PackedLayout) -> String {
    match packed.group {
        Some(group) => format!("{}:{group}", packed.format),
        None => format!("{}:row", packed.format),
    }
}

/// Returns the kernels that read the problem's weights and take its number of tokens. The fastest
/// by estimate comes first. Among equal estimates, the first in `rows` comes first.
#[must_use]
pub fn ranked<'a>(
    rows: impl IntoIterator<Item = &'a WeightsConfiguration>,
    problem: &WeightsProblem,
    multiprocessors: u32,
) -> Vec<WeightsConfiguration> {
    let mut all: Vec<_> = (rows.into_iter())
        .filter(|of| !matches!(of.body, Body::FewRows { .. }) || problem.product.m <= of.tokens)
        .map(|of| (estimate(of, problem, multiprocessors), *of))
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.into_iter().map(|(_, of)| of).collect()
}

/// Returns an estimate in microseconds from times on an H200: straight lines fitted to the times of
/// seven formats at two sizes of weights (four sizes for int4 in groups of 128).
fn estimate(of: &WeightsConfiguration, problem: &WeightsProblem, multiprocessors: u32) -> f64 {
    let [n, k] = [problem.product.n, problem.product.k];
    let packed = problem.packed;
    let megabytes = (packed.code_bytes(n, k) + packed.group_bytes(n, k)) as f64 * 1e-6;
    // The weights are read at 4.1 TB/s.
    let memory = 0.245 * megabytes;
    let tokens = f64::from(of.tokens);
    let busy = match of.body {
        // Decoding and multiplying a million codes takes longer if a tile has more tokens.
        Body::FewRows { .. } => {
            let codes = f64::from(n) * f64::from(k) * 1e-6;
            codes * decoding(packed) * (0.13 + 0.032 * tokens)
        }
        Body::ManyRows { ctas, .. } => {
            let most = occupied(multiprocessors, ctas) / ctas;
            let unit = decoding(packed) + 0.003 * tokens;
            of.shares(problem, ctas, most).units as f64 * unit
        }
    };
    4.2 + f64::max(memory, busy)
}

/// Returns the microseconds in which a CTA decodes 128 rows by 128 elements of k: a constant for
/// the codes, and a part for each 16-bit word of a record, which contains the scales of groups.
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
    use gpu_kernels_sm90::weights::configurations::{MENUS, Menu};
    use kernel_abi::gemm::InputType;

    fn menu(format: &str) -> &'static Menu {
        let found = MENUS
            .iter()
            .find(|of| of.name == format && of.input() == InputType::Bf16);
        found.unwrap()
    }

    fn best(m: u32, n: u32, k: u32) -> &'static str {
        best_of("int4:128", m, n, k)
    }

    fn best_of(format: &str, m: u32, n: u32, k: u32) -> &'static str {
        let menu = menu(format);
        let problem = WeightsProblem::new((m, n, k), InputType::Bf16, menu.format.packed);
        let all = ranked(menu.configurations, &problem, 132);
        assert!(
            all.iter()
                .all(|of| { !matches!(of.body, Body::FewRows { .. }) || m <= of.tokens })
        );
        let choice = chosen(menu.configurations, &problem, None).unwrap();
        assert_eq!(choice.configuration, all[0]);
        all[0].kernel.rsplit('_').next().unwrap()
    }

    #[derive(Debug, PartialEq)]
    struct Said(String);
    impl From<ChoiceError> for Said {
        fn from(error: ChoiceError) -> Self {
            Self(error.to_string())
        }
    }
    impl From<ProblemError> for Said {
        fn from(error: ProblemError) -> Self {
            Self(error.to_string())
        }
    }

    fn chosen(
        rows: &[WeightsConfiguration],
        problem: &WeightsProblem,
        name: Option<&str>,
    ) -> Result<WeightsChoice, String> {
        let of = resources(132, 227 << 10);
        choose::<Said>(rows, problem, &of, name).map_err(|Said(said)| said)
    }

    /// The chosen kernels are those that were fastest in measurements on an H200, 2026-11-30 and,
    /// at 8192 x 8192 and many tokens, 2026-12-01.
    #[test]
    fn the_choice_is_what_was_measured() {
        assert_eq!(best(1, 28672, 8192), "t8");
        assert_eq!(best(16, 8192, 8192), "t16");
        assert_eq!(best(32, 4096, 4096), "t32");
        assert_eq!(best(32, 28672, 8192), "m32");
        assert_eq!(best(64, 28672, 8192), "m64");
        assert_eq!(best(64, 8192, 8192), "m64");
        assert_eq!(best(128, 28672, 8192), "m128");
        assert_eq!(best(512, 8192, 8192), "m128");
        for format in ["mxfp4:32", "nvfp4:16", "q4_K", "int8:row", "q8_0", "q6_K"] {
            assert_eq!(best_of(format, 1, 28672, 8192), "t8", "{format}");
            assert_eq!(best_of(format, 64, 28672, 8192), "m64", "{format}");
            assert_eq!(best_of(format, 128, 28672, 8192), "m128", "{format}");
            assert_eq!(best_of(format, 64, 8192, 8192), "m64", "{format}");
            assert_eq!(best_of(format, 128, 8192, 8192), "m128", "{format}");
        }
    }

    #[test]
    fn what_has_no_kernel_is_said() {
        let int4 = menu("int4:128");
        let problem = |m| WeightsProblem::new((m, 64, 256), InputType::Bf16, int4.format.packed);
        let of = |rows, m, name| chosen(rows, &problem(m), name).unwrap_err();
        assert_eq!(
            of(menu("uint4:64").configurations, 1, None),
            "no kernel multiplies bf16 by weights int4:128, scales bf16 (m16n8k16); those here read uint4:64"
        );
        assert_eq!(
            of(&int4.configurations[..2], 1, Some("t8")),
            "there is no kernel t8 for weights int4:128, scales bf16 (m16n8k16); there are: \
             weights_int4_g128_bf16_t8, weights_int4_g128_bf16_t16"
        );
        // The rows are only those for few tokens.
        assert_eq!(
            of(&int4.configurations[..2], 17, None),
            "no kernel of many rows for weights int4:128, scales bf16 (m16n8k16) is here; \
             weights_int4_g128_bf16_t8, weights_int4_g128_bf16_t16 are of few rows: M is 17; a launch covers at most 16"
        );
        // X of few tokens is larger than shared memory.
        let wide = WeightsProblem::new((16, 64, 1 << 20), InputType::Bf16, int4.format.packed);
        let said = chosen(&int4.configurations[..2], &wide, None).unwrap_err();
        assert!(said.starts_with("no kernel of many rows"), "{said}");
        assert!(chosen(int4.configurations, &wide, None).is_ok());
        // No kernel takes a K that ends inside a group.
        let odd = WeightsProblem::new((17, 64, 200), InputType::Bf16, int4.format.packed);
        let said = chosen(&int4.configurations[..2], &odd, None).unwrap_err();
        assert!(!said.contains("many rows"), "{said}");
        let named = chosen(
            int4.configurations,
            &problem(1),
            Some("weights_int4_g128_bf16_m64"),
        );
        assert_eq!(named.unwrap().configuration, int4.configurations[4]);
    }

    /// If the kernels of several formats read the same packing, the first one is chosen.
    #[test]
    fn of_kernels_alike_the_first_is_chosen() {
        let alike = |name| {
            MENUS
                .iter()
                .find(|of| of.name == name && of.input() == InputType::F16)
        };
        let [int4, q4_0] = ["int4:32", "q4_0"].map(|name| alike(name).unwrap().configurations);
        let problem = WeightsProblem::new((4, 64, 256), InputType::F16, int4[0].packed);
        for rows in [[int4, q4_0].concat(), [q4_0, int4].concat()] {
            let choice = chosen(&rows, &problem, None).unwrap();
            assert_eq!(choice.configuration, rows[0]);
        }
    }
}

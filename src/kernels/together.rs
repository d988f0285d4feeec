//! The kernels that are built together, if the build left their module to the program.
//!
//! ```text
//!   gemm_f16_f32_tn_128x256x64_s4_wgmma        itself
//!   attention_mma_packed_bf16_d128_...         itself: its configuration is compiled with each kernel of its table row
//!   attention_backward_keys_bf16_d128_...      itself, and the rows' and the queries' kernels: those of one launch
//!   attention_alibi_sinks_bf16_d128_...        itself: its configuration is compiled with it
//!   attention_alibi_backward_keys_bf16_d128_.. itself, and the queries' kernel: that of the rows is one without score parts
//!   hgemm_by_hand                              itself, hgemm_on_layouts, and the reference, whose configuration that one has
//!   attention_packed_bf16_d128_...             itself, and its row's base, attention_bf16_d128_..., whose configuration it has
//! ```
//!
//! Law: a build of only these kernels compiles, and each kernel is the same as in a build of all
//! kernels, except for the numbers of its labels.

use crate::weights::MENUS;
use crate::{attention, gemm};
use gpu_kernels::attention::{
    ON_DEMAND, SCORE_BACKWARD_CONFIGURATIONS as MMA_SCORE_BACKWARD_CONFIGURATIONS,
};
use gpu_kernels::hgemm_by_hand;
use gpu_kernels_sm90::attention::SCORE_BACKWARD_CONFIGURATIONS;
use kernel_abi::attention::{
    AttentionBackwardConfiguration, AttentionConfiguration, AttentionLoads, AttentionParts,
    Fp8AttentionPlan, GradientKernel, KernelSequences,
};
use kernel_abi::gemm::{InputType, Packing, Reduction};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Returns the kernels that are in no table: they are launched before or after a GEMM's.
fn beside_products() -> impl Iterator<Item = &'static str> {
    let packing = Packing::KERNELS.map(|(kernel, _)| kernel);
    packing
        .into_iter()
        .chain(InputType::ALL.map(Reduction::kernel))
}

/// The reference GEMM, which every build of GEMMs has, and which has its own feature.
const REFERENCE: &str = "gemm_f16_f16_tn_128x128x32_s3";

/// Kernels that are built together.
pub(super) struct Together {
    pub kernels: Vec<&'static str>,
    /// The features of the kernel crate that contain the kernels. If there are none, the default
    /// features do.
    pub features: Vec<&'static str>,
}

/// A kernel of a table, and the kernel with which its configuration is compiled.
#[derive(Clone, Copy)]
struct Listed {
    name: &'static str,
    base: Option<&'static str>,
}
impl Listed {
    /// Returns a kernel that needs no other.
    const fn alone(name: &'static str) -> Self {
        Self { name, base: None }
    }
    const fn forward(of: &AttentionConfiguration) -> Self {
        let (name, base) = (of.kernel, of.base);
        Self { name, base }
    }
    const fn gradient(of: &GradientKernel) -> Self {
        let (name, base) = (of.kernel, of.base);
        Self { name, base }
    }
}

/// The kernels of one launch. There are at most three.
#[derive(Clone, Copy)]
struct LaunchKernels([Option<Listed>; 3]);
impl LaunchKernels {
    const fn one(kernel: Listed) -> Self {
        Self([Some(kernel), None, None])
    }
    /// Returns a launch of one kernel, which needs no other.
    const fn alone(name: &'static str) -> Self {
        Self::one(Listed::alone(name))
    }
    const fn gradients(of: &AttentionBackwardConfiguration) -> Self {
        Self([
            Some(Listed::alone(of.rows)),
            Some(Listed::gradient(&of.keys)),
            Some(Listed::gradient(&of.queries)),
        ])
    }
    /// Returns the kernels of gradients with score parts. Their kernel of the rows is one without
    /// score parts.
    const fn tiles(of: &AttentionBackwardConfiguration) -> Self {
        Self([
            Some(Listed::gradient(&of.keys)),
            Some(Listed::gradient(&of.queries)),
            None,
        ])
    }
    fn kernels(self) -> impl Iterator<Item = Listed> {
        self.0.into_iter().flatten()
    }
    fn has(self, name: &str) -> bool {
        self.kernels().any(|of| of.name == name)
    }
    /// Returns the kernels of the launch, followed by the kernels with which their configurations
    /// are compiled.
    fn with_bases(self) -> Vec<&'static str> {
        let mut all: Vec<_> = self.kernels().map(|of| of.name).collect();
        for base in self.kernels().filter_map(|of| of.base) {
            if !all.contains(&base) {
                all.push(base);
            }
        }
        all
    }
}

/// Returns the kernels of each launch for `sm_90a`, by the tables.
fn hopper_launches() -> impl Iterator<Item = LaunchKernels> {
    let gemms = (gemm::CONFIGURATIONS.iter())
        .filter(|of| of.arch == 90 && of.hopper.is_some() && of.is_without_clusters())
        .map(|of| LaunchKernels::alone(of.kernel));
    let forward = (attention::CONFIGURATIONS.iter())
        .chain(attention::PACKED_CONFIGURATIONS)
        .chain(attention::SOFT_CAP_CONFIGURATIONS)
        .chain(attention::FP8_CONFIGURATIONS)
        .chain((attention::SOFT_CAP_DECODE_CONFIGURATIONS.iter()).map(|of| &of.attention))
        .map(|of| LaunchKernels::one(Listed::forward(of)));
    let backward = (attention::BACKWARD_CONFIGURATIONS.iter())
        .chain(attention::PACKED_BACKWARD_CONFIGURATIONS)
        .map(LaunchKernels::gradients);
    let soft_caps = attention::SOFT_CAP_BACKWARD_CONFIGURATIONS.iter();
    let soft_caps = soft_caps.map(LaunchKernels::tiles);
    let fused = attention::FUSED_BACKWARD_CONFIGURATIONS.iter().map(|of| {
        let [rows, dq] = [of.rows, of.dq].map(|of| Some(Listed::alone(of)));
        LaunchKernels([rows, Some(Listed::gradient(&of.gradients)), dq])
    });
    let decoding = attention::DECODE_CONFIGURATIONS.iter();
    let decoding = decoding.chain(attention::LATENT_DECODE_CONFIGURATIONS);
    let decoding = decoding.map(|of| {
        let combine = Some(Listed::alone(of.combine));
        LaunchKernels([Some(Listed::forward(&of.attention)), combine, None])
    });
    gemms
        .chain(forward)
        .chain(backward)
        .chain(fused)
        .chain(decoding)
        .chain(soft_caps)
        .chain((beside_products().chain([Fp8AttentionPlan::TRANSPOSE])).map(LaunchKernels::alone))
}

/// Returns the kernels for `sm_90a` that are built when they are requested, and the feature of
/// each: those with score parts, those with weights of few bits, and those for a cache in e4m3.
fn hopper_on_demand() -> impl Iterator<Item = (LaunchKernels, &'static str)> {
    let parts = score_configurations(AttentionLoads::Tma);
    let parts = parts.map(|of| (LaunchKernels::one(Listed::forward(of)), SCORE_PARTS));
    let gradients = SCORE_BACKWARD_CONFIGURATIONS.iter().copied().flatten();
    let gradients = gradients.map(|of| (LaunchKernels::tiles(of), SCORE_PARTS));
    let weights = MENUS.iter().flat_map(|menu| menu.configurations);
    let weights = weights.map(|of| (LaunchKernels::alone(of.kernel), "weights"));
    // The kernels for a cache in 16 bits add the partial results of these.
    let e4m3 = attention::E4M3_DECODE_CONFIGURATIONS.iter();
    let e4m3 = e4m3.chain(attention::SOFT_CAP_E4M3_DECODE_CONFIGURATIONS);
    let e4m3 = e4m3.map(|of| {
        let launch = LaunchKernels::one(Listed::forward(&of.attention));
        (launch, "attention-cache-e4m3")
    });
    parts.chain(gradients).chain(weights).chain(e4m3)
}

/// The feature of the kernel crates for kernels with score parts.
const SCORE_PARTS: &str = "attention-score-parts";

/// Returns the kernels for `sm_100a`, by the tables. Each is built by itself. Those that are
/// launched before and after a GEMM's are Hopper's, compiled for `sm_100a`.
fn blackwell_kernels() -> impl Iterator<Item = &'static str> {
    let gemms = gemm::CONFIGURATIONS.iter().filter(|of| of.arch == 100);
    let attention = attention::UMMA_CONFIGURATIONS.iter().map(|of| of.kernel);
    let scaled = gemm::SCALED_CONFIGURATIONS.iter().map(|of| of.kernel());
    let gemms = gemms.map(|of| of.kernel).chain(scaled);
    gemms.chain(beside_products()).chain(attention)
}

/// Whether `name` is in the module for `sm_100a`.
pub(super) fn is_for_blackwell(name: &str) -> bool {
    blackwell_kernels().any(|kernel| kernel == name)
}

/// Returns the names of all kernels for `sm_100a`, in order.
pub(super) fn names_for_blackwell() -> BTreeSet<&'static str> {
    blackwell_kernels().collect()
}

/// Returns the build of kernel `name` in the module for `sm_100a`, or `None` if it has no such
/// kernel.
pub(super) fn for_blackwell(name: &str) -> Option<Together> {
    let kernel = blackwell_kernels().find(|kernel| *kernel == name)?;
    Some(Together {
        kernels: vec![kernel],
        features: vec!["kernels"],
    })
}

/// Returns the kernels with score parts other than a soft cap, with keys in pages, or with two head
/// dimensions.
fn score_configurations(
    loads: AttentionLoads,
) -> impl Iterator<Item = &'static AttentionConfiguration> {
    let all = attention::forward_configurations_by(loads);
    all.filter(|of| {
        let AttentionParts {
            sequences,
            alibi,
            sinks,
            ..
        } = of.parts;
        alibi || sinks || sequences == KernelSequences::Paged || of.dim != of.dim_v
    })
}

/// Whether `name` is in the module for `sm_90a`. A choice asks this for every configuration, so
/// that the names of all tables are collected only once.
pub(super) fn is_for_hopper(name: &str) -> bool {
    static NAMES: OnceLock<BTreeSet<&'static str>> = OnceLock::new();
    NAMES.get_or_init(names_for_hopper).contains(name)
}

/// Returns the names of all kernels for `sm_90a`, in order.
pub(super) fn names_for_hopper() -> BTreeSet<&'static str> {
    let all = hopper_launches().chain(hopper_on_demand().map(|(of, _)| of));
    all.flat_map(LaunchKernels::with_bases).collect()
}

/// Returns the kernels that are built with `name` in the module for `sm_90a`, or `None` if it has
/// no such kernel.
pub(super) fn for_hopper(name: &str) -> Option<Together> {
    let (launch, features) = match hopper_launches().find(|of| of.has(name)) {
        Some(launch) => (launch, Vec::new()),
        None => {
            let (launch, feature) = hopper_on_demand().find(|(of, _)| of.has(name))?;
            (launch, vec![feature])
        }
    };
    Some(Together {
        kernels: launch.with_bases(),
        features,
    })
}

/// A launch of attention for every GPU from Ampere on, its head dimension, and the features of the
/// kernel crate that contain it.
type MmaKernels = (LaunchKernels, u32, &'static [&'static str]);

/// Returns the launches of the forward pass in a table.
fn mma_forward(
    table: &'static [AttentionConfiguration],
    features: &'static [&'static str],
) -> impl Iterator<Item = MmaKernels> {
    let launch = |of| LaunchKernels::one(Listed::forward(of));
    table.iter().map(move |of| (launch(of), of.dim, features))
}

/// Returns the launches of the gradients in a table.
fn mma_backward(
    table: &'static [AttentionBackwardConfiguration],
    features: &'static [&'static str],
) -> impl Iterator<Item = MmaKernels> {
    table
        .iter()
        .map(move |of| (LaunchKernels::gradients(of), of.dim, features))
}

/// Returns all launches of attention for every GPU from Ampere on, by the tables.
fn mma_launches() -> impl Iterator<Item = MmaKernels> {
    let packed_soft_cap = &["attention-packed", "attention-soft-cap"];
    let score_gradients = MMA_SCORE_BACKWARD_CONFIGURATIONS.iter().copied().flatten();
    mma_forward(attention::MMA_CONFIGURATIONS, &["attention"])
        .chain(mma_forward(
            attention::MMA_SOFT_CAP_CONFIGURATIONS,
            &["attention-soft-cap"],
        ))
        .chain(mma_forward(
            attention::MMA_PACKED_CONFIGURATIONS,
            &["attention-packed"],
        ))
        .chain(mma_forward(
            attention::MMA_PACKED_SOFT_CAP_CONFIGURATIONS,
            packed_soft_cap,
        ))
        .chain(mma_backward(
            attention::MMA_BACKWARD_CONFIGURATIONS,
            &["attention-backward"],
        ))
        .chain(mma_backward(
            attention::MMA_PACKED_BACKWARD_CONFIGURATIONS,
            &["attention-packed-backward"],
        ))
        .chain(score_configurations(AttentionLoads::CpAsync).map(|of| {
            let launch = LaunchKernels::one(Listed::forward(of));
            (launch, of.dim, &[SCORE_PARTS][..])
        }))
        .chain(score_gradients.map(|of| (LaunchKernels::tiles(of), of.dim, &[SCORE_PARTS][..])))
}

/// Whether a build of all kernels leaves these out: those of some head dimensions, and those with
/// score parts.
fn is_on_demand_of((_, dim, features): &MmaKernels) -> bool {
    ON_DEMAND.contains(dim) || features.contains(&SCORE_PARTS)
}

/// Whether `name` is built only when it is requested, and a build of all kernels leaves it out.
pub(super) fn is_on_demand(name: &str) -> bool {
    let mut all = mma_launches().filter(is_on_demand_of);
    all.any(|(of, ..)| of.has(name))
        || hopper_on_demand().any(|(of, _)| of.has(name))
        || name == attention::SINK_GRADIENT.kernel
}

/// Whether `name` is in the module for every GPU from Ampere on. The names are collected once, as
/// in [`is_for_hopper`].
pub(super) fn is_for_every(name: &str) -> bool {
    static NAMES: OnceLock<BTreeSet<&'static str>> = OnceLock::new();
    NAMES.get_or_init(names_for_every).contains(name)
}

/// Returns the names of all kernels for every GPU from Ampere on, in order, except those that only
/// a first run has.
pub(super) fn names_for_every() -> BTreeSet<&'static str> {
    let gemms = gemm::CONFIGURATIONS.iter();
    let gemms = gemms.filter(|of| of.hopper.is_none()).map(|of| of.kernel);
    let attention = mma_launches().flat_map(|(of, ..)| of.with_bases());
    let sinks = [attention::SINK_GRADIENT.kernel];
    (gemms.chain(attention).chain(sinks))
        .chain(hgemm_by_hand::PAIR)
        .collect()
}

/// Returns the kernels that are built with `name` in the module for every GPU from Ampere on, or
/// `None` if it has no such kernel. The kernels that only a first run has are not considered.
pub(super) fn for_every(name: &str) -> Option<Together> {
    let alone = |kernel, feature| Together {
        kernels: vec![kernel],
        features: vec![feature],
    };
    let mut gemms = gemm::CONFIGURATIONS.iter();
    if let Some(of) = gemms.find(|of| of.hopper.is_none() && of.kernel == name) {
        let feature = match of.input {
            _ if of.kernel == REFERENCE => "reference",
            InputType::Bf16 => "gemm-bf16",
            InputType::Tf32 => "gemm-tf32",
            InputType::S8 => "gemm-s8",
            _ => "gemm-f16",
        };
        return Some(alone(of.kernel, feature));
    }
    if let Some((launch, dim, features)) = mma_launches().find(|(of, ..)| of.has(name)) {
        let on_demand = ON_DEMAND.contains(&dim).then_some("attention-on-demand");
        return Some(Together {
            kernels: launch.with_bases(),
            features: features.iter().copied().chain(on_demand).collect(),
        });
    }
    if name == attention::SINK_GRADIENT.kernel {
        return Some(alone(attention::SINK_GRADIENT.kernel, SCORE_PARTS));
    }
    // The kernel on layouts has the reference's configuration, which is compiled with the
    // reference.
    (hgemm_by_hand::PAIR.contains(&name)).then(|| Together {
        kernels: hgemm_by_hand::PAIR.into_iter().chain([REFERENCE]).collect(),
        features: vec!["pair"],
    })
}

#[cfg(test)]
mod tests {
    use super::super::ModuleState;
    use super::super::module_text::{EVERY, HOPPER, ModuleText, entries_of};
    use super::*;
    use std::fs;

    /// Splits a text at its labels and removes the numbers in them, which count the kernels before.
    fn without_labels(text: &str) -> Vec<&str> {
        let mut pieces = text.split("$L__BB");
        let begin = pieces.next();
        let rests = pieces.map(|piece| piece.trim_start_matches(|c: char| c.is_ascii_digit()));
        begin.into_iter().chain(rests).collect()
    }

    /// Checks that a kernel which is built with only those of its launch equals the kernel of the
    /// whole module, if that is embedded, as in CI. Elsewhere the test does not build the whole
    /// module: examples and tests run what is built in this way.
    fn is_the_same_alone(module: &'static ModuleText, name: &str) {
        if !matches!(module.state(), ModuleState::Embedded) {
            return;
        }
        let together = module.built_with(name).unwrap();
        let ptx = module.builder_of(&together).build().unwrap();
        let ptx = fs::read_to_string(ptx).unwrap();
        let alone = entries_of(&ptx)[name];
        let whole = module.entries().unwrap()[name];
        assert!(without_labels(alone) == without_labels(whole), "{name}");
    }

    #[test]
    fn a_module_lists_what_it_builds() {
        let names = (gemm::CONFIGURATIONS.iter())
            .map(|of| of.kernel)
            .chain(mma_launches().flat_map(|(of, ..)| of.kernels().map(|of| of.name)))
            .chain(hgemm_by_hand::PAIR)
            .chain(hopper_launches().flat_map(|of| of.kernels().map(|of| of.name)))
            .chain(hopper_on_demand().flat_map(|(of, _)| of.kernels().map(|of| of.name)))
            .chain(["nothing"]);
        for name in names {
            let built = (for_hopper(name), for_every(name));
            assert_eq!(is_for_hopper(name), built.0.is_some(), "{name}");
            assert_eq!(is_for_every(name), built.1.is_some(), "{name}");
            assert!(built.0.is_none() || built.1.is_none(), "{name}");
        }
    }

    #[test]
    fn kernels_that_are_built_together_are_those_of_the_whole() {
        if std::env::var_os("CUTLET_ALL_CASES").is_none() {
            is_the_same_alone(&EVERY, "attention_mma_soft_cap_f16_d64_128x64_s2");
            is_the_same_alone(&HOPPER, "attention_packed_bf16_d128_128x128_s2");
            return;
        }
        for of in hopper_launches().filter(|of| !of.kernels().any(|of| is_on_demand(of.name))) {
            let first = of.kernels().next().unwrap();
            is_the_same_alone(&HOPPER, first.name);
        }
        let gemms = gemm::CONFIGURATIONS
            .iter()
            .filter(|of| of.hopper.is_none())
            .map(|of| of.kernel);
        let in_whole = mma_launches().filter(|of| !is_on_demand_of(of));
        let attention = in_whole.filter_map(|(of, ..)| Some(of.kernels().next()?.name));
        for name in gemms.chain(attention).chain(hgemm_by_hand::PAIR) {
            is_the_same_alone(&EVERY, name);
        }
    }
}

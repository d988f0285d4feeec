//! Which kernels are built together, where the build left their module to the program.
//!
//! ```text
//!   gemm_f16_f32_tn_128x256x64_s4_wgmma      itself
//!   attention_backward_keys_bf16_d128_...    itself, and the rows' and the queries' kernels: those of one launch
//!   attention_mma_backward_keys_bf16_d128_.. the same
//!   attention_packed_bf16_d128_...           itself, and attention_bf16_d128_..., whose configuration it has
//!   attention_mma_packed_bf16_d128_...       the same, as is attention_mma_soft_cap_..., and attention_mma_packed_soft_cap_...
//!   attention_mma_packed_backward_keys_...   the three of one launch, and the two of tiles whose configurations they have
//!   attention_backward_fused_bf16_d128_...   the three of one launch, and attention_backward_keys_bf16_d128_..., as well
//! ```
//!
//! Law: a build of these alone compiles, and each is the same there as in a build of all, the numbers of its labels aside.

use crate::{attention, gemm};
use gpu_kernels::hgemm_by_hand;
use kernel_abi::gemm::InputType;

/// The kernels for `sm_90a` that no table has: they are launched ahead of a GEMM's, and behind it.
const BESIDE_TABLES: [&str; 10] = [
    "attention_transpose_b8",
    "pack_u8",
    "pack_u16",
    "pack_u32",
    "gemm_reduction_bf16",
    "gemm_reduction_e4m3",
    "gemm_reduction_e5m2",
    "gemm_reduction_f16",
    "gemm_reduction_s8",
    "gemm_reduction_tf32",
];

/// The GEMM that every build of GEMMs has, and a feature of its own.
const REFERENCE: &str = "gemm_f16_f16_tn_128x128x32_s3";

/// Kernels that are built together.
pub(super) struct Together {
    pub kernels: Vec<&'static str>,
    /// The features of the kernel crate that have them, by comma; its default ones where there are none.
    pub features: Option<&'static str>,
}

/// The kernels of one launch, of which there are at most three.
type Launch = [Option<&'static str>; 3];

/// The kernels of each launch for `sm_90a`, by the tables.
fn hopper_launches() -> impl Iterator<Item = Launch> {
    let one = |name| [Some(name), None, None];
    let gemms = (gemm::CONFIGURATIONS.iter())
        .filter(|of| of.hopper.is_some())
        .map(move |of| one(of.kernel));
    let forward = (attention::CONFIGURATIONS.iter())
        .chain(attention::PACKED_CONFIGURATIONS)
        .chain(attention::SOFT_CAP_CONFIGURATIONS)
        .chain(attention::FP8_CONFIGURATIONS)
        .map(move |of| one(of.kernel));
    let backward = (attention::BACKWARD_CONFIGURATIONS.iter())
        .chain(attention::PACKED_BACKWARD_CONFIGURATIONS)
        .map(|of| [of.rows, of.keys.kernel, of.queries.kernel].map(Some));
    // Their other kernel is one without a cap.
    let soft_caps = (attention::SOFT_CAP_BACKWARD_CONFIGURATIONS.iter())
        .map(|of| [Some(of.keys.kernel), Some(of.queries.kernel), None])
        .chain(
            (attention::SOFT_CAP_DECODE_CONFIGURATIONS.iter())
                .map(|of| [Some(of.attention.kernel), None, None]),
        );
    let fused = (attention::FUSED_BACKWARD_CONFIGURATIONS.iter())
        .map(|of| [of.rows, of.gradients.kernel, of.dq].map(Some));
    let decoding = (attention::DECODE_CONFIGURATIONS.iter())
        .map(|of| [Some(of.attention.kernel), Some(of.combine), None]);
    gemms
        .chain(forward)
        .chain(backward)
        .chain(fused)
        .chain(decoding)
        .chain(soft_caps)
        .chain(BESIDE_TABLES.map(one))
}

/// Whether `name` is in the module for `sm_90a`: asked of every configuration when a kernel is chosen, so that it allocates nothing.
pub(super) fn is_for_hopper(name: &str) -> bool {
    hopper_launches().any(|of| of.contains(&Some(name)))
}

/// Those of `name` in the module for `sm_90a`, or none where it has no such kernel.
pub(super) fn for_hopper(name: &str) -> Option<Together> {
    let launch = hopper_launches().find(|of| of.contains(&Some(name)))?;
    let mut kernels: Vec<_> = launch.into_iter().flatten().collect();
    // Packed sequences, a soft cap and the fused gradients are kernels of another's configuration, which is compiled with that one.
    let of_others: Vec<_> = (kernels.iter())
        .flat_map(|name| {
            let without = name.replace("packed_", "").replace("soft_cap_", "");
            [
                without,
                name.replace("soft_cap_", "packed_"),
                name.replace("_fused_", "_keys_"),
            ]
        })
        .filter(|of| !kernels.contains(&&**of))
        .collect();
    kernels.extend(
        hopper_launches()
            .flatten()
            .flatten()
            .filter(|name| of_others.iter().any(|of| of == name)),
    );
    Some(Together {
        kernels,
        features: None,
    })
}

/// The kernels of the forward pass for every GPU from Ampere on.
fn forward() -> impl Iterator<Item = &'static str> {
    (attention::MMA_CONFIGURATIONS.iter())
        .chain(attention::MMA_SOFT_CAP_CONFIGURATIONS)
        .chain(attention::MMA_PACKED_CONFIGURATIONS)
        .chain(attention::MMA_PACKED_SOFT_CAP_CONFIGURATIONS)
        .map(|of| of.kernel)
}

/// The kernels of each launch of gradients for every GPU from Ampere on.
fn backward_launches() -> impl Iterator<Item = [&'static str; 3]> {
    (attention::MMA_BACKWARD_CONFIGURATIONS.iter())
        .chain(attention::MMA_PACKED_BACKWARD_CONFIGURATIONS)
        .map(|of| [of.rows, of.keys.kernel, of.queries.kernel])
}

/// Whether `name` is in the module for every GPU from Ampere on, as of [`is_for_hopper`].
pub(super) fn is_for_every(name: &str) -> bool {
    (gemm::CONFIGURATIONS.iter()).any(|of| of.hopper.is_none() && of.kernel == name)
        || forward().any(|kernel| kernel == name)
        || backward_launches().any(|of| of.contains(&name))
        || hgemm_by_hand::PAIR.contains(&name)
}

/// Those of `name` in the module for every GPU from Ampere on, but for what a first run has alone.
pub(super) fn for_every(name: &str) -> Option<Together> {
    let alone = |kernel, feature| Together {
        kernels: vec![kernel],
        features: Some(feature),
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
    if let Some(of) = (attention::MMA_CONFIGURATIONS.iter()).find(|of| of.kernel == name) {
        return Some(alone(of.kernel, "attention"));
    }
    // A soft cap and packed sequences are kernels of another's configuration, which is compiled with that one.
    if forward().any(|kernel| kernel == name) {
        let plain = name.replace("packed_", "").replace("soft_cap_", "");
        let both = forward().filter(|kernel| *kernel == name || *kernel == plain);
        return Some(Together {
            kernels: both.collect(),
            features: Some("attention,attention-packed,attention-soft-cap"),
        });
    }
    if let Some(of) = backward_launches().find(|of| of.contains(&name)) {
        let [_, keys, queries] = of;
        let without = [keys, queries].map(|name| name.replace("packed_", ""));
        let is_of_tiles = |name: &&str| without.iter().any(|of| of == name) && !of.contains(name);
        let of_others = backward_launches().flatten().filter(is_of_tiles);
        return Some(Together {
            kernels: of.into_iter().chain(of_others).collect(),
            features: Some(match keys.contains("packed_") {
                true => "attention-backward,attention-packed-backward",
                false => "attention-backward",
            }),
        });
    }
    (hgemm_by_hand::PAIR.contains(&name)).then(|| Together {
        kernels: hgemm_by_hand::PAIR.to_vec(),
        features: Some("pair"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::ModuleState;
    use super::super::module_text::{EVERY, HOPPER, ModuleText, entries_of};
    use super::*;
    use std::fs;

    /// The text with the labels' numbers of their kernels taken out, which count the kernels before.
    fn without_labels(text: &str) -> Vec<&str> {
        let mut pieces = text.split("$L__BB");
        let begin = pieces.next();
        let rests = pieces.map(|piece| piece.trim_start_matches(|c: char| c.is_ascii_digit()));
        begin.into_iter().chain(rests).collect()
    }

    /// The kernel, built with those of its launch, is the whole's, where that is embedded, as in CI. Nobody waits for the whole elsewhere, where
    /// examples and tests run what is built so.
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
            .chain(forward())
            .chain(backward_launches().flatten())
            .chain(hgemm_by_hand::PAIR)
            .chain(hopper_launches().flatten().flatten())
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
        for of in hopper_launches() {
            is_the_same_alone(&HOPPER, of[0].unwrap());
        }
        let gemms = gemm::CONFIGURATIONS
            .iter()
            .filter(|of| of.hopper.is_none())
            .map(|of| of.kernel);
        let attention = forward().chain(backward_launches().map(|of| of[0]));
        for name in gemms.chain(attention).chain(hgemm_by_hand::PAIR) {
            is_the_same_alone(&EVERY, name);
        }
    }
}

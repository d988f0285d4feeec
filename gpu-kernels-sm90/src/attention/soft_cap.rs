//! The table of kernels with a soft cap.
//!
//! ```text
//!   attention_soft_cap_bf16_d128_128x128_s2      attention_packed_bf16_d128_128x128_s2 with S = cap tanh(scale Q Kᵀ / cap)
//! ```
//!
//! Law: each kernel is its configuration with [`SoftCap`], whose value is the kernel's last
//! argument. It is launched by the configuration's plan or by the plan for packed sequences: one
//! kernel serves both. Sequences of one length have no starts.

#![cfg_attr(
    not(any(target_arch = "nvptx64", doc)),
    allow(dead_code, unused_imports)
)]

use super::configurations::{Bf16D64Short, Bf16D96, Bf16D128, Bf16D192, Bf16D256Narrow};
use super::configurations::{F16D64Short, F16D96, F16D128, F16D192, F16D256Narrow};
use super::kernel::run;
use super::score::{SoftCap, With};
use super::sequences::{Packed, PackedSequences};
use cuda_std::kernel;
use half::{bf16, f16};
use kernel_abi::attention::{AttentionConfiguration, AttentionParams, AttentionParts};
use layout_types::arch::copy_sm90_tma::TensorMap;

/// Defines kernels with a soft cap, from configurations with 8 consumer warps, and their table.
macro_rules! soft_cap {
    ($($name:ident $kernel:ident { $element:ident, stages of q $q_stages:literal })+) => {
        $(
            #[doc = concat!("[`", stringify!($name), "`] with a soft cap: see [`kernel_abi::attention`].")]
            ///
            /// # Safety
            /// The launch is the one that the plan, or the plan for packed sequences, gives.
            #[cfg(all(feature = "attention-soft-cap", any(target_arch = "nvptx64", doc)))]
            #[kernel(threads = 384, min_blocks = 1)]
            #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
            pub unsafe fn $kernel(
                o: *mut $element,
                lse: *mut f32,
                params: AttentionParams,
                #[grid_constant] map_q: &TensorMap,
                #[grid_constant] map_k: &TensorMap,
                #[grid_constant] map_v: &TensorMap,
                queries: *const u32,
                keys: *const u32,
                score: SoftCap,
            ) {
                let sequences = PackedSequences { queries, keys };
                let maps = [map_q, map_k, map_v];
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe { run::<With<Packed<$name, true>, SoftCap>, $q_stages, 8, 2>((o, lse), &params, maps, (score, sequences)) }
            }
        )+

        /// The configurations of all kernels with a soft cap: one for each type and head dimension,
        /// for sequences of one length and for packed sequences.
        pub static SOFT_CAP_CONFIGURATIONS: &[AttentionConfiguration] = &[$(
            AttentionConfiguration {
                kernel: stringify!($kernel),
                parts: AttentionParts::NONE.either().soft_cap(),
                ..$name::CONFIGURATION
            },
        )+];
    };
}

soft_cap! {
    F16D64Short attention_soft_cap_f16_d64_128x128_s2 { f16, stages of q 2 }
    F16D96 attention_soft_cap_f16_d96_128x128_s2 { f16, stages of q 2 }
    F16D128 attention_soft_cap_f16_d128_128x128_s2 { f16, stages of q 2 }
    F16D192 attention_soft_cap_f16_d192_128x96_s2 { f16, stages of q 1 }
    F16D256Narrow attention_soft_cap_f16_d256_128x64_s2 { f16, stages of q 1 }
    Bf16D64Short attention_soft_cap_bf16_d64_128x128_s2 { bf16, stages of q 2 }
    Bf16D96 attention_soft_cap_bf16_d96_128x128_s2 { bf16, stages of q 2 }
    Bf16D128 attention_soft_cap_bf16_d128_128x128_s2 { bf16, stages of q 2 }
    Bf16D192 attention_soft_cap_bf16_d192_128x96_s2 { bf16, stages of q 1 }
    Bf16D256Narrow attention_soft_cap_bf16_d256_128x64_s2 { bf16, stages of q 1 }
}

//! The table of the attention kernels for packed sequences.
//!
//! ```text
//!   attention_packed_bf16_d128_128x128_s2      attention_bf16_d128_128x128_s2, with the first row of each sequence
//! ```
//!
//! Law: each kernel is its configuration with [`PackedSequences`], and is launched by a plan for
//! packed sequences.

#![cfg_attr(
    not(any(target_arch = "nvptx64", doc)),
    allow(dead_code, unused_imports)
)]

use super::configurations::rows_of_8_warps;
use super::configurations::{Bf16D64Short, Bf16D96, Bf16D128, Bf16D192, Bf16D256Narrow};
use super::configurations::{F16D64Short, F16D96, F16D128, F16D192, F16D256Narrow};
use super::kernel::run;
use super::score::Identity;
use super::sequences::{Packed, PackedSequences};
use cuda_std::kernel;
use half::{bf16, f16};
use kernel_abi::attention::{AttentionConfiguration, AttentionParams, AttentionParts};
use layout_types::arch::copy_sm90_tma::TensorMap;

/// Defines kernels for packed sequences, from configurations with 8 consumer warps, and their
/// table.
macro_rules! packed {
    ({ $($name:ident $tile:literal $element:ident, keys $n:literal, stages of q $q_stages:literal;)+ }) => {
        $(
            #[doc = concat!("[`", stringify!($name), "`] of packed sequences: see [`kernel_abi::attention`].")]
            ///
            /// # Safety
            /// The launch is the one that the plan for packed sequences gives.
            #[cfg(all(feature = "kernels", target_arch = "nvptx64"))]
            #[kernel(name = concat!("attention_packed_", $tile), threads = 384, min_blocks = 1)]
            #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
            pub unsafe fn attention(
                o: *mut $element,
                lse: *mut f32,
                params: AttentionParams,
                #[grid_constant] map_q: &TensorMap,
                #[grid_constant] map_k: &TensorMap,
                #[grid_constant] map_v: &TensorMap,
                queries: *const u32,
                keys: *const u32,
            ) {
                let sequences = PackedSequences { queries, keys };
                let maps = [map_q, map_k, map_v];
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe { run::<Packed<$name>, $q_stages, 8, 2>((o, lse), &params, maps, (Identity, sequences)) }
            }
        )+

        /// The configurations of all kernels for packed sequences.
        pub static PACKED_CONFIGURATIONS: &[AttentionConfiguration] = &[$(
            AttentionConfiguration {
                kernel: concat!("attention_packed_", $tile),
                parts: AttentionParts::NONE.packed(),
                ..$name::CONFIGURATION
            },
        )+];
    };
}

rows_of_8_warps! { [] packed }

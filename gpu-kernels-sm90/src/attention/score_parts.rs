//! The tables of kernels with score parts.
//!
//! ```text
//!   attention_soft_cap_bf16_d128_128x128_s2         S = cap tanh(scale Q Kᵀ / cap)
//!   attention_alibi_sinks_bf16_d128_128x128_s2      score parts, then the configuration's name
//! ```
//!
//! Law: each kernel is its configuration with one of the compositions of `each_score!`, for
//! sequences of one length and for packed sequences. Its last arguments are those of its score
//! parts ([`AttentionParts`](kernel_abi::attention::AttentionParts)). A build of all kernels
//! includes those with a soft cap alone. The program builds each of the others at its first use.

// The build chooses the kernels, so some of these items may be unused.
#![cfg_attr(not(doc), allow(dead_code, unused_imports))]

use super::configurations::rows_of_8_warps;
use super::configurations::{Bf16D64Short, Bf16D96, Bf16D128, Bf16D192, Bf16D256Narrow};
use super::configurations::{F16D64Short, F16D96, F16D128, F16D192, F16D256Narrow};
use super::kernel::run;
use super::score::{SoftCap, With};
use super::sequences::{Packed, PackedSequences};
use cuda_std::kernel;
use gpu_kernels::each_score;
use half::{bf16, f16};
use kernel_abi::attention::{AttentionConfiguration, AttentionParams, AttentionParts};
use layout_types::arch::copy_sm90_tma::TensorMap;

/// Defines kernels, from configurations with 8 consumer warps, and their tables.
macro_rules! score_parts {
    ([$($of:tt)+] $(#[$doc:meta])* $table:ident $lines:tt) => {
        $(score_parts! { @kernels "attention-score-parts" $of $lines })+

        $(#[$doc])*
        pub static $table: &[&[AttentionConfiguration]] = &[$(score_parts!(@table $of $lines)),+];
    };
    // One composition, whose kernels a build of all kernels includes.
    ([$of:tt] in every build $(#[$doc:meta])* $table:ident $lines:tt) => {
        score_parts! { @kernels "attention-soft-cap" $of $lines }

        $(#[$doc])*
        pub static $table: &[AttentionConfiguration] = score_parts!(@table $of $lines);
    };
    (@table { $parts:expr, $prefix:literal, $($with:tt)+ } { $($name:ident $tile:literal $element:ident, keys $n:literal, stages of q $q_stages:literal;)+ }) => {
        &[$(
            AttentionConfiguration {
                kernel: concat!("attention_", $prefix, $tile),
                base: None,
                parts: $parts.either(),
                ..$name::CONFIGURATION
            },
        )+]
    };
    (@kernels $feature:literal { $parts:expr, $prefix:literal, $arguments:tt, $score:ty, $value:expr } { $($name:ident $tile:literal $element:ident, keys $n:literal, stages of q $q_stages:literal;)+ }) => {
        $(score_parts! { @kernel $feature $prefix, $arguments, $score, $value, $name $tile $element $q_stages })+
    };
    (@kernel $feature:literal $prefix:literal, ($($argument:ident: $type:ty),*), $score:ty, $value:expr, $name:ident $tile:literal $element:ident $q_stages:literal) => {
        #[doc = concat!("[`", stringify!($name), "`] with score parts: see [`kernel_abi::attention`].")]
        ///
        /// # Safety
        /// The launch is the one that the plan, or the plan for packed sequences, gives.
        #[cfg(all(feature = $feature, target_arch = "nvptx64"))]
        #[kernel(name = concat!("attention_", $prefix, $tile), threads = 384, min_blocks = 1)]
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
            $($argument: $type),*
        ) {
            let sequences = PackedSequences { queries, keys };
            let maps = [map_q, map_k, map_v];
            // SAFETY: the launch is the plan's by the function's contract. A buffer that a part
            // reads per head has an element for each head.
            unsafe {
                run::<With<Packed<$name, true>, $score>, $q_stages, 8, 2>((o, lse), &params, maps, ($value, sequences))
            }
        }
    };
}

pub(super) use score_parts;

rows_of_8_warps! {
    [] score_parts [{ AttentionParts::NONE.soft_cap(), "soft_cap_", (score: SoftCap), SoftCap, score }] in every build
    /// The configurations of all kernels with a soft cap: one for each type and head dimension, for
    /// sequences of one length and for packed sequences.
    SOFT_CAP_CONFIGURATIONS
}

rows_of_8_warps! {
    [] each_score score_parts
    /// All kernels with score parts other than a soft cap alone, for packed sequences and for
    /// sequences of one length: a table for each composition.
    SCORE_CONFIGURATIONS
}

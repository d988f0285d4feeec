//! The tables of gradient kernels with score parts.
//!
//! ```text
//!   attention_soft_cap_backward_keys_bf16_d128_128x32_s2        t = cap tanh(s / cap), s = scale Q Kᵀ     P = e^(t - LSE)
//!   attention_soft_cap_backward_queries_bf16_d128_128x64_s2     dS = P ∘ (dP - δ) ∘ (1 - (t / cap)²)
//!   attention_alibi_backward_keys_bf16_d128_128x32_s2           t = s - slope |distance|                  dS = P ∘ (dP - δ)
//! ```
//!
//! Law: each kernel is its configuration with one of the compositions that `each_score!` lists for
//! gradients. Its last arguments are those of the composition. It is launched by the
//! configuration's plan or by the plan for packed sequences: one kernel serves both. Sequences of
//! one length have no starts. The kernel of the rows does not use scores, so it is the kernel
//! without score parts for the same kind of sequences. A build of all kernels includes the kernels
//! with only a soft cap; the program builds each of the others at its first use.

// The build chooses the kernels, so some of these items may be unused.
#![cfg_attr(not(doc), allow(dead_code, unused_imports))]

use super::super::score::With;
use super::super::sequences::{Packed, PackedSequences};
use super::configurations::{
    BACKWARD_CONFIGURATIONS, Bf16D64KeysBy64, Bf16D64QueriesBy64, Bf16D96Keys, Bf16D96QueriesBy64,
    Bf16D128KeysBy32, Bf16D128Queries, Bf16D192Keys, Bf16D192Queries, Bf16D256Keys,
    Bf16D256Queries, CONSUMERS, F16D64KeysBy64, F16D64QueriesBy64, F16D96Keys, F16D96QueriesBy64,
    F16D128KeysBy32, F16D128Queries, F16D192Keys, F16D192Queries, F16D256Keys, F16D256Queries, of,
    shared_bytes,
};
use super::packed::PACKED_BACKWARD_CONFIGURATIONS;
use super::{kernel, split};
use cuda_std::kernel;
use gpu_kernels::each_score;
use half::{bf16, f16};
use kernel_abi::attention::{
    AttentionBackwardConfiguration, AttentionBackwardParams, AttentionParts, AttentionType,
    GradientKernel,
};
use layout_types::arch::copy_sm90_tma::TensorMap;

/// Returns the row of a type and a head dimension with the kernels of tiles replaced by kernels
/// with score parts. For each kernel, the arguments are its name and the rows of a streamed block.
const fn with_score(
    of: AttentionBackwardConfiguration,
    parts: AttentionParts,
    [keys, queries]: [(&'static str, u32); 2],
) -> AttentionBackwardConfiguration {
    const fn by_blocks(of: GradientKernel, n: u32, dim: u32, of_keys: bool) -> GradientKernel {
        GradientKernel {
            base: None,
            tile: [of.tile[0], n],
            shared_bytes: shared_bytes(of.tile[0], n, dim, of_keys),
            ..of
        }
    }
    AttentionBackwardConfiguration {
        keys: by_blocks(of.keys, keys.1, of.dim, true),
        queries: by_blocks(of.queries, queries.1, of.dim, false),
        ..of
    }
    .with_score(parts, [keys.0, queries.0])
}

/// Defines the kernels of each composition, type and head dimension, from configurations with 8
/// consumer warps, and their tables.
macro_rules! score_backward {
    ([$soft_cap:tt $($more:tt)+] $lines:tt) => {
        score_backward! { @kernels [feature = "kernels"] $soft_cap $lines }
        $(score_backward! { @kernels [feature = "attention-score-parts"] $more $lines })+

        /// The configurations with a soft cap, for all types and head dimensions.
        pub static SOFT_CAP_BACKWARD_CONFIGURATIONS: &[AttentionBackwardConfiguration] =
            score_backward!(@rows BACKWARD_CONFIGURATIONS, $soft_cap $lines);
        /// The same configurations for packed sequences, which have another kernel of the rows.
        pub static PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS: &[AttentionBackwardConfiguration] =
            score_backward!(@rows PACKED_BACKWARD_CONFIGURATIONS, $soft_cap $lines);
        /// The configurations with other score parts, for all types and head dimensions. Each
        /// composition has a table for sequences of one length, then one for packed sequences.
        pub static SCORE_BACKWARD_CONFIGURATIONS: &[&[AttentionBackwardConfiguration]] = &[$(
            score_backward!(@rows BACKWARD_CONFIGURATIONS, $more $lines),
            score_backward!(@rows PACKED_BACKWARD_CONFIGURATIONS, $more $lines),
        )+];
    };
    (@rows $table:ident, { $parts:expr, $prefix:literal, $($with:tt)+ } {$(
        $variant:ident $element:ident d $d:literal,
        $keys:ident $keys_tile:literal blocks of $n:literal by $body:ident,
        $queries:ident $queries_tile:literal blocks of $qn:literal;
    )+}) => {
        &[$(
            with_score(of($table, AttentionType::$variant, $d), $parts, [
                (concat!("attention_", $prefix, "backward_keys_", $keys_tile), $n),
                (concat!("attention_", $prefix, "backward_queries_", $queries_tile), $qn),
            ]),
        )+]
    };
    (@kernels $built:tt { $parts:expr, $prefix:literal, $arguments:tt, $score:ty, $value:expr } {$(
        $variant:ident $element:ident d $d:literal,
        $keys:ident $keys_tile:literal blocks of $n:literal by $body:ident,
        $queries:ident $queries_tile:literal blocks of $qn:literal;
    )+}) => {$(
        score_backward! {
            @kernel $built concat!("attention_", $prefix, "backward_keys_", $keys_tile), $arguments, $score, $value, $keys by $body, $element
        }
        score_backward! {
            @kernel $built concat!("attention_", $prefix, "backward_queries_", $queries_tile), $arguments, $score, $value, $queries by kernel, $element
        }
    )+};
    (@kernel [$built:meta] $kernel:expr, ($($argument:ident: $type:ty),*), $score:ty, $value:expr, $name:ident by $body:ident, $element:ident) => {
        #[doc = concat!("[`", stringify!($name), "`] with score parts: see [`kernel_abi::attention`].")]
        ///
        /// # Safety
        /// The launch is the one that the plan, or the plan for packed sequences, gives. For packed
        /// sequences `tiles` has the starts in the resident tensors, `streamed` those in the
        /// streamed tensors.
        #[cfg(all($built, target_arch = "nvptx64"))]
        #[kernel(name = $kernel, threads = 384, min_blocks = 1)]
        #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
        pub unsafe fn gradients(
            first: *mut $element,
            second: *mut $element,
            values: *const f32,
            params: AttentionBackwardParams,
            #[grid_constant] map_x0: &TensorMap,
            #[grid_constant] map_x1: &TensorMap,
            #[grid_constant] map_y0: &TensorMap,
            #[grid_constant] map_y1: &TensorMap,
            tiles: *const u32,
            streamed: *const u32,
            $($argument: $type),*
        ) {
            let sequences = PackedSequences { queries: tiles, keys: streamed };
            let maps = [map_x0, map_x1, map_y0, map_y1];
            // SAFETY: the launch is the plan's by the function's contract. A buffer that a part
            // reads per head has an element for each head.
            unsafe {
                $body::run::<With<Packed<$name, true>, $score>, CONSUMERS>((first, second), values, (&params, $value, sequences), maps)
            }
        }
    };
}

// At d 64 to 128 blocks are smaller than without score parts: with a soft cap a thread holds P in
// 16 bits and P times the derivatives at the same time.
each_score! {
    gradients score_backward {
        F16 f16 d 64, F16D64KeysBy64 "f16_d64_128x64_s2" blocks of 64 by kernel, F16D64QueriesBy64 "f16_d64_128x64_s2" blocks of 64;
        F16 f16 d 96, F16D96Keys "f16_d96_128x64_s2" blocks of 64 by kernel, F16D96QueriesBy64 "f16_d96_128x64_s2" blocks of 64;
        F16 f16 d 128, F16D128KeysBy32 "f16_d128_128x32_s2" blocks of 32 by kernel, F16D128Queries "f16_d128_128x64_s2" blocks of 64;
        F16 f16 d 192, F16D192Keys "f16_d192_64x64_s2" blocks of 64 by split, F16D192Queries "f16_d192_128x64_s2" blocks of 64;
        F16 f16 d 256, F16D256Keys "f16_d256_64x64_s2" blocks of 64 by split, F16D256Queries "f16_d256_128x48_s2" blocks of 48;
        Bf16 bf16 d 64, Bf16D64KeysBy64 "bf16_d64_128x64_s2" blocks of 64 by kernel, Bf16D64QueriesBy64 "bf16_d64_128x64_s2" blocks of 64;
        Bf16 bf16 d 96, Bf16D96Keys "bf16_d96_128x64_s2" blocks of 64 by kernel, Bf16D96QueriesBy64 "bf16_d96_128x64_s2" blocks of 64;
        Bf16 bf16 d 128, Bf16D128KeysBy32 "bf16_d128_128x32_s2" blocks of 32 by kernel, Bf16D128Queries "bf16_d128_128x64_s2" blocks of 64;
        Bf16 bf16 d 192, Bf16D192Keys "bf16_d192_64x64_s2" blocks of 64 by split, Bf16D192Queries "bf16_d192_128x64_s2" blocks of 64;
        Bf16 bf16 d 256, Bf16D256Keys "bf16_d256_64x64_s2" blocks of 64 by split, Bf16D256Queries "bf16_d256_128x48_s2" blocks of 48;
    }
}

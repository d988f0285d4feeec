//! The table of kernels of gradients with a soft cap.
//!
//! ```text
//!   attention_soft_cap_backward_keys_bf16_d128_128x32_s2        t = cap tanh(s / cap), s = scale Q Kᵀ     P = e^(t - LSE)
//!   attention_soft_cap_backward_queries_bf16_d128_128x64_s2     dS = P ∘ (dP - δ) ∘ (1 - (t / cap)²)
//! ```
//!
//! Law: each is its configuration with [`SoftCap`], whose value is the kernel's last argument, and
//! is launched as the configuration's plan says, or as that of packed sequences: one kernel for
//! both. Sequences of one length have no starts. What the kernel of the rows computes has no scores
//! in it: it is that without a cap, of the one or of the other.

#![cfg_attr(
    not(any(target_arch = "nvptx64", doc)),
    allow(dead_code, unused_imports)
)]

use super::super::score::{SoftCap, With};
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
use half::{bf16, f16};
use kernel_abi::attention::{
    AttentionBackwardConfiguration, AttentionBackwardParams, AttentionType, GradientKernel,
};
use layout_types::arch::copy_sm90_tma::TensorMap;

/// Defines a kernel of tiles with a soft cap, of a configuration with 8 warps of consumers.
macro_rules! soft_cap_gradient_kernel {
    ($name:ident $kernel:ident by $body:ident, $element:ident) => {
        #[doc = concat!("[`", stringify!($name), "`] with a soft cap: see [`kernel_abi::attention`].")]
        ///
        /// # Safety
        /// The launch is as the plan, or the plan of packed sequences, says; in the latter `tiles`
        /// is where the sequences begin in the tensors that stay, `streamed` in those that are
        /// streamed.
        #[cfg(all(feature = "kernels", any(target_arch = "nvptx64", doc)))]
        #[kernel(threads = 384, min_blocks = 1)]
        #[allow(
            clippy::too_many_arguments,
            reason = "a kernel's arguments are its interface"
        )]
        pub unsafe fn $kernel(
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
            score: SoftCap,
        ) {
            let sequences = PackedSequences {
                queries: tiles,
                keys: streamed,
            };
            let maps = [map_x0, map_x1, map_y0, map_y1];
            // SAFETY: the launch is the plan's by the function's contract.
            unsafe {
                $body::run::<With<Packed<$name, true>, SoftCap>, CONSUMERS>(
                    (first, second),
                    values,
                    (&params, score, sequences),
                    maps,
                )
            }
        }
    };
}

/// Defines the kernels of each type and head dimension, and the table.
macro_rules! soft_cap_backward {
    ($(
        $variant:ident $element:ident d $d:literal,
        $keys:ident $keys_kernel:ident blocks of $n:literal by $body:ident,
        $queries:ident $queries_kernel:ident blocks of $qn:literal;
    )+) => {
        $(
            soft_cap_gradient_kernel! { $keys $keys_kernel by $body, $element }
            soft_cap_gradient_kernel! { $queries $queries_kernel by kernel, $element }
        )+

        /// Every type and head dimension with a soft cap.
        pub static SOFT_CAP_BACKWARD_CONFIGURATIONS: &[AttentionBackwardConfiguration] = &[$({
            let of = of(BACKWARD_CONFIGURATIONS, AttentionType::$variant, $d);
            AttentionBackwardConfiguration {
                keys: GradientKernel {
                    kernel: stringify!($keys_kernel),
                    base: $keys::BASE,
                    tile: [of.keys.tile[0], $n],
                    shared_bytes: shared_bytes(of.keys.tile[0], $n, $d, true),
                    ..of.keys
                },
                queries: GradientKernel {
                    kernel: stringify!($queries_kernel),
                    base: $queries::BASE,
                    tile: [of.queries.tile[0], $qn],
                    shared_bytes: shared_bytes(of.queries.tile[0], $qn, $d, false),
                    ..of.queries
                },
                ..of
            }
        }),+];

        /// The same of packed sequences, whose kernel of the rows is another.
        pub static PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS: &[AttentionBackwardConfiguration] = &[$(
            AttentionBackwardConfiguration {
                rows: of(PACKED_BACKWARD_CONFIGURATIONS, AttentionType::$variant, $d).rows,
                ..of(SOFT_CAP_BACKWARD_CONFIGURATIONS, AttentionType::$variant, $d)
            }
        ),+];
    };
}

// At d 64 to 128 smaller blocks than without a cap: P in 16 bits stands beside what dS is a product
// of.
soft_cap_backward! {
    F16 f16 d 64,
    F16D64KeysBy64 attention_soft_cap_backward_keys_f16_d64_128x64_s2 blocks of 64 by kernel,
    F16D64QueriesBy64 attention_soft_cap_backward_queries_f16_d64_128x64_s2 blocks of 64;

    F16 f16 d 96,
    F16D96Keys attention_soft_cap_backward_keys_f16_d96_128x64_s2 blocks of 64 by kernel,
    F16D96QueriesBy64 attention_soft_cap_backward_queries_f16_d96_128x64_s2 blocks of 64;

    F16 f16 d 128,
    F16D128KeysBy32 attention_soft_cap_backward_keys_f16_d128_128x32_s2 blocks of 32 by kernel,
    F16D128Queries attention_soft_cap_backward_queries_f16_d128_128x64_s2 blocks of 64;

    F16 f16 d 192,
    F16D192Keys attention_soft_cap_backward_keys_f16_d192_64x64_s2 blocks of 64 by split,
    F16D192Queries attention_soft_cap_backward_queries_f16_d192_128x64_s2 blocks of 64;

    F16 f16 d 256,
    F16D256Keys attention_soft_cap_backward_keys_f16_d256_64x64_s2 blocks of 64 by split,
    F16D256Queries attention_soft_cap_backward_queries_f16_d256_128x48_s2 blocks of 48;

    Bf16 bf16 d 64,
    Bf16D64KeysBy64 attention_soft_cap_backward_keys_bf16_d64_128x64_s2 blocks of 64 by kernel,
    Bf16D64QueriesBy64 attention_soft_cap_backward_queries_bf16_d64_128x64_s2 blocks of 64;

    Bf16 bf16 d 96,
    Bf16D96Keys attention_soft_cap_backward_keys_bf16_d96_128x64_s2 blocks of 64 by kernel,
    Bf16D96QueriesBy64 attention_soft_cap_backward_queries_bf16_d96_128x64_s2 blocks of 64;

    Bf16 bf16 d 128,
    Bf16D128KeysBy32 attention_soft_cap_backward_keys_bf16_d128_128x32_s2 blocks of 32 by kernel,
    Bf16D128Queries attention_soft_cap_backward_queries_bf16_d128_128x64_s2 blocks of 64;

    Bf16 bf16 d 192,
    Bf16D192Keys attention_soft_cap_backward_keys_bf16_d192_64x64_s2 blocks of 64 by split,
    Bf16D192Queries attention_soft_cap_backward_queries_bf16_d192_128x64_s2 blocks of 64;

    Bf16 bf16 d 256,
    Bf16D256Keys attention_soft_cap_backward_keys_bf16_d256_64x64_s2 blocks of 64 by split,
    Bf16D256Queries attention_soft_cap_backward_queries_bf16_d256_128x48_s2 blocks of 48;
}

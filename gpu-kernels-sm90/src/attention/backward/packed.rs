//! The table of gradient kernels for packed sequences.
//!
//! ```text
//!   attention_packed_backward_rows_bf16_d128               the kernels of `configurations` with the first row of each sequence
//!   attention_packed_backward_keys_bf16_d128_128x32_s2     the kernels of keys have smaller blocks at d 64 and 128
//!   attention_packed_backward_queries_bf16_d128_128x64_s2
//! ```
//!
//! Law: each kernel is its configuration with [`PackedSequences`], and is launched by a plan for
//! packed sequences.

#![cfg_attr(
    not(any(target_arch = "nvptx64", doc)),
    allow(dead_code, unused_imports)
)]

use super::super::score::Identity;
use super::super::sequences::{Packed, PackedSequences};
use super::configurations::{
    BACKWARD_CONFIGURATIONS, Bf16D64KeysBy64, Bf16D64Queries, Bf16D96Keys, Bf16D96Queries,
    Bf16D128KeysBy32, Bf16D128Queries, Bf16D192Keys, Bf16D192Queries, Bf16D256Keys,
    Bf16D256Queries, CONSUMERS, F16D64KeysBy64, F16D64Queries, F16D96Keys, F16D96Queries,
    F16D128KeysBy32, F16D128Queries, F16D192Keys, F16D192Queries, F16D256Keys, F16D256Queries, of,
    shared_bytes,
};
use super::{kernel, rows, split};
use cuda_std::kernel;
use half::{bf16, f16};
use kernel_abi::attention::{
    AttentionBackwardConfiguration, AttentionBackwardParams, AttentionParts, AttentionType,
    GradientKernel,
};
use layout_types::arch::copy_sm90_tma::TensorMap;
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::typenum::U32;

/// Defines a kernel of tiles for packed sequences, from a configuration with 8 consumer warps.
macro_rules! packed_gradient_kernel {
    ($name:ident $kernel:ident by $body:ident, $element:ident) => {
        #[doc = concat!("[`", stringify!($name), "`] of packed sequences: see [`kernel_abi::attention`].")]
        ///
        /// # Safety
        /// The launch is the one that the plan for packed sequences gives. `tiles` has the starts
        /// in the resident tensors, `streamed` those in the streamed tensors.
        #[cfg(all(feature = "kernels", any(target_arch = "nvptx64", doc)))]
        #[kernel(threads = 384, min_blocks = 1)]
        #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
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
        ) {
            let sequences = PackedSequences { queries: tiles, keys: streamed };
            let maps = [map_x0, map_x1, map_y0, map_y1];
            // SAFETY: the launch is the plan's by the function's contract.
            unsafe { $body::run::<Packed<$name>, CONSUMERS>((first, second), values, (&params, Identity, sequences), maps) }
        }
    };
}

/// Defines the three kernels of each type and head dimension, and the table.
macro_rules! packed_backward {
    ($(
        $variant:ident $element:ident d $d:literal, rows $rows:ident,
        $keys:ident $keys_kernel:ident blocks of $n:literal by $body:ident,
        $queries:ident $queries_kernel:ident;
    )+) => {
        $(
            packed_gradient_kernel! { $keys $keys_kernel by $body, $element }
            packed_gradient_kernel! { $queries $queries_kernel by kernel, $element }

            /// Computes the values of the rows of packed sequences.
            ///
            /// # Safety
            /// The launch is the one that the plan for packed sequences gives.
            #[cfg(all(feature = "kernels", any(target_arch = "nvptx64", doc)))]
            #[kernel(threads = 128)]
            pub unsafe fn $rows(
                o: *const $element,
                d_o: *const $element,
                lse: *const f32,
                values: *mut f32,
                params: AttentionBackwardParams,
                queries: *const u32,
            ) {
                // The kernel does not read the starts of keys.
                let sequences = PackedSequences { queries, keys: queries };
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe { rows::run::<$element, <int!($d) as Nat>::Over<U32>, $d>([o, d_o], lse, values, (&params, sequences)) }
            }
        )+

        /// The configurations for packed sequences, for all types and head dimensions.
        pub static PACKED_BACKWARD_CONFIGURATIONS: &[AttentionBackwardConfiguration] = &[$({
            let of = of(BACKWARD_CONFIGURATIONS, AttentionType::$variant, $d);
            AttentionBackwardConfiguration {
                parts: AttentionParts::NONE.packed(),
                rows: stringify!($rows),
                keys: GradientKernel {
                    kernel: stringify!($keys_kernel),
                    base: $keys::BASE,
                    tile: [of.keys.tile[0], $n],
                    shared_bytes: shared_bytes(of.keys.tile[0], $n, $d, true),
                    ..of.keys
                },
                queries: GradientKernel { kernel: stringify!($queries_kernel), base: $queries::BASE, ..of.queries },
                ..of
            }
        }),+];
    };
}

packed_backward! {
    F16 f16 d 64, rows attention_packed_backward_rows_f16_d64,
    F16D64KeysBy64 attention_packed_backward_keys_f16_d64_128x64_s2 blocks of 64 by kernel,
    F16D64Queries attention_packed_backward_queries_f16_d64_128x128_s2;

    F16 f16 d 96, rows attention_packed_backward_rows_f16_d96,
    F16D96Keys attention_packed_backward_keys_f16_d96_128x64_s2 blocks of 64 by kernel,
    F16D96Queries attention_packed_backward_queries_f16_d96_128x128_s2;

    F16 f16 d 128, rows attention_packed_backward_rows_f16_d128,
    F16D128KeysBy32 attention_packed_backward_keys_f16_d128_128x32_s2 blocks of 32 by kernel,
    F16D128Queries attention_packed_backward_queries_f16_d128_128x64_s2;

    F16 f16 d 192, rows attention_packed_backward_rows_f16_d192,
    F16D192Keys attention_packed_backward_keys_f16_d192_64x64_s2 blocks of 64 by split,
    F16D192Queries attention_packed_backward_queries_f16_d192_128x64_s2;

    F16 f16 d 256, rows attention_packed_backward_rows_f16_d256,
    F16D256Keys attention_packed_backward_keys_f16_d256_64x64_s2 blocks of 64 by split,
    F16D256Queries attention_packed_backward_queries_f16_d256_128x48_s2;

    Bf16 bf16 d 64, rows attention_packed_backward_rows_bf16_d64,
    Bf16D64KeysBy64 attention_packed_backward_keys_bf16_d64_128x64_s2 blocks of 64 by kernel,
    Bf16D64Queries attention_packed_backward_queries_bf16_d64_128x128_s2;

    Bf16 bf16 d 96, rows attention_packed_backward_rows_bf16_d96,
    Bf16D96Keys attention_packed_backward_keys_bf16_d96_128x64_s2 blocks of 64 by kernel,
    Bf16D96Queries attention_packed_backward_queries_bf16_d96_128x128_s2;

    Bf16 bf16 d 128, rows attention_packed_backward_rows_bf16_d128,
    Bf16D128KeysBy32 attention_packed_backward_keys_bf16_d128_128x32_s2 blocks of 32 by kernel,
    Bf16D128Queries attention_packed_backward_queries_bf16_d128_128x64_s2;

    Bf16 bf16 d 192, rows attention_packed_backward_rows_bf16_d192,
    Bf16D192Keys attention_packed_backward_keys_bf16_d192_64x64_s2 blocks of 64 by split,
    Bf16D192Queries attention_packed_backward_queries_bf16_d192_128x64_s2;

    Bf16 bf16 d 256, rows attention_packed_backward_rows_bf16_d256,
    Bf16D256Keys attention_packed_backward_keys_bf16_d256_64x64_s2 blocks of 64 by split,
    Bf16D256Queries attention_packed_backward_queries_bf16_d256_128x48_s2;
}

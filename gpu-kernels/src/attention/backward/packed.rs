//! The table of kernels of the gradients of packed sequences.
//!
//! ```text
//!   attention_mma_packed_backward_rows_bf16_d128               the kernels of `configurations`, and where each sequence begins
//!   attention_mma_packed_backward_keys_bf16_d128_64x32_s2
//!   attention_mma_packed_backward_queries_bf16_d128_64x32_s2
//! ```
//!
//! Law: each is its configuration with [`PackedSequences`], whose starts are the kernel's last arguments, and launched as a plan of packed
//! sequences says.

#![cfg_attr(not(target_arch = "nvptx64"), allow(dead_code, unused_imports))]

use super::super::config::With;
use super::super::score::Identity;
use super::super::sequences::PackedSequences;
use super::configurations::{
    Bf16D64Keys, Bf16D64Queries, Bf16D96Keys, Bf16D96Queries, Bf16D128Keys, Bf16D128Queries,
    Bf16D192Keys, Bf16D192Queries, Bf16D256Keys, Bf16D256Queries, F16D64Keys, F16D64Queries,
    F16D96Keys, F16D96Queries, F16D128Keys, F16D128Queries, F16D192Keys, F16D192Queries,
    F16D256Keys, F16D256Queries,
};
#[cfg(target_arch = "nvptx64")]
use super::mainloop::run;
#[cfg(target_arch = "nvptx64")]
use super::rows;
use cuda_std::kernel;
use half::{bf16, f16};
use kernel_abi::attention::{
    AttentionBackwardConfiguration, AttentionBackwardParams, AttentionLoads, AttentionType,
    GradientKernel, GradientReads,
};
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::typenum::U32;

/// Defines a kernel of tiles of packed sequences, of a configuration of 128 threads and two CTAs a multiprocessor.
macro_rules! packed_gradient_kernel {
    ($name:ident $kernel:ident, $element:ident, atoms $atoms:literal) => {
        #[doc = concat!("[`", stringify!($name), "`] of packed sequences: see [`kernel_abi::attention`].")]
        ///
        /// # Safety
        /// The launch is as the plan of packed sequences says; `tiles` is where the sequences begin in the tensors that stay, `streamed` in those that
        /// are streamed.
        #[cfg(target_arch = "nvptx64")]
        #[kernel(threads = 128, min_blocks = 2)]
        #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
        pub unsafe fn $kernel(
            first: *mut $element,
            second: *mut $element,
            values: *const f32,
            params: AttentionBackwardParams,
            x_0: *const $element,
            x_1: *const $element,
            y_0: *const $element,
            y_1: *const $element,
            reads: GradientReads,
            tiles: *const u32,
            streamed: *const u32,
        ) {
            let sequences = PackedSequences { queries: tiles, keys: streamed };
            let inputs = [x_0, x_1, y_0, y_1];
            // SAFETY: the launch is the plan's by the function's contract.
            unsafe {
                run::<With<$name, Identity, PackedSequences>, $atoms>((first, second), values, (&params, sequences), inputs, &reads)
            }
        }
    };
}

/// Defines the three kernels of each type and head dimension, and the table.
macro_rules! packed_backward {
    ($(
        $variant:ident $element:ident d $d:literal, rows $rows:ident,
        $keys:ident $keys_kernel:ident atoms $atoms:literal,
        $queries:ident $queries_kernel:ident atoms $qatoms:literal;
    )+) => {
        $(
            packed_gradient_kernel! { $keys $keys_kernel, $element, atoms $atoms }
            packed_gradient_kernel! { $queries $queries_kernel, $element, atoms $qatoms }

            /// The kernel of the rows of packed sequences.
            ///
            /// # Safety
            /// The launch is as the plan of packed sequences says.
            #[cfg(target_arch = "nvptx64")]
            #[kernel(threads = 128)]
            pub unsafe fn $rows(
                o: *const $element,
                d_o: *const $element,
                lse: *const f32,
                values: *mut f32,
                params: AttentionBackwardParams,
                queries: *const u32,
            ) {
                // Keys are not asked for.
                let sequences = PackedSequences { queries, keys: queries };
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe { rows::run::<$element, <int!($d) as Nat>::Over<U32>, $d>([o, d_o], lse, values, (&params, sequences)) }
            }
        )+

        /// Every type and head dimension of packed sequences.
        pub static PACKED_BACKWARD_CONFIGURATIONS: &[AttentionBackwardConfiguration] = &[$({
            let (keys, queries) = ($keys::KERNEL, $queries::KERNEL);
            assert!(keys.threads == 128 && queries.threads == 128, "the threads are the kernels'");
            AttentionBackwardConfiguration {
                element: AttentionType::$variant,
                dim: $d,
                loads: AttentionLoads::CpAsync,
                ctas: [2; 2],
                rows: stringify!($rows),
                keys: GradientKernel { kernel: stringify!($keys_kernel), ..keys },
                queries: GradientKernel { kernel: stringify!($queries_kernel), ..queries },
            }
        },)+];
    };
}

packed_backward! {
    F16 f16 d 64, rows attention_mma_packed_backward_rows_f16_d64,
    F16D64Keys attention_mma_packed_backward_keys_f16_d64_64x64_s2 atoms 1,
    F16D64Queries attention_mma_packed_backward_queries_f16_d64_128x32_s2 atoms 2;

    F16 f16 d 96, rows attention_mma_packed_backward_rows_f16_d96,
    F16D96Keys attention_mma_packed_backward_keys_f16_d96_64x64_s2 atoms 1,
    F16D96Queries attention_mma_packed_backward_queries_f16_d96_64x64_s2 atoms 1;

    F16 f16 d 128, rows attention_mma_packed_backward_rows_f16_d128,
    F16D128Keys attention_mma_packed_backward_keys_f16_d128_64x32_s2 atoms 1,
    F16D128Queries attention_mma_packed_backward_queries_f16_d128_64x32_s2 atoms 1;

    F16 f16 d 192, rows attention_mma_packed_backward_rows_f16_d192,
    F16D192Keys attention_mma_packed_backward_keys_f16_d192_64x32_s2 atoms 1,
    F16D192Queries attention_mma_packed_backward_queries_f16_d192_64x32_s2 atoms 1;

    F16 f16 d 256, rows attention_mma_packed_backward_rows_f16_d256,
    F16D256Keys attention_mma_packed_backward_keys_f16_d256_64x16_s2 atoms 1,
    F16D256Queries attention_mma_packed_backward_queries_f16_d256_64x16_s2 atoms 1;

    Bf16 bf16 d 64, rows attention_mma_packed_backward_rows_bf16_d64,
    Bf16D64Keys attention_mma_packed_backward_keys_bf16_d64_64x64_s2 atoms 1,
    Bf16D64Queries attention_mma_packed_backward_queries_bf16_d64_128x32_s2 atoms 2;

    Bf16 bf16 d 96, rows attention_mma_packed_backward_rows_bf16_d96,
    Bf16D96Keys attention_mma_packed_backward_keys_bf16_d96_64x64_s2 atoms 1,
    Bf16D96Queries attention_mma_packed_backward_queries_bf16_d96_64x64_s2 atoms 1;

    Bf16 bf16 d 128, rows attention_mma_packed_backward_rows_bf16_d128,
    Bf16D128Keys attention_mma_packed_backward_keys_bf16_d128_64x32_s2 atoms 1,
    Bf16D128Queries attention_mma_packed_backward_queries_bf16_d128_64x32_s2 atoms 1;

    Bf16 bf16 d 192, rows attention_mma_packed_backward_rows_bf16_d192,
    Bf16D192Keys attention_mma_packed_backward_keys_bf16_d192_64x32_s2 atoms 1,
    Bf16D192Queries attention_mma_packed_backward_queries_bf16_d192_64x32_s2 atoms 1;

    Bf16 bf16 d 256, rows attention_mma_packed_backward_rows_bf16_d256,
    Bf16D256Keys attention_mma_packed_backward_keys_bf16_d256_64x16_s2 atoms 1,
    Bf16D256Queries attention_mma_packed_backward_queries_bf16_d256_64x16_s2 atoms 1;
}

//! The table of kernels of gradients.
//!
//! ```text
//!   attention_mma_backward_rows_bf16_d128               by mma.sync: element, head dimension
//!   attention_mma_backward_keys_bf16_d128_64x64_s2      and keys of a tile, queries of a block, stages of the blocks
//!   attention_mma_backward_queries_bf16_d128_64x64_s2   and queries of a tile, keys of a block
//! ```
//!
//! The library for the host has the table; the kernels are compiled for the GPU.

#![cfg_attr(not(target_arch = "nvptx64"), allow(dead_code, unused_imports))]

use super::super::config::{MultistageAttention, MultistageAttentionKernel};
use super::super::layouts::*;
use super::super::multistage_attention::multistage_attention;
use super::super::score::Identity;
use super::super::sequences::Uniform;
use super::config::{MultistageGradient, MultistageGradientKernel};
#[cfg(target_arch = "nvptx64")]
use super::mainloop::run;
#[cfg(target_arch = "nvptx64")]
use super::rows;
use crate::gemm::layouts::{ColumnsB, Rows32By128, Rows64By128, RowsA, RowsB};
use crate::gemm::mainloop::Operand;
use crate::operand;
use cuda_std::{for_kernel, kernel};
use half::{bf16, f16};
use kernel_abi::attention::{
    AttentionBackwardConfiguration, AttentionBackwardParams, AttentionLoads, AttentionType,
    GradientKernel, GradientReads,
};
use layout_types::atom::mma::{Sm80_16x8x16_F32BF16BF16F32_TN, Sm80_16x8x16_F32F16F16F32_TN};
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::tiled::{OperandA, OperandB, OperandC, PartitionFragmentOf};
use layout_types::typenum::{U16, U32};

/// Threads of a CTA of every kernel of tiles.
const THREADS: u32 = 128;

// Rows, head dimension, stages where there are two; each is copied by 128 threads.
operand! {
    /// 64 rows of 64.
    R64x64: u16, tile tile!(64, 64), stages RowsOfD<int!(64), int!(64), int!(1)>, CpAsyncRows 16 by Rows64By128;
    /// 128 rows of 64.
    R128x64: u16, tile tile!(128, 64), stages RowsOfD<int!(128), int!(64), int!(1)>, CpAsyncRows 16 by Rows64By128;
    /// 32 rows of 64, two stages.
    R32x64x2: u16, tile tile!(32, 64), stages RowsOfD<int!(32), int!(64), int!(2)>, CpAsyncRows 16 by Rows64By128;
    /// 64 rows of 64, two stages.
    R64x64x2: u16, tile tile!(64, 64), stages RowsOfD<int!(64), int!(64), int!(2)>, CpAsyncRows 16 by Rows64By128;
    /// 64 rows of 96.
    R64x96: u16, tile tile!(64, 96), stages ShortRowsOfD<int!(64), int!(96), int!(1)>, CpAsync 16 by Rows32By128;
    /// 64 rows of 96, two stages.
    R64x96x2: u16, tile tile!(64, 96), stages ShortRowsOfD<int!(64), int!(96), int!(2)>, CpAsync 16 by Rows32By128;
    /// 64 rows of 128.
    R64x128: u16, tile tile!(64, 128), stages RowsOfD<int!(64), int!(128), int!(1)>, CpAsyncRows 16 by Rows128By128;
    /// 32 rows of 128, two stages.
    R32x128x2: u16, tile tile!(32, 128), stages RowsOfD<int!(32), int!(128), int!(2)>, CpAsyncRows 16 by Rows128By128;
    /// 64 rows of 192.
    R64x192: u16, tile tile!(64, 192), stages RowsOfD<int!(64), int!(192), int!(1)>, CpAsync 16 by Rows64By128;
    /// 32 rows of 192, two stages.
    R32x192x2: u16, tile tile!(32, 192), stages RowsOfD<int!(32), int!(192), int!(2)>, CpAsync 16 by Rows64By128;
    /// 64 rows of 256.
    R64x256: u16, tile tile!(64, 256), stages RowsOfD<int!(64), int!(256), int!(1)>, CpAsyncRows 16 by Rows256By128;
    /// 16 rows of 256, two stages.
    R16x256x2: u16, tile tile!(16, 256), stages RowsOfD<int!(16), int!(256), int!(2)>, CpAsyncRows 16 by Rows256By128;
}

/// Defines a configuration of a kernel of tiles, and the kernel.
macro_rules! gradient_kernel {
    ($name:ident $kernel:ident, $element:ident $atom:ident, d $d:literal, tile $m:literal x $n:literal, stages $stages:literal,
     atoms $atoms:literal, ctas $ctas:literal, stay $x:ident, streamed $y:ident, transposed $t:ident, values $values:ty, of keys $of_keys:literal, apart $apart:literal) => {
        #[doc = concat!("The configuration of `", stringify!($kernel), "`.")]
        pub struct $name;
        impl $name {
            /// The kernel's row of the table.
            pub(super) const KERNEL: GradientKernel = GradientKernel {
                kernel: stringify!($kernel),
                tile: [$m, $n],
                threads: THREADS,
                shared_bytes: 2 * (<$x as Operand>::BYTES + <$y as Operand>::BYTES),
            };
        }
        multistage_attention! {
            $name of $kernel: $element $atom, d $d, tile $m x $n, stages $stages, mma Warps4, warps THREADS / 32, atoms $atoms, q $x, k $y, v $t,
            q in registers false, lazy false
        }
        #[cfg(target_arch = "nvptx64")]
        #[for_kernel($kernel)]
        impl MultistageGradient for $name {
            type TileValues = $values;
            type Gradients = Self::Mma;
            const OF_KEYS: bool = $of_keys;
            const APART: bool = $apart;
        }
        #[cfg(target_arch = "nvptx64")]
        #[for_kernel($kernel)]
        impl MultistageGradientKernel for $name {}
        #[cfg(target_arch = "nvptx64")]
        #[for_kernel($kernel)]
        const _: () = {
            assert!($name::KERNEL.threads == <$name as MultistageAttention>::THREADS);
            assert!($name::KERNEL.shared_bytes == <$name as MultistageGradient>::GRADIENT_SHARED_BYTES);
        };

        /// A kernel of gradients of [`kernel_abi::attention`] for every GPU from Ampere on.
        ///
        /// # Safety
        /// The launch is as the plan says.
        #[cfg(target_arch = "nvptx64")]
        #[kernel(threads = 128, min_blocks = $ctas)]
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
        ) {
            // SAFETY: the launch is the plan's by the function's contract.
            unsafe { run::<$name, $atoms>((first, second), values, (&params, Uniform), [x_0, x_1, y_0, y_1], &reads) }
        }
    };
}

/// Defines the three kernels of each type and head dimension, and the table.
macro_rules! backward_configurations {
    ($(
        $variant:ident $element:ident $atom:ident, d $d:literal, transposed $t:ident, rows $rows:ident,
        $keys:ident $keys_kernel:ident tile $m:literal x $n:literal, stages $stages:literal, atoms $atoms:literal, ctas $ctas:literal,
        stay $x:ident, streamed $y:ident, apart $apart:literal,
        $queries:ident $queries_kernel:ident tile $qm:literal x $qn:literal, stages $qstages:literal, atoms $qatoms:literal, ctas $qctas:literal,
        stay $qx:ident, streamed $qy:ident;
    )+) => {
        $(
            gradient_kernel! { $keys $keys_kernel, $element $atom, d $d, tile $m x $n, stages $stages, atoms $atoms, ctas $ctas, stay $x, streamed $y, transposed $t, values layout!(($m,$n):(0,1)), of keys true, apart $apart }
            gradient_kernel! { $queries $queries_kernel, $element $atom, d $d, tile $qm x $qn, stages $qstages, atoms $qatoms, ctas $qctas, stay $qx, streamed $qy, transposed $t, values layout!(($qm,$qn):(1,0)), of keys false, apart false }

            /// The kernel of the rows.
            ///
            /// # Safety
            /// The launch is as the plan says.
            #[cfg(target_arch = "nvptx64")]
            #[kernel(threads = 128)]
            pub unsafe fn $rows(
                o: *const $element,
                d_o: *const $element,
                lse: *const f32,
                values: *mut f32,
                params: AttentionBackwardParams,
            ) {
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe { rows::run::<$element, <int!($d) as Nat>::Over<U32>, $d>([o, d_o], lse, values, (&params, ())) }
            }
        )+

        /// Every type and head dimension.
        pub static BACKWARD_CONFIGURATIONS: &[AttentionBackwardConfiguration] = &[$(
            AttentionBackwardConfiguration {
                element: AttentionType::$variant,
                dim: $d,
                loads: AttentionLoads::CpAsync,
                ctas: [$ctas, $qctas],
                rows: stringify!($rows),
                keys: $keys::KERNEL,
                queries: $queries::KERNEL,
            },
        )+];
    };
}

backward_configurations! {
    F16 f16 Sm80_16x8x16_F32F16F16F32_TN, d 64, transposed ColumnsOfD, rows attention_mma_backward_rows_f16_d64,
    F16D64Keys attention_mma_backward_keys_f16_d64_64x64_s2 tile 64 x 64, stages 2, atoms 1, ctas 2,
    stay R64x64, streamed R64x64x2, apart false,
    F16D64Queries attention_mma_backward_queries_f16_d64_128x32_s2 tile 128 x 32, stages 2, atoms 2, ctas 2,
    stay R128x64, streamed R32x64x2;

    F16 f16 Sm80_16x8x16_F32F16F16F32_TN, d 96, transposed ShortColumnsOfD, rows attention_mma_backward_rows_f16_d96,
    F16D96Keys attention_mma_backward_keys_f16_d96_64x64_s2 tile 64 x 64, stages 2, atoms 1, ctas 2,
    stay R64x96, streamed R64x96x2, apart false,
    F16D96Queries attention_mma_backward_queries_f16_d96_64x64_s2 tile 64 x 64, stages 2, atoms 1, ctas 2,
    stay R64x96, streamed R64x96x2;

    F16 f16 Sm80_16x8x16_F32F16F16F32_TN, d 128, transposed ColumnsOfD, rows attention_mma_backward_rows_f16_d128,
    F16D128Keys attention_mma_backward_keys_f16_d128_64x32_s2 tile 64 x 32, stages 2, atoms 1, ctas 2,
    stay R64x128, streamed R32x128x2, apart false,
    F16D128Queries attention_mma_backward_queries_f16_d128_64x32_s2 tile 64 x 32, stages 2, atoms 1, ctas 2,
    stay R64x128, streamed R32x128x2;

    F16 f16 Sm80_16x8x16_F32F16F16F32_TN, d 192, transposed ColumnsOfD, rows attention_mma_backward_rows_f16_d192,
    F16D192Keys attention_mma_backward_keys_f16_d192_64x32_s2 tile 64 x 32, stages 2, atoms 1, ctas 2,
    stay R64x192, streamed R32x192x2, apart true,
    F16D192Queries attention_mma_backward_queries_f16_d192_64x32_s2 tile 64 x 32, stages 2, atoms 1, ctas 2,
    stay R64x192, streamed R32x192x2;

    F16 f16 Sm80_16x8x16_F32F16F16F32_TN, d 256, transposed ColumnsOfD, rows attention_mma_backward_rows_f16_d256,
    F16D256Keys attention_mma_backward_keys_f16_d256_64x16_s2 tile 64 x 16, stages 2, atoms 1, ctas 2,
    stay R64x256, streamed R16x256x2, apart true,
    F16D256Queries attention_mma_backward_queries_f16_d256_64x16_s2 tile 64 x 16, stages 2, atoms 1, ctas 2,
    stay R64x256, streamed R16x256x2;

    Bf16 bf16 Sm80_16x8x16_F32BF16BF16F32_TN, d 64, transposed ColumnsOfD, rows attention_mma_backward_rows_bf16_d64,
    Bf16D64Keys attention_mma_backward_keys_bf16_d64_64x64_s2 tile 64 x 64, stages 2, atoms 1, ctas 2,
    stay R64x64, streamed R64x64x2, apart false,
    Bf16D64Queries attention_mma_backward_queries_bf16_d64_128x32_s2 tile 128 x 32, stages 2, atoms 2, ctas 2,
    stay R128x64, streamed R32x64x2;

    Bf16 bf16 Sm80_16x8x16_F32BF16BF16F32_TN, d 96, transposed ShortColumnsOfD, rows attention_mma_backward_rows_bf16_d96,
    Bf16D96Keys attention_mma_backward_keys_bf16_d96_64x64_s2 tile 64 x 64, stages 2, atoms 1, ctas 2,
    stay R64x96, streamed R64x96x2, apart false,
    Bf16D96Queries attention_mma_backward_queries_bf16_d96_64x64_s2 tile 64 x 64, stages 2, atoms 1, ctas 2,
    stay R64x96, streamed R64x96x2;

    Bf16 bf16 Sm80_16x8x16_F32BF16BF16F32_TN, d 128, transposed ColumnsOfD, rows attention_mma_backward_rows_bf16_d128,
    Bf16D128Keys attention_mma_backward_keys_bf16_d128_64x32_s2 tile 64 x 32, stages 2, atoms 1, ctas 2,
    stay R64x128, streamed R32x128x2, apart false,
    Bf16D128Queries attention_mma_backward_queries_bf16_d128_64x32_s2 tile 64 x 32, stages 2, atoms 1, ctas 2,
    stay R64x128, streamed R32x128x2;

    Bf16 bf16 Sm80_16x8x16_F32BF16BF16F32_TN, d 192, transposed ColumnsOfD, rows attention_mma_backward_rows_bf16_d192,
    Bf16D192Keys attention_mma_backward_keys_bf16_d192_64x32_s2 tile 64 x 32, stages 2, atoms 1, ctas 2,
    stay R64x192, streamed R32x192x2, apart true,
    Bf16D192Queries attention_mma_backward_queries_bf16_d192_64x32_s2 tile 64 x 32, stages 2, atoms 1, ctas 2,
    stay R64x192, streamed R32x192x2;

    Bf16 bf16 Sm80_16x8x16_F32BF16BF16F32_TN, d 256, transposed ColumnsOfD, rows attention_mma_backward_rows_bf16_d256,
    Bf16D256Keys attention_mma_backward_keys_bf16_d256_64x16_s2 tile 64 x 16, stages 2, atoms 1, ctas 2,
    stay R64x256, streamed R16x256x2, apart true,
    Bf16D256Queries attention_mma_backward_queries_bf16_d256_64x16_s2 tile 64 x 16, stages 2, atoms 1, ctas 2,
    stay R64x256, streamed R16x256x2;
}

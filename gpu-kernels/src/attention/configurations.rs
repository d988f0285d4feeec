//! The table of kernels.
//!
//! ```text
//!   attention_mma_bf16_d128_128x64_s1      by mma.sync: element, head dimension, queries and keys of a tile, stages of K and of V
//! ```
//!
//! The library for the host has the table; the kernels are compiled for the GPU.

#![cfg_attr(
    not(all(feature = "attention", target_arch = "nvptx64")),
    allow(dead_code, unused_imports)
)]

use super::config::{MultistageAttention, MultistageAttentionKernel};
use super::layouts::*;
#[cfg(target_arch = "nvptx64")]
use super::mainloop::run;
use super::multistage_attention::multistage_attention;
use super::score::Identity;
use super::sequences::Uniform;
use crate::gemm::layouts::{ColumnsB, Rows32By128, Rows64By128, RowsA, RowsB};
use crate::gemm::mainloop::Operand;
use crate::operand;
use cuda_std::{for_kernel, kernel};
use half::{bf16, f16};
use kernel_abi::attention::{
    AttentionConfiguration, AttentionLoads, AttentionParams, AttentionReads, AttentionType,
};
use layout_types::atom::mma::{Sm80_16x8x16_F32BF16BF16F32_TN, Sm80_16x8x16_F32F16F16F32_TN};
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::tiled::{OperandA, OperandB, OperandC, PartitionFragmentOf};
use layout_types::typenum::{U16, U32};

// Each is copied by 128 threads.
operand! {
    /// 128 queries of 64.
    Q128x64: u16, tile tile!(128, 64), stages RowsOfD<int!(128), int!(64), int!(1)>, CpAsyncRows 16 by Rows64By128;
    /// 128 queries of 96.
    Q128x96: u16, tile tile!(128, 96), stages ShortRowsOfD<int!(128), int!(96), int!(1)>, CpAsync 16 by Rows32By128;
    /// 128 queries of 128.
    Q128x128: u16, tile tile!(128, 128), stages RowsOfD<int!(128), int!(128), int!(1)>, CpAsyncRows 16 by Rows128By128;
    /// 64 queries of 192.
    Q64x192: u16, tile tile!(64, 192), stages RowsOfD<int!(64), int!(192), int!(1)>, CpAsync 16 by Rows64By128;
    /// 64 queries of 256.
    Q64x256: u16, tile tile!(64, 256), stages RowsOfD<int!(64), int!(256), int!(1)>, CpAsyncRows 16 by Rows256By128;
    /// 64 keys of 64, two stages.
    K64x64x2: u16, tile tile!(64, 64), stages RowsOfD<int!(64), int!(64), int!(2)>, CpAsyncRows 16 by Rows64By128;
    /// 96 keys of 64, two stages.
    K96x64x2: u16, tile tile!(96, 64), stages RowsOfD<int!(96), int!(64), int!(2)>, CpAsyncRows 16 by Rows64By128;
    /// 64 keys of 96.
    K64x96: u16, tile tile!(64, 96), stages ShortRowsOfD<int!(64), int!(96), int!(1)>, CpAsync 16 by Rows32By128;
    /// 64 keys of 128.
    K64x128: u16, tile tile!(64, 128), stages RowsOfD<int!(64), int!(128), int!(1)>, CpAsyncRows 16 by Rows128By128;
    /// 64 keys of 192.
    K64x192: u16, tile tile!(64, 192), stages RowsOfD<int!(64), int!(192), int!(1)>, CpAsync 16 by Rows64By128;
    /// 64 keys of 256.
    K64x256: u16, tile tile!(64, 256), stages RowsOfD<int!(64), int!(256), int!(1)>, CpAsyncRows 16 by Rows256By128;
}

/// Defines configurations, their kernels and the table.
macro_rules! configurations {
    ($(
        $name:ident $kernel:ident {
            $variant:ident $element:ident $atom:ident, d $d:literal, tile $m:literal x $n:literal, stages $stages:literal,
            mma $mma:ident, warps $warps:literal, atoms $atoms:literal, threads $threads:literal, ctas $ctas:literal,
            q $q:ident, k $k:ident, v $v:ident, q in registers $q_in_registers:literal, lazy $lazy:literal, speed $speed:literal
        }
    )+) => {
        $(
            #[doc = concat!("The configuration of `", stringify!($kernel), "`.")]
            pub struct $name;
            impl $name {
                /// The kernel's row of the table.
                pub const CONFIGURATION: AttentionConfiguration = AttentionConfiguration {
                    kernel: stringify!($kernel),
                    element: AttentionType::$variant,
                    dim: $d,
                    tile: [$m, $n],
                    stages: $stages,
                    loads: AttentionLoads::CpAsync,
                    threads: $threads,
                    ctas: $ctas,
                    shared_bytes: <$q as Operand>::BYTES + 2 * <$k as Operand>::BYTES,
                    speed: $speed,
                };
            }
            multistage_attention! {
                $name of $kernel: $element $atom, d $d, tile $m x $n, stages $stages, mma $mma, warps $warps, atoms $atoms, q $q, k $k, v $v,
                q in registers $q_in_registers, lazy $lazy
            }
            #[cfg(target_arch = "nvptx64")]
            #[for_kernel($kernel)]
            const _: () = {
                assert!($threads == <$name as MultistageAttention>::THREADS);
                assert!($name::CONFIGURATION.shared_bytes == <$name as MultistageAttention>::SHARED_BYTES);
            };

            /// An attention kernel of [`kernel_abi::attention`] for every GPU from Ampere on.
            ///
            /// # Safety
            /// The launch is as the plan says.
            #[cfg(all(feature = "attention", target_arch = "nvptx64"))]
            #[kernel(threads = $threads, min_blocks = $ctas)]
            pub unsafe fn $kernel(
                o: *mut $element,
                lse: *mut f32,
                params: AttentionParams,
                q: *const $element,
                k: *const $element,
                v: *const $element,
                reads: AttentionReads,
            ) {
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe { run::<$name, $atoms>((o, lse), &params, [q, k, v], &reads, (Identity, Uniform)) }
            }
        )+

        /// Every kernel.
        pub static CONFIGURATIONS: &[AttentionConfiguration] = &[$(
            $name::CONFIGURATION,
        )+];
    };
}

configurations! {
    F16D64Wide attention_mma_f16_d64_128x96_s2 {
        F16 f16 Sm80_16x8x16_F32F16F16F32_TN, d 64, tile 128 x 96, stages 2, mma Warps4, warps 4, atoms 2, threads 128, ctas 2,
        q Q128x64, k K96x64x2, v ColumnsOfD, q in registers true, lazy false, speed 104
    }
    F16D64 attention_mma_f16_d64_128x64_s2 {
        F16 f16 Sm80_16x8x16_F32F16F16F32_TN, d 64, tile 128 x 64, stages 2, mma Warps4, warps 4, atoms 2, threads 128, ctas 2,
        q Q128x64, k K64x64x2, v ColumnsOfD, q in registers true, lazy false, speed 100
    }
    F16D96 attention_mma_f16_d96_128x64_s1 {
        F16 f16 Sm80_16x8x16_F32F16F16F32_TN, d 96, tile 128 x 64, stages 1, mma Warps4, warps 4, atoms 2, threads 128, ctas 2,
        q Q128x96, k K64x96, v ShortColumnsOfD, q in registers false, lazy true, speed 100
    }
    F16D128 attention_mma_f16_d128_128x64_s1 {
        F16 f16 Sm80_16x8x16_F32F16F16F32_TN, d 128, tile 128 x 64, stages 1, mma Warps4, warps 4, atoms 2, threads 128, ctas 2,
        q Q128x128, k K64x128, v ColumnsOfD, q in registers false, lazy true, speed 100
    }
    F16D192 attention_mma_f16_d192_64x64_s1 {
        F16 f16 Sm80_16x8x16_F32F16F16F32_TN, d 192, tile 64 x 64, stages 1, mma Warps4, warps 4, atoms 1, threads 128, ctas 2,
        q Q64x192, k K64x192, v ColumnsOfD, q in registers false, lazy true, speed 100
    }
    F16D256 attention_mma_f16_d256_64x64_s1 {
        F16 f16 Sm80_16x8x16_F32F16F16F32_TN, d 256, tile 64 x 64, stages 1, mma Warps4, warps 4, atoms 1, threads 128, ctas 2,
        q Q64x256, k K64x256, v ColumnsOfD, q in registers false, lazy true, speed 100
    }
    Bf16D64Wide attention_mma_bf16_d64_128x96_s2 {
        Bf16 bf16 Sm80_16x8x16_F32BF16BF16F32_TN, d 64, tile 128 x 96, stages 2, mma Warps4, warps 4, atoms 2, threads 128, ctas 2,
        q Q128x64, k K96x64x2, v ColumnsOfD, q in registers true, lazy false, speed 104
    }
    Bf16D64 attention_mma_bf16_d64_128x64_s2 {
        Bf16 bf16 Sm80_16x8x16_F32BF16BF16F32_TN, d 64, tile 128 x 64, stages 2, mma Warps4, warps 4, atoms 2, threads 128, ctas 2,
        q Q128x64, k K64x64x2, v ColumnsOfD, q in registers true, lazy false, speed 100
    }
    Bf16D96 attention_mma_bf16_d96_128x64_s1 {
        Bf16 bf16 Sm80_16x8x16_F32BF16BF16F32_TN, d 96, tile 128 x 64, stages 1, mma Warps4, warps 4, atoms 2, threads 128, ctas 2,
        q Q128x96, k K64x96, v ShortColumnsOfD, q in registers false, lazy true, speed 100
    }
    Bf16D128 attention_mma_bf16_d128_128x64_s1 {
        Bf16 bf16 Sm80_16x8x16_F32BF16BF16F32_TN, d 128, tile 128 x 64, stages 1, mma Warps4, warps 4, atoms 2, threads 128, ctas 2,
        q Q128x128, k K64x128, v ColumnsOfD, q in registers false, lazy true, speed 100
    }
    Bf16D192 attention_mma_bf16_d192_64x64_s1 {
        Bf16 bf16 Sm80_16x8x16_F32BF16BF16F32_TN, d 192, tile 64 x 64, stages 1, mma Warps4, warps 4, atoms 1, threads 128, ctas 2,
        q Q64x192, k K64x192, v ColumnsOfD, q in registers false, lazy true, speed 100
    }
    Bf16D256 attention_mma_bf16_d256_64x64_s1 {
        Bf16 bf16 Sm80_16x8x16_F32BF16BF16F32_TN, d 256, tile 64 x 64, stages 1, mma Warps4, warps 4, atoms 1, threads 128, ctas 2,
        q Q64x256, k K64x256, v ColumnsOfD, q in registers false, lazy true, speed 100
    }
}

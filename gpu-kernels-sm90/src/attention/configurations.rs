//! The table of the attention kernels.
//!
//! ```text
//!   attention_bf16_d128_128x128_s2      element, head dimension, queries and keys of a tile, stages of K and of V
//! ```
//!
//! A row of the swizzle's pattern in shared memory has 64 columns, which are 128 bytes. At d 96,
//! which is not a multiple of 64, it has 32 columns.
//!
//! The library for the host has the table. The kernels are compiled only for the GPU and for
//! documentation.

#![cfg_attr(
    not(any(target_arch = "nvptx64", doc)),
    allow(dead_code, unused_imports)
)]

use super::config::{AttentionConfig, is_run_by};
use super::kernel::run;
use super::score::Identity;
use super::sequences::Uniform;
use cuda_std::{for_kernel, kernel};
use half::{bf16, f16};
use kernel_abi::attention::{AttentionConfiguration, AttentionParams, AttentionType};
use layout_types::arch::copy_sm90_tma::TensorMap;
use layout_types::atom::gmma::{LayoutSw64Atom, LayoutSw128Atom};
use layout_types::atom::mma::sm90::{F32BF16BF16, F32F16F16, Shared, Wgmma};
use layout_types::atom::mma::{MajorK, MajorMn, Registers};
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::tiled::{OperandA, OperandC, PartitionFragmentOf, TiledMma};
use layout_types::typenum::U32;

/// Returns the bytes of shared memory: the stages of Q, K and V, and their barriers.
pub(super) const fn shared_bytes(
    [m, n]: [u32; 2],
    [d, d_v]: [u32; 2],
    [of_q, of_k]: [u32; 2],
) -> u32 {
    2 * (d * (of_q * m + of_k * n) + d_v * of_k * n) + 16 * (of_q + 2 * of_k)
}

/// Defines a configuration.
macro_rules! configuration {
    ($name:ident $kernel:ident {
        $variant:ident $element:ident $kind:ident, d $d:literal, atoms $atom:ident, tile $m:literal x $n:literal, stages $stages:literal,
        $($rest:tt)+
    }) => {
        gpu_kernels::each_score! {
            all configuration @types concat!(stringify!($element), "_d", $d, "_", $m, "x", $n, "_s", $stages), $name stringify!($kernel), {
                $variant $element $kind, d $d v $d, atoms $atom, tile $m x $n, stages $stages, $($rest)+
            }
        }
    };
    ([$({ $parts:expr, $prefix:literal, $($with:tt)+ })+] @types $tile:expr, $name:ident $kernel:expr, {
        $variant:ident $element:ident $kind:ident, d $d:literal v $d_v:literal, atoms $atom:ident, tile $m:literal x $n:literal, stages $stages:literal,
        stages of q $q_stages:literal, groups $groups:literal, warps $warps:literal, threads $threads:literal, lazy $lazy:literal, under scores $scores:literal, under products $products:literal, speed $speed:literal,
        sequences $sequences:ty $(, also of $($also:ident)+)?
    }) => {
        #[doc = concat!("The configuration of `", $kernel, "`.")]
        pub struct $name;
        impl $name {
            /// The kernel's row of the table.
            pub const CONFIGURATION: AttentionConfiguration = AttentionConfiguration {
                kernel: $kernel,
                base: Some($kernel),
                parts: kernel_abi::attention::AttentionParts::NONE,
                element: AttentionType::$variant,
                dim: $d,
                dim_v: $d_v,
                tile: [$m, $n],
                stages: $stages,
                loads: kernel_abi::attention::AttentionLoads::Tma,
                threads: $threads,
                ctas: 1,
                shared_bytes: shared_bytes([$m, $n], [$d, $d_v], [$q_stages, $stages]),
                speed: $speed,
            };
        }
        #[cfg(target_arch = "nvptx64")]
        #[for_kernel($kernel, concat!("attention_packed_", $tile) $(, concat!("attention_", $prefix, $tile), concat!("attention_paged_", $prefix, $tile))+ $($(, $also)+)?)]
        impl AttentionConfig for $name {
            type Element = $element;
            type OutputElement = $element;
            type QkAtom = Wgmma<$kind, int!($n), Shared, MajorK, MajorK>;
            type PvAtom = Wgmma<$kind, int!($d_v), Registers, MajorK, MajorMn>;
            type Qk = TiledMma<Self::QkAtom, layout!(($groups, 1, 1))>;
            type Pv = TiledMma<Self::PvAtom, layout!(($groups, 1, 1))>;
            type SmemQ = TileToShape<$atom<$element, MajorK>, shape!(($m, $d, $q_stages))>;
            type SmemK = TileToShape<$atom<$element, MajorK>, shape!(($n, $d, $stages))>;
            type SmemV =
                TileToShape<$atom<$element, MajorMn>, shape!(($d_v, $n, $stages)), shape!((2, 1, 3))>;
            type TileS = layout!(($m,$n):(1@0,1@1));
            type Scores = PartitionFragmentOf<Self::Qk, OperandC, Self::TileS>;
            type Probabilities = PartitionFragmentOf<Self::Pv, OperandA, layout!(($m, $n))>;
            type Output = PartitionFragmentOf<Self::Pv, OperandC, layout!(($m,$d_v):(1@0,1@1))>;
            type BlocksOf32 = <int!($d_v) as Nat>::Over<U32>;
            type Score = Identity;
            type Sequences = $sequences;
            const TILE: [u32; 2] = [$m, $n];
            const DIM: u32 = $d;
            const DIM_V: u32 = $d_v;
            const Q_STAGES: u32 = $q_stages;
            const STAGES: u32 = $stages;
            const LAZY: bool = $lazy;
            const CORRECTS_UNDER_SCORES: bool = $scores;
            const LOCATES_UNDER_PRODUCTS: bool = $products;
        }
        #[cfg(all(
            target_arch = "nvptx64",
            any(
                feature = "kernels",
                feature = "attention-soft-cap",
                feature = "attention-score-parts"
            )
        ))]
        #[for_kernel($kernel, concat!("attention_packed_", $tile) $(, concat!("attention_", $prefix, $tile), concat!("attention_paged_", $prefix, $tile))+ $($(, $also)+)?)]
        const _: () = {
            layout_types::assert_shared_memory!(<$name as AttentionConfig>::SHARED_BYTES);
            layout_types::assert_retile_c_to_a!(
                <$name as AttentionConfig>::QkAtom,
                <$name as AttentionConfig>::PvAtom
            );
            is_run_by::<$name>([$q_stages, $stages], $warps);
            assert!(
                $threads == 32 * (4 + $warps),
                "a producer's warp group and the consumers"
            );
            assert!(
                <$name as AttentionConfig>::SHARED_BYTES
                    == shared_bytes([$m, $n], [$d, $d_v], [$q_stages, $stages])
            );
        };
    };
}

pub(super) use configuration;

/// Defines configurations, their kernels and the table.
macro_rules! configurations {
    ($(
        $name:ident $kernel:ident {
            $variant:ident $element:ident $kind:ident, d $d:literal, atoms $atom:ident, tile $m:literal x $n:literal, stages $stages:literal,
            stages of q $q_stages:literal, groups $groups:literal, warps $warps:literal, threads $threads:literal, lazy $lazy:literal, under scores $scores:literal, under products $products:literal, speed $speed:literal
        }
    )+) => {
        $(
            configuration! { $name $kernel {
                $variant $element $kind, d $d, atoms $atom, tile $m x $n, stages $stages,
                stages of q $q_stages, groups $groups, warps $warps, threads $threads, lazy $lazy, under scores $scores, under products $products, speed $speed, sequences Uniform
            } }

            /// Computes attention as [`kernel_abi::attention`] defines it, on Hopper.
            ///
            /// # Safety
            /// The launch is the plan's.
            #[cfg(all(feature = "kernels", any(target_arch = "nvptx64", doc)))]
            #[kernel(threads = $threads, min_blocks = 1)]
            pub unsafe fn $kernel(
                o: *mut $element,
                lse: *mut f32,
                params: AttentionParams,
                #[grid_constant] map_q: &TensorMap,
                #[grid_constant] map_k: &TensorMap,
                #[grid_constant] map_v: &TensorMap,
            ) {
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe { run::<$name, $q_stages, $warps, $stages>((o, lse), &params, [map_q, map_k, map_v], (Identity, Uniform)) }
            }
        )+

        /// The configurations of all kernels.
        pub static CONFIGURATIONS: &[AttentionConfiguration] = &[$(
            $name::CONFIGURATION,
        )+];
    };
}

// Kernels for packed sequences hold more state per thread: with blocks of 80 keys they spill.
configuration! {
    F16D256Narrow attention_packed_f16_d256_128x64_s2 {
        F16 f16 F32F16F16, d 256, atoms LayoutSw128Atom, tile 128 x 64, stages 2, stages of q 1,
        groups 2, warps 8, threads 384, lazy true, under scores false, under products false, speed 100, sequences Uniform
    }
}
configuration! {
    Bf16D256Narrow attention_packed_bf16_d256_128x64_s2 {
        Bf16 bf16 F32BF16BF16, d 256, atoms LayoutSw128Atom, tile 128 x 64, stages 2, stages of q 1,
        groups 2, warps 8, threads 384, lazy true, under scores false, under products false, speed 100, sequences Uniform
    }
}

/// Calls a macro with the configurations that have 8 consumer warps, one for each type and head
/// dimension, and with the lines in brackets. The kernels for packed sequences, for keys in pages
/// and with score parts are made of these lines: the configuration, the part of a kernel's name
/// from the type on, the type, the keys of a block, and the stages of Q.
macro_rules! rows_of_8_warps {
    ([$($more:tt)*] $then:ident $($before:tt)*) => {
        $then! {
            $($before)*
            {
                F16D64Short "f16_d64_128x128_s2" f16, keys 128, stages of q 2;
                F16D96 "f16_d96_128x128_s2" f16, keys 128, stages of q 2;
                F16D128 "f16_d128_128x128_s2" f16, keys 128, stages of q 2;
                F16D192 "f16_d192_128x96_s2" f16, keys 96, stages of q 1;
                F16D256Narrow "f16_d256_128x64_s2" f16, keys 64, stages of q 1;
                Bf16D64Short "bf16_d64_128x128_s2" bf16, keys 128, stages of q 2;
                Bf16D96 "bf16_d96_128x128_s2" bf16, keys 128, stages of q 2;
                Bf16D128 "bf16_d128_128x128_s2" bf16, keys 128, stages of q 2;
                Bf16D192 "bf16_d192_128x96_s2" bf16, keys 96, stages of q 1;
                Bf16D256Narrow "bf16_d256_128x64_s2" bf16, keys 64, stages of q 1;
                $($more)*
            }
        }
    };
}

pub(super) use rows_of_8_warps;

configurations! {
    F16D64 attention_f16_d64_192x128_s2 {
        F16 f16 F32F16F16, d 64, atoms LayoutSw128Atom, tile 192 x 128, stages 2, stages of q 2,
        groups 3, warps 12, threads 512, lazy false, under scores false, under products false, speed 120
    }
    F16D64Short attention_f16_d64_128x128_s2 {
        F16 f16 F32F16F16, d 64, atoms LayoutSw128Atom, tile 128 x 128, stages 2, stages of q 2,
        groups 2, warps 8, threads 384, lazy false, under scores false, under products true, speed 100
    }
    F16D96 attention_f16_d96_128x128_s2 {
        F16 f16 F32F16F16, d 96, atoms LayoutSw64Atom, tile 128 x 128, stages 2, stages of q 2,
        groups 2, warps 8, threads 384, lazy false, under scores false, under products false, speed 100
    }
    F16D128 attention_f16_d128_128x128_s2 {
        F16 f16 F32F16F16, d 128, atoms LayoutSw128Atom, tile 128 x 128, stages 2, stages of q 2,
        groups 2, warps 8, threads 384, lazy false, under scores true, under products true, speed 100
    }
    F16D128Wide attention_f16_d128_192x80_s2 {
        F16 f16 F32F16F16, d 128, atoms LayoutSw128Atom, tile 192 x 80, stages 2, stages of q 2,
        groups 3, warps 12, threads 512, lazy true, under scores false, under products false, speed 107
    }
    F16D192 attention_f16_d192_128x96_s2 {
        F16 f16 F32F16F16, d 192, atoms LayoutSw128Atom, tile 128 x 96, stages 2, stages of q 1,
        groups 2, warps 8, threads 384, lazy true, under scores false, under products false, speed 100
    }
    F16D256 attention_f16_d256_128x80_s2 {
        F16 f16 F32F16F16, d 256, atoms LayoutSw128Atom, tile 128 x 80, stages 2, stages of q 1,
        groups 2, warps 8, threads 384, lazy true, under scores false, under products false, speed 100
    }
    Bf16D64 attention_bf16_d64_192x128_s2 {
        Bf16 bf16 F32BF16BF16, d 64, atoms LayoutSw128Atom, tile 192 x 128, stages 2, stages of q 2,
        groups 3, warps 12, threads 512, lazy false, under scores false, under products false, speed 120
    }
    Bf16D64Short attention_bf16_d64_128x128_s2 {
        Bf16 bf16 F32BF16BF16, d 64, atoms LayoutSw128Atom, tile 128 x 128, stages 2, stages of q 2,
        groups 2, warps 8, threads 384, lazy false, under scores false, under products true, speed 100
    }
    Bf16D96 attention_bf16_d96_128x128_s2 {
        Bf16 bf16 F32BF16BF16, d 96, atoms LayoutSw64Atom, tile 128 x 128, stages 2, stages of q 2,
        groups 2, warps 8, threads 384, lazy false, under scores false, under products false, speed 100
    }
    Bf16D128 attention_bf16_d128_128x128_s2 {
        Bf16 bf16 F32BF16BF16, d 128, atoms LayoutSw128Atom, tile 128 x 128, stages 2, stages of q 2,
        groups 2, warps 8, threads 384, lazy false, under scores true, under products true, speed 100
    }
    Bf16D128Wide attention_bf16_d128_192x80_s2 {
        Bf16 bf16 F32BF16BF16, d 128, atoms LayoutSw128Atom, tile 192 x 80, stages 2, stages of q 2,
        groups 3, warps 12, threads 512, lazy true, under scores false, under products false, speed 107
    }
    Bf16D192 attention_bf16_d192_128x96_s2 {
        Bf16 bf16 F32BF16BF16, d 192, atoms LayoutSw128Atom, tile 128 x 96, stages 2, stages of q 1,
        groups 2, warps 8, threads 384, lazy true, under scores false, under products false, speed 100
    }
    Bf16D256 attention_bf16_d256_128x80_s2 {
        Bf16 bf16 F32BF16BF16, d 256, atoms LayoutSw128Atom, tile 128 x 80, stages 2, stages of q 1,
        groups 2, warps 8, threads 384, lazy true, under scores false, under products false, speed 100
    }
}

//! The table of gradient kernels.
//!
//! ```text
//!   attention_backward_rows_bf16_d128               element, head dimension
//!   attention_backward_keys_bf16_d128_128x64_s2     also keys of a tile, queries of a block, stages of the blocks
//!   attention_backward_queries_bf16_d128_128x64_s2  also queries of a tile, keys of a block, stages of the blocks
//!   attention_backward_keys_bf16_d256_64x64_s2      64 keys: `split`, where each consumer group has one result
//! ```
//!
//! The library for the host has the table. The kernels are compiled only for the GPU and for
//! documentation.

#![cfg_attr(
    not(any(all(feature = "kernels", target_arch = "nvptx64"), doc)),
    allow(dead_code, unused_imports, unused_macros)
)]

use super::super::config::{AttentionConfig, STAGES};
use super::super::fragments::Accumulator;
use super::super::score::Identity;
use super::super::sequences::Uniform;
use super::config::{GradientConfig, is_run_by};
use super::split::config::SplitConfig;
use super::split::exchange::Exchange;
use super::{kernel, rows, split};
use cuda_std::{for_kernel, kernel};
use half::{bf16, f16};
use kernel_abi::attention::{
    AttentionBackwardConfiguration, AttentionBackwardParams, AttentionLoads, AttentionParts,
    AttentionType, GradientKernel,
};
use layout_types::arch::copy_sm90_tma::TensorMap;
use layout_types::atom::gmma::{LayoutSw64Atom, LayoutSw128Atom};
use layout_types::atom::mma::sm90::{F32BF16BF16, F32F16F16, Shared, Wgmma};
use layout_types::atom::mma::{MajorK, MajorMn, Registers};
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::tiled::{OperandA, OperandC, PartitionFragmentOf, TiledMma};
use layout_types::typenum::U32;

/// The number of consumer threads of every kernel: two groups with 64 rows each, or with the same
/// 64 keys.
pub(super) const CONSUMERS: u32 = 256;
/// The number of threads in a CTA: a producer warp group and the consumers.
pub(super) const THREADS: u32 = 128 + CONSUMERS;

/// Returns the bytes of shared memory: both resident tensors, the stages of both streamed tensors,
/// the values and the barriers. If two groups have the same rows, the exchange between them is
/// added.
pub(super) const fn shared_bytes(rows: u32, streamed: u32, d: u32, of_keys: bool) -> u32 {
    let values = if of_keys { streamed * STAGES } else { rows };
    let exchanged = if rows == 64 { Exchange::BYTES } else { 0 };
    4 * d * (rows + STAGES * streamed) + 8 * values + 16 * (1 + 2 * STAGES) + exchanged
}

/// Returns the entry of a table for a type and a head dimension.
pub(super) const fn of(
    table: &[AttentionBackwardConfiguration],
    element: AttentionType,
    dim: u32,
) -> AttentionBackwardConfiguration {
    let mut i = 0;
    loop {
        let of = table[i];
        if of.element as u32 == element as u32 && of.dim == dim {
            return of;
        }
        i += 1;
    }
}

/// The layout of the consumer groups, along M, for a body of kernels: [`kernel`] or
/// [`split::kernel`].
macro_rules! groups {
    (kernel) => {
        layout!((2, 1, 1))
    };
    (split) => {
        layout!((1, 1, 1))
    };
}

/// Defines a configuration of a kernel of tiles.
macro_rules! gradient_configuration {
    ($name:ident $kernel:ident by $body:ident, $element:ident $kind:ident, d $d:literal, atoms $atom:ident, tile $m:literal x $n:literal, values $values:ty, of keys true, second $second:ty) => {
        gpu_kernels::each_score! {
            gradients gradient_configuration @types concat!("backward_keys_", stringify!($element), "_d", $d, "_", $m, "x", $n, "_s2"),
            $name $kernel by $body, $element $kind, d $d, atoms $atom, tile $m x $n, values $values, of keys true, second $second
        }
    };
    ($name:ident $kernel:ident by $body:ident, $element:ident $kind:ident, d $d:literal, atoms $atom:ident, tile $m:literal x $n:literal, values $values:ty, of keys false, second $second:ty) => {
        gpu_kernels::each_score! {
            gradients gradient_configuration @types concat!("backward_queries_", stringify!($element), "_d", $d, "_", $m, "x", $n, "_s2"),
            $name $kernel by $body, $element $kind, d $d, atoms $atom, tile $m x $n, values $values, of keys false, second $second
        }
    };
    ([$({ $parts:expr, $prefix:literal, $($with:tt)+ })+] @types $tile:expr,
     $name:ident $kernel:ident by $body:ident, $element:ident $kind:ident, d $d:literal, atoms $atom:ident, tile $m:literal x $n:literal, values $values:ty, of keys $of_keys:literal, second $second:ty) => {
        #[doc = concat!("The configuration of `", stringify!($kernel), "`.")]
        pub struct $name;
        impl $name {
            /// The kernel with which the configuration is compiled.
            pub(super) const BASE: Option<&str> = Some(stringify!($kernel));
        }
        #[cfg(target_arch = "nvptx64")]
        #[for_kernel($kernel $(, concat!("attention_", $prefix, $tile))+)]
        impl AttentionConfig for $name {
            type Element = $element;
            type OutputElement = $element;
            type QkAtom = Wgmma<$kind, int!($n), Shared, MajorK, MajorK>;
            type PvAtom = Wgmma<$kind, int!($d), Registers, MajorK, MajorMn>;
            type Qk = TiledMma<Self::QkAtom, groups!($body)>;
            type Pv = TiledMma<Self::PvAtom, groups!($body)>;
            type SmemQ = TileToShape<$atom<$element, MajorK>, shape!(($m, $d, 1))>;
            type SmemK = TileToShape<$atom<$element, MajorK>, shape!(($n, $d, 2))>;
            type SmemV =
                TileToShape<$atom<$element, MajorMn>, shape!(($d, $n, 2)), shape!((2, 1, 3))>;
            type TileS = layout!(($m,$n):(1@0,1@1));
            type Scores = PartitionFragmentOf<Self::Qk, OperandC, Self::TileS>;
            type Probabilities = PartitionFragmentOf<Self::Pv, OperandA, layout!(($m, $n))>;
            type Output = PartitionFragmentOf<Self::Pv, OperandC, layout!(($m,$d):(1@0,1@1))>;
            type BlocksOf32 = <int!($d) as Nat>::Over<U32>;
            type Score = Identity;
            type Sequences = Uniform;
            const TILE: [u32; 2] = [$m, $n];
            const DIM: u32 = $d;
            const Q_STAGES: u32 = 1;
            const LAZY: bool = false;
        }
        #[cfg(target_arch = "nvptx64")]
        #[for_kernel($kernel $(, concat!("attention_", $prefix, $tile))+)]
        impl GradientConfig for $name {
            type TileValues = $values;
            type Gradients = Self::Qk;
            type Second = $second;
            const OF_KEYS: bool = $of_keys;
        }
        #[cfg(all(target_arch = "nvptx64", any(feature = "kernels", feature = "attention-score-parts")))]
        #[for_kernel($kernel $(, concat!("attention_", $prefix, $tile))+)]
        const _: () = {
            layout_types::assert_shared_memory!(<$name as GradientConfig>::GRADIENT_SHARED_BYTES);
            layout_types::assert_retile_c_to_a!(
                <$name as AttentionConfig>::QkAtom,
                <$name as AttentionConfig>::PvAtom
            );
        };
        gradient_configuration! { @ $body $name [$kernel $(, concat!("attention_", $prefix, $tile))+] shared_bytes($m, $n, $d, $of_keys) }
    };
    (@ kernel $name:ident [$($kernel:tt)+] $shared_bytes:expr) => {
        #[cfg(all(target_arch = "nvptx64", any(feature = "kernels", feature = "attention-score-parts")))]
        #[for_kernel($($kernel)+)]
        const _: () = {
            is_run_by::<$name>(CONSUMERS / 32);
            assert!(<$name as GradientConfig>::GRADIENT_SHARED_BYTES == $shared_bytes);
        };
    };
    (@ split $name:ident [$($kernel:tt)+] $shared_bytes:expr) => {
        #[cfg(target_arch = "nvptx64")]
        #[for_kernel($($kernel)+)]
        impl SplitConfig for $name {}
        #[cfg(all(target_arch = "nvptx64", any(feature = "kernels", feature = "attention-score-parts")))]
        #[for_kernel($($kernel)+)]
        const _: () = {
            layout_types::assert_shared_memory!(<$name as SplitConfig>::SPLIT_SHARED_BYTES);
            split::config::is_run_by::<$name>(CONSUMERS / 32);
            assert!(<$name as SplitConfig>::SPLIT_SHARED_BYTES == $shared_bytes);
        };
    };
}

/// Defines a configuration of a kernel of tiles, and the kernel.
macro_rules! gradient_kernel {
    ($name:ident $kernel:ident by $body:ident, $element:ident $($configuration:tt)+) => {
        gradient_configuration! { $name $kernel by $body, $element $($configuration)+ }

        /// Computes gradients as [`kernel_abi::attention`] defines them, on Hopper.
        ///
        /// # Safety
        /// The launch is the plan's.
        #[cfg(all(feature = "kernels", any(target_arch = "nvptx64", doc)))]
        #[kernel(threads = 384, min_blocks = 1)]
        pub unsafe fn $kernel(
            first: *mut $element,
            second: *mut $element,
            values: *const f32,
            params: AttentionBackwardParams,
            #[grid_constant] map_x0: &TensorMap,
            #[grid_constant] map_x1: &TensorMap,
            #[grid_constant] map_y0: &TensorMap,
            #[grid_constant] map_y1: &TensorMap,
        ) {
            let maps = [map_x0, map_x1, map_y0, map_y1];
            // SAFETY: the launch is the plan's by the function's contract.
            unsafe {
                $body::run::<$name, CONSUMERS>((first, second), values, (&params, Identity, Uniform), maps)
            }
        }
    };
}

/// Defines the three kernels of each type and head dimension, and the table.
macro_rules! backward_configurations {
    ($(
        $variant:ident $element:ident $kind:ident, d $d:literal, atoms $atom:ident, rows $rows:ident,
        $keys:ident $keys_kernel:ident tile $m:literal x $n:literal, second $second:ty, by $body:ident,
        $queries:ident $queries_kernel:ident tile $qm:literal x $qn:literal;
    )+) => {
        $(
            gradient_kernel! { $keys $keys_kernel by $body, $element $kind, d $d, atoms $atom, tile $m x $n, values layout!(($m,$n):(0,1)), of keys true, second $second }
            gradient_kernel! { $queries $queries_kernel by kernel, $element $kind, d $d, atoms $atom, tile $qm x $qn, values layout!(($qm,$qn):(1,0)), of keys false, second () }

            /// Computes the values of the rows.
            ///
            /// # Safety
            /// The launch is the plan's.
            #[cfg(all(feature = "kernels", any(target_arch = "nvptx64", doc)))]
            #[kernel(threads = 128)]
            pub unsafe fn $rows(
                o: *const $element,
                d_o: *const $element,
                lse: *const f32,
                values: *mut f32,
                params: AttentionBackwardParams,
            ) {
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe { rows::run::<$element, <int!($d) as Nat>::Over<U32>, $d>([o, d_o], lse, values, (&params, Uniform)) }
            }
        )+

        /// The configurations of all types and head dimensions.
        pub static BACKWARD_CONFIGURATIONS: &[AttentionBackwardConfiguration] = &[$(
            AttentionBackwardConfiguration {
                parts: AttentionParts::NONE,
                element: AttentionType::$variant,
                dim: $d,
                loads: AttentionLoads::Tma,
                ctas: [1, 1],
                rows: stringify!($rows),
                keys: GradientKernel {
                    kernel: stringify!($keys_kernel),
                    base: $keys::BASE,
                    tile: [$m, $n],
                    threads: THREADS,
                    shared_bytes: shared_bytes($m, $n, $d, true),
                },
                queries: GradientKernel {
                    kernel: stringify!($queries_kernel),
                    base: $queries::BASE,
                    tile: [$qm, $qn],
                    threads: THREADS,
                    shared_bytes: shared_bytes($qm, $qn, $d, false),
                },
            },
        )+];
    };
}

backward_configurations! {
    F16 f16 F32F16F16, d 64, atoms LayoutSw128Atom, rows attention_backward_rows_f16_d64,
    F16D64Keys attention_backward_keys_f16_d64_128x128_s2 tile 128 x 128, second Accumulator<<F16D64Keys as AttentionConfig>::Output>, by kernel,
    F16D64Queries attention_backward_queries_f16_d64_128x128_s2 tile 128 x 128;

    F16 f16 F32F16F16, d 96, atoms LayoutSw64Atom, rows attention_backward_rows_f16_d96,
    F16D96Keys attention_backward_keys_f16_d96_128x64_s2 tile 128 x 64, second Accumulator<<F16D96Keys as AttentionConfig>::Output>, by kernel,
    F16D96Queries attention_backward_queries_f16_d96_128x128_s2 tile 128 x 128;

    F16 f16 F32F16F16, d 128, atoms LayoutSw128Atom, rows attention_backward_rows_f16_d128,
    F16D128Keys attention_backward_keys_f16_d128_128x64_s2 tile 128 x 64, second Accumulator<<F16D128Keys as AttentionConfig>::Output>, by kernel,
    F16D128Queries attention_backward_queries_f16_d128_128x64_s2 tile 128 x 64;

    F16 f16 F32F16F16, d 192, atoms LayoutSw128Atom, rows attention_backward_rows_f16_d192,
    F16D192Keys attention_backward_keys_f16_d192_64x64_s2 tile 64 x 64, second (), by split,
    F16D192Queries attention_backward_queries_f16_d192_128x64_s2 tile 128 x 64;

    F16 f16 F32F16F16, d 256, atoms LayoutSw128Atom, rows attention_backward_rows_f16_d256,
    F16D256Keys attention_backward_keys_f16_d256_64x64_s2 tile 64 x 64, second (), by split,
    F16D256Queries attention_backward_queries_f16_d256_128x48_s2 tile 128 x 48;

    Bf16 bf16 F32BF16BF16, d 64, atoms LayoutSw128Atom, rows attention_backward_rows_bf16_d64,
    Bf16D64Keys attention_backward_keys_bf16_d64_128x128_s2 tile 128 x 128, second Accumulator<<Bf16D64Keys as AttentionConfig>::Output>, by kernel,
    Bf16D64Queries attention_backward_queries_bf16_d64_128x128_s2 tile 128 x 128;

    Bf16 bf16 F32BF16BF16, d 96, atoms LayoutSw64Atom, rows attention_backward_rows_bf16_d96,
    Bf16D96Keys attention_backward_keys_bf16_d96_128x64_s2 tile 128 x 64, second Accumulator<<Bf16D96Keys as AttentionConfig>::Output>, by kernel,
    Bf16D96Queries attention_backward_queries_bf16_d96_128x128_s2 tile 128 x 128;

    Bf16 bf16 F32BF16BF16, d 128, atoms LayoutSw128Atom, rows attention_backward_rows_bf16_d128,
    Bf16D128Keys attention_backward_keys_bf16_d128_128x64_s2 tile 128 x 64, second Accumulator<<Bf16D128Keys as AttentionConfig>::Output>, by kernel,
    Bf16D128Queries attention_backward_queries_bf16_d128_128x64_s2 tile 128 x 64;

    Bf16 bf16 F32BF16BF16, d 192, atoms LayoutSw128Atom, rows attention_backward_rows_bf16_d192,
    Bf16D192Keys attention_backward_keys_bf16_d192_64x64_s2 tile 64 x 64, second (), by split,
    Bf16D192Queries attention_backward_queries_bf16_d192_128x64_s2 tile 128 x 64;

    Bf16 bf16 F32BF16BF16, d 256, atoms LayoutSw128Atom, rows attention_backward_rows_bf16_d256,
    Bf16D256Keys attention_backward_keys_bf16_d256_64x64_s2 tile 64 x 64, second (), by split,
    Bf16D256Queries attention_backward_queries_bf16_d256_128x48_s2 tile 128 x 48;
}

// Kernels for packed sequences have smaller blocks, because their masks and places take registers.
// With the blocks of the kernels for one length they spill.
gradient_configuration! { F16D64KeysBy64 attention_packed_backward_keys_f16_d64_128x64_s2 by kernel, f16 F32F16F16, d 64, atoms LayoutSw128Atom, tile 128 x 64, values layout!((128,64):(0,1)), of keys true, second Accumulator<<F16D64KeysBy64 as AttentionConfig>::Output> }
gradient_configuration! { F16D128KeysBy32 attention_packed_backward_keys_f16_d128_128x32_s2 by kernel, f16 F32F16F16, d 128, atoms LayoutSw128Atom, tile 128 x 32, values layout!((128,32):(0,1)), of keys true, second Accumulator<<F16D128KeysBy32 as AttentionConfig>::Output> }
gradient_configuration! { Bf16D64KeysBy64 attention_packed_backward_keys_bf16_d64_128x64_s2 by kernel, bf16 F32BF16BF16, d 64, atoms LayoutSw128Atom, tile 128 x 64, values layout!((128,64):(0,1)), of keys true, second Accumulator<<Bf16D64KeysBy64 as AttentionConfig>::Output> }
gradient_configuration! { Bf16D128KeysBy32 attention_packed_backward_keys_bf16_d128_128x32_s2 by kernel, bf16 F32BF16BF16, d 128, atoms LayoutSw128Atom, tile 128 x 32, values layout!((128,32):(0,1)), of keys true, second Accumulator<<Bf16D128KeysBy32 as AttentionConfig>::Output> }

// Kernels with a soft cap have smaller blocks too, because its derivatives take registers.
gradient_configuration! { F16D64QueriesBy64 attention_soft_cap_backward_queries_f16_d64_128x64_s2 by kernel, f16 F32F16F16, d 64, atoms LayoutSw128Atom, tile 128 x 64, values layout!((128,64):(1,0)), of keys false, second () }
gradient_configuration! { F16D96QueriesBy64 attention_soft_cap_backward_queries_f16_d96_128x64_s2 by kernel, f16 F32F16F16, d 96, atoms LayoutSw64Atom, tile 128 x 64, values layout!((128,64):(1,0)), of keys false, second () }
gradient_configuration! { Bf16D64QueriesBy64 attention_soft_cap_backward_queries_bf16_d64_128x64_s2 by kernel, bf16 F32BF16BF16, d 64, atoms LayoutSw128Atom, tile 128 x 64, values layout!((128,64):(1,0)), of keys false, second () }
gradient_configuration! { Bf16D96QueriesBy64 attention_soft_cap_backward_queries_bf16_d96_128x64_s2 by kernel, bf16 F32BF16BF16, d 96, atoms LayoutSw64Atom, tile 128 x 64, values layout!((128,64):(1,0)), of keys false, second () }

//! The table of kernels.
//!
//! ```text
//!   gemm_bf16_f32_tn_128x256x64_s4_wgmma_2x1      input, accumulator, majors, tile, stages; clusters of 2 CTAs along m
//!   gemm_f16_f32_tn_128x128x64_s6_wgmma_2x1_pp    the same with the pingpong schedule
//! ```
//!
//! Kernels of [swapped](GemmConfig::SWAPPED) operands end in `_swapped`: their tile and cluster are
//! D's too, of few rows.
//! Kernels of grouped products end in `_groups`, those that accept stream-K in `_sk`. A cluster of
//! two along m shares the tile of B: each CTA loads half of it into both, in a cluster of four a
//! quarter. The small tiles are for short products, whose k the CTAs of a cluster can share.

use super::block_scaled::BlockScaled;
use super::config::{GemmConfig, THREADS};
use super::kernel::{is_run_by, run};
use super::mainloop::{Mainloop, Products};
use super::stream_k::StreamTiles;
use super::tile_scheduler::{ClusterTiles, GroupTiles, TileScheduler};
use cuda_std::{for_kernel, kernel};
use gpu_kernels::gemm::epilogue::op::LinearCombination;
use gpu_kernels::gemm::params::KernelPointers;
use half::{bf16, f16};
use kernel_abi::gemm::{
    AccumulatorType, Configuration, GemmParams, HopperConfiguration, InputType, Majors,
};
use layout_types::arch::copy_sm90_tma::TensorMap;
use layout_types::assert_shared_memory;
use layout_types::atom::element::{FloatE4M3, FloatE5M2, TFloat32};
use layout_types::atom::gmma::LayoutSw128Atom;
use layout_types::atom::mma::sm90::{
    F16F16F16, F32BF16BF16, F32E4M3E4M3, F32E5M2E5M2, F32F16F16, F32TF32TF32, S32S8S8, Shared,
    Wgmma,
};
use layout_types::atom::mma::{MajorK, MajorMn};
use layout_types::prelude::*;
use layout_types::typenum::Unsigned;
use pastey::paste;

/// A tile of atoms with 128-byte lines; of an MN-major one the atoms along K come first, so that a
/// box has all of K.
macro_rules! tile {
    ($element:ty, MajorK, $rows:tt, $k:literal $(, $stages:literal)?) => {
        TileToShape<LayoutSw128Atom<$element, MajorK>, shape!(($rows, $k $(, $stages)?))>
    };
    ($element:ty, MajorMn, $rows:tt, $k:literal) => {
        TileToShape<LayoutSw128Atom<$element, MajorMn>, shape!(($rows, $k)), shape!((2, 1))>
    };
    ($element:ty, MajorMn, $rows:tt, $k:literal, $stages:literal) => {
        TileToShape<LayoutSw128Atom<$element, MajorMn>, shape!(($rows, $k, $stages)), shape!((2, 1, 3))>
    };
}

/// Columns of a consumer group: all of the tile's, or those that are named.
macro_rules! columns {
    ($n:literal) => {
        int!($n)
    };
    ($n:literal $columns:literal) => {
        int!($columns)
    };
}

/// Defines configurations, their kernels and the table.
///
/// ```text
/// F16Wide gemm_f16_f32_tn_128x256x64_s4_wgmma {
///     F16 f16, F32F16F16 F32 [f32; 128],        input, instruction, accumulator and a thread's registers of one atom of it
///     Tn MajorK MajorK,
///     128 x 256 x 64, stages 4,                 the tile
///     chunks 4, atoms 1,                        columns of D by 64; rows of a consumer group by 64
///                                               `atoms 3 columns 96`: a group has all rows, and these columns
///     cluster 1 x 1, parts 128 256,             rows of A and of B that a CTA loads
///     arrivals 8, pingpong false, split false,  warps of the cluster that free a stage; whether clusters can split k
///     mainloop Products, tiles ClusterTiles     or with scales of blocks; or those of groups
/// }
/// ```
macro_rules! configurations {
    ($table:ident: $(
        $name:ident $kernel:ident {
            $input:ident $element:ty, $kind:ident $accumulator:ident $registers:ty, $majors:ident $major_a:ident $major_b:ident,
            $m:literal x $n:literal x $k:literal, stages $stages:literal, chunks $chunks:literal,
            atoms $atoms:literal $(columns $columns:literal)?,
            cluster $along_m:literal x $along_n:literal, parts $part_a:literal $part_b:literal,
            arrivals $arrivals:literal, pingpong $pingpong:literal, split $split:literal, mainloop $mainloop:ident,
            tiles $tiles:ident $($swapped:ident)?
        }
    )+) => {
        $(
            #[doc = concat!("The configuration of [`", stringify!($kernel), "`].")]
            pub struct $name;
            #[for_kernel($kernel)]
            impl GemmConfig for $name {
                type Element = $element;
                type D = $element;
                type MajorA = $major_a;
                type MajorB = $major_b;
                type N = columns!($n $($columns)?);
                type Atom = Wgmma<$kind, columns!($n $($columns)?), Shared, $major_a, $major_b>;
                type Registers = $registers;
                type SmemA = tile!($element, $major_a, $m, $k, $stages);
                type SmemB = tile!($element, $major_b, $n, $k, $stages);
                type PartA = tile!($element, $major_a, $part_a, $k);
                type PartB = tile!($element, $major_b, $part_b, $k);
                type Atoms = int!($atoms);
                type Chunks = int!($chunks);
                type Tiles = $tiles;
                type Mainloop = $mainloop;
                type Operation = LinearCombination;
                const TILE: [u32; 3] = [$m, $n, $k];
                const CLUSTER: [u32; 2] = [$along_m, $along_n];
                const PINGPONG: bool = $pingpong;
                const STAGES: u32 = $stages;
                const CLUSTER_SPLIT: bool = $split;
                const SWAPPED: bool = is_swapped!($($swapped)?);
                const CHUNK: u32 = <columns!($n $($columns)?) as Unsigned>::U32 / $chunks;
            }
            #[for_kernel($kernel)]
            impl $name {
                /// What a host knows of the kernel.
                pub const CONFIGURATION: Configuration = Configuration {
                    kernel: stringify!($kernel),
                    input: InputType::$input,
                    accumulator: AccumulatorType::$accumulator,
                    majors: Majors::$majors,
                    tile: {
                        let [m, n] = of_product::<$name>([$m, $n]);
                        [m, n, $k]
                    },
                    warps: [8, 1],
                    stages: $stages,
                    threads: THREADS,
                    shared_bytes: <$name as GemmConfig>::SHARED_BYTES,
                    load_bytes: 16,
                    partial_bytes: if <$tiles as TileScheduler>::STREAM_K { 4 * $m * $n } else { 0 },
                    persistent: true,
                    arch: 90,
                    reads: None,
                    hopper: Some(HopperConfiguration {
                        cluster: of_product::<$name>([$along_m, $along_n]),
                        swapped: is_swapped!($($swapped)?),
                        pingpong: $pingpong,
                        columns: <columns!($n $($columns)?) as Unsigned>::U32,
                        cluster_split: $split,
                        stream_k: <$tiles as TileScheduler>::STREAM_K,
                        chunk: columns_stored::<$name>(),
                        scaling: <$mainloop as Mainloop<$name, $stages, $arrivals, $atoms>>::SCALING,
                        grouped: <$tiles as TileScheduler>::GROUPED,
                        box_a: boxes::<$name>()[0],
                        box_b: boxes::<$name>()[1],
                    }),
                };
            }
            #[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
            #[for_kernel($kernel)]
            const _: () = {
                assert_shared_memory!(<$name as GemmConfig>::SHARED_BYTES);
                is_run_by::<$name>($stages, $arrivals, $atoms);
            };

            /// A GEMM kernel of [`kernel_abi::gemm`] for Hopper.
            ///
            /// # Safety
            /// The launch is as [`Configuration::plan`] says.
            #[cfg(feature = "kernels")]
            #[kernel(threads = 384, min_blocks = 1)]
            pub unsafe fn $kernel(
                d: *mut u8,
                a: *const u8,
                b: *const u8,
                c: *const u8,
                bias: *const f32,
                workspace: *mut u8,
                params: GemmParams,
                #[grid_constant] map_a: &TensorMap,
                #[grid_constant] map_b: &TensorMap,
                #[grid_constant] map_d: &TensorMap,
                batches: u32,
            ) {
                let pointers = KernelPointers { d, a, b, c, bias, workspace };
                // SAFETY: whoever launches the kernel does it as the plan says.
                unsafe {
                    run::<$name, $stages, $arrivals, $atoms>(pointers, params, [map_a, map_b, map_d], batches)
                }
            }
        )+

        #[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
        #[for_kernel()]
        static $table: &[Configuration] = &[$($name::CONFIGURATION,)+];
    };
}
use layout_types::int;

macro_rules! is_swapped {
    () => {
        false
    };
    (swapped) => {
        true
    };
}

/// Two extents of a configuration, along m and n, as the product's.
const fn of_product<C: GemmConfig>([m, n]: [u32; 2]) -> [u32; 2] {
    if C::SWAPPED { [n, m] } else { [m, n] }
}

/// The boxes of the product's A and B.
const fn boxes<C: GemmConfig>() -> [[u32; 2]; 2] {
    if C::SWAPPED {
        [C::BOX_B, C::BOX_A]
    } else {
        [C::BOX_A, C::BOX_B]
    }
}

/// Columns of D that are stored at a time.
const fn columns_stored<C: GemmConfig>() -> u32 {
    if C::SWAPPED { 64 } else { C::CHUNK }
}

/// Every kernel of the collective.
#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[for_kernel()]
pub static CONFIGURATIONS: &[Configuration] = &all();

#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[for_kernel()]
const fn all() -> [Configuration; TABLE.len() + SWAPPED.len()] {
    let mut all = [TABLE[0]; TABLE.len() + SWAPPED.len()];
    let mut i = 0;
    while i < all.len() {
        all[i] = if i < TABLE.len() {
            TABLE[i]
        } else {
            SWAPPED[i - TABLE.len()]
        };
        i += 1;
    }
    all
}

configurations! {
    TABLE:
    F16Wide gemm_f16_f32_tn_128x256x64_s4_wgmma {
        F16 f16, F32F16F16 F32 [f32; 128], Tn MajorK MajorK, 128 x 256 x 64, stages 4, chunks 4, atoms 1,
        cluster 1 x 1, parts 128 256, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16WidePair gemm_f16_f32_tn_128x256x64_s4_wgmma_2x1 {
        F16 f16, F32F16F16 F32 [f32; 128], Tn MajorK MajorK, 128 x 256 x 64, stages 4, chunks 4, atoms 1,
        cluster 2 x 1, parts 128 128, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16Square gemm_f16_f32_tn_128x128x64_s6_wgmma {
        F16 f16, F32F16F16 F32 [f32; 64], Tn MajorK MajorK, 128 x 128 x 64, stages 6, chunks 2, atoms 1,
        cluster 1 x 1, parts 128 128, arrivals 8, pingpong false, split true, mainloop Products, tiles ClusterTiles
    }
    F16Pingpong gemm_f16_f32_tn_128x128x64_s6_wgmma_pp {
        F16 f16, F32F16F16 F32 [f32; 64], Tn MajorK MajorK, 128 x 128 x 64, stages 6, chunks 2, atoms 2,
        cluster 1 x 1, parts 128 128, arrivals 4, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    F16PingpongPair gemm_f16_f32_tn_128x128x64_s6_wgmma_2x1_pp {
        F16 f16, F32F16F16 F32 [f32; 64], Tn MajorK MajorK, 128 x 128 x 64, stages 6, chunks 2, atoms 2,
        cluster 2 x 1, parts 128 64, arrivals 8, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    F16Flat gemm_f16_f32_tn_64x128x64_s8_wgmma_pp {
        F16 f16, F32F16F16 F32 [f32; 64], Tn MajorK MajorK, 64 x 128 x 64, stages 8, chunks 2, atoms 1,
        cluster 1 x 1, parts 64 128, arrivals 4, pingpong true, split true, mainloop Products, tiles ClusterTiles
    }
    F16FlatPair gemm_f16_f32_tn_64x128x64_s8_wgmma_2x1_pp {
        F16 f16, F32F16F16 F32 [f32; 64], Tn MajorK MajorK, 64 x 128 x 64, stages 8, chunks 2, atoms 1,
        cluster 2 x 1, parts 64 64, arrivals 8, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    F16FlatFour gemm_f16_f32_tn_64x128x64_s8_wgmma_2x2_pp {
        F16 f16, F32F16F16 F32 [f32; 64], Tn MajorK MajorK, 64 x 128 x 64, stages 8, chunks 2, atoms 1,
        cluster 2 x 2, parts 32 64, arrivals 16, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    F16FlatRow gemm_f16_f32_tn_64x160x64_s6_wgmma_4x1_pp {
        F16 f16, F32F16F16 F32 [f32; 80], Tn MajorK MajorK, 64 x 160 x 64, stages 6, chunks 5, atoms 1,
        cluster 4 x 1, parts 64 40, arrivals 16, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    F16Small gemm_f16_f32_tn_64x64x64_s8_wgmma_pp {
        F16 f16, F32F16F16 F32 [f32; 32], Tn MajorK MajorK, 64 x 64 x 64, stages 8, chunks 1, atoms 1,
        cluster 1 x 1, parts 64 64, arrivals 4, pingpong true, split true, mainloop Products, tiles ClusterTiles
    }
    F16Narrow gemm_f16_f32_tn_128x112x64_s6_wgmma {
        F16 f16, F32F16F16 F32 [f32; 56], Tn MajorK MajorK, 128 x 112 x 64, stages 6, chunks 2, atoms 1,
        cluster 1 x 1, parts 128 112, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16Nn gemm_f16_f32_nn_128x256x64_s4_wgmma_2x1 {
        F16 f16, F32F16F16 F32 [f32; 128], Nn MajorMn MajorK, 128 x 256 x 64, stages 4, chunks 4, atoms 1,
        cluster 2 x 1, parts 128 128, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16Tt gemm_f16_f32_tt_128x256x64_s4_wgmma_2x1 {
        F16 f16, F32F16F16 F32 [f32; 128], Tt MajorK MajorMn, 128 x 256 x 64, stages 4, chunks 4, atoms 1,
        cluster 2 x 1, parts 128 128, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16Nt gemm_f16_f32_nt_128x256x64_s4_wgmma_2x1 {
        F16 f16, F32F16F16 F32 [f32; 128], Nt MajorMn MajorMn, 128 x 256 x 64, stages 4, chunks 4, atoms 1,
        cluster 2 x 1, parts 128 128, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16Half gemm_f16_f16_tn_128x256x64_s4_wgmma_2x1 {
        F16 f16, F16F16F16 F16 [u32; 64], Tn MajorK MajorK, 128 x 256 x 64, stages 4, chunks 4, atoms 1,
        cluster 2 x 1, parts 128 128, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16Wide gemm_bf16_f32_tn_128x256x64_s4_wgmma {
        Bf16 bf16, F32BF16BF16 F32 [f32; 128], Tn MajorK MajorK, 128 x 256 x 64, stages 4, chunks 4, atoms 1,
        cluster 1 x 1, parts 128 256, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16WidePair gemm_bf16_f32_tn_128x256x64_s4_wgmma_2x1 {
        Bf16 bf16, F32BF16BF16 F32 [f32; 128], Tn MajorK MajorK, 128 x 256 x 64, stages 4, chunks 4, atoms 1,
        cluster 2 x 1, parts 128 128, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16Square gemm_bf16_f32_tn_128x128x64_s6_wgmma {
        Bf16 bf16, F32BF16BF16 F32 [f32; 64], Tn MajorK MajorK, 128 x 128 x 64, stages 6, chunks 2, atoms 1,
        cluster 1 x 1, parts 128 128, arrivals 8, pingpong false, split true, mainloop Products, tiles ClusterTiles
    }
    Bf16Pingpong gemm_bf16_f32_tn_128x128x64_s6_wgmma_pp {
        Bf16 bf16, F32BF16BF16 F32 [f32; 64], Tn MajorK MajorK, 128 x 128 x 64, stages 6, chunks 2, atoms 2,
        cluster 1 x 1, parts 128 128, arrivals 4, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16PingpongPair gemm_bf16_f32_tn_128x128x64_s6_wgmma_2x1_pp {
        Bf16 bf16, F32BF16BF16 F32 [f32; 64], Tn MajorK MajorK, 128 x 128 x 64, stages 6, chunks 2, atoms 2,
        cluster 2 x 1, parts 128 64, arrivals 8, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16Flat gemm_bf16_f32_tn_64x128x64_s8_wgmma_pp {
        Bf16 bf16, F32BF16BF16 F32 [f32; 64], Tn MajorK MajorK, 64 x 128 x 64, stages 8, chunks 2, atoms 1,
        cluster 1 x 1, parts 64 128, arrivals 4, pingpong true, split true, mainloop Products, tiles ClusterTiles
    }
    Bf16FlatPair gemm_bf16_f32_tn_64x128x64_s8_wgmma_2x1_pp {
        Bf16 bf16, F32BF16BF16 F32 [f32; 64], Tn MajorK MajorK, 64 x 128 x 64, stages 8, chunks 2, atoms 1,
        cluster 2 x 1, parts 64 64, arrivals 8, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16FlatFour gemm_bf16_f32_tn_64x128x64_s8_wgmma_2x2_pp {
        Bf16 bf16, F32BF16BF16 F32 [f32; 64], Tn MajorK MajorK, 64 x 128 x 64, stages 8, chunks 2, atoms 1,
        cluster 2 x 2, parts 32 64, arrivals 16, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16FlatRow gemm_bf16_f32_tn_64x160x64_s6_wgmma_4x1_pp {
        Bf16 bf16, F32BF16BF16 F32 [f32; 80], Tn MajorK MajorK, 64 x 160 x 64, stages 6, chunks 5, atoms 1,
        cluster 4 x 1, parts 64 40, arrivals 16, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16Small gemm_bf16_f32_tn_64x64x64_s8_wgmma_pp {
        Bf16 bf16, F32BF16BF16 F32 [f32; 32], Tn MajorK MajorK, 64 x 64 x 64, stages 8, chunks 1, atoms 1,
        cluster 1 x 1, parts 64 64, arrivals 4, pingpong true, split true, mainloop Products, tiles ClusterTiles
    }
    Bf16Narrow gemm_bf16_f32_tn_128x112x64_s6_wgmma {
        Bf16 bf16, F32BF16BF16 F32 [f32; 56], Tn MajorK MajorK, 128 x 112 x 64, stages 6, chunks 2, atoms 1,
        cluster 1 x 1, parts 128 112, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16Nn gemm_bf16_f32_nn_128x256x64_s4_wgmma_2x1 {
        Bf16 bf16, F32BF16BF16 F32 [f32; 128], Nn MajorMn MajorK, 128 x 256 x 64, stages 4, chunks 4, atoms 1,
        cluster 2 x 1, parts 128 128, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16Tt gemm_bf16_f32_tt_128x256x64_s4_wgmma_2x1 {
        Bf16 bf16, F32BF16BF16 F32 [f32; 128], Tt MajorK MajorMn, 128 x 256 x 64, stages 4, chunks 4, atoms 1,
        cluster 2 x 1, parts 128 128, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16Nt gemm_bf16_f32_nt_128x256x64_s4_wgmma_2x1 {
        Bf16 bf16, F32BF16BF16 F32 [f32; 128], Nt MajorMn MajorMn, 128 x 256 x 64, stages 4, chunks 4, atoms 1,
        cluster 2 x 1, parts 128 128, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Tf32Wide gemm_tf32_f32_tn_128x256x32_s4_wgmma {
        Tf32 TFloat32, F32TF32TF32 F32 [f32; 128], Tn MajorK MajorK, 128 x 256 x 32, stages 4, chunks 4, atoms 1,
        cluster 1 x 1, parts 128 256, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Tf32WidePair gemm_tf32_f32_tn_128x256x32_s4_wgmma_2x1 {
        Tf32 TFloat32, F32TF32TF32 F32 [f32; 128], Tn MajorK MajorK, 128 x 256 x 32, stages 4, chunks 4, atoms 1,
        cluster 2 x 1, parts 128 128, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Tf32Pingpong gemm_tf32_f32_tn_128x128x32_s6_wgmma_pp {
        Tf32 TFloat32, F32TF32TF32 F32 [f32; 64], Tn MajorK MajorK, 128 x 128 x 32, stages 6, chunks 2, atoms 2,
        cluster 1 x 1, parts 128 128, arrivals 4, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    Tf32Flat gemm_tf32_f32_tn_64x128x32_s8_wgmma_pp {
        Tf32 TFloat32, F32TF32TF32 F32 [f32; 64], Tn MajorK MajorK, 64 x 128 x 32, stages 8, chunks 2, atoms 1,
        cluster 1 x 1, parts 64 128, arrivals 4, pingpong true, split true, mainloop Products, tiles ClusterTiles
    }
    S8Wide gemm_s8_s32_tn_128x256x128_s4_wgmma {
        S8 i8, S32S8S8 S32 [i32; 128], Tn MajorK MajorK, 128 x 256 x 128, stages 4, chunks 4, atoms 1,
        cluster 1 x 1, parts 128 256, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    S8WidePair gemm_s8_s32_tn_128x256x128_s4_wgmma_2x1 {
        S8 i8, S32S8S8 S32 [i32; 128], Tn MajorK MajorK, 128 x 256 x 128, stages 4, chunks 4, atoms 1,
        cluster 2 x 1, parts 128 128, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    S8Pingpong gemm_s8_s32_tn_128x128x128_s6_wgmma_pp {
        S8 i8, S32S8S8 S32 [i32; 64], Tn MajorK MajorK, 128 x 128 x 128, stages 6, chunks 2, atoms 2,
        cluster 1 x 1, parts 128 128, arrivals 4, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    S8Flat gemm_s8_s32_tn_64x128x128_s8_wgmma_pp {
        S8 i8, S32S8S8 S32 [i32; 64], Tn MajorK MajorK, 64 x 128 x 128, stages 8, chunks 2, atoms 1,
        cluster 1 x 1, parts 64 128, arrivals 4, pingpong true, split true, mainloop Products, tiles ClusterTiles
    }
    E4m3Wide gemm_e4m3_f32_tn_128x256x128_s4_wgmma {
        E4m3 FloatE4M3, F32E4M3E4M3 F32 [f32; 128], Tn MajorK MajorK, 128 x 256 x 128, stages 4, chunks 4, atoms 1,
        cluster 1 x 1, parts 128 256, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    E4m3WidePair gemm_e4m3_f32_tn_128x256x128_s4_wgmma_2x1 {
        E4m3 FloatE4M3, F32E4M3E4M3 F32 [f32; 128], Tn MajorK MajorK, 128 x 256 x 128, stages 4, chunks 4, atoms 1,
        cluster 2 x 1, parts 128 128, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    E4m3Blocks gemm_e4m3_f32_tn_128x256x128_s4_wgmma_2x1_blocks {
        E4m3 FloatE4M3, F32E4M3E4M3 F32 [f32; 128], Tn MajorK MajorK, 128 x 256 x 128, stages 4, chunks 4, atoms 1,
        cluster 2 x 1, parts 128 128, arrivals 16, pingpong false, split false, mainloop BlockScaled, tiles ClusterTiles
    }
    E4m3BlocksSquare gemm_e4m3_f32_tn_128x128x128_s6_wgmma_blocks {
        E4m3 FloatE4M3, F32E4M3E4M3 F32 [f32; 64], Tn MajorK MajorK, 128 x 128 x 128, stages 6, chunks 2, atoms 1,
        cluster 1 x 1, parts 128 128, arrivals 8, pingpong false, split false, mainloop BlockScaled, tiles ClusterTiles
    }
    E4m3Pingpong gemm_e4m3_f32_tn_128x128x128_s6_wgmma_pp {
        E4m3 FloatE4M3, F32E4M3E4M3 F32 [f32; 64], Tn MajorK MajorK, 128 x 128 x 128, stages 6, chunks 2, atoms 2,
        cluster 1 x 1, parts 128 128, arrivals 4, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    E4m3Flat gemm_e4m3_f32_tn_64x128x128_s8_wgmma_pp {
        E4m3 FloatE4M3, F32E4M3E4M3 F32 [f32; 64], Tn MajorK MajorK, 64 x 128 x 128, stages 8, chunks 2, atoms 1,
        cluster 1 x 1, parts 64 128, arrivals 4, pingpong true, split true, mainloop Products, tiles ClusterTiles
    }
    E5m2Wide gemm_e5m2_f32_tn_128x256x128_s4_wgmma {
        E5m2 FloatE5M2, F32E5M2E5M2 F32 [f32; 128], Tn MajorK MajorK, 128 x 256 x 128, stages 4, chunks 4, atoms 1,
        cluster 1 x 1, parts 128 256, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    E5m2WidePair gemm_e5m2_f32_tn_128x256x128_s4_wgmma_2x1 {
        E5m2 FloatE5M2, F32E5M2E5M2 F32 [f32; 128], Tn MajorK MajorK, 128 x 256 x 128, stages 4, chunks 4, atoms 1,
        cluster 2 x 1, parts 128 128, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    E5m2Pingpong gemm_e5m2_f32_tn_128x128x128_s6_wgmma_pp {
        E5m2 FloatE5M2, F32E5M2E5M2 F32 [f32; 64], Tn MajorK MajorK, 128 x 128 x 128, stages 6, chunks 2, atoms 2,
        cluster 1 x 1, parts 128 128, arrivals 4, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    E5m2Flat gemm_e5m2_f32_tn_64x128x128_s8_wgmma_pp {
        E5m2 FloatE5M2, F32E5M2E5M2 F32 [f32; 64], Tn MajorK MajorK, 64 x 128 x 128, stages 8, chunks 2, atoms 1,
        cluster 1 x 1, parts 64 128, arrivals 4, pingpong true, split true, mainloop Products, tiles ClusterTiles
    }
    F16Groups gemm_f16_f32_tn_128x256x64_s4_wgmma_groups {
        F16 f16, F32F16F16 F32 [f32; 128], Tn MajorK MajorK, 128 x 256 x 64, stages 4, chunks 4, atoms 1,
        cluster 1 x 1, parts 128 256, arrivals 8, pingpong false, split false, mainloop Products, tiles GroupTiles
    }
    F16GroupsFlat gemm_f16_f32_tn_64x128x64_s8_wgmma_pp_groups {
        F16 f16, F32F16F16 F32 [f32; 64], Tn MajorK MajorK, 64 x 128 x 64, stages 8, chunks 2, atoms 1,
        cluster 1 x 1, parts 64 128, arrivals 4, pingpong true, split false, mainloop Products, tiles GroupTiles
    }
    Bf16Groups gemm_bf16_f32_tn_128x256x64_s4_wgmma_groups {
        Bf16 bf16, F32BF16BF16 F32 [f32; 128], Tn MajorK MajorK, 128 x 256 x 64, stages 4, chunks 4, atoms 1,
        cluster 1 x 1, parts 128 256, arrivals 8, pingpong false, split false, mainloop Products, tiles GroupTiles
    }
    Bf16GroupsFlat gemm_bf16_f32_tn_64x128x64_s8_wgmma_pp_groups {
        Bf16 bf16, F32BF16BF16 F32 [f32; 64], Tn MajorK MajorK, 64 x 128 x 64, stages 8, chunks 2, atoms 1,
        cluster 1 x 1, parts 64 128, arrivals 4, pingpong true, split false, mainloop Products, tiles GroupTiles
    }
    E4m3Groups gemm_e4m3_f32_tn_128x256x128_s4_wgmma_groups {
        E4m3 FloatE4M3, F32E4M3E4M3 F32 [f32; 128], Tn MajorK MajorK, 128 x 256 x 128, stages 4, chunks 4, atoms 1,
        cluster 1 x 1, parts 128 256, arrivals 8, pingpong false, split false, mainloop Products, tiles GroupTiles
    }
    E4m3GroupsFlat gemm_e4m3_f32_tn_64x128x128_s8_wgmma_pp_groups {
        E4m3 FloatE4M3, F32E4M3E4M3 F32 [f32; 64], Tn MajorK MajorK, 64 x 128 x 128, stages 8, chunks 2, atoms 1,
        cluster 1 x 1, parts 64 128, arrivals 4, pingpong true, split false, mainloop Products, tiles GroupTiles
    }
    F16Stream gemm_f16_f32_tn_128x256x64_s4_wgmma_sk {
        F16 f16, F32F16F16 F32 [f32; 128], Tn MajorK MajorK, 128 x 256 x 64, stages 4, chunks 4, atoms 1,
        cluster 1 x 1, parts 128 256, arrivals 8, pingpong false, split false, mainloop Products, tiles StreamTiles
    }
    Bf16Stream gemm_bf16_f32_tn_128x256x64_s4_wgmma_sk {
        Bf16 bf16, F32BF16BF16 F32 [f32; 128], Tn MajorK MajorK, 128 x 256 x 64, stages 4, chunks 4, atoms 1,
        cluster 1 x 1, parts 128 256, arrivals 8, pingpong false, split false, mainloop Products, tiles StreamTiles
    }
    F16Tall gemm_f16_f32_tn_256x128x64_s4_wgmma {
        F16 f16, F32F16F16 F32 [f32; 64], Tn MajorK MajorK, 256 x 128 x 64, stages 4, chunks 2, atoms 2,
        cluster 1 x 1, parts 256 128, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16TallPair gemm_f16_f32_tn_256x128x64_s4_wgmma_2x1 {
        F16 f16, F32F16F16 F32 [f32; 64], Tn MajorK MajorK, 256 x 128 x 64, stages 4, chunks 2, atoms 2,
        cluster 2 x 1, parts 256 64, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16TallRow gemm_f16_f32_tn_256x128x64_s4_wgmma_1x2 {
        F16 f16, F32F16F16 F32 [f32; 64], Tn MajorK MajorK, 256 x 128 x 64, stages 4, chunks 2, atoms 2,
        cluster 1 x 2, parts 128 128, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16Broad gemm_f16_f32_tn_192x192x64_s4_wgmma {
        F16 f16, F32F16F16 F32 [f32; 48], Tn MajorK MajorK, 192 x 192 x 64, stages 4, chunks 2, atoms 3 columns 96,
        cluster 1 x 1, parts 192 192, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16BroadPair gemm_f16_f32_tn_192x192x64_s4_wgmma_2x1 {
        F16 f16, F32F16F16 F32 [f32; 48], Tn MajorK MajorK, 192 x 192 x 64, stages 4, chunks 2, atoms 3 columns 96,
        cluster 2 x 1, parts 192 96, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16Three gemm_f16_f32_tn_192x128x64_s4_wgmma {
        F16 f16, F32F16F16 F32 [f32; 32], Tn MajorK MajorK, 192 x 128 x 64, stages 4, chunks 1, atoms 3 columns 64,
        cluster 1 x 1, parts 192 128, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16ThreeRow gemm_f16_f32_tn_192x128x64_s4_wgmma_1x2 {
        F16 f16, F32F16F16 F32 [f32; 32], Tn MajorK MajorK, 192 x 128 x 64, stages 4, chunks 1, atoms 3 columns 64,
        cluster 1 x 2, parts 96 128, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16Six gemm_f16_f32_tn_128x192x64_s4_wgmma {
        F16 f16, F32F16F16 F32 [f32; 96], Tn MajorK MajorK, 128 x 192 x 64, stages 4, chunks 3, atoms 1,
        cluster 1 x 1, parts 128 192, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16SixPair gemm_f16_f32_tn_128x192x64_s4_wgmma_2x1 {
        F16 f16, F32F16F16 F32 [f32; 96], Tn MajorK MajorK, 128 x 192 x 64, stages 4, chunks 3, atoms 1,
        cluster 2 x 1, parts 128 96, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16Five gemm_f16_f32_tn_128x160x64_s5_wgmma {
        F16 f16, F32F16F16 F32 [f32; 80], Tn MajorK MajorK, 128 x 160 x 64, stages 5, chunks 5, atoms 1,
        cluster 1 x 1, parts 128 160, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16FlatWide gemm_f16_f32_tn_64x256x64_s4_wgmma_pp {
        F16 f16, F32F16F16 F32 [f32; 128], Tn MajorK MajorK, 64 x 256 x 64, stages 4, chunks 4, atoms 1,
        cluster 1 x 1, parts 64 256, arrivals 4, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    F16FlatSix gemm_f16_f32_tn_64x192x64_s6_wgmma_pp {
        F16 f16, F32F16F16 F32 [f32; 96], Tn MajorK MajorK, 64 x 192 x 64, stages 6, chunks 3, atoms 1,
        cluster 1 x 1, parts 64 192, arrivals 4, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    F16Thin gemm_f16_f32_tn_64x32x64_s16_wgmma_pp {
        F16 f16, F32F16F16 F32 [f32; 16], Tn MajorK MajorK, 64 x 32 x 64, stages 16, chunks 1, atoms 1,
        cluster 1 x 1, parts 64 32, arrivals 4, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16Tall gemm_bf16_f32_tn_256x128x64_s4_wgmma {
        Bf16 bf16, F32BF16BF16 F32 [f32; 64], Tn MajorK MajorK, 256 x 128 x 64, stages 4, chunks 2, atoms 2,
        cluster 1 x 1, parts 256 128, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16TallPair gemm_bf16_f32_tn_256x128x64_s4_wgmma_2x1 {
        Bf16 bf16, F32BF16BF16 F32 [f32; 64], Tn MajorK MajorK, 256 x 128 x 64, stages 4, chunks 2, atoms 2,
        cluster 2 x 1, parts 256 64, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16TallRow gemm_bf16_f32_tn_256x128x64_s4_wgmma_1x2 {
        Bf16 bf16, F32BF16BF16 F32 [f32; 64], Tn MajorK MajorK, 256 x 128 x 64, stages 4, chunks 2, atoms 2,
        cluster 1 x 2, parts 128 128, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16Broad gemm_bf16_f32_tn_192x192x64_s4_wgmma {
        Bf16 bf16, F32BF16BF16 F32 [f32; 48], Tn MajorK MajorK, 192 x 192 x 64, stages 4, chunks 2, atoms 3 columns 96,
        cluster 1 x 1, parts 192 192, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16BroadPair gemm_bf16_f32_tn_192x192x64_s4_wgmma_2x1 {
        Bf16 bf16, F32BF16BF16 F32 [f32; 48], Tn MajorK MajorK, 192 x 192 x 64, stages 4, chunks 2, atoms 3 columns 96,
        cluster 2 x 1, parts 192 96, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16Three gemm_bf16_f32_tn_192x128x64_s4_wgmma {
        Bf16 bf16, F32BF16BF16 F32 [f32; 32], Tn MajorK MajorK, 192 x 128 x 64, stages 4, chunks 1, atoms 3 columns 64,
        cluster 1 x 1, parts 192 128, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16ThreeRow gemm_bf16_f32_tn_192x128x64_s4_wgmma_1x2 {
        Bf16 bf16, F32BF16BF16 F32 [f32; 32], Tn MajorK MajorK, 192 x 128 x 64, stages 4, chunks 1, atoms 3 columns 64,
        cluster 1 x 2, parts 96 128, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16Six gemm_bf16_f32_tn_128x192x64_s4_wgmma {
        Bf16 bf16, F32BF16BF16 F32 [f32; 96], Tn MajorK MajorK, 128 x 192 x 64, stages 4, chunks 3, atoms 1,
        cluster 1 x 1, parts 128 192, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16SixPair gemm_bf16_f32_tn_128x192x64_s4_wgmma_2x1 {
        Bf16 bf16, F32BF16BF16 F32 [f32; 96], Tn MajorK MajorK, 128 x 192 x 64, stages 4, chunks 3, atoms 1,
        cluster 2 x 1, parts 128 96, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16Five gemm_bf16_f32_tn_128x160x64_s5_wgmma {
        Bf16 bf16, F32BF16BF16 F32 [f32; 80], Tn MajorK MajorK, 128 x 160 x 64, stages 5, chunks 5, atoms 1,
        cluster 1 x 1, parts 128 160, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16FlatWide gemm_bf16_f32_tn_64x256x64_s4_wgmma_pp {
        Bf16 bf16, F32BF16BF16 F32 [f32; 128], Tn MajorK MajorK, 64 x 256 x 64, stages 4, chunks 4, atoms 1,
        cluster 1 x 1, parts 64 256, arrivals 4, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16FlatSix gemm_bf16_f32_tn_64x192x64_s6_wgmma_pp {
        Bf16 bf16, F32BF16BF16 F32 [f32; 96], Tn MajorK MajorK, 64 x 192 x 64, stages 6, chunks 3, atoms 1,
        cluster 1 x 1, parts 64 192, arrivals 4, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16Thin gemm_bf16_f32_tn_64x32x64_s16_wgmma_pp {
        Bf16 bf16, F32BF16BF16 F32 [f32; 16], Tn MajorK MajorK, 64 x 32 x 64, stages 16, chunks 1, atoms 1,
        cluster 1 x 1, parts 64 32, arrivals 4, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16SmallPair gemm_bf16_f32_tn_64x64x64_s12_wgmma_2x1_pp {
        Bf16 bf16, F32BF16BF16 F32 [f32; 32], Tn MajorK MajorK, 64 x 64 x 64, stages 12, chunks 1, atoms 1,
        cluster 2 x 1, parts 64 32, arrivals 8, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16SmallFour gemm_bf16_f32_tn_64x64x64_s12_wgmma_2x2_pp {
        Bf16 bf16, F32BF16BF16 F32 [f32; 32], Tn MajorK MajorK, 64 x 64 x 64, stages 12, chunks 1, atoms 1,
        cluster 2 x 2, parts 32 32, arrivals 16, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16SmallColumn gemm_bf16_f32_tn_64x64x64_s12_wgmma_4x1_pp {
        Bf16 bf16, F32BF16BF16 F32 [f32; 32], Tn MajorK MajorK, 64 x 64 x 64, stages 12, chunks 1, atoms 1,
        cluster 4 x 1, parts 64 16, arrivals 16, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16FlatEight gemm_bf16_f32_tn_64x128x64_s8_wgmma_4x2_pp {
        Bf16 bf16, F32BF16BF16 F32 [f32; 64], Tn MajorK MajorK, 64 x 128 x 64, stages 8, chunks 2, atoms 1,
        cluster 4 x 2, parts 32 32, arrivals 32, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16Seven gemm_bf16_f32_tn_128x224x64_s4_wgmma {
        Bf16 bf16, F32BF16BF16 F32 [f32; 112], Tn MajorK MajorK, 128 x 224 x 64, stages 4, chunks 4, atoms 1,
        cluster 1 x 1, parts 128 224, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16FivePair gemm_bf16_f32_tn_128x160x64_s5_wgmma_2x1 {
        Bf16 bf16, F32BF16BF16 F32 [f32; 80], Tn MajorK MajorK, 128 x 160 x 64, stages 5, chunks 5, atoms 1,
        cluster 2 x 1, parts 128 80, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16HalfSquare gemm_bf16_f32_tn_128x64x64_s8_wgmma {
        Bf16 bf16, F32BF16BF16 F32 [f32; 32], Tn MajorK MajorK, 128 x 64 x 64, stages 8, chunks 1, atoms 1,
        cluster 1 x 1, parts 128 64, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    Bf16SquareFour gemm_bf16_f32_tn_128x128x64_s6_wgmma_2x2 {
        Bf16 bf16, F32BF16BF16 F32 [f32; 64], Tn MajorK MajorK, 128 x 128 x 64, stages 6, chunks 2, atoms 1,
        cluster 2 x 2, parts 64 64, arrivals 32, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16SmallPair gemm_f16_f32_tn_64x64x64_s12_wgmma_2x1_pp {
        F16 f16, F32F16F16 F32 [f32; 32], Tn MajorK MajorK, 64 x 64 x 64, stages 12, chunks 1, atoms 1,
        cluster 2 x 1, parts 64 32, arrivals 8, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    F16SmallFour gemm_f16_f32_tn_64x64x64_s12_wgmma_2x2_pp {
        F16 f16, F32F16F16 F32 [f32; 32], Tn MajorK MajorK, 64 x 64 x 64, stages 12, chunks 1, atoms 1,
        cluster 2 x 2, parts 32 32, arrivals 16, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    F16SmallColumn gemm_f16_f32_tn_64x64x64_s12_wgmma_4x1_pp {
        F16 f16, F32F16F16 F32 [f32; 32], Tn MajorK MajorK, 64 x 64 x 64, stages 12, chunks 1, atoms 1,
        cluster 4 x 1, parts 64 16, arrivals 16, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    F16FlatEight gemm_f16_f32_tn_64x128x64_s8_wgmma_4x2_pp {
        F16 f16, F32F16F16 F32 [f32; 64], Tn MajorK MajorK, 64 x 128 x 64, stages 8, chunks 2, atoms 1,
        cluster 4 x 2, parts 32 32, arrivals 32, pingpong true, split false, mainloop Products, tiles ClusterTiles
    }
    F16Seven gemm_f16_f32_tn_128x224x64_s4_wgmma {
        F16 f16, F32F16F16 F32 [f32; 112], Tn MajorK MajorK, 128 x 224 x 64, stages 4, chunks 4, atoms 1,
        cluster 1 x 1, parts 128 224, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16FivePair gemm_f16_f32_tn_128x160x64_s5_wgmma_2x1 {
        F16 f16, F32F16F16 F32 [f32; 80], Tn MajorK MajorK, 128 x 160 x 64, stages 5, chunks 5, atoms 1,
        cluster 2 x 1, parts 128 80, arrivals 16, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16HalfSquare gemm_f16_f32_tn_128x64x64_s8_wgmma {
        F16 f16, F32F16F16 F32 [f32; 32], Tn MajorK MajorK, 128 x 64 x 64, stages 8, chunks 1, atoms 1,
        cluster 1 x 1, parts 128 64, arrivals 8, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
    F16SquareFour gemm_f16_f32_tn_128x128x64_s6_wgmma_2x2 {
        F16 f16, F32F16F16 F32 [f32; 64], Tn MajorK MajorK, 128 x 128 x 64, stages 6, chunks 2, atoms 1,
        cluster 2 x 2, parts 64 64, arrivals 32, pingpong false, split false, mainloop Products, tiles ClusterTiles
    }
}

/// Defines configurations of swapped operands, of bf16 and of f16 each.
///
/// ```text
/// Swapped8 _pp {
///     8 x 64 x 64, stages 22,                   the tile: rows of A, of B, and k
///     chunks 1, atoms 1,                        rows of A by 8 or 16; rows of B of a consumer group by 64
///     cluster 1 x 1, parts 8 64,                of the product's m and n; rows of A and of B that a CTA loads
///     arrivals 4, pingpong true, split true, tiles ClusterTiles
/// }
/// ```
macro_rules! swapped {
    ($(
        $name:ident $suffix:ident {
            $m:literal x $n:literal x $k:literal, stages $stages:literal, chunks $chunks:literal, atoms $atoms:literal,
            cluster $along_m:literal x $along_n:literal, parts $part_a:literal $part_b:literal,
            arrivals $arrivals:literal, pingpong $pingpong:literal, split $split:literal, tiles $tiles:ident
        }
    )+) => { paste! {
        configurations! {
            SWAPPED:
            $(
                [<Bf16 $name>] [<gemm_bf16_f32_tn_ $m x $n x $k _s $stages _wgmma $suffix>] {
                    Bf16 bf16, F32BF16BF16 F32 [f32; $m / 2], Tn MajorK MajorK, $n x $m x $k, stages $stages,
                    chunks $chunks, atoms $atoms, cluster $along_n x $along_m, parts $part_b $part_a,
                    arrivals $arrivals, pingpong $pingpong, split $split, mainloop Products, tiles $tiles swapped
                }
                [<F16 $name>] [<gemm_f16_f32_tn_ $m x $n x $k _s $stages _wgmma $suffix>] {
                    F16 f16, F32F16F16 F32 [f32; $m / 2], Tn MajorK MajorK, $n x $m x $k, stages $stages,
                    chunks $chunks, atoms $atoms, cluster $along_n x $along_m, parts $part_b $part_a,
                    arrivals $arrivals, pingpong $pingpong, split $split, mainloop Products, tiles $tiles swapped
                }
            )+
        }
    }};
}

swapped! {
    Swapped8 _pp_swapped {
        8 x 64 x 64, stages 24, chunks 1, atoms 1, cluster 1 x 1, parts 8 64,
        arrivals 4, pingpong true, split true, tiles ClusterTiles
    }
    Swapped16 _pp_swapped {
        16 x 64 x 64, stages 22, chunks 1, atoms 1, cluster 1 x 1, parts 16 64,
        arrivals 4, pingpong true, split true, tiles ClusterTiles
    }
    Swapped24 _pp_swapped {
        24 x 64 x 64, stages 20, chunks 3, atoms 1, cluster 1 x 1, parts 24 64,
        arrivals 4, pingpong true, split true, tiles ClusterTiles
    }
    Swapped32 _pp_swapped {
        32 x 64 x 64, stages 18, chunks 2, atoms 1, cluster 1 x 1, parts 32 64,
        arrivals 4, pingpong true, split true, tiles ClusterTiles
    }
    Swapped48 _pp_swapped {
        48 x 64 x 64, stages 15, chunks 3, atoms 1, cluster 1 x 1, parts 48 64,
        arrivals 4, pingpong true, split true, tiles ClusterTiles
    }
    Swapped64 _pp_swapped {
        64 x 64 x 64, stages 13, chunks 4, atoms 1, cluster 1 x 1, parts 64 64,
        arrivals 4, pingpong true, split true, tiles ClusterTiles
    }
    Swapped16Row _1x2_pp_swapped {
        16 x 64 x 64, stages 22, chunks 1, atoms 1, cluster 1 x 2, parts 8 64,
        arrivals 8, pingpong true, split false, tiles ClusterTiles
    }
    Swapped32Row _1x4_pp_swapped {
        32 x 64 x 64, stages 18, chunks 2, atoms 1, cluster 1 x 4, parts 8 64,
        arrivals 16, pingpong true, split false, tiles ClusterTiles
    }
    Swapped64Row _1x4_pp_swapped {
        64 x 64 x 64, stages 13, chunks 4, atoms 1, cluster 1 x 4, parts 16 64,
        arrivals 16, pingpong true, split false, tiles ClusterTiles
    }
    Swapped64Eight _2x4_pp_swapped {
        64 x 64 x 64, stages 13, chunks 4, atoms 1, cluster 2 x 4, parts 16 32,
        arrivals 32, pingpong true, split false, tiles ClusterTiles
    }
    Swapped8Wide _swapped {
        8 x 128 x 64, stages 13, chunks 1, atoms 1, cluster 1 x 1, parts 8 128,
        arrivals 8, pingpong false, split true, tiles ClusterTiles
    }
    Swapped16Wide _swapped {
        16 x 128 x 64, stages 12, chunks 1, atoms 1, cluster 1 x 1, parts 16 128,
        arrivals 8, pingpong false, split true, tiles ClusterTiles
    }
    Swapped24Wide _swapped {
        24 x 128 x 64, stages 11, chunks 3, atoms 1, cluster 1 x 1, parts 24 128,
        arrivals 8, pingpong false, split true, tiles ClusterTiles
    }
    Swapped32Wide _swapped {
        32 x 128 x 64, stages 11, chunks 2, atoms 1, cluster 1 x 1, parts 32 128,
        arrivals 8, pingpong false, split true, tiles ClusterTiles
    }
    Swapped48Wide _swapped {
        48 x 128 x 64, stages 10, chunks 3, atoms 1, cluster 1 x 1, parts 48 128,
        arrivals 8, pingpong false, split true, tiles ClusterTiles
    }
    Swapped64Wide _swapped {
        64 x 128 x 64, stages 9, chunks 4, atoms 1, cluster 1 x 1, parts 64 128,
        arrivals 8, pingpong false, split true, tiles ClusterTiles
    }
    Swapped96Wide _swapped {
        96 x 128 x 64, stages 7, chunks 6, atoms 1, cluster 1 x 1, parts 96 128,
        arrivals 8, pingpong false, split true, tiles ClusterTiles
    }
    Swapped32WidePair _1x2_swapped {
        32 x 128 x 64, stages 11, chunks 2, atoms 1, cluster 1 x 2, parts 16 128,
        arrivals 16, pingpong false, split false, tiles ClusterTiles
    }
    Swapped64WidePair _1x2_swapped {
        64 x 128 x 64, stages 9, chunks 4, atoms 1, cluster 1 x 2, parts 32 128,
        arrivals 16, pingpong false, split false, tiles ClusterTiles
    }
    Swapped16Stream _sk_swapped {
        16 x 128 x 64, stages 12, chunks 1, atoms 1, cluster 1 x 1, parts 16 128,
        arrivals 8, pingpong false, split false, tiles StreamTiles
    }
    Swapped32Stream _sk_swapped {
        32 x 128 x 64, stages 11, chunks 2, atoms 1, cluster 1 x 1, parts 32 128,
        arrivals 8, pingpong false, split false, tiles StreamTiles
    }
    Swapped64Stream _sk_swapped {
        64 x 128 x 64, stages 9, chunks 4, atoms 1, cluster 1 x 1, parts 64 128,
        arrivals 8, pingpong false, split false, tiles StreamTiles
    }
    Swapped8Three _pp_swapped {
        8 x 192 x 64, stages 8, chunks 1, atoms 3, cluster 1 x 1, parts 8 192,
        arrivals 4, pingpong true, split true, tiles ClusterTiles
    }
    Swapped24Three _pp_swapped {
        24 x 192 x 64, stages 8, chunks 3, atoms 3, cluster 1 x 1, parts 24 192,
        arrivals 4, pingpong true, split true, tiles ClusterTiles
    }
    Swapped48Three _pp_swapped {
        48 x 192 x 64, stages 7, chunks 3, atoms 3, cluster 1 x 1, parts 48 192,
        arrivals 4, pingpong true, split true, tiles ClusterTiles
    }
}

//! The table of kernels.
//!
//! ```text
//!   attention_bf16_d128_128x128_s2      element, head dimension, queries and keys of a tile, stages of K and of V
//! ```
//!
//! The library for the host has the table; the kernels are compiled for the GPU, and by the lints.

#![cfg_attr(
    not(any(target_arch = "nvptx64", clippy, doc)),
    allow(dead_code, unused_imports)
)]

use super::mask::{Seen, mask};
use super::quad;
use super::softmax::{Softmax, scale_rows};
use super::tile_scheduler::{KeyBlocks, TileAt, TileScheduler};
use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{sync_threads, thread_idx_x};
use cuda_std::warp::warp_shuffle_idx;
use gpu_kernels::gemm::epilogue::element::RoundPairs;
use kernel_abi::attention::{AttentionConfiguration, AttentionParams, AttentionType, flags};
use layout_types::algorithm::pipeline_tma::{PipelineState, PipelineTmaAsync};
use layout_types::algorithm::warpgroup::{self, InFlight};
use layout_types::algorithm::{copy_if, transform};
use layout_types::arch::barrier::{named_barrier_arrive, named_barrier_sync};
use layout_types::arch::copy_sm90_tma::{TensorMap, prefetch_tma_descriptor};
use layout_types::arch::mov::here;
use layout_types::arch::reg_reconfig::{warpgroup_reg_alloc, warpgroup_reg_dealloc};
use layout_types::atom::copy::{Sm90_TMA_LOAD, UniversalCopy};
use layout_types::atom::gmma::LayoutSw128Atom;
use layout_types::atom::mma::sm90::{F32BF16BF16, F32F16F16, Wgmma};
use layout_types::atom::mma::{MajorK, MajorMn};
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::tensor::{Descriptors, Fragment, PartitionDescriptors, Shared, identity_tensor};
use layout_types::tiled::{OperandA, OperandB, OperandC, PartitionFragmentOf, TiledCopy, TiledMma};
use layout_types::typenum::{U4, U8, U32};

/// The named barriers by which the consumer groups take turns: one a group.
const TURN_BARRIER: u32 = 4;

macro_rules! configurations {
    ($(
        $module:ident $kernel:ident {
            $variant:ident $element:ident $kind:ident, d $d:literal, tile $m:literal x $n:literal, stages $stages:literal,
            groups $groups:literal, threads $threads:literal, registers $producer:literal $consumer:literal, turns $turns:literal, speed $speed:literal
        }
    )+) => {
        $(
        #[doc = concat!("The types of `", stringify!($kernel), "`, and what is made of them.")]
        pub mod $module {
            use super::*;
            const _: () = assert!(
                $m == 64 * $groups
                    && $threads == 128 * (1 + $groups)
                    && 128 * ($producer + $groups * $consumer) <= 65_536,
                "each consumer group has 64 queries, and all threads have their registers"
            );
            /// The element of Q, K, V and O.
            type T = half::$element;
            /// S (M,N) = Q (M,D) K (N,D)ᵀ.
            type QkAtom = Wgmma<$kind, int!($n), layout_types::atom::mma::sm90::Shared, MajorK, MajorK>;
            type Qk = TiledMma<QkAtom, layout!(($groups, 1, 1))>;
            /// O (M,D) = P (M,N) V (D,N)ᵀ, P in registers.
            type PvAtom = Wgmma<$kind, int!($d), layout_types::atom::mma::Registers, MajorK, MajorMn>;
            type Pv = TiledMma<PvAtom, layout!(($groups, 1, 1))>;
            type SmemQ = TileToShape<LayoutSw128Atom<T, MajorK>, shape!(($m, $d))>;
            type SmemK = TileToShape<LayoutSw128Atom<T, MajorK>, shape!(($n, $d, $stages))>;
            type SmemV = TileToShape<LayoutSw128Atom<T, MajorMn>, shape!(($d, $n, $stages)), shape!((2, 1, 3))>;
            type LoadQ = Sm90_TMA_LOAD<SmemQ, T>;
            type LoadK = Sm90_TMA_LOAD<SmemK, T>;
            type LoadV = Sm90_TMA_LOAD<SmemV, T>;
            type TileS = layout!(($m,$n):(1@0,1@1));
            type TileMD = tile!($m, $d);
            type ScoresLayout = PartitionFragmentOf<Qk, OperandC, TileS>;
            type OutputLayout = PartitionFragmentOf<Pv, OperandC, layout!(($m,$d):(1@0,1@1))>;
            type Scores = Fragment<f32, ScoresLayout, OperandC>;
            type Output = Fragment<f32, OutputLayout, OperandC>;
            type Probabilities = Fragment<T, PartitionFragmentOf<Pv, OperandA, layout!(($m,$n))>, OperandA>;
            /// O on its way out: (thread, value) to (M,32), a thread having eight columns of a row and of the eighth row behind it.
            type R2g = TiledCopy<
                UniversalCopy<u128>,
                u16,
                layout!(((4,8,<int!($groups) as Nat>::Times<U4>),(8,2)):((<int!($m) as Nat>::Times<U8>,1,16),(int!($m),8))),
                tile!($m, 32),
            >;
            type BlocksOf32 = <int!($d) as Nat>::Over<U32>;
            type VectorsLayout = layout!(((8,2),1,BlocksOf32));
            const M: u32 = $m;
            const N: u32 = $n;
            const D: u32 = $d;
            const STAGES: u32 = $stages;
            const GROUPS: u32 = $groups;
            const WARPS: u32 = 4 * GROUPS;
            const PRODUCER_REGISTERS: u32 = $producer;
            const CONSUMER_REGISTERS: u32 = $consumer;
            const TURNS: bool = $turns;
            const K_OFFSET: u32 = LoadQ::BYTES;
            const V_OFFSET: u32 = K_OFFSET + STAGES * LoadK::BYTES;
            const BARRIERS: u32 = V_OFFSET + STAGES * LoadV::BYTES;
            /// Bytes of shared memory.
            pub const SHARED_BYTES: u32 = BARRIERS + 16 * (1 + 2 * STAGES);
            layout_types::assert_shared_memory!(SHARED_BYTES);

            #[cfg(any(target_arch = "nvptx64", clippy, doc))]
            include!("mainloop.rs");
            #[cfg(any(target_arch = "nvptx64", clippy, doc))]
            include!("epilogue.rs");
            #[cfg(any(target_arch = "nvptx64", clippy, doc))]
            include!("kernel.rs");

            /// An attention kernel of [`kernel_abi::attention`] for Hopper.
            ///
            /// # Safety
            /// The launch is as the plan says.
            #[cfg(any(target_arch = "nvptx64", clippy, doc))]
            #[kernel(threads = $threads, min_blocks = 1)]
            pub unsafe fn $kernel(
                o: *mut half::$element,
                lse: *mut f32,
                params: AttentionParams,
                #[grid_constant] map_q: &TensorMap,
                #[grid_constant] map_k: &TensorMap,
                #[grid_constant] map_v: &TensorMap,
            ) {
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe { run(o, lse, &params, [map_q, map_k, map_v]) }
            }
        }
    )+

        /// Every kernel.
        pub const CONFIGURATIONS: &[AttentionConfiguration] = &[$(
            AttentionConfiguration {
                kernel: stringify!($kernel),
                element: AttentionType::$variant,
                dim: $d,
                tile: [$m, $n],
                stages: $stages,
                threads: $threads,
                shared_bytes: $module::SHARED_BYTES,
                speed: $speed,
            },
        )+];
    };
}

configurations! {
    f16_d64 attention_f16_d64_192x128_s2 {
        F16 f16 F32F16F16, d 64, tile 192 x 128, stages 2, groups 3, threads 512, registers 32 160, turns true, speed 120
    }
    f16_d64_short attention_f16_d64_128x128_s2 {
        F16 f16 F32F16F16, d 64, tile 128 x 128, stages 2, groups 2, threads 384, registers 40 232, turns true, speed 100
    }
    f16_d128 attention_f16_d128_128x128_s2 {
        F16 f16 F32F16F16, d 128, tile 128 x 128, stages 2, groups 2, threads 384, registers 40 232, turns true, speed 100
    }
    f16_d256 attention_f16_d256_128x80_s2 {
        F16 f16 F32F16F16, d 256, tile 128 x 80, stages 2, groups 2, threads 384, registers 40 232, turns true, speed 100
    }
    bf16_d64 attention_bf16_d64_192x128_s2 {
        Bf16 bf16 F32BF16BF16, d 64, tile 192 x 128, stages 2, groups 3, threads 512, registers 32 160, turns true, speed 120
    }
    bf16_d64_short attention_bf16_d64_128x128_s2 {
        Bf16 bf16 F32BF16BF16, d 64, tile 128 x 128, stages 2, groups 2, threads 384, registers 40 232, turns true, speed 100
    }
    bf16_d128 attention_bf16_d128_128x128_s2 {
        Bf16 bf16 F32BF16BF16, d 128, tile 128 x 128, stages 2, groups 2, threads 384, registers 40 232, turns true, speed 100
    }
    bf16_d256 attention_bf16_d256_128x80_s2 {
        Bf16 bf16 F32BF16BF16, d 256, tile 128 x 80, stages 2, groups 2, threads 384, registers 40 232, turns true, speed 100
    }
}

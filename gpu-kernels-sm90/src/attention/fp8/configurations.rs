//! The table of attention kernels for 8-bit floats.
//!
//! ```text
//!   attention_e4m3_bf16_d128_128x128_s2      element of Q, K and V, of O, head dimension, queries and keys of a tile, stages of K and of V
//! ```
//!
//! A row of the swizzle's pattern in shared memory has 128 bytes: 128 columns of Q or K, or 128
//! keys of Vᵀ.

#![cfg_attr(
    not(any(target_arch = "nvptx64", doc)),
    allow(dead_code, unused_imports)
)]

use super::super::config::{AttentionConfig, is_run_by};
use super::super::kernel::run;
use super::super::score::Identity;
use super::order::{KeyOrder, ValueOrder};
use super::scales::Scaled;
use cuda_std::{for_kernel, kernel};
use half::{bf16, f16};
use kernel_abi::attention::{
    AttentionConfiguration, AttentionParams, AttentionParts, AttentionType,
};
use layout_types::arch::copy_sm90_tma::TensorMap;
use layout_types::atom::element::FloatE4M3;
use layout_types::atom::gmma::LayoutSw128Atom;
use layout_types::atom::mma::sm90::{F32E4M3E4M3, Shared, Wgmma};
use layout_types::atom::mma::{MajorK, Registers};
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::tiled::{OperandA, OperandC, PartitionFragmentOf, TiledMma};
use layout_types::typenum::U32;

/// Returns the bytes of shared memory: two stages each of Q, K and V with 128 columns, and their
/// barriers.
const fn shared_bytes([m, n]: [u32; 2]) -> u32 {
    128 * 2 * (m + 2 * n) + 16 * 6
}

/// Defines configurations of head dimension 128, with two stages of each operand and two consumer
/// groups, and defines their kernels and the table.
macro_rules! fp8_configurations {
    ($($name:ident $kernel:ident { $variant:ident $output:ident, keys $n:literal })+) => {
        $(
            #[doc = concat!("The configuration of `", stringify!($kernel), "`.")]
            pub struct $name;
            #[cfg(target_arch = "nvptx64")]
            #[for_kernel($kernel)]
            impl AttentionConfig for $name {
                type Element = FloatE4M3;
                type OutputElement = $output;
                type QkAtom = Wgmma<F32E4M3E4M3, int!($n), Shared, MajorK, MajorK>;
                type PvAtom = Wgmma<F32E4M3E4M3, int!(128), Registers, MajorK, MajorK>;
                type Qk = TiledMma<Self::QkAtom, layout!((2, 1, 1))>;
                type Pv = TiledMma<Self::PvAtom, layout!((2, 1, 1))>;
                type SmemQ = TileToShape<LayoutSw128Atom<FloatE4M3, MajorK>, shape!((128, 128, 2))>;
                type SmemK = TileToShape<LayoutSw128Atom<FloatE4M3, MajorK>, shape!(($n, 128, 2))>;
                type SmemV = TileToShape<LayoutSw128Atom<FloatE4M3, MajorK>, shape!((128, $n, 2))>;
                type TileS = layout!((128,$n):(1@0,1@1));
                type Scores = PartitionFragmentOf<Self::Qk, OperandC, Self::TileS>;
                type Probabilities = PartitionFragmentOf<Self::Pv, OperandA, layout!((128, $n))>;
                type Output = PartitionFragmentOf<Self::Pv, OperandC, layout!((128,128):(1@0,1@1))>;
                type BlocksOf32 = <int!(128) as Nat>::Over<U32>;
                type Score = Identity;
                type Sequences = Scaled;
                const TILE: [u32; 2] = [128, $n];
                const DIM: u32 = 128;
                const Q_STAGES: u32 = 2;
                const LAZY: bool = false;
                const PROMOTES: bool = true;
            }
            #[cfg(all(target_arch = "nvptx64", feature = "attention-fp8"))]
            #[for_kernel($kernel)]
            const _: () = {
                layout_types::assert_shared_memory!(<$name as AttentionConfig>::SHARED_BYTES);
                layout_types::assert_retile_c_to_a_permuted!(
                    <$name as AttentionConfig>::QkAtom,
                    <$name as AttentionConfig>::PvAtom,
                    ValueOrder,
                    KeyOrder
                );
                is_run_by::<$name>([2, 2], 8);
                assert!(<$name as AttentionConfig>::SHARED_BYTES == shared_bytes([128, $n]));
            };

            /// Computes attention of 8-bit floats as [`kernel_abi::attention`] defines it, on
            /// Hopper.
            ///
            /// # Safety
            /// The launch is the plan's.
            #[cfg(all(feature = "attention-fp8", any(target_arch = "nvptx64", doc)))]
            #[kernel(threads = 384, min_blocks = 1)]
            #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
            pub unsafe fn $kernel(
                o: *mut $output,
                lse: *mut f32,
                params: AttentionParams,
                #[grid_constant] map_q: &TensorMap,
                #[grid_constant] map_k: &TensorMap,
                #[grid_constant] map_v: &TensorMap,
                q_scales: *const f32,
                k_scales: *const f32,
                v_scales: *const f32,
            ) {
                let scales = Scaled { q: q_scales, k: k_scales, v: v_scales };
                let maps = [map_q, map_k, map_v];
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe { run::<$name, 2, 8, 2>((o, lse), &params, maps, (Identity, scales)) }
            }
        )+

        /// The configurations of all kernels for 8-bit floats. `element` is the element type of O.
        pub static FP8_CONFIGURATIONS: &[AttentionConfiguration] = &[$(
            AttentionConfiguration {
                kernel: stringify!($kernel),
                base: None,
                parts: AttentionParts::NONE,
                dim_v: 128,
                element: AttentionType::$variant,
                dim: 128,
                tile: [128, $n],
                stages: 2,
                loads: kernel_abi::attention::AttentionLoads::Tma,
                threads: 384,
                ctas: 1,
                shared_bytes: shared_bytes([128, $n]),
                speed: 100,
            },
        )+];
    };
}

fp8_configurations! {
    E4m3F16D128 attention_e4m3_f16_d128_128x128_s2 { F16 f16, keys 128 }
    E4m3Bf16D128 attention_e4m3_bf16_d128_128x128_s2 { Bf16 bf16, keys 128 }
}

//! The kernels that are compiled.
//!
//! ```text
//!   attention_bf16_d128_256x128_s2_umma      element, head dimension, queries and keys of a tile, stages of K and of V
//! ```

use super::config::{AttentionConfig, Q_TILES, ROWS, THREADS, TILE, check};
use super::kernel::run;
use cuda_std::{for_kernel, kernel};
use gpu_kernels_sm90::attention::score::Identity;
use gpu_kernels_sm90::attention::sequences::Uniform;
use gpu_kernels_sm90::attention::tiles::OperandTiles;
use half::{bf16, f16};
use kernel_abi::attention::{
    AttentionConfiguration, AttentionLoads, AttentionParams, AttentionParts, AttentionType,
};
use layout_types::arch::copy_sm90_tma::TensorMap;
use layout_types::atom::gmma::LayoutSw128Atom;
use layout_types::atom::mma::sm100::{Sm100_MMA_F16BF16_SS, Sm100_MMA_F16BF16_TS};
use layout_types::atom::mma::{MajorK, MajorMn};
use layout_types::prelude::*;
use layout_types::typenum::U128;

/// Returns the description of a configuration's kernel for a host.
#[must_use]
pub const fn configuration<C: AttentionConfig>(
    kernel: &'static str,
    element: AttentionType,
) -> AttentionConfiguration {
    const { check::<C>() }
    AttentionConfiguration {
        kernel,
        base: None,
        parts: AttentionParts::NONE,
        element,
        dim: C::DIM,
        dim_v: C::DIM_V,
        tile: TILE,
        stages: C::STAGES,
        loads: AttentionLoads::TmaUmma,
        threads: THREADS,
        ctas: 1,
        shared_bytes: C::SHARED_BYTES,
        speed: 100,
    }
}

/// Defines configurations, their kernels and the table.
macro_rules! configurations {
    ($(
        $name:ident $kernel:ident { $variant:ident $element:ident, d $d:literal, stages $stages:literal }
    )+) => {
        $(
            #[doc = concat!("The configuration of `", stringify!($kernel), "`.")]
            pub struct $name;
            impl OperandTiles for $name {
                type Element = $element;
                type SmemQ =
                    TileToShape<LayoutSw128Atom<$element, MajorK>, shape!((128, $d, 2))>;
                type SmemK =
                    TileToShape<LayoutSw128Atom<$element, MajorK>, shape!((128, $d, $stages))>;
                type SmemV = TileToShape<
                    LayoutSw128Atom<$element, MajorMn>,
                    shape!(($d, 128, $stages)),
                    shape!((2, 1, 3)),
                >;
                const DIM: u32 = $d;
                const TILE_STAGES: [u32; 2] = [Q_TILES, $stages];
            }
            impl AttentionConfig for $name {
                type Dim = int!($d);
                type QkAtom =
                    Sm100_MMA_F16BF16_SS<$element, $element, f32, U128, U128, MajorK, MajorK>;
                type PvAtom =
                    Sm100_MMA_F16BF16_TS<$element, $element, f32, U128, int!($d), MajorK, MajorMn>;
                type Score = Identity;
                type Sequences = Uniform;
                const STAGES: u32 = $stages;
            }

            #[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
            #[for_kernel($kernel)]
            const _: () = check::<$name>();

            /// Computes attention as [`kernel_abi::attention`] defines it, on Blackwell. No card
            /// has run this kernel.
            ///
            /// # Safety
            /// The launch is the plan's.
            #[cfg(feature = "kernels")]
            #[kernel(threads = 512, min_blocks = 1)]
            pub unsafe fn $kernel(
                o: *mut $element,
                lse: *mut f32,
                params: AttentionParams,
                #[grid_constant] map_q: &TensorMap,
                #[grid_constant] map_k: &TensorMap,
                #[grid_constant] map_v: &TensorMap,
            ) {
                let maps = [map_q, map_k, map_v];
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe { run::<$name, $stages>((o, lse), &params, maps, (Identity, Uniform)) }
            }
        )+

        /// The configurations of all kernels.
        #[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
        #[for_kernel()]
        pub static CONFIGURATIONS: &[AttentionConfiguration] = &[$(
            configuration::<$name>(stringify!($kernel), AttentionType::$variant),
        )+];
    };
}

const _: () = assert!(THREADS == 512 && TILE[0] == 2 * ROWS);

configurations! {
    F16D64 attention_f16_d64_256x128_s4_umma { F16 f16, d 64, stages 4 }
    F16D128 attention_f16_d128_256x128_s2_umma { F16 f16, d 128, stages 2 }
    Bf16D64 attention_bf16_d64_256x128_s4_umma { Bf16 bf16, d 64, stages 4 }
    Bf16D128 attention_bf16_d128_256x128_s2_umma { Bf16 bf16, d 128, stages 2 }
}

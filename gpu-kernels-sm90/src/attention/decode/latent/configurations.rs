//! The table of kernels for decoding latent attention.
//!
//! ```text
//!   attention_decode_mla_bf16_64x64             element, rows and keys of a tile
//!   attention_decode_mla_bf16_64x64_combine     combines the parts of a sequence's keys
//! ```
//!
//! Law: a decoding plan gives each kernel's launch.

// The kernels that a build selects decide which items here are used.
#![cfg_attr(
    not(any(target_arch = "nvptx64", doc)),
    allow(dead_code, unused_imports)
)]

use super::super::combine::combine;
use super::super::pages::PagedSequences;
use super::config::{DIM, DIM_V, LatentAttention, PART, ROPE, SHARED_BYTES, STAGES, TILE, WARPS};
use super::kernel::run;
use crate::warp_group::WARP_GROUP;
use core::marker::PhantomData;
use cuda_std::{for_kernel, kernel};
use half::{bf16, f16};
use kernel_abi::attention::{
    AttentionConfiguration, AttentionLoads, AttentionParams, AttentionParts, AttentionType,
    CacheElement, DecodeConfiguration, DecodeParams,
};
use layout_types::arch::copy_sm90_tma::TensorMap;
use layout_types::atom::gmma::LayoutSw128Atom;
use layout_types::atom::mma::sm90::{F32BF16BF16, F32F16F16, Shared, Wgmma};
use layout_types::atom::mma::{MajorK, MajorMn, Registers};
use layout_types::prelude::*;
use layout_types::tiled::{OperandA, OperandC, PartitionFragmentOf, TiledMma};
use layout_types::typenum::{U8, U16};

/// The configuration of an element type.
pub struct Latent<T>(PhantomData<T>);

/// Defines the kernels and the table. There is one line for each element type.
macro_rules! latent_decode {
    ($($variant:ident $element:ident $kind:ident $kernel:ident $combine:ident;)+) => {
        $(
            #[cfg(target_arch = "nvptx64")]
            #[for_kernel(stringify!($kernel))]
            const _: () = {
                impl LatentAttention for Latent<$element> {
                    type Element = $element;
                    type QkAtom = Wgmma<$kind, int!(64), Shared, MajorK, MajorK>;
                    type PvAtom = Wgmma<$kind, int!(256), Registers, MajorK, MajorMn>;
                    type Qk = TiledMma<Self::QkAtom, layout!((1, 1, 1))>;
                    type Pv = TiledMma<Self::PvAtom, layout!((1, 1, 1))>;
                    type SmemQ = TileToShape<LayoutSw128Atom<$element, MajorK>, shape!((64, 256, 2))>;
                    type SmemRopeQ = TileToShape<LayoutSw128Atom<$element, MajorK>, shape!((64, 64, 1))>;
                    type SmemK = TileToShape<LayoutSw128Atom<$element, MajorK>, shape!((64, 256, 4))>;
                    type SmemRopeK = TileToShape<LayoutSw128Atom<$element, MajorK>, shape!((64, 64, 2))>;
                    type SmemV =
                        TileToShape<LayoutSw128Atom<$element, MajorMn>, shape!((256, 64, 4)), shape!((2, 1, 3))>;
                    type TileS = layout!((64,64):(1@0,1@1));
                    type Scores = PartitionFragmentOf<Self::Qk, OperandC, Self::TileS>;
                    type Probabilities = PartitionFragmentOf<Self::Pv, OperandA, layout!((64, 64))>;
                    type Output = PartitionFragmentOf<Self::Pv, OperandC, layout!((64,256):(1@0,1@1))>;
                    type BlocksOf32 = U8;
                }
                layout_types::assert_shared_memory!(SHARED_BYTES);
                layout_types::assert_retile_c_to_a!(
                    <Latent<$element> as LatentAttention>::QkAtom,
                    <Latent<$element> as LatentAttention>::PvAtom
                );
            };

            /// Computes latent attention, with one or more queries per sequence, as
            /// [`kernel_abi::attention`] defines it.
            ///
            /// # Safety
            /// The launch is the one that the decoding plan gives.
            #[cfg(all(feature = "kernels", any(target_arch = "nvptx64", doc)))]
            #[kernel(threads = 384, min_blocks = 1)]
            #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
            pub unsafe fn $kernel(
                o: *mut $element,
                lse: *mut f32,
                params: AttentionParams,
                #[grid_constant] map_q: &TensorMap,
                #[grid_constant] map_k: &TensorMap,
                #[grid_constant] _map_v: &TensorMap,
                lengths: *const u32,
                table: *const u32,
                part_o: *mut f32,
                part_lse: *mut f32,
                decode: DecodeParams,
            ) {
                // SAFETY: the launch is the plan's by the function's contract, and all threads are
                // here.
                unsafe {
                    let sequences = PagedSequences::of_cta([lengths, table], (part_o, part_lse), &params, decode);
                    run::<Latent<$element>>((o, lse), &params, [map_q, map_k], sequences)
                }
            }

            #[doc = concat!("Combines the parts of [`", stringify!($kernel), "`].")]
            ///
            /// # Safety
            /// The launch is the one that the decoding plan gives, and follows the launch of that
            /// kernel.
            #[cfg(all(feature = "kernels", any(target_arch = "nvptx64", doc)))]
            #[kernel(threads = 128)]
            #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
            pub unsafe fn $combine(
                o: *mut $element,
                lse: *mut f32,
                part_o: *const f32,
                part_lse: *const f32,
                lengths: *const u32,
                params: AttentionParams,
                decode: DecodeParams,
            ) {
                // SAFETY: the launch is the plan's by the function's contract.
                unsafe { combine::<$element, U16, TILE>((o, lse), (part_o, part_lse), lengths, &params, decode) }
            }
        )+

        /// The configurations of all kernels for decoding latent attention.
        pub static LATENT_DECODE_CONFIGURATIONS: &[DecodeConfiguration] = &[$(
            DecodeConfiguration {
                attention: AttentionConfiguration {
                    kernel: stringify!($kernel),
                    base: None,
                    parts: AttentionParts::NONE,
                    element: AttentionType::$variant,
                    dim: DIM,
                    dim_v: DIM_V,
                    tile: [TILE, TILE],
                    stages: STAGES,
                    loads: AttentionLoads::Tma,
                    threads: WARP_GROUP + 32 * WARPS,
                    ctas: 1,
                    shared_bytes: SHARED_BYTES,
                    speed: 100,
                },
                combine: stringify!($combine),
                cache: CacheElement::OfQueries,
            },
        )+];
    };
}

latent_decode! {
    F16 f16 F32F16F16 attention_decode_mla_f16_64x64 attention_decode_mla_f16_64x64_combine;
    Bf16 bf16 F32BF16BF16 attention_decode_mla_bf16_64x64 attention_decode_mla_bf16_64x64_combine;
}

//! The table of kernels for decoding.
//!
//! ```text
//!   attention_decode_bf16_d128_64x128_s3              element, head dimension, rows and keys of a tile, stages of K and of V
//!   attention_decode_bf16_d128_64x128_s3_combine      adds the parts of the heads
//!   attention_soft_cap_decode_bf16_d128_64x128_s3     the same with a soft cap; the kernel above adds its parts, too
//! ```
//!
//! The number of keys in a block is a power of two, as in a page, so that a page is whole blocks or
//! a block is whole pages. K and V fill shared memory: copies in flight hide the memory's latency.
//! There are as many stages as fit.
//!
//! Law: each kernel is a configuration of one consumer group with [`PagedSequences`], and a
//! decoding plan gives its launch.

#![cfg_attr(
    not(any(target_arch = "nvptx64", doc)),
    allow(dead_code, unused_imports)
)]

use super::super::config::{AttentionConfig, is_run_by};
use super::super::configurations::{configuration, shared_bytes};
use super::super::kernel::run;
use super::super::score::{Identity, SoftCap, With};
use super::combine::combine;
use super::pages::PagedSequences;
use cuda_std::{for_kernel, kernel};
use half::{bf16, f16};
use kernel_abi::attention::{
    AttentionConfiguration, AttentionParams, AttentionParts, AttentionType, CacheElement,
    DecodeConfiguration, DecodeParams,
};
use layout_types::arch::copy_sm90_tma::TensorMap;
use layout_types::atom::gmma::{LayoutSw64Atom, LayoutSw128Atom};
use layout_types::atom::mma::sm90::{F32BF16BF16, F32F16F16, Shared, Wgmma};
use layout_types::atom::mma::{MajorK, MajorMn, Registers};
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::tiled::{OperandA, OperandC, PartitionFragmentOf, TiledMma};
use layout_types::typenum::U32;

/// Defines kernels of one consumer group, and their table.
macro_rules! decode {
    ($(
        $name:ident $kernel:ident $combine:ident $soft_cap:ident {
            $variant:ident $element:ident $kind:ident, d $d:literal, atoms $atom:ident, keys $n:literal, stages $stages:literal, of q $q_stages:literal, lazy $lazy:literal
        }
    )+) => {
        $(
            configuration! { $name $kernel {
                $variant $element $kind, d $d, atoms $atom, tile 64 x $n, stages $stages,
                stages of q $q_stages, groups 1, warps 4, threads 256, lazy $lazy, under scores false, under products false, speed 100, sequences PagedSequences<$n>,
                also of $combine $soft_cap
            } }
            const _: () = assert!(u32::is_power_of_two($n), "a page is whole blocks, or a block whole pages");

            /// Computes attention for decoding as [`kernel_abi::attention`] defines it.
            ///
            /// # Safety
            /// The launch is the one that the decoding plan gives.
            #[cfg(all(feature = "kernels", any(target_arch = "nvptx64", doc)))]
            #[kernel(threads = 256, min_blocks = 1)]
            #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
            pub unsafe fn $kernel(
                o: *mut $element,
                lse: *mut f32,
                params: AttentionParams,
                #[grid_constant] map_q: &TensorMap,
                #[grid_constant] map_k: &TensorMap,
                #[grid_constant] map_v: &TensorMap,
                lengths: *const u32,
                table: *const u32,
                part_o: *mut f32,
                part_lse: *mut f32,
                decode: DecodeParams,
            ) {
                let maps = [map_q, map_k, map_v];
                // SAFETY: the launch is the plan's by the function's contract, and all threads are
                // here.
                unsafe {
                    let sequences = PagedSequences::of_cta([lengths, table], (part_o, part_lse), &params, decode);
                    run::<$name, $q_stages, 4, $stages>((o, lse), &params, maps, (Identity, sequences))
                }
            }

            #[doc = concat!("[`", stringify!($kernel), "`] with a soft cap.")]
            ///
            /// # Safety
            /// The launch is the one that the decoding plan gives.
            #[cfg(all(feature = "kernels", any(target_arch = "nvptx64", doc)))]
            #[kernel(threads = 256, min_blocks = 1)]
            #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
            pub unsafe fn $soft_cap(
                o: *mut $element,
                lse: *mut f32,
                params: AttentionParams,
                #[grid_constant] map_q: &TensorMap,
                #[grid_constant] map_k: &TensorMap,
                #[grid_constant] map_v: &TensorMap,
                lengths: *const u32,
                table: *const u32,
                part_o: *mut f32,
                part_lse: *mut f32,
                decode: DecodeParams,
                score: SoftCap,
            ) {
                let maps = [map_q, map_k, map_v];
                // SAFETY: the launch is the plan's by the function's contract, and all threads are
                // here.
                unsafe {
                    let sequences = PagedSequences::of_cta([lengths, table], (part_o, part_lse), &params, decode);
                    run::<With<$name, SoftCap>, $q_stages, 4, $stages>((o, lse), &params, maps, (score, sequences))
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
                unsafe { combine::<$element, <$name as AttentionConfig>::BlocksOf32, $n>((o, lse), (part_o, part_lse), lengths, &params, decode) }
            }
        )+

        /// The configurations of all kernels for decoding.
        pub static DECODE_CONFIGURATIONS: &[DecodeConfiguration] = &[$(
            DecodeConfiguration {
                attention: $name::CONFIGURATION,
                combine: stringify!($combine),
                cache: CacheElement::OfQueries,
            },
        )+];

        /// The configurations with a soft cap, whose value is the last argument of the kernel that
        /// attends to blocks of keys.
        pub static SOFT_CAP_DECODE_CONFIGURATIONS: &[DecodeConfiguration] = &[$(
            DecodeConfiguration {
                attention: AttentionConfiguration {
                    kernel: stringify!($soft_cap),
                    parts: AttentionParts::NONE.soft_cap(),
                    ..$name::CONFIGURATION
                },
                combine: stringify!($combine),
                cache: CacheElement::OfQueries,
            },
        )+];
    };
}

decode! {
    F16D64 attention_decode_f16_d64_64x128_s6 attention_decode_f16_d64_64x128_s6_combine
    attention_soft_cap_decode_f16_d64_64x128_s6 {
        F16 f16 F32F16F16, d 64, atoms LayoutSw128Atom, keys 128, stages 6, of q 2, lazy false
    }
    F16D96 attention_decode_f16_d96_64x128_s4 attention_decode_f16_d96_64x128_s4_combine
    attention_soft_cap_decode_f16_d96_64x128_s4 {
        F16 f16 F32F16F16, d 96, atoms LayoutSw64Atom, keys 128, stages 4, of q 2, lazy false
    }
    F16D128 attention_decode_f16_d128_64x128_s3 attention_decode_f16_d128_64x128_s3_combine
    attention_soft_cap_decode_f16_d128_64x128_s3 {
        F16 f16 F32F16F16, d 128, atoms LayoutSw128Atom, keys 128, stages 3, of q 2, lazy false
    }
    F16D192 attention_decode_f16_d192_64x64_s4 attention_decode_f16_d192_64x64_s4_combine
    attention_soft_cap_decode_f16_d192_64x64_s4 {
        F16 f16 F32F16F16, d 192, atoms LayoutSw128Atom, keys 64, stages 4, of q 1, lazy true
    }
    F16D256 attention_decode_f16_d256_64x64_s3 attention_decode_f16_d256_64x64_s3_combine
    attention_soft_cap_decode_f16_d256_64x64_s3 {
        F16 f16 F32F16F16, d 256, atoms LayoutSw128Atom, keys 64, stages 3, of q 1, lazy true
    }
    Bf16D64 attention_decode_bf16_d64_64x128_s6 attention_decode_bf16_d64_64x128_s6_combine
    attention_soft_cap_decode_bf16_d64_64x128_s6 {
        Bf16 bf16 F32BF16BF16, d 64, atoms LayoutSw128Atom, keys 128, stages 6, of q 2, lazy false
    }
    Bf16D96 attention_decode_bf16_d96_64x128_s4 attention_decode_bf16_d96_64x128_s4_combine
    attention_soft_cap_decode_bf16_d96_64x128_s4 {
        Bf16 bf16 F32BF16BF16, d 96, atoms LayoutSw64Atom, keys 128, stages 4, of q 2, lazy false
    }
    Bf16D128 attention_decode_bf16_d128_64x128_s3 attention_decode_bf16_d128_64x128_s3_combine
    attention_soft_cap_decode_bf16_d128_64x128_s3 {
        Bf16 bf16 F32BF16BF16, d 128, atoms LayoutSw128Atom, keys 128, stages 3, of q 2, lazy false
    }
    Bf16D192 attention_decode_bf16_d192_64x64_s4 attention_decode_bf16_d192_64x64_s4_combine
    attention_soft_cap_decode_bf16_d192_64x64_s4 {
        Bf16 bf16 F32BF16BF16, d 192, atoms LayoutSw128Atom, keys 64, stages 4, of q 1, lazy true
    }
    Bf16D256 attention_decode_bf16_d256_64x64_s3 attention_decode_bf16_d256_64x64_s3_combine
    attention_soft_cap_decode_bf16_d256_64x64_s3 {
        Bf16 bf16 F32BF16BF16, d 256, atoms LayoutSw128Atom, keys 64, stages 3, of q 1, lazy true
    }
}

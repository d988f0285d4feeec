//! The table of kernels for decoding with a cache in e4m3.
//!
//! ```text
//!   attention_decode_e4m3_bf16_d128_16x128_s6              element of Q and O, head dimension, rows and keys of a tile, stages of K and of V
//!   attention_soft_cap_decode_e4m3_bf16_d128_16x128_s6     the same with a soft cap
//! ```
//!
//! Tiles of 16 rows serve up to 16 query heads for each key head, tiles of 64 rows up to 64. A
//! block has as many keys as a block of a cache in 16 bits, so that the same kernels combine the
//! partial results of several CTAs. Even a build of all kernels does not have these kernels: the
//! program builds each when a caller first asks for it.
//!
//! Law: a decoding plan gives each kernel's launch.

// The build chooses the kernels, so some of these items may be unused.
#![cfg_attr(
    not(any(target_arch = "nvptx64", doc)),
    allow(dead_code, unused_imports)
)]

use super::super::super::score::{Identity, SoftCap};
use super::super::pages::PagedSequences;
use super::config::{CacheAttention, shared_bytes};
use super::kernel::{CacheScales, run};
use cuda_std::{for_kernel, kernel};
use half::{bf16, f16};
use kernel_abi::attention::{
    AttentionConfiguration, AttentionLoads, AttentionParams, AttentionParts, AttentionType,
    CacheElement, DecodeConfiguration, DecodeParams,
};
use layout_types::arch::copy_sm90_tma::TensorMap;
use layout_types::atom::element::FloatE4M3;
use layout_types::atom::gmma::{LayoutSw64Atom, LayoutSw128Atom};
use layout_types::atom::mma::{MajorK, Sm80_16x8x16_F32F16F16F32_TN};
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::tiled::{OperandC, PartitionFragmentOf, TiledMma};
use layout_types::typenum::{U16, U32};

/// The instruction of a warp.
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((1, 1, 1))>;

/// Defines kernels and tables, from one line for each pair of a head dimension and a number of
/// rows. A line has a kernel for each element and score function.
macro_rules! e4m3_decode {
    ($(d $d:literal, rows $m:literal, keys $n:literal, stages $stages:literal, of q $q_stages:literal, warps $warps:literal, threads $threads:literal,
       q in $q_atom:ident, cache $cache:ty, combined by $combine:literal;)+) => {
        $(
            e4m3_decode! { @element F16 f16, d $d, rows $m, keys $n, stages $stages, of q $q_stages, warps $warps, threads $threads, q in $q_atom, cache $cache }
            e4m3_decode! { @element Bf16 bf16, d $d, rows $m, keys $n, stages $stages, of q $q_stages, warps $warps, threads $threads, q in $q_atom, cache $cache }
        )+

        /// The configurations of all kernels for decoding with a cache in e4m3.
        pub static E4M3_DECODE_CONFIGURATIONS: &[DecodeConfiguration] = &[
            $(e4m3_decode!(@row "attention_decode_e4m3_", AttentionParts::NONE, F16 "f16", d $d, rows $m, keys $n, stages $stages, of q $q_stages, warps $warps, threads $threads, $combine),)+
            $(e4m3_decode!(@row "attention_decode_e4m3_", AttentionParts::NONE, Bf16 "bf16", d $d, rows $m, keys $n, stages $stages, of q $q_stages, warps $warps, threads $threads, $combine),)+
        ];

        /// The configurations with a soft cap, whose value is the last argument of the attention
        /// kernel, not of the kernel that combines the parts.
        pub static SOFT_CAP_E4M3_DECODE_CONFIGURATIONS: &[DecodeConfiguration] = &[
            $(e4m3_decode!(@row "attention_soft_cap_decode_e4m3_", AttentionParts::NONE.soft_cap(), F16 "f16", d $d, rows $m, keys $n, stages $stages, of q $q_stages, warps $warps, threads $threads, $combine),)+
            $(e4m3_decode!(@row "attention_soft_cap_decode_e4m3_", AttentionParts::NONE.soft_cap(), Bf16 "bf16", d $d, rows $m, keys $n, stages $stages, of q $q_stages, warps $warps, threads $threads, $combine),)+
        ];
    };

    (@row $prefix:literal, $parts:expr, $variant:ident $element:literal, d $d:literal, rows $m:literal, keys $n:literal, stages $stages:literal, of q $q_stages:literal,
     warps $warps:literal, threads $threads:literal, $combine:literal) => {
        DecodeConfiguration {
            attention: AttentionConfiguration {
                kernel: concat!($prefix, $element, "_d", $d, "_", $m, "x", $n, "_s", $stages),
                base: None,
                parts: $parts,
                element: AttentionType::$variant,
                dim: $d,
                dim_v: $d,
                tile: [$m, $n],
                stages: $stages,
                loads: AttentionLoads::Tma,
                threads: $threads,
                ctas: 1,
                shared_bytes: shared_bytes([$m, $n], $d, $warps, [$q_stages, $stages]),
                speed: 100,
            },
            combine: concat!("attention_decode_", $element, "_d", $d, "_", $combine, "_combine"),
            cache: CacheElement::E4m3,
        }
    };

    (@element $variant:ident $element:ident, d $d:literal, rows $m:literal, keys $n:literal, stages $stages:literal, of q $q_stages:literal, warps $warps:literal,
     threads $threads:literal, q in $q_atom:ident, cache $cache:ty) => {
        #[cfg(target_arch = "nvptx64")]
        #[for_kernel(
            concat!("attention_decode_e4m3_", stringify!($element), "_d", $d, "_", $m, "x", $n, "_s", $stages),
            concat!("attention_soft_cap_decode_e4m3_", stringify!($element), "_d", $d, "_", $m, "x", $n, "_s", $stages)
        )]
        const _: () = {
            impl CacheAttention for CacheTile<$element, $d, $m> {
                type Element = $element;
                type SmemQ = TileToShape<$q_atom<$element, MajorK>, shape!(($m, $d, $q_stages))>;
                type SmemCache = $cache;
                type Mma = Mma;
                type TileS = layout!((16,16):(1@0,1@1));
                type Scores = PartitionFragmentOf<Mma, OperandC, Self::TileS>;
                type Output = PartitionFragmentOf<Mma, OperandC, layout!((16,$d):(1@0,1@1))>;
                type Queries = Layout<shape!((4, <int!($d) as Nat>::Over<U16>)), shape!((1, 4))>;
                type BlocksOf16 = <int!($d) as Nat>::Over<U16>;
                type BlocksOf32 = <int!($d) as Nat>::Over<U32>;
                const TILE: [u32; 2] = [$m, $n];
                const DIM: u32 = $d;
                const WARPS: u32 = $warps;
                const Q_STAGES: u32 = $q_stages;
                const STAGES: u32 = $stages;
            }
            layout_types::assert_shared_memory!(<CacheTile<$element, $d, $m> as CacheAttention>::SHARED_BYTES);
            assert!(
                <CacheTile<$element, $d, $m> as CacheAttention>::SHARED_BYTES
                    == shared_bytes([$m, $n], $d, $warps, [$q_stages, $stages])
            );
            assert!($threads == 32 * (4 + $warps), "a producer's warp group and the consumers");
        };
        e4m3_decode! {
            @kernel "attention_decode_e4m3_", [] Identity = Identity, $element, d $d, rows $m, keys $n, stages $stages, of q $q_stages, warps $warps, threads $threads
        }
        e4m3_decode! {
            @kernel "attention_soft_cap_decode_e4m3_", [score: SoftCap] SoftCap = score, $element, d $d, rows $m, keys $n, stages $stages, of q $q_stages, warps $warps, threads $threads
        }
    };

    (@kernel $prefix:literal, [$($argument:ident: $type:ty)?] $score:ty = $value:expr, $element:ident, d $d:literal, rows $m:literal, keys $n:literal, stages $stages:literal,
     of q $q_stages:literal, warps $warps:literal, threads $threads:literal) => {
        /// Computes attention for decoding with a cache in e4m3, as [`kernel_abi::attention`]
        /// defines it.
        ///
        /// # Safety
        /// The launch is the one that the decoding plan gives.
        #[cfg(all(feature = "attention-cache-e4m3", target_arch = "nvptx64"))]
        #[kernel(name = concat!($prefix, stringify!($element), "_d", $d, "_", $m, "x", $n, "_s", $stages), threads = $threads, min_blocks = 1)]
        #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
        pub unsafe fn attention(
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
            k_scales: *const f32,
            v_scales: *const f32,
            $($argument: $type,)?
        ) {
            let maps = [map_q, map_k, map_v];
            // SAFETY: by this function's contract the launch follows the plan, and all threads of
            // the CTA reach this call.
            unsafe {
                let sequences = PagedSequences::of_cta([lengths, table], (part_o, part_lse), &params, decode);
                let scales = CacheScales::new([k_scales, v_scales], &params);
                run::<CacheTile<$element, $d, $m>, $score, $n, $q_stages, { 32 * $warps }, $stages>(
                    (o, lse), &params, maps, ($value, sequences, scales),
                )
            }
        }
    };
}

/// The configuration of an element of Q and O, a head dimension and a number of rows.
pub struct CacheTile<T, const DIM: u32, const ROWS: u32>(core::marker::PhantomData<T>);

// Rows of 96 and 192 bytes have no swizzle. `ldmatrix` reads 32 bytes from each of eight rows: with
// rows of 96 bytes they hit every bank twice, with rows of 192 bytes half of the banks four times.
e4m3_decode! {
    d 64, rows 16, keys 128, stages 10, of q 2, warps 8, threads 384,
        q in LayoutSw128Atom, cache TileToShape<LayoutSw64Atom<FloatE4M3, MajorK>, shape!((128, 64, 10))>, combined by "64x128_s6";
    d 96, rows 16, keys 128, stages 8, of q 2, warps 8, threads 384,
        q in LayoutSw64Atom, cache layout!((128, 96, 8):(96, 1, 12288)), combined by "64x128_s4";
    d 128, rows 16, keys 128, stages 6, of q 2, warps 8, threads 384,
        q in LayoutSw128Atom, cache TileToShape<LayoutSw128Atom<FloatE4M3, MajorK>, shape!((128, 128, 6))>, combined by "64x128_s3";
    d 192, rows 16, keys 64, stages 8, of q 2, warps 4, threads 256,
        q in LayoutSw128Atom, cache layout!((64, 192, 8):(192, 1, 12288)), combined by "64x64_s4";
    d 256, rows 16, keys 64, stages 6, of q 1, warps 4, threads 256,
        q in LayoutSw128Atom, cache TileToShape<LayoutSw128Atom<FloatE4M3, MajorK>, shape!((64, 256, 6))>, combined by "64x64_s3";
    d 64, rows 64, keys 128, stages 10, of q 2, warps 8, threads 384,
        q in LayoutSw128Atom, cache TileToShape<LayoutSw64Atom<FloatE4M3, MajorK>, shape!((128, 64, 10))>, combined by "64x128_s6";
    d 96, rows 64, keys 128, stages 7, of q 2, warps 8, threads 384,
        q in LayoutSw64Atom, cache layout!((128, 96, 7):(96, 1, 12288)), combined by "64x128_s4";
    d 128, rows 64, keys 128, stages 5, of q 2, warps 8, threads 384,
        q in LayoutSw128Atom, cache TileToShape<LayoutSw128Atom<FloatE4M3, MajorK>, shape!((128, 128, 5))>, combined by "64x128_s3";
    d 192, rows 64, keys 64, stages 7, of q 1, warps 4, threads 256,
        q in LayoutSw128Atom, cache layout!((64, 192, 7):(192, 1, 12288)), combined by "64x64_s4";
    d 256, rows 64, keys 64, stages 5, of q 1, warps 4, threads 256,
        q in LayoutSw128Atom, cache TileToShape<LayoutSw128Atom<FloatE4M3, MajorK>, shape!((64, 256, 5))>, combined by "64x64_s3";
}

//! Lists the kernels that are compiled, as a menu of tiles for each kind of product.
//!
//! ```text
//!   gemm_bf16_f32_tn_128x256x64_s4_wgmma_2x1      input, accumulator, majors, tile, stages; clusters of 2 CTAs along m
//!   gemm_f16_f32_tn_128x128x64_s6_wgmma_2x1_pp    the same with the pingpong schedule
//! ```
//!
//! Names of kernels with [swapped](super::collective::Swapped) operands end in `_swapped`. The tile
//! and the cluster in such a name are also those of D, with few rows. Names of kernels for grouped
//! products end in `_groups`, of kernels that accept stream-K in `_sk`, of kernels with block
//! scales in `_blocks`.
//!
//! A line of a menu has a name, the suffix of the kernel's name, the tile, the stages, and the
//! parts of a [`Collective`] that differ from the defaults. `Bf16Wide` is the configuration of the
//! line `Wide` for bf16; `Bf16NnWidePair` has two column-major operands.

use super::block_scaled::BlockScaled;
use super::collective::{
    AnyCluster, Collective, Columns, Multicast, Nn, Nt, OneCta, Pingpong, Rows, Swapped, Tn, Tt,
};
use super::kernel::check;
use super::stream_k::StreamTiles;
use super::tile_scheduler::{ClusterTiles, GroupTiles};
use crate::collective_kernel;
use cuda_std::for_kernel;
use kernel_abi::gemm::Configuration;
use layout_types::atom::mma::sm90::{
    F16F16F16, F32BF16BF16, F32E4M3E4M3, F32E5M2E5M2, F32F16F16, F32TF32TF32, S32S8S8,
};
use layout_types::int;
use layout_types::typenum::{U1, U2};
use pastey::paste;

/// Defines the kernels of a menu for kinds of products.
///
/// ```text
/// menu! {
///     [F16_MENU F16 F32F16F16 Tn, f16_f32_tn 64] ..     table, start of the types' names, kind, order, part of the kernels' names, k tile
///     => {
///         Flat _pp 64 x 128, 8, Pingpong, AnyCluster;   F16Flat, gemm_f16_f32_tn_64x128x64_s8_wgmma_pp
///     }
/// }
/// ```
///
/// An `AnyCluster` kernel has one configuration for each of `CLUSTERS` that divides its tile into
/// equal shares.
macro_rules! menu {
    ($([$($kind:tt)*])+ => $menu:tt) => {
        $(menu! { @one $($kind)* $menu })+
    };
    (@one $table:ident $prefix:ident $kind:ident $order:ty, $types:ident $k:literal {
        $($name:ident $($suffix:ident)? $m:literal x $n:literal, $stages:literal $(, $part:ty)*;)+
    }) => { paste! {
        $(
            #[doc = concat!("The configuration of [`", stringify!([<gemm_ $types _ $m x $n x $k _s $stages _wgmma $($suffix)?>]), "`].")]
            pub type [<$prefix $name>] =
                Collective<$kind, $order, (int!($m), int!($n)), int!($stages) $(, $part)*>;

            #[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
            #[for_kernel([<gemm_ $types _ $m x $n x $k _s $stages _wgmma $($suffix)?>])]
            const _: () = check::<[<$prefix $name>]>();

            #[cfg(feature = "kernels")]
            collective_kernel! {
                [<gemm_ $types _ $m x $n x $k _s $stages _wgmma $($suffix)?>]: [<$prefix $name>]
            }
        )+

        #[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
        #[for_kernel()]
        static $table: &[[Option<Configuration>; CLUSTERS.len()]] = &[$(
            of_clusters(
                [<$prefix $name>]::configuration(
                    stringify!([<gemm_ $types _ $m x $n x $k _s $stages _wgmma $($suffix)?>])
                ),
                [
                    stringify!([<gemm_ $types _ $m x $n x $k _s $stages _wgmma_2x1 $($suffix)?>]),
                    stringify!([<gemm_ $types _ $m x $n x $k _s $stages _wgmma_1x2 $($suffix)?>]),
                    stringify!([<gemm_ $types _ $m x $n x $k _s $stages _wgmma_4x1 $($suffix)?>]),
                    stringify!([<gemm_ $types _ $m x $n x $k _s $stages _wgmma_2x2 $($suffix)?>]),
                    stringify!([<gemm_ $types _ $m x $n x $k _s $stages _wgmma_1x4 $($suffix)?>]),
                    stringify!([<gemm_ $types _ $m x $n x $k _s $stages _wgmma_4x2 $($suffix)?>]),
                    stringify!([<gemm_ $types _ $m x $n x $k _s $stages _wgmma_2x4 $($suffix)?>]),
                ],
            ),
        )+];
    }};
}

/// The clusters with which an `AnyCluster` kernel can be launched, in the order of their names in
/// [`menu`].
#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[for_kernel()]
const CLUSTERS: [[u32; 2]; 8] = [
    [1, 1],
    [2, 1],
    [1, 2],
    [4, 1],
    [2, 2],
    [1, 4],
    [4, 2],
    [2, 4],
];

/// Returns the configurations of a kernel: `alone`, then one configuration for each further
/// cluster, with the cluster's name in `names`. For a cluster that the kernel does not have, this
/// is `None`.
#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[for_kernel()]
const fn of_clusters(
    alone: Configuration,
    names: [&'static str; CLUSTERS.len() - 1],
) -> [Option<Configuration>; CLUSTERS.len()] {
    let mut all = [None; CLUSTERS.len()];
    all[0] = Some(alone);
    let mut i = 1;
    while i < CLUSTERS.len() {
        all[i] = alone.in_clusters(names[i - 1], CLUSTERS[i]);
        i += 1;
    }
    all
}

// Every kind of product has these tiles.
menu! {
    [F16_EVERY F16 F32F16F16 Tn, f16_f32_tn 64]
    [BF16_EVERY Bf16 F32BF16BF16 Tn, bf16_f32_tn 64]
    [TF32_EVERY Tf32 F32TF32TF32 Tn, tf32_f32_tn 32]
    [S8_EVERY S8 S32S8S8 Tn, s8_s32_tn 128]
    [E4M3_EVERY E4m3 F32E4M3E4M3 Tn, e4m3_f32_tn 128]
    [E5M2_EVERY E5m2 F32E5M2E5M2 Tn, e5m2_f32_tn 128]
    => {
        Wide 128 x 256, 4, Rows, AnyCluster;
        Seven 128 x 224, 4, Rows, AnyCluster;
        Six 128 x 192, 4, Rows, AnyCluster;
        Five 128 x 160, 5, Rows, AnyCluster;
        Wide144 128 x 144, 5, Rows, AnyCluster;
        Square 128 x 128, 6, Rows, AnyCluster;
        Narrow96 128 x 96, 6, Rows, AnyCluster;
        HalfSquare 128 x 64, 8, Rows, AnyCluster;
        Pingpong _pp 128 x 128, 6, Pingpong, AnyCluster;
        Tall 256 x 128, 4, Rows, AnyCluster;
        Three 192 x 128, 4, Columns, AnyCluster;
        FlatWide _pp 64 x 256, 4, Pingpong, AnyCluster;
        FlatSix _pp 64 x 192, 6, Pingpong, AnyCluster;
        Flat160 _pp 64 x 160, 6, Pingpong, AnyCluster;
        Flat _pp 64 x 128, 8, Pingpong, AnyCluster;
        Flat96 _pp 64 x 96, 9, Pingpong, AnyCluster;
        Flat80 _pp 64 x 80, 10, Pingpong, AnyCluster;
        Small _pp 64 x 64, 8, Pingpong, AnyCluster;
        SmallDeep _pp 64 x 64, 12, Pingpong, AnyCluster;
        Thin _pp 64 x 32, 16, Pingpong, AnyCluster;
    }
}

// 16-bit elements have further tile sizes, because any multiple of eight columns is a chunk of D.
menu! {
    [F16_MENU F16 F32F16F16 Tn, f16_f32_tn 64]
    [BF16_MENU Bf16 F32BF16BF16 Tn, bf16_f32_tn 64]
    => {
        Wide240 128 x 240, 4, Rows, AnyCluster;
        Wide208 128 x 208, 4, Rows, AnyCluster;
        Wide200 128 x 200, 4, Rows, AnyCluster;
        Wide168 128 x 168, 5, Rows, AnyCluster;
        Narrow112 128 x 112, 6, Rows, AnyCluster;
        Narrow80 128 x 80, 7, Rows, AnyCluster;
        Narrow48 128 x 48, 8, Rows, AnyCluster;
        Narrow32 128 x 32, 9, Rows, AnyCluster;
        Broad 192 x 192, 4, Columns, AnyCluster;
        Flat240 _pp 64 x 240, 5, Pingpong, AnyCluster;
        Flat224 _pp 64 x 224, 5, Pingpong, AnyCluster;
        Flat200 _pp 64 x 200, 5, Pingpong, AnyCluster;
        Flat168 _pp 64 x 168, 6, Pingpong, AnyCluster;
        Flat144 _pp 64 x 144, 7, Pingpong, AnyCluster;
        Flat112 _pp 64 x 112, 8, Pingpong, AnyCluster;
        Stream _sk 128 x 256, 4, Rows, OneCta, StreamTiles;
    }
}

// Elements of one byte and TF32.
menu! {
    [TF32_BETWEEN Tf32 F32TF32TF32 Tn, tf32_f32_tn 32]
    [S8_BETWEEN S8 S32S8S8 Tn, s8_s32_tn 128]
    [E4M3_BETWEEN E4m3 F32E4M3E4M3 Tn, e4m3_f32_tn 128]
    [E5M2_BETWEEN E5m2 F32E5M2E5M2 Tn, e5m2_f32_tn 128]
    => {
        Broad160 192 x 160, 4, Columns, AnyCluster;
    }
}

// For few rows, 64, 128 or 192 columns of D are the rows of `wgmma`.
menu! {
    [F16_SWAPPED F16 F32F16F16 Swapped<Tn>, f16_f32_tn 64]
    [BF16_SWAPPED Bf16 F32BF16BF16 Swapped<Tn>, bf16_f32_tn 64]
    => {
        Swapped8 _pp_swapped 8 x 64, 24, Pingpong, AnyCluster;
        Swapped16 _pp_swapped 16 x 64, 22, Pingpong, AnyCluster;
        Swapped24 _pp_swapped 24 x 64, 20, Pingpong, AnyCluster;
        Swapped32 _pp_swapped 32 x 64, 18, Pingpong, AnyCluster;
        Swapped48 _pp_swapped 48 x 64, 15, Pingpong, AnyCluster;
        Swapped64 _pp_swapped 64 x 64, 13, Pingpong, AnyCluster;
        Swapped8Wide _swapped 8 x 128, 13, Rows, AnyCluster;
        Swapped16Wide _swapped 16 x 128, 12, Rows, AnyCluster;
        Swapped24Wide _swapped 24 x 128, 11, Rows, AnyCluster;
        Swapped32Wide _swapped 32 x 128, 11, Rows, AnyCluster;
        Swapped48Wide _swapped 48 x 128, 10, Rows, AnyCluster;
        Swapped64Wide _swapped 64 x 128, 9, Rows, AnyCluster;
        Swapped96Wide _swapped 96 x 128, 7, Rows, AnyCluster;
        Swapped8Three _pp_swapped 8 x 192, 8, Pingpong, AnyCluster;
        Swapped24Three _pp_swapped 24 x 192, 8, Pingpong, AnyCluster;
        Swapped48Three _pp_swapped 48 x 192, 7, Pingpong, AnyCluster;
        Swapped16Stream _sk_swapped 16 x 128, 12, Rows, OneCta, StreamTiles;
        Swapped32Stream _sk_swapped 32 x 128, 11, Rows, OneCta, StreamTiles;
        Swapped64Stream _sk_swapped 64 x 128, 9, Rows, OneCta, StreamTiles;
    }
}

// The other orders of A and B, and an accumulator of 16 bits.
menu! {
    [F16_NN F16Nn F32F16F16 Nn, f16_f32_nn 64]
    [F16_TT F16Tt F32F16F16 Tt, f16_f32_tt 64]
    [F16_NT F16Nt F32F16F16 Nt, f16_f32_nt 64]
    [F16_F16 F16F16 F16F16F16 Tn, f16_f16_tn 64]
    [BF16_NN Bf16Nn F32BF16BF16 Nn, bf16_f32_nn 64]
    [BF16_TT Bf16Tt F32BF16BF16 Tt, bf16_f32_tt 64]
    [BF16_NT Bf16Nt F32BF16BF16 Nt, bf16_f32_nt 64]
    => {
        WidePair _2x1 128 x 256, 4, Rows, Multicast<U2, U1>;
    }
}

// Each group of rows has a B of its own.
menu! {
    [F16_GROUPS F16 F32F16F16 Tn, f16_f32_tn 64]
    [BF16_GROUPS Bf16 F32BF16BF16 Tn, bf16_f32_tn 64]
    [E4M3_GROUPS E4m3 F32E4M3E4M3 Tn, e4m3_f32_tn 128]
    => {
        Groups _groups 128 x 256, 4, Rows, OneCta, GroupTiles;
        GroupsFlat _pp_groups 64 x 128, 8, Pingpong, OneCta, GroupTiles;
    }
}

// Each block of 128 has a scale.
menu! {
    [E4M3_BLOCKS E4m3 F32E4M3E4M3 Tn, e4m3_f32_tn 128]
    => {
        Blocks _2x1_blocks 128 x 256, 4, Rows, Multicast<U2, U1>, ClusterTiles, BlockScaled;
        BlocksSquare _blocks 128 x 128, 6, Rows, OneCta, ClusterTiles, BlockScaled;
    }
}

/// The configurations of all kernels of the collective.
#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[for_kernel()]
pub static CONFIGURATIONS: &[Configuration] = &all();

#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[for_kernel()]
static MENUS: [&[[Option<Configuration>; CLUSTERS.len()]]; 25] = [
    F16_EVERY,
    F16_MENU,
    F16_NN,
    F16_TT,
    F16_NT,
    F16_F16,
    BF16_EVERY,
    BF16_MENU,
    BF16_NN,
    BF16_TT,
    BF16_NT,
    TF32_EVERY,
    TF32_BETWEEN,
    S8_EVERY,
    S8_BETWEEN,
    E4M3_EVERY,
    E4M3_BETWEEN,
    E4M3_BLOCKS,
    E5M2_EVERY,
    E5M2_BETWEEN,
    F16_GROUPS,
    BF16_GROUPS,
    E4M3_GROUPS,
    F16_SWAPPED,
    BF16_SWAPPED,
];

#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[for_kernel()]
const COUNT: usize = {
    let (mut count, mut menu) = (0, 0);
    while menu < MENUS.len() {
        let mut line = 0;
        while line < MENUS[menu].len() {
            let mut cluster = 0;
            while cluster < CLUSTERS.len() {
                count += MENUS[menu][line][cluster].is_some() as usize;
                cluster += 1;
            }
            line += 1;
        }
        menu += 1;
    }
    count
};

#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[for_kernel()]
const fn all() -> [Configuration; COUNT] {
    let Some(first) = F16_EVERY[0][0] else {
        panic!("a kernel has a configuration without clusters")
    };
    let mut all = [first; COUNT];
    let (mut at, mut menu) = (0, 0);
    while menu < MENUS.len() {
        let mut line = 0;
        while line < MENUS[menu].len() {
            let mut cluster = 0;
            while cluster < CLUSTERS.len() {
                if let Some(configuration) = MENUS[menu][line][cluster] {
                    all[at] = configuration;
                    at += 1;
                }
                cluster += 1;
            }
            line += 1;
        }
        menu += 1;
    }
    all
}

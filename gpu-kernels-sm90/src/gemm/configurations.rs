//! The kernels that are compiled: a menu of tiles for each kind of product.
//!
//! ```text
//!   gemm_bf16_f32_tn_128x256x64_s4_wgmma_2x1      input, accumulator, majors, tile, stages; clusters of 2 CTAs along m
//!   gemm_f16_f32_tn_128x128x64_s6_wgmma_2x1_pp    the same with the pingpong schedule
//! ```
//!
//! Kernels of [swapped](super::collective::Swapped) operands end in `_swapped`: their tile and
//! cluster are D's too, of few rows. Kernels of grouped products end in `_groups`, those that
//! accept stream-K in `_sk`, those with scales of blocks in `_blocks`.
//!
//! A line is a name, the rest of the kernel's name, the tile, the stages, and the parts of a
//! [`Collective`] in which it differs from the plainest one. `Bf16Wide` is the configuration of the
//! line `Wide` for bf16, `Bf16NnWidePair` one of two column-major operands.

use super::block_scaled::BlockScaled;
use super::collective::{
    Collective, Columns, Multicast, Nn, Nt, OneCta, Pingpong, Rows, Slices, Swapped, Tn, Tt,
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
use layout_types::typenum::{U1, U2, U4};
use pastey::paste;

/// Defines the kernels of a menu for kinds of products.
///
/// ```text
/// menu! {
///     [F16_MENU F16 F32F16F16 Tn, f16_f32_tn 64] ..     table, start of the types' names, kind, order, part of the kernels' names, k tile
///     => {
///         Flat _pp 64 x 128, 8, Pingpong, Slices;       F16Flat, gemm_f16_f32_tn_64x128x64_s8_wgmma_pp
///     }
/// }
/// ```
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
        static $table: &[Configuration] = &[$(
            [<$prefix $name>]::configuration(
                stringify!([<gemm_ $types _ $m x $n x $k _s $stages _wgmma $($suffix)?>])
            ),
        )+];
    }};
}

// What every kind of product has.
menu! {
    [F16_EVERY F16 F32F16F16 Tn, f16_f32_tn 64]
    [BF16_EVERY Bf16 F32BF16BF16 Tn, bf16_f32_tn 64]
    [TF32_EVERY Tf32 F32TF32TF32 Tn, tf32_f32_tn 32]
    [S8_EVERY S8 S32S8S8 Tn, s8_s32_tn 128]
    [E4M3_EVERY E4m3 F32E4M3E4M3 Tn, e4m3_f32_tn 128]
    [E5M2_EVERY E5m2 F32E5M2E5M2 Tn, e5m2_f32_tn 128]
    => {
        Wide 128 x 256, 4;
        WidePair _2x1 128 x 256, 4, Rows, Multicast<U2, U1>;
        Pingpong _pp 128 x 128, 6, Pingpong;
        PingpongPair _2x1_pp 128 x 128, 6, Pingpong, Multicast<U2, U1>;
        Square 128 x 128, 6, Rows, Slices;
        HalfSquare 128 x 64, 8, Rows, Slices;
        Six 128 x 192, 4;
        SixPair _2x1 128 x 192, 4, Rows, Multicast<U2, U1>;
        Tall 256 x 128, 4;
        TallPair _2x1 256 x 128, 4, Rows, Multicast<U2, U1>;
        TallRow _1x2 256 x 128, 4, Rows, Multicast<U1, U2>;
        Flat _pp 64 x 128, 8, Pingpong, Slices;
        FlatPair _2x1_pp 64 x 128, 8, Pingpong, Multicast<U2, U1>;
        FlatFour _2x2_pp 64 x 128, 8, Pingpong, Multicast<U2, U2>;
        FlatSix _pp 64 x 192, 6, Pingpong;
        FlatWide _pp 64 x 256, 4, Pingpong;
        Small _pp 64 x 64, 8, Pingpong, Slices;
        SmallPair _2x1_pp 64 x 64, 12, Pingpong, Multicast<U2, U1>;
    }
}

// 16-bit elements.
menu! {
    [F16_MENU F16 F32F16F16 Tn, f16_f32_tn 64]
    [BF16_MENU Bf16 F32BF16BF16 Tn, bf16_f32_tn 64]
    => {
        FlatRow _4x1_pp 64 x 160, 6, Pingpong, Multicast<U4, U1>;
        Narrow32 128 x 32, 9, Rows, Slices;
        Narrow48 128 x 48, 8, Rows, Slices;
        Narrow80 128 x 80, 7, Rows, Slices;
        Narrow96 128 x 96, 6, Rows, Slices;
        Narrow112 128 x 112, 6, Rows, Slices;
        Wide144 128 x 144, 5;
        Wide144Pair _2x1 128 x 144, 5, Rows, Multicast<U2, U1>;
        Wide168 128 x 168, 5;
        Wide168Row _1x2 128 x 168, 5, Rows, Multicast<U1, U2>;
        Wide200 128 x 200, 4;
        Wide240 128 x 240, 4;
        Wide240Pair _2x1 128 x 240, 4, Rows, Multicast<U2, U1>;
        Flat80 _pp 64 x 80, 10, Pingpong, Slices;
        Flat96 _pp 64 x 96, 9, Pingpong, Slices;
        Flat112 _pp 64 x 112, 8, Pingpong, Slices;
        Flat144 _pp 64 x 144, 7, Pingpong, Slices;
        Flat168 _pp 64 x 168, 6, Pingpong, Slices;
        Flat200 _pp 64 x 200, 5, Pingpong;
        Flat224 _pp 64 x 224, 5, Pingpong;
        Flat240 _pp 64 x 240, 5, Pingpong;
        Stream _sk 128 x 256, 4, Rows, OneCta, StreamTiles;
        Broad 192 x 192, 4, Columns;
        BroadPair _2x1 192 x 192, 4, Columns, Multicast<U2, U1>;
        Three 192 x 128, 4, Columns;
        ThreeRow _1x2 192 x 128, 4, Columns, Multicast<U1, U2>;
        Five 128 x 160, 5;
        Thin _pp 64 x 32, 16, Pingpong, Slices;
        SmallFour _2x2_pp 64 x 64, 12, Pingpong, Multicast<U2, U2>;
        SmallColumn _4x1_pp 64 x 64, 12, Pingpong, Multicast<U4, U1>;
        FlatEight _4x2_pp 64 x 128, 8, Pingpong, Multicast<U4, U2>;
        Seven 128 x 224, 4;
        FivePair _2x1 128 x 160, 5, Rows, Multicast<U2, U1>;
        SquareFour _2x2 128 x 128, 6, Rows, Multicast<U2, U2>;
        FlatSixFour _4x1_pp 64 x 192, 6, Pingpong, Multicast<U4, U1>;
        Flat80Four _2x2_pp 64 x 80, 10, Pingpong, Multicast<U2, U2>;
        Flat96Four _2x2_pp 64 x 96, 9, Pingpong, Multicast<U2, U2>;
        Flat112Four _2x2_pp 64 x 112, 8, Pingpong, Multicast<U2, U2>;
        FlatColumn _4x1_pp 64 x 128, 8, Pingpong, Multicast<U4, U1>;
        Narrow80Row _1x4 128 x 80, 7, Rows, Multicast<U1, U4>;
        Narrow96Eight _4x2 128 x 96, 6, Rows, Multicast<U4, U2>;
        FlatWidePair _2x1_pp 64 x 256, 4, Pingpong, Multicast<U2, U1>;
        Wide208Pair _2x1 128 x 208, 4, Rows, Multicast<U2, U1>;
        SevenPair _2x1 128 x 224, 4, Rows, Multicast<U2, U1>;
        SevenRow _1x2 128 x 224, 4, Rows, Multicast<U1, U2>;
        SevenEight _4x2 128 x 224, 4, Rows, Multicast<U4, U2>;
        WideRow _1x2 128 x 256, 4, Rows, Multicast<U1, U2>;
        WideEight _4x2 128 x 256, 4, Rows, Multicast<U4, U2>;
    }
}

// Bytes and TF32: between the tiles that every kind of product has.
menu! {
    [TF32_BETWEEN Tf32 F32TF32TF32 Tn, tf32_f32_tn 32]
    [S8_BETWEEN S8 S32S8S8 Tn, s8_s32_tn 128]
    [E4M3_BETWEEN E4m3 F32E4M3E4M3 Tn, e4m3_f32_tn 128]
    [E5M2_BETWEEN E5m2 F32E5M2E5M2 Tn, e5m2_f32_tn 128]
    => {
        Thin _pp 64 x 32, 16, Pingpong, Slices;
        Flat80 _pp 64 x 80, 10, Pingpong, Slices;
        Flat160 _pp 64 x 160, 6, Pingpong, Slices;
        Narrow96 128 x 96, 6, Rows, Slices;
        Narrow96Row _1x2 128 x 96, 6, Rows, Multicast<U1, U2>;
        Wide144Four _2x2 128 x 144, 5, Rows, Multicast<U2, U2>;
        FivePair _2x1 128 x 160, 5, Rows, Multicast<U2, U1>;
        SevenPair _2x1 128 x 224, 4, Rows, Multicast<U2, U1>;
        SevenRow _1x2 128 x 224, 4, Rows, Multicast<U1, U2>;
        Three 192 x 128, 4, Columns;
        Broad160Row _1x2 192 x 160, 4, Columns, Multicast<U1, U2>;
    }
}

// Few rows: 64, 128 or 192 columns of D are `wgmma`'s rows.
menu! {
    [F16_SWAPPED F16 F32F16F16 Swapped<Tn>, f16_f32_tn 64]
    [BF16_SWAPPED Bf16 F32BF16BF16 Swapped<Tn>, bf16_f32_tn 64]
    => {
        Swapped8 _pp_swapped 8 x 64, 24, Pingpong, Slices;
        Swapped16 _pp_swapped 16 x 64, 22, Pingpong, Slices;
        Swapped24 _pp_swapped 24 x 64, 20, Pingpong, Slices;
        Swapped32 _pp_swapped 32 x 64, 18, Pingpong, Slices;
        Swapped48 _pp_swapped 48 x 64, 15, Pingpong, Slices;
        Swapped64 _pp_swapped 64 x 64, 13, Pingpong, Slices;
        Swapped16Row _1x2_pp_swapped 16 x 64, 22, Pingpong, Multicast<U1, U2>;
        Swapped32Row _1x4_pp_swapped 32 x 64, 18, Pingpong, Multicast<U1, U4>;
        Swapped64Row _1x4_pp_swapped 64 x 64, 13, Pingpong, Multicast<U1, U4>;
        Swapped64Eight _2x4_pp_swapped 64 x 64, 13, Pingpong, Multicast<U2, U4>;
        Swapped8Wide _swapped 8 x 128, 13, Rows, Slices;
        Swapped16Wide _swapped 16 x 128, 12, Rows, Slices;
        Swapped24Wide _swapped 24 x 128, 11, Rows, Slices;
        Swapped32Wide _swapped 32 x 128, 11, Rows, Slices;
        Swapped48Wide _swapped 48 x 128, 10, Rows, Slices;
        Swapped64Wide _swapped 64 x 128, 9, Rows, Slices;
        Swapped96Wide _swapped 96 x 128, 7, Rows, Slices;
        Swapped32WidePair _1x2_swapped 32 x 128, 11, Rows, Multicast<U1, U2>;
        Swapped64WidePair _1x2_swapped 64 x 128, 9, Rows, Multicast<U1, U2>;
        Swapped16Stream _sk_swapped 16 x 128, 12, Rows, OneCta, StreamTiles;
        Swapped32Stream _sk_swapped 32 x 128, 11, Rows, OneCta, StreamTiles;
        Swapped64Stream _sk_swapped 64 x 128, 9, Rows, OneCta, StreamTiles;
        Swapped8Three _pp_swapped 8 x 192, 8, Pingpong, Slices;
        Swapped24Three _pp_swapped 24 x 192, 8, Pingpong, Slices;
        Swapped48Three _pp_swapped 48 x 192, 7, Pingpong, Slices;
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

// Groups of rows, each with a B of its own.
menu! {
    [F16_GROUPS F16 F32F16F16 Tn, f16_f32_tn 64]
    [BF16_GROUPS Bf16 F32BF16BF16 Tn, bf16_f32_tn 64]
    [E4M3_GROUPS E4m3 F32E4M3E4M3 Tn, e4m3_f32_tn 128]
    => {
        Groups _groups 128 x 256, 4, Rows, OneCta, GroupTiles;
        GroupsFlat _pp_groups 64 x 128, 8, Pingpong, OneCta, GroupTiles;
    }
}

// Scales of blocks of 128.
menu! {
    [E4M3_BLOCKS E4m3 F32E4M3E4M3 Tn, e4m3_f32_tn 128]
    => {
        Blocks _2x1_blocks 128 x 256, 4, Rows, Multicast<U2, U1>, ClusterTiles, BlockScaled;
        BlocksSquare _blocks 128 x 128, 6, Rows, OneCta, ClusterTiles, BlockScaled;
    }
}

/// Every kernel of the collective.
#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[for_kernel()]
pub static CONFIGURATIONS: &[Configuration] = &all();

#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[for_kernel()]
static MENUS: [&[Configuration]; 25] = [
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
        count += MENUS[menu].len();
        menu += 1;
    }
    count
};

#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[for_kernel()]
const fn all() -> [Configuration; COUNT] {
    let mut all = [F16_EVERY[0]; COUNT];
    let (mut at, mut menu) = (0, 0);
    while menu < MENUS.len() {
        let mut line = 0;
        while line < MENUS[menu].len() {
            all[at] = MENUS[menu][line];
            line += 1;
            at += 1;
        }
        menu += 1;
    }
    all
}

//! Checks each thread's part of a tensor, by tiled MMAs and tiled copies: every element of every
//! thread's part is compared with the thread-value layout, tile by tile.
//!
//! ```text
//!   part(value, i, j) == the tensor at  tile coordinate of tv(thread, value)  +  (i * tile rows, j * tile columns)
//!   retiled(i)        == what is at the coordinate that the copy's own partition has at i
//! ```

use half::f16;
use layout_types::atom::copy::*;
use layout_types::atom::element::TFloat32;
use layout_types::atom::mma::*;
use layout_types::prelude::*;
use layout_types::tensor::{Coordinates, Engine, Global, ReadOnly, identity_tensor};
use layout_types::tiled::*;
use typenum::Unsigned;

/// The distribution of a tile over threads: rows and columns of a tile, threads, and the map from
/// (thread, value) to the index in the tile.
struct Shared {
    tile: [u32; 2],
    threads: u32,
    tv: fn(usize) -> usize,
    values: u32,
}
impl Shared {
    fn of<Tv: LayoutFn>(tile: [u32; 2], threads: usize) -> Self {
        Self {
            tile,
            threads: threads as u32,
            tv: Tv::index::<usize>,
            values: (Tv::SIZE / threads) as u32,
        }
    }
    /// Returns the coordinate of value `value` of a thread in tile `at`.
    fn place(&self, thread: u32, value: u32, at: [u32; 2]) -> [u32; 2] {
        let index = (self.tv)((thread + self.threads * value) as usize) as u32;
        [
            index % self.tile[0] + self.tile[0] * at[0],
            index / self.tile[0] + self.tile[1] * at[1],
        ]
    }
    /// Returns the coordinate of element `(value, i, j)` of a part of `tiles` tiles; the part has
    /// sizes `sizes`.
    fn element(&self, thread: u32, sizes: [u32; 3], tiles: [u32; 2], c: [u32; 3]) -> [u32; 2] {
        let inner = [sizes[1] / tiles[0], sizes[2] / tiles[1]];
        assert_eq!(sizes[0] * inner[0] * inner[1], self.values);
        let value = c[0] + sizes[0] * (c[1] % inner[0] + inner[0] * (c[2] % inner[1]));
        self.place(thread, value, [c[1] / inner[0], c[2] / inner[1]])
    }
}

/// Returns all `(i, j, k)` below three sizes.
fn every(sizes: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..sizes.iter().product()).map(move |i| {
        [
            i % sizes[0],
            i / sizes[0] % sizes[1],
            i / sizes[0] / sizes[1],
        ]
    })
}
fn sizes<E: Engine, L: LayoutFn>(part: &Tensor<E, L>) -> [u32; 3] {
    [part.size::<0>(), part.size::<1>(), part.size::<2>()].map(|size| size as u32)
}
fn coordinate<L: LayoutFn>(part: &Tensor<Global<u16, ReadOnly, 2>, L>, i: u32) -> [u32; 2] {
    part.engine().step::<L, u32>(i).coordinate()
}

/// Checks one partition, both of static coordinates and of tiles of a tensor with run-time extents.
macro_rules! check_part {
    ($thr:expr, $partition:ident, $shared:expr, ($rows:literal, $columns:literal)) => {{
        let shared: Shared = $shared;
        let tiles = [$rows / shared.tile[0], $columns / shared.tile[1]];
        assert_eq!([tiles[0] * shared.tile[0], tiles[1] * shared.tile[1]], [$rows, $columns]);
        let whole = identity_tensor::<layout!(($rows, $columns):(1@0,1@1)), 2>();
        // The tensor has three and a half tiles by two tiles and three columns.
        let extents = [3 * $rows + $rows / 2, 2 * $columns + 3];
        let memory = [0_u16; 1];
        // SAFETY: nothing is read.
        let global = unsafe { Tensor::global(memory.as_ptr(), extents, [1, extents[0].into()]) };
        let mut owners = vec![0; $rows * $columns];
        for thread in 0..shared.threads {
            let thr = $thr(thread);
            assert_eq!(thr.thread(), thread);
            let part = thr.$partition(&whole);
            // Block row 2 with every tile along the columns, and every tile.
            let row = thr.$partition(&global.local_tile::<tile!($rows, $columns), _>((2u32, __)));
            let all = thr.$partition(&global.local_tile::<tile!($rows, $columns), _>((__, __)));
            let sizes = sizes(&part);
            for c in every(sizes) {
                let [row_at, column_at] = shared.element(thread, sizes, tiles, c);
                let i = c[0] + sizes[0] * (c[1] + sizes[1] * c[2]);
                assert_eq!(part.get((c[0], c[1], c[2])), [row_at, column_at]);
                assert_eq!(part.get(i), [row_at, column_at]);
                owners[(row_at + $rows * column_at) as usize] += 1;
                for k in 0..3 {
                    let expected = [2 * $rows + row_at, k * $columns + column_at];
                    let of_row = row.slice((__, __, __, k));
                    let of_all = all.slice((__, __, __, 2u32, k));
                    assert_eq!(coordinate(&of_row, i), expected);
                    assert_eq!(coordinate(&of_all, i), expected);
                    let inside = expected[0] < extents[0] && expected[1] < extents[1];
                    assert_eq!(of_row.inside(i), inside);
                    assert_eq!(row.inside((c[0], c[1], c[2], k)), inside);
                    assert_eq!(all.inside((c[0], c[1], c[2], 2u32, k)), inside);
                }
            }
        }
        assert!(owners.iter().all(|&count| count > 0 && count == owners[0]));
    }};
}

/// Checks all three operands of a tiled MMA, for tensors of several tiles.
macro_rules! check_mma {
    ($($(#[$cfg:meta])* $mma:ty, ($m:literal, $n:literal, $k:literal);)*) => {$($(#[$cfg])* {
        type Mma = $mma;
        type Sizes = Mma;
        let size = [
            <Sizes as TiledMmaTraits>::TileM::U32,
            <Sizes as TiledMmaTraits>::TileN::U32,
            <Sizes as TiledMmaTraits>::TileK::U32,
        ];
        let threads = <Mma as TiledMmaTraits>::THREADS;
        check_part!(Mma::get_slice, partition_a,
            Shared::of::<LayoutTv<Mma, OperandA>>([size[0], size[2]], threads), ($m, $k));
        check_part!(Mma::get_slice, partition_b,
            Shared::of::<LayoutTv<Mma, OperandB>>([size[1], size[2]], threads), ($n, $k));
        check_part!(Mma::get_slice, partition_c,
            Shared::of::<LayoutTv<Mma, OperandC>>([size[0], size[1]], threads), ($m, $n));
    })*};
}

type F16 = Sm80_16x8x16_F32F16F16F32_TN;
type Square = TiledMma<F16, layout!((2, 2, 1)), tile!(32, 32, 16)>;

#[test]
fn tiled_mmas_share_as_their_thread_value_layouts_say() {
    check_mma! {
        #[cfg(feature = "all-cases")]
        TiledMma<F16, layout!((2, 2, 1))>, (64, 32, 32);
        #[cfg(feature = "all-cases")]
        Square, (64, 64, 32);
        TiledMma<F16, layout!((2, 2, 1)), tile!(32, (2,4,4):(1,8,2), 16)>, (32, 64, 32);
        #[cfg(feature = "all-cases")]
        TiledMma<F16, layout!((2,4,1):(4,1,0))>, (64, 32, 16);
        TiledMma<Sm80_16x8x8_F32TF32TF32F32_TN, layout!((1, 2, 1)), tile!(16, 16, 16)>, (32, 16, 32);
        #[cfg(feature = "all-cases")]
        TiledMma<Sm80_8x8x4_F64F64F64F64_TN, layout!((2, 1, 1))>, (32, 24, 8);
        #[cfg(feature = "all-cases")]
        TiledMma<Sm80_16x8x32_S32S8S8S32_TN, layout!((4,1,1):(1,0,0)), tile!(_, 16, 64)>, (128, 32, 64);
        TiledMma<UniversalFma<f32>, layout!((4, 8, 1))>, (16, 24, 3);
        #[cfg(feature = "all-cases")]
        TiledMma<UniversalFma<f32>, layout!((4,4,1):(4,1,0)), tile!((4,2):(2,1), 8, 1)>, (16, 8, 2);
    }
}

/// Checks both sides of a tiled copy, for tensors of several tiles.
macro_rules! check_copy {
    ($($(#[$cfg:meta])* $copy:ty, $tile:expr, ($m:literal, $n:literal);)*) => {$($(#[$cfg])* {
        type C = $copy;
        let threads = <C as TiledCopyTraits>::NumThr::USIZE;
        check_part!(C::get_slice, partition_s,
            Shared::of::<CopyLayoutTv<C, Source>>($tile, threads), ($m, $n));
        check_part!(C::get_slice, partition_d,
            Shared::of::<CopyLayoutTv<C, Destination>>($tile, threads), ($m, $n));
    })*};
}

#[test]
fn tiled_copies_share_as_their_thread_value_layouts_say() {
    check_copy! {
        MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, f16, layout!((32,4):(4,1)), layout!((1,8))>,
            [32, 32], (64, 64);
        #[cfg(feature = "all-cases")]
        MakeTiledCopy<UniversalCopy<u32>, f32, layout!((16,8):(8,1)), layout!((1,4))>, [16, 32], (32, 64);
        #[cfg(feature = "all-cases")]
        MakeTiledCopy<UniversalCopy<u64>, u16, layout!((8,4)), layout!((4,2))>, [32, 8], (32, 24);
        #[cfg(feature = "all-cases")]
        MakeTiledCopy<UniversalCopy<u8>, u8, layout!((4,8):(8,1)), layout!((2,3):(3,1))>, [8, 24], (24, 24);
        MakeTiledCopyA<Sm75_U32x4_LDSM_N, f16, Square>, [32, 16], (64, 32);
        #[cfg(feature = "all-cases")]
        MakeTiledCopyB<Sm75_U32x4_LDSM_N, f16, Square>, [32, 16], (64, 32);
        #[cfg(feature = "all-cases")]
        MakeTiledCopyB<Sm75_U32x2_LDSM_N, f16, Square>, [32, 16], (32, 32);
        MakeTiledCopyC<Sm90_U32x4_STSM_N, f16, Square>, [32, 32], (64, 32);
        #[cfg(feature = "all-cases")]
        MakeTiledCopyC<UniversalCopy<u64>, f32, Square>, [32, 32], (64, 32);
    }
}

/// Returns a different number for each coordinate below 128.
fn name([row, column]: [u32; 2]) -> u16 {
    (row * 128 + column) as u16
}

/// Gives a fragment's elements the numbers of the coordinates of the MMA's partition, retiles the
/// fragment for the copy, and reads it through the copy's own partition.
macro_rules! check_retile {
    ($($(#[$cfg:meta])* $mma:ty, $partition:ident, $fragment:ident, $copy:ty, $side:ident, $retile:ident, ($m:literal, $n:literal);)*) => {$($(#[$cfg])* {
        let whole = identity_tensor::<layout!(($m, $n):(1@0,1@1)), 2>();
        let threads = <$mma as TiledMmaTraits>::THREADS as u32;
        assert_eq!(threads, <$copy as TiledCopyTraits>::NumThr::U32);
        for thread in 0..threads {
            let thr_mma = <$mma>::get_slice(thread);
            let held = thr_mma.$partition(&whole);
            // SAFETY: nothing is read; only the tensor's type is used, which says what registers
            // are needed.
            let fragment = thr_mma.$fragment(&unsafe { Tensor::<_, layout!(($m, $n):($n,1))>::global_static(&0_u16) });
            let own = fragment.view();
            let count = sizes(&held).iter().product();
            for i in 0..count {
                own.set(i, Numbered::number(name(held.get(i))));
            }
            let thr_copy = <$copy>::get_slice(thread);
            let copied: Tensor<Coordinates<2>, _> = thr_copy.$side(&whole);
            let retiled = thr_copy.$retile(&own);
            assert_eq!(sizes(&retiled), sizes(&copied));
            for i in 0..count {
                assert_eq!(retiled.get(i), Numbered::number(name(copied.get(i))), "thread {thread}, {i}");
            }
        }
    })*};
}
/// An element that has the bits of a number.
trait Numbered {
    fn number(number: u16) -> Self;
}
impl Numbered for f16 {
    fn number(number: u16) -> Self {
        Self::from_bits(number)
    }
}
impl Numbered for f32 {
    fn number(number: u16) -> Self {
        number.into()
    }
}
impl Numbered for TFloat32 {
    fn number(number: u16) -> Self {
        Self(u32::from(number) << 13)
    }
}

#[test]
fn a_retiled_fragment_has_what_the_copy_moves() {
    type AllF16 = TiledMma<Sm80_16x8x16_F16F16F16F16_TN, layout!((2, 2, 1)), tile!(32, 32, 16)>;
    type Mixed =
        TiledMma<Sm80_16x8x16_F16F16F16F16_TN, layout!((2, 2, 1)), tile!(32, (2,4,4):(1,8,2), 16)>;
    type Tf32 = TiledMma<Sm80_16x8x8_F32TF32TF32F32_TN, layout!((2, 1, 1)), tile!(32, 16, 8)>;
    check_retile! {
        Square, partition_a, partition_fragment_a, MakeTiledCopyA<Sm75_U32x4_LDSM_N, f16, Square>, partition_d, retile_d, (64, 32);
        #[cfg(feature = "all-cases")]
        Square, partition_a, partition_fragment_a, MakeTiledCopyA<Sm75_U32x2_LDSM_N, f16, Square>, partition_d, retile_d, (64, 32);
        #[cfg(feature = "all-cases")]
        Square, partition_a, partition_fragment_a, MakeTiledCopyA<Sm75_U32x1_LDSM_N, f16, Square>, partition_d, retile_d, (32, 64);
        #[cfg(feature = "all-cases")]
        Square, partition_a, partition_fragment_a, MakeTiledCopyA<Sm75_U16x8_LDSM_T, f16, Square>, partition_d, retile_d, (64, 32);
        #[cfg(feature = "all-cases")]
        Square, partition_b, partition_fragment_b, MakeTiledCopyB<Sm75_U32x4_LDSM_N, f16, Square>, partition_d, retile_d, (64, 32);
        #[cfg(feature = "all-cases")]
        Square, partition_b, partition_fragment_b, MakeTiledCopyB<UniversalCopy<u32>, f16, Square>, partition_d, retile_d, (64, 32);
        #[cfg(feature = "all-cases")]
        Square, partition_b, partition_fragment_b, MakeTiledCopyB<UniversalCopy<u16>, f16, Square>, partition_s, retile_s, (64, 32);
        #[cfg(feature = "all-cases")]
        Square, partition_c, partition_fragment_c, MakeTiledCopyC<UniversalCopy<u64>, f32, Square>, partition_s, retile_s, (64, 64);
        AllF16, partition_c, partition_fragment_c, MakeTiledCopyC<Sm90_U32x4_STSM_N, f16, AllF16>, partition_s, retile_s, (64, 64);
        #[cfg(feature = "all-cases")]
        AllF16, partition_c, partition_fragment_c, MakeTiledCopyC<UniversalCopy<u32>, f16, AllF16>, partition_d, retile_d, (32, 64);
        #[cfg(feature = "all-cases")]
        Mixed, partition_c, partition_fragment_c, MakeTiledCopyC<UniversalCopy<u32>, f16, Mixed>, partition_d, retile_d, (32, 64);
        Mixed, partition_b, partition_fragment_b, MakeTiledCopyB<UniversalCopy<u32>, f16, Mixed>, partition_d, retile_d, (32, 32);
        Tf32, partition_a, partition_fragment_a, MakeTiledCopyA<Sm75_U32x4_LDSM_N, TFloat32, Tf32>, partition_d, retile_d, (64, 32);
    }
}

/// Checks the addresses that a copy's instructions get: the address of each atom of each thread, in
/// swizzled shared memory.
#[test]
fn an_atom_begins_where_the_swizzle_has_its_first_element() {
    use layout_types::algorithm::Atoms;
    use layout_types::tensor::Shared as Smem;
    /// Returns an element's offset, in elements, in a tile with `columns` columns and the swizzle
    /// `Sw<B,M,S>`: bits `M + S ..` change bits `M ..`.
    fn place([row, column]: [u32; 2], columns: u32, [b, m, s]: [u32; 3]) -> u32 {
        let plain = columns * row + column;
        plain ^ ((plain >> (m + s) & ((1 << b) - 1)) << m)
    }
    macro_rules! check {
        ($($(#[$cfg:meta])* $copy:ty, $partition:ident, ($rows:literal, $columns:literal), $t:ty, ($b:literal, $m:literal, $s:literal), $atom:literal;)*) => {$($(#[$cfg])* {
            type C = $copy;
            type Plain = layout!(($rows, $columns):($columns, 1));
            type Tile = Composition<Swizzle<$b, $m, $s>, Plain>;
            // SAFETY: only addresses are computed.
            let tile = unsafe { Tensor::<Smem<$t>, Tile>::shared(0x400) };
            let whole = identity_tensor::<layout!(($rows, $columns):(1@0,1@1)), 2>();
            fn addresses<L: LayoutFn>(part: &Tensor<Smem<$t>, L>, i: u32) -> u32 {
                part.engine().step::<Atoms<L>, u32>(i).address::<L>()
            }
            for thread in 0..<C as TiledCopyTraits>::NumThr::U32 {
                let thr = C::get_slice(thread);
                let (part, coordinates) = (thr.$partition(&tile), thr.$partition(&whole));
                let count = sizes(&part).iter().product::<u32>() / $atom;
                assert!(count > 1);
                for i in 0..count {
                    let first = place(coordinates.get($atom * i), $columns, [$b, $m, $s]);
                    let expected = 0x400 + first * size_of::<$t>() as u32;
                    assert_eq!(addresses(&part, i), expected, "thread {thread}, atom {i}");
                }
            }
        })*};
    }
    check! {
        MakeTiledCopyA<Sm75_U32x4_LDSM_N, f16, Square>, partition_s, (64, 32), f16, (2, 3, 3), 8;
        #[cfg(feature = "all-cases")]
        MakeTiledCopyA<Sm75_U32x2_LDSM_N, f16, Square>, partition_s, (64, 64), f16, (3, 3, 3), 8;
        #[cfg(feature = "all-cases")]
        MakeTiledCopyB<Sm75_U32x4_LDSM_N, f16, Square>, partition_s, (64, 64), f16, (3, 3, 3), 8;
        MakeTiledCopyC<Sm90_U32x4_STSM_N, f16, Square>, partition_d, (64, 64), f16, (3, 3, 3), 8;
        #[cfg(feature = "all-cases")]
        MakeTiledCopyC<UniversalCopy<u32>, f16, Square>, partition_d, (32, 64), f16, (3, 3, 3), 2;
        #[cfg(feature = "all-cases")]
        MakeTiledCopy<UniversalCopy<u128>, f16, layout!((32,4):(4,1)), layout!((1,8))>, partition_d,
            (64, 64), f16, (3, 3, 3), 8;
        MakeTiledCopy<UniversalCopy<u64>, f32, layout!((8,4):(4,1)), layout!((1,2))>, partition_s,
            (32, 32), f32, (3, 2, 3), 2;
        #[cfg(feature = "all-cases")]
        MakeTiledCopy<UniversalCopy<u8>, u8, layout!((8,4):(4,1)), layout!((1,1))>, partition_s,
            (16, 16), u8, (2, 0, 4), 1;
    }
}

/// Checks all threads' parts of `tensor`: they have each element exactly once, and each place out
/// of bounds at most once.
fn check_residue<L: LayoutFn, P: LayoutFn>(
    extents: [u32; 2],
    part: impl Fn(u32, &Tensor<Coordinates<2>, L>) -> Tensor<Coordinates<2>, P>,
) {
    let tensor = identity_tensor::<L, 2>();
    let mut times = std::collections::BTreeMap::new();
    for thread in 0..128 {
        let part = part(thread, &tensor);
        for i in 0..P::SIZE as u32 {
            *times.entry(part.get(i)).or_insert(0) += 1;
        }
    }
    assert!(times.values().all(|&times| times == 1), "{extents:?}");
    for i in 0..extents[0] * extents[1] {
        let at = [i % extents[0], i / extents[0]];
        assert!(times.contains_key(&at), "{at:?} of {extents:?}");
    }
}

#[test]
fn predicated_parts_have_each_element_of_a_residue_tile_once() {
    type G2s = MakeTiledCopy<UniversalCopy<u32>, f32, layout!((16,8):(8,1)), layout!((1, 4))>;
    macro_rules! residue_tiles {
        ($($m:literal by $n:literal)*) => {$({
            type Tile = layout!(($m,$n):(1@0,1@1));
            check_residue::<Tile, _>([$m, $n], |t, c| Square::get_slice(t).partition_c_predicated(c));
            check_residue::<Tile, _>([$m, $n], |t, c| G2s::get_slice(t).partition_s_predicated(c));
            check_residue::<Tile, _>([$m, $n], |t, c| G2s::get_slice(t).partition_d_predicated(c));
        })*};
    }
    residue_tiles!(24 by 32  40 by 33  1 by 1  32 by 64  100 by 7);
}

//! Checks `docs/walkthroughs/tiled-copy-c.md`: stores all accumulators, and reads the tile.

use super::*;

type Mma = TiledMma<Atom, layout!((2, 2, 1)), tile!(64, 32, 16)>;
type Fragment = layout!(((2,2),2,2):((1,2),4,8));

/// Returns the cell m + 64 n of register `register` of a thread: the figure of the atom, with
/// alternating warps.
fn accumulator(thread: usize, register: usize) -> (usize, usize) {
    let (lane, warp) = (thread % 32, thread / 32);
    let (row, column) = figure::c(lane, register % 4);
    let (atom_m, atom_n) = (register / 4 % 2, register / 8);
    (
        row + 16 * (warp % 2) + 32 * atom_m,
        column + 8 * (warp / 2) + 16 * atom_n,
    )
}

/// Stores all accumulators through the copy and reads the tile.
fn check<C, L: LayoutFn>()
where
    C: TidFrg<Destination, L> + Retile<Fragment>,
{
    let mut smem = vec![None; L::COSIZE];
    for (thread, i) in (0..128).flat_map(|thread| (0..16).map(move |i| (thread, i))) {
        let register = RetileOf::<C, Fragment>::index(i);
        let to = copied::<C, Destination, L>(thread, i);
        assert_eq!(smem[to].replace(accumulator(thread, register)), None);
    }
    for (m, n) in (0..64usize).flat_map(|m| (0..32).map(move |n| (m, n))) {
        assert_eq!(smem[L::index::<usize>(m + 64 * n)], Some((m, n)));
    }
}

type Rows = layout!((64,32):(32,1));
type Swizzled = Composition<Swizzle<2, 3, 3>, Rows>;

#[test]
fn the_tile_is_in_shared_memory() {
    check::<MakeTiledCopyC<UniversalCopy<u32>, f16, Mma>, Rows>();
    check::<MakeTiledCopyC<UniversalCopy<u32>, f16, Mma>, Swizzled>();
    check::<MakeTiledCopyC<UniversalCopy<f16>, f16, Mma>, layout!((64, 32))>();
    check::<MakeTiledCopyCAtom<UniversalCopy<u32>, f16, Mma>, Rows>();
    check::<MakeTiledCopyCAtom<UniversalCopy<u32>, f16, Mma>, Swizzled>();
}

/// Returns the number of passes in which a warp stores its values `i` and `i + 1`.
fn passes<L: LayoutFn>(warp: usize, i: usize) -> usize
where
    MakeTiledCopyC<UniversalCopy<u32>, f16, Mma>: TidFrg<Destination, L>,
{
    let mut banks = [0; 32];
    for lane in 0..32 {
        type R2s = MakeTiledCopyC<UniversalCopy<u32>, f16, Mma>;
        let to = copied::<R2s, Destination, L>(32 * warp + lane, i);
        assert_eq!(
            copied::<R2s, Destination, L>(32 * warp + lane, i + 1),
            to + 1
        );
        banks[to / 2 % 32] += 1;
    }
    *banks.iter().max().unwrap()
}

#[test]
fn the_swizzle_and_not_the_mma_makes_the_stores_free_of_conflicts() {
    for (warp, store) in (0..4).flat_map(|warp| (0..8).map(move |store| (warp, store))) {
        assert_eq!(passes::<Rows>(warp, 2 * store), 4);
        assert_eq!(passes::<Swizzled>(warp, 2 * store), 1);
    }
}

/// Executes `stmatrix.x4` by the PTX ISA. Matrix `i` has the rows whose addresses lanes `8 i` to
/// `8 i + 7` give. Register `i` of lane `l` goes to elements 2 (l % 4) and the next one of row
/// l / 4, or of column l / 4 in the transposing form.
fn check_stmatrix<Op, L: LayoutFn>(transposed: bool)
where
    Op: CopyValues<f16>,
    MakeTiledCopyC<Op, f16, Mma>: TidFrg<Destination, L> + Retile<Fragment>,
{
    type R2s<Op> = MakeTiledCopyC<Op, f16, Mma>;
    let mut smem = vec![None; L::COSIZE];
    for (warp, instruction) in (0..4).flat_map(|warp| (0..2).map(move |i| (warp, i))) {
        let address = |lane| {
            let start = copied::<R2s<Op>, Destination, L>(32 * warp + lane, 8 * instruction);
            assert_eq!(start % 8, 0);
            for value in 0..8 {
                let place =
                    copied::<R2s<Op>, Destination, L>(32 * warp + lane, 8 * instruction + value);
                assert_eq!(place, start + value);
            }
            start
        };
        for (lane, value) in (0..32).flat_map(|lane| (0..8).map(move |value| (lane, value))) {
            let register = RetileOf::<R2s<Op>, Fragment>::index(8 * instruction + value);
            let (matrix, pair) = (value / 2, 2 * (lane % 4) + value % 2);
            let (row, column) = if transposed {
                (pair, lane / 4)
            } else {
                (lane / 4, pair)
            };
            let to = address(8 * matrix + row) + column;
            assert_eq!(
                smem[to].replace(accumulator(32 * warp + lane, register)),
                None
            );
        }
    }
    for (m, n) in (0..64usize).flat_map(|m| (0..32).map(move |n| (m, n))) {
        assert_eq!(smem[L::index::<usize>(m + 64 * n)], Some((m, n)));
    }
}

#[test]
fn stmatrix_stores_rows_and_transposed_columns() {
    check_stmatrix::<Sm90_U32x4_STSM_N, Rows>(false);
    check_stmatrix::<Sm90_U32x4_STSM_N, Swizzled>(false);
    check_stmatrix::<Sm90_U16x8_STSM_T, layout!((64, 32))>(true);
    check_stmatrix::<Sm90_U16x8_STSM_T, Composition<Swizzle<3, 3, 3>, layout!((64, 32))>>(true);
}

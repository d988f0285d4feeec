//! The walk-throughs of `docs/walkthroughs/` by brute force: every value of every thread, against definitions that are written
//! out here: the PTX ISA's figures of fragments and of `ldmatrix`, and the tensor at the coordinate.

use half::f16;
use layout_types::atom::copy::*;
use layout_types::atom::mma::Sm80_16x8x16_F16F16F16F16_TN as Atom;
use layout_types::prelude::*;
use layout_types::tiled::*;

/// Where value `i` of thread `thread`'s part lies, through the swizzle.
fn place<T: LayoutFn, P: LayoutFn>(thread: usize, i: usize) -> usize {
    P::twist(thread_offset::<T, usize>(thread) + thread_offset::<P, usize>(i))
}
/// The same of a side of a tiled copy.
fn copied<C: TidFrg<Side, L>, Side, L: LayoutFn>(thread: usize, i: usize) -> usize {
    place::<CopyThreadOf<C, Side, L>, CopyPartitionOf<C, Side, L>>(thread, i)
}
/// The same of an operand of a tiled MMA.
fn parted<Mma: PartitionMma<X, L>, X, L: LayoutFn>(thread: usize, i: usize) -> usize {
    place::<ThreadOf<Mma, X, L>, PartitionOf<Mma, X, L>>(thread, i)
}
/// The place of element `i` of a layout without its swizzle, so that parts can be compared cell by cell.
fn cell<L: LayoutFn>(i: usize) -> usize {
    thread_offset::<L, usize>(i)
}
/// `index` in a shape, first mode fastest.
fn digits<const R: usize>(mut index: usize, shape: [usize; R]) -> [usize; R] {
    shape.map(|size| {
        let digit = index % size;
        index /= size;
        digit
    })
}

/// PTX ISA, fragments of `mma.m16n8k16`: (row, column) of value `i` of a lane.
mod figure {
    pub fn a(lane: usize, i: usize) -> (usize, usize) {
        let row = lane / 4 + if matches!(i, 0 | 1 | 4 | 5) { 0 } else { 8 };
        (row, lane % 4 * 2 + i % 2 + if i < 4 { 0 } else { 8 })
    }
    pub fn b(lane: usize, i: usize) -> (usize, usize) {
        let k = lane % 4 * 2 + i % 2 + if i < 2 { 0 } else { 8 };
        (lane / 4, k) // (n, k)
    }
    pub fn c(lane: usize, i: usize) -> (usize, usize) {
        (lane / 4 + if i < 2 { 0 } else { 8 }, lane % 4 * 2 + i % 2)
    }
}

mod make_tiled_copy {
    use super::*;

    type Copy = MakeTiledCopy<UniversalCopy<f16>, f16, layout!((16,8):(8,1)), layout!((1, 4))>;

    /// Thread `t`, value `v` of round (i, j) is (t / 8 + 16 i, 4 (t % 8) + v + 32 j).
    fn check<L: LayoutFn>(rows: usize, columns: usize, at: fn(usize, usize) -> usize)
    where
        Copy: TidFrg<Source, L> + TidFrg<Destination, L>,
    {
        let rounds = [4, rows / 16, columns / 32];
        assert_eq!(
            CopyPartitionOf::<Copy, Source, L>::SIZE,
            rounds.iter().product::<usize>()
        );
        for thread in 0..128 {
            for index in 0..rounds.iter().product() {
                let [value, i, j] = digits(index, rounds);
                let (m, n) = (thread / 8 + 16 * i, 4 * (thread % 8) + value + 32 * j);
                assert_eq!(
                    copied::<Copy, Source, L>(thread, index),
                    at(m, n),
                    "thread {thread} ({m},{n})"
                );
                assert_eq!(copied::<Copy, Destination, L>(thread, index), at(m, n));
            }
        }
    }

    #[test]
    fn every_value_is_the_tensor_at_its_coordinate() {
        check::<layout!((16,32):(4096,1))>(16, 32, |m, n| 4096 * m + n);
        check::<layout!((16,32):(1,4096))>(16, 32, |m, n| m + 4096 * n);
        check::<layout!((128,64):(4096,1))>(128, 64, |m, n| 4096 * m + n);
        check::<layout!(((4,4),(8,4)):((1,32),(4,128)))>(16, 32, |m, n| {
            m % 4 + m / 4 * 32 + n % 8 * 4 + n / 8 * 128
        });
    }

    #[test]
    fn value_2_of_thread_9_is_at_1_6() {
        type Id = layout!((16,32):(1@0,1@1));
        let start = <CopyThreadOf<Copy, Source, Id>>::coordinate::<usize, _, 2>(9usize);
        let step = <CopyPartitionOf<Copy, Source, Id>>::coordinate::<usize, _, 2>(2usize);
        assert_eq!([start[0] + step[0], start[1] + step[1]], [1, 6]);
    }
}

mod cp_async {
    use super::*;

    type G2s =
        MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, f16, layout!((16,8):(8,1)), layout!((1, 8))>;
    type Global = layout!((128,64):(4096,1));
    type Smem =
        TileToShape<Composition<Swizzle<3, 3, 3>, layout!((8,64):(64,1))>, shape!((128, 64))>;

    #[test]
    fn the_tile_arrives_and_each_row_is_read_by_eight_neighbours() {
        let mut smem = vec![usize::MAX; 128 * 64];
        for (thread, i) in (0..128).flat_map(|thread| (0..64).map(move |i| (thread, i))) {
            let from = copied::<G2s, Source, Global>(thread, i);
            let (value, round) = (i % 8, i / 8);
            assert_eq!(
                from,
                4096 * (thread / 8 + 16 * round) + 8 * (thread % 8) + value
            );
            let to = copied::<G2s, Destination, Smem>(thread, i);
            // An instruction's eight halfs lie together on both sides, 16 bytes aligned.
            assert_eq!((from % 8, to % 8), (value, value));
            assert_eq!(std::mem::replace(&mut smem[to], from), usize::MAX);
        }
        for (m, n) in (0..128).flat_map(|m| (0..64).map(move |n| (m, n))) {
            assert_eq!(smem[Smem::at::<usize, _>((m, n))], 4096 * m + n);
        }
    }
}

mod tidfrg {
    use super::*;

    type Tensor = layout!((24,16):(1@0,1@1));
    type Copy = MakeTiledCopy<UniversalCopy<u32>, f32, layout!((8, 16)), layout!((2, 4))>;

    #[test]
    fn every_value_is_at_its_coordinate_and_the_tensor_is_covered_once() {
        let mut owners = [[0; 16]; 24];
        for (thread, index) in (0..128).flat_map(|thread| (0..16).map(move |i| (thread, i))) {
            let start =
                CopyThreadOf::<Copy, Destination, Tensor>::coordinate::<usize, _, 2>(thread);
            let step =
                CopyPartitionOf::<Copy, Destination, Tensor>::coordinate::<usize, _, 2>(index);
            let (m, n) = (start[0] + step[0], start[1] + step[1]);
            let [down, right, round] = digits(index, [2, 4, 2]);
            assert_eq!(
                (m, n),
                (
                    2 * (thread % 8) + down + 16 * round,
                    4 * (thread / 8) + right
                )
            );
            if m < 24 && n < 16 {
                owners[m][n] += 1;
            }
        }
        assert!(owners.iter().flatten().all(|&count| count == 1));
    }

    #[test]
    fn the_steps_of_the_page_are_the_part_of_any_tensor() {
        fn check<L: LayoutFn>(at: fn(usize, usize) -> usize)
        where
            Copy: TidFrg<Destination, L>,
        {
            for (thread, index) in (0..128).flat_map(|thread| (0..32).map(move |i| (thread, i))) {
                let [down, right, i, j] = digits(index, [2, 4, 2, 2]);
                let (m, n) = (
                    2 * (thread % 8) + down + 16 * i,
                    4 * (thread / 8) + right + 64 * j,
                );
                assert_eq!(copied::<Copy, Destination, L>(thread, index), at(m, n));
            }
        }
        check::<layout!((32,128):(128,1))>(|m, n| 128 * m + n);
        check::<layout!((32,128):(1,33))>(|m, n| m + 33 * n);
    }
}

mod ldmatrix {
    use super::*;

    type Mma = TiledMma<Atom, layout!((1, 1, 1))>;

    /// What the instruction does, by the PTX ISA: matrix `i` has the rows whose addresses lanes 8 i to 8 i + 7 give; lane `l` gets
    /// elements 2 (l % 4) and the next of row l / 4, or of column l / 4 in the transposing form.
    fn instruction(
        memory: &[usize],
        address: impl Fn(usize) -> usize,
        transposed: bool,
    ) -> Vec<[usize; 8]> {
        (0..32)
            .map(|lane| {
                std::array::from_fn(|value| {
                    let (matrix, pair) = (value / 2, 2 * (lane % 4) + value % 2);
                    let (row, column) = if transposed {
                        (pair, lane / 4)
                    } else {
                        (lane / 4, pair)
                    };
                    memory[address(8 * matrix + row) + column]
                })
            })
            .collect()
    }

    /// Loads A of one atom from shared memory of layout `L`, each element being its coordinate m + 16 k.
    fn check<Op, L: LayoutFn>(transposed: bool)
    where
        Op: CopyValues<f16>,
        MakeTiledCopyA<Op, f16, Mma>: TidFrg<Source, L> + TidFrg<Destination, layout!((16, 16))>,
    {
        type S2r<Op> = MakeTiledCopyA<Op, f16, Mma>;
        let mut memory = vec![usize::MAX; L::COSIZE];
        (0..256usize).for_each(|i| memory[L::index::<usize>(i)] = i);
        let address = |lane| {
            // One address a lane: its eight values lie side by side.
            let start = copied::<S2r<Op>, Source, L>(lane, 0);
            for value in 0..8 {
                assert_eq!(copied::<S2r<Op>, Source, L>(lane, value), start + value);
            }
            assert_eq!(start % 8, 0);
            start
        };
        let lanes = instruction(&memory, address, transposed);
        for (lane, value) in (0..32).flat_map(|lane| (0..8).map(move |value| (lane, value))) {
            let (m, k) = figure::a(lane, value);
            assert_eq!(lanes[lane][value], m + 16 * k, "lane {lane} value {value}");
            // And that is the place which the copy's destination has for it.
            assert_eq!(
                copied::<S2r<Op>, Destination, layout!((16, 16))>(lane, value),
                m + 16 * k
            );
        }
    }

    #[test]
    fn the_fragment_is_what_the_mma_wants() {
        check::<Sm75_U32x4_LDSM_N, layout!((16,16):(16,1))>(false);
        check::<Sm75_U32x4_LDSM_N, Composition<Swizzle<1, 3, 3>, layout!((16,16):(16,1))>>(false);
        check::<Sm75_U16x8_LDSM_T, layout!((16, 16))>(true);
        check::<Sm75_U16x8_LDSM_T, Composition<Swizzle<1, 3, 3>, layout!((16, 16))>>(true);
    }
}

mod retile {
    use super::*;

    #[test]
    fn the_small_case_register_by_register() {
        type Copy =
            TiledCopy<UniversalCopy<u64>, f32, layout!((4,(2,4)):(4,(16,1))), shape!((4, 8))>;
        type Fragment = layout!((4, 4, 3));
        type Retiled = RetileOf<Copy, Fragment>;
        for index in 0..48 {
            let [atom_val, rest_val, i, j] = digits(index, [2, 4, 2, 3]);
            let value = atom_val + 2 * rest_val; // of the thread's 8 in a tile: V of them a unit, two units along M
            let register = Fragment::at((value % 4, value / 4 + 2 * i, j));
            assert_eq!(
                Retiled::index(index),
                register,
                "value {value} of round ({i},{j})"
            );
        }
    }

    /// Each register is the cell that the MMA says, for the copy too.
    fn check<Mma, X, C, Side, L>(threads: usize)
    where
        Mma: PartitionMma<X, L>,
        L: LayoutFn,
        X: FragmentOf<PartitionOf<Mma, X, L>>,
        C: TidFrg<Side, L> + Retile<PartitionFragmentOf<Mma, X, L>>,
    {
        type Fragment<Mma, X, L> = PartitionFragmentOf<Mma, X, L>;
        let size = <Fragment<Mma, X, L>>::SIZE;
        assert_eq!(PartitionOf::<Mma, X, L>::SIZE, size);
        assert_eq!(RetileOf::<C, Fragment<Mma, X, L>>::SIZE, size);
        for thread in 0..threads {
            let mut held = vec![usize::MAX; size];
            for i in 0..size {
                held[cell::<Fragment<Mma, X, L>>(i)] = parted::<Mma, X, L>(thread, i);
            }
            for i in 0..size {
                assert_eq!(
                    held[cell::<RetileOf<C, Fragment<Mma, X, L>>>(i)],
                    copied::<C, Side, L>(thread, i),
                    "thread {thread} value {i}"
                );
            }
        }
    }

    #[test]
    fn real_fragments_register_by_register() {
        type Mma = TiledMma<Atom, layout!((2, 2, 1)), tile!(32, 32, 16)>;
        type C = layout!((128,128):(128,1));
        type A = layout!((128,32):(32,1));
        check::<Mma, OperandC, MakeTiledCopyC<UniversalCopy<u32>, f16, Mma>, Destination, C>(128);
        check::<Mma, OperandC, MakeTiledCopyC<UniversalCopy<f16>, f16, Mma>, Destination, C>(128);
        check::<Mma, OperandC, MakeTiledCopyCAtom<UniversalCopy<u32>, f16, Mma>, Destination, C>(
            128,
        );
        // The fragment's side of `stmatrix` is the source, that of `ldmatrix` the destination.
        check::<Mma, OperandC, MakeTiledCopyC<Sm90_U32x4_STSM_N, f16, Mma>, Source, C>(128);
        check::<Mma, OperandA, MakeTiledCopyA<Sm75_U32x4_LDSM_N, f16, Mma>, Destination, A>(128);
        check::<Mma, OperandA, MakeTiledCopyA<Sm75_U32x2_LDSM_N, f16, Mma>, Destination, A>(128);
        check::<Mma, OperandB, MakeTiledCopyB<Sm75_U32x4_LDSM_N, f16, Mma>, Destination, A>(128);
    }
}

mod tiled_copy_c {
    use super::*;

    type Mma = TiledMma<Atom, layout!((2, 2, 1)), tile!(64, 32, 16)>;
    type Fragment = layout!(((2,2),2,2):((1,2),4,8));

    /// The cell m + 64 n of register `register` of a thread: the figure of the atom, warps alternating.
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

    /// How many passes the store of a warp's values `i` and `i + 1` takes.
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
}

mod permutation {
    use super::*;

    type SmemA = layout!((64,32):(32,1));
    type SmemB = layout!((64,32):(32,1));
    type GmemC = layout!((64,64):(64,1));

    fn element(seed: usize, i: usize) -> i64 {
        (i * 2_654_435_761 + seed * 40_503) as i64 % 13 - 6
    }

    /// The product of a tiled MMA: every warp multiplies its atoms, lanes and values by the figures; memory by the partitions.
    fn product<Mma>() -> Vec<i64>
    where
        Mma: PartitionMma<OperandA, SmemA>
            + PartitionMma<OperandB, SmemB>
            + PartitionMma<OperandC, GmemC>,
    {
        let atoms = |values: usize, size: usize| size / values;
        let a_atoms = atoms(8, PartitionOf::<Mma, OperandA, SmemA>::SIZE);
        let b_atoms = atoms(4, PartitionOf::<Mma, OperandB, SmemB>::SIZE);
        let c_atoms = atoms(4, PartitionOf::<Mma, OperandC, GmemC>::SIZE);
        let (rests_k, rests_m) = (32 / 16, a_atoms / 2);
        let rests_n = b_atoms / rests_k;
        assert_eq!(c_atoms, rests_m * rests_n);
        let mut c = vec![i64::MAX; 64 * 64];
        for warp in 0..4 {
            for (i, j) in (0..rests_m).flat_map(|i| (0..rests_n).map(move |j| (i, j))) {
                let mut tile = [[0i64; 8]; 16];
                for k in 0..rests_k {
                    let (mut a, mut b) = ([[0i64; 16]; 16], [[0i64; 16]; 8]);
                    for lane in 0..32 {
                        for value in 0..8 {
                            let (m, kk) = figure::a(lane, value);
                            let index = value + 8 * (i + rests_m * k);
                            a[m][kk] =
                                element(1, parted::<Mma, OperandA, SmemA>(32 * warp + lane, index));
                        }
                        for value in 0..4 {
                            let (n, kk) = figure::b(lane, value);
                            let index = value + 4 * (j + rests_n * k);
                            b[n][kk] =
                                element(2, parted::<Mma, OperandB, SmemB>(32 * warp + lane, index));
                        }
                    }
                    for (m, row) in tile.iter_mut().enumerate() {
                        for (n, sum) in row.iter_mut().enumerate() {
                            *sum += (0..16).map(|kk| a[m][kk] * b[n][kk]).sum::<i64>();
                        }
                    }
                }
                for (lane, value) in (0..32).flat_map(|lane| (0..4).map(move |v| (lane, v))) {
                    let (m, n) = figure::c(lane, value);
                    let index = value + 4 * (i + rests_m * j);
                    let to = parted::<Mma, OperandC, GmemC>(32 * warp + lane, index);
                    assert_eq!(std::mem::replace(&mut c[to], tile[m][n]), i64::MAX);
                }
            }
        }
        c
    }

    #[test]
    fn a_permutation_moves_values_between_threads_and_not_the_product() {
        let expected: Vec<i64> = (0..64 * 64)
            .map(|i| {
                let (m, n) = (i / 64, i % 64);
                (0..32)
                    .map(|k| element(1, 32 * m + k) * element(2, 32 * n + k))
                    .sum()
            })
            .collect();
        assert_eq!(product::<TiledMma<Atom, layout!((2, 2, 1))>>(), expected);
        assert_eq!(
            product::<TiledMma<Atom, layout!((2, 2, 1)), tile!(32, 32, 16)>>(),
            expected
        );
        type Permuted = TiledMma<Atom, layout!((2, 2, 1)), tile!(32, (2,4,2,2):(1,4,16,2), 16)>;
        assert_eq!(product::<Permuted>(), expected);
        // And it does move them: thread 1's values of row 0 are columns 4 to 7.
        let columns = |i: usize| parted::<Permuted, OperandC, GmemC>(1, i);
        assert_eq!([0, 1, 8, 9].map(columns), [4, 5, 6, 7]);
    }
}

mod thread_value_layouts {
    use super::*;

    #[test]
    fn product_and_inverse_give_the_figure_of_the_accumulator() {
        type Quarter = RakedProduct<layout!((8,4):(4,1)), layout!((1, 2))>;
        type Both = BlockedProduct<Quarter, layout!((2, 1))>;
        type Tv = WithShape<RightInverse<Both>, shape!((32, 4))>;
        for (lane, value) in (0..32).flat_map(|lane| (0..4).map(move |value| (lane, value))) {
            let (m, n) = figure::c(lane, value);
            assert_eq!(Tv::at::<usize, _>((lane, value)), m + 16 * n);
        }
    }

    #[test]
    fn divides_give_the_layout_of_the_tiled_mma() {
        type AtomTv = layout!(((4,8),(2,2)):((32,1),(16,8)));
        type Lanes = Composition<ZippedDivide<layout!((64, 32)), tile!(16, 8)>, tile!(AtomTv, _)>;
        type Tv = ZippedDivide<Lanes, tile!(_, (2, 2))>;
        type Blocked = ZippedDivide<Lanes, tile!(_, (2:2, 2:2))>;
        type Mma = TiledMma<Atom, layout!((2, 2, 1)), tile!(64, 32, 16)>;
        for (thread, value) in (0..128usize).flat_map(|thread| (0..16).map(move |v| (thread, v))) {
            let (lane, warp) = (thread % 32, thread / 32);
            let (row, column) = figure::c(lane, value % 4);
            let (i, j) = (value / 4 % 2, value / 8);
            let alternating = (
                row + 16 * (warp % 2 + 2 * i),
                column + 8 * (warp / 2 + 2 * j),
            );
            assert_eq!(
                Tv::at::<usize, _>(((lane, warp), value)),
                alternating.0 + 64 * alternating.1
            );
            assert_eq!(
                LayoutTv::<Mma, OperandC>::at::<usize, _>((thread, value)),
                alternating.0 + 64 * alternating.1
            );
            let blocked = (
                row + 16 * (2 * (warp % 2) + i),
                column + 8 * (2 * (warp / 2) + j),
            );
            let ours: usize = Blocked::at(((lane, warp), (value % 4, value / 4)));
            assert_eq!(
                ours,
                blocked.0 + 64 * blocked.1,
                "thread {thread} value {value}"
            );
        }
    }
}

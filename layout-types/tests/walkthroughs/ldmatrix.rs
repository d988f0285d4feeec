//! Checks `docs/walkthroughs/ldmatrix.md`: executes the instruction by the PTX ISA, with the copy's
//! addresses.

use super::*;

type Mma = TiledMma<Atom, layout!((1, 1, 1))>;

/// Executes the instruction by the PTX ISA. Matrix `i` has the rows whose addresses lanes 8 i to 8
/// i + 7 give. Lane `l` gets elements 2 (l % 4) and the next one of row l / 4, or of column l / 4
/// in the transposing form.
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

/// Loads A of one atom from shared memory of layout `L`, in which each element is its coordinate
/// `m + 16 k`.
fn check<Op, L: LayoutFn>(transposed: bool)
where
    Op: CopyValues<f16>,
    MakeTiledCopyA<Op, f16, Mma>: TidFrg<Source, L> + TidFrg<Destination, layout!((16, 16))>,
{
    type S2r<Op> = MakeTiledCopyA<Op, f16, Mma>;
    let mut memory = vec![usize::MAX; L::COSIZE];
    (0..256usize).for_each(|i| memory[L::index::<usize>(i)] = i);
    let address = |lane| {
        // Each lane gives one address, from which its eight values follow.
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
        // The copy's destination has the value at the same place.
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

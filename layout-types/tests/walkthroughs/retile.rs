//! Checks `docs/walkthroughs/retile.md`: each register holds the cell that the MMA states, for the
//! copy too.

use super::*;

#[test]
fn the_small_case_register_by_register() {
    type Copy = TiledCopy<UniversalCopy<u64>, f32, layout!((4,(2,4)):(4,(16,1))), shape!((4, 8))>;
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

/// Checks that each register holds the cell that the MMA states, for the copy too.
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
    check::<Mma, OperandC, MakeTiledCopyCAtom<UniversalCopy<u32>, f16, Mma>, Destination, C>(128);
    // The fragment is the source of `stmatrix`, and the destination of `ldmatrix`.
    check::<Mma, OperandC, MakeTiledCopyC<Sm90_U32x4_STSM_N, f16, Mma>, Source, C>(128);
    check::<Mma, OperandA, MakeTiledCopyA<Sm75_U32x4_LDSM_N, f16, Mma>, Destination, A>(128);
    check::<Mma, OperandA, MakeTiledCopyA<Sm75_U32x2_LDSM_N, f16, Mma>, Destination, A>(128);
    check::<Mma, OperandB, MakeTiledCopyB<Sm75_U32x4_LDSM_N, f16, Mma>, Destination, A>(128);
}

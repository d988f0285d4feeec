//! Checks `docs/walkthroughs/thread-value-layouts.md`: compares both ways to build a thread-value
//! layout with the figure.

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

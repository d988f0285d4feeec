//! Checks the walk-throughs of `docs/walkthroughs/` by brute force: every value of every thread is
//! compared with definitions that are written out here, namely the PTX ISA's figures of fragments
//! and of `ldmatrix`, and the tensor at the coordinate.

use half::f16;
use layout_types::atom::copy::*;
use layout_types::atom::mma::Sm80_16x8x16_F16F16F16F16_TN as Atom;
use layout_types::prelude::*;
use layout_types::tiled::*;

#[path = "walkthroughs/cp_async.rs"]
mod cp_async;
#[path = "walkthroughs/ldmatrix.rs"]
mod ldmatrix;
#[path = "walkthroughs/make_tiled_copy.rs"]
mod make_tiled_copy;
#[path = "walkthroughs/permutation.rs"]
mod permutation;
#[path = "walkthroughs/retile.rs"]
mod retile;
#[path = "walkthroughs/thread_value_layouts.rs"]
mod thread_value_layouts;
#[path = "walkthroughs/tidfrg.rs"]
mod tidfrg;
#[path = "walkthroughs/tiled_copy_c.rs"]
mod tiled_copy_c;

/// Returns the place of value `i` in thread `thread`'s part, through the swizzle.
fn place<T: LayoutFn, P: LayoutFn>(thread: usize, i: usize) -> usize {
    P::swizzled(thread_offset::<T, usize>(thread) + thread_offset::<P, usize>(i))
}
/// Returns the place of value `i` in thread `thread`'s part, for a side of a tiled copy.
fn copied<C: TidFrg<Side, L>, Side, L: LayoutFn>(thread: usize, i: usize) -> usize {
    place::<CopyThreadOf<C, Side, L>, CopyPartitionOf<C, Side, L>>(thread, i)
}
/// Returns the place of value `i` in thread `thread`'s part, for an operand of a tiled MMA.
fn parted<Mma: PartitionMma<X, L>, X, L: LayoutFn>(thread: usize, i: usize) -> usize {
    place::<ThreadOf<Mma, X, L>, PartitionOf<Mma, X, L>>(thread, i)
}
/// Returns the place of element `i` of a layout without its swizzle, so that parts can be compared
/// cell by cell.
fn cell<L: LayoutFn>(i: usize) -> usize {
    thread_offset::<L, usize>(i)
}
/// Returns the digits of `index` in a shape, the first mode fastest.
fn digits<const R: usize>(mut index: usize, shape: [usize; R]) -> [usize; R] {
    shape.map(|size| {
        let digit = index % size;
        index /= size;
        digit
    })
}

/// The fragments of `mma.m16n8k16` by the PTX ISA: (row, column) of value `i` of a lane.
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

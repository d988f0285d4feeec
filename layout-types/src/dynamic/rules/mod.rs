//! The rules of the algebra, each stated once: `const fn` over flat layouts of fixed capacity.
//!
//! They need neither an allocator nor the run-time mirror, so a compile-time check evaluates the
//! very statement that [`dynamic`](super) evaluates at run time, and both print the same sentence.
//!
//! ```text
//! layout in types  --flatten-->  Flat  --rule-->  Ok, or the Rule broken, in decimals
//! DynLayout        --flatten-->   "
//! ```

mod banks;
mod compose;
mod flat;
mod inverse;
mod parting;
mod swizzle;
mod tree;

pub use banks::{AccessShape, Conflicts, SwizzleChoice, Tile, choose_swizzle, conflicts};
pub use compose::{MAX_POINTS, Part, Split, rounds_up, split, split_as_cute};
pub(crate) use compose::{Refusal, compose, compose_as_cute};
pub use flat::{Flat, MAX_DEPTH, MAX_MODES, ceil_div, gcd};
pub use inverse::{complement, holes, nests};
pub use inverse::{downcast, exact_upcast, upcast};
pub use inverse::{left_inverse, left_inverse_as_cute, right_inverse};
pub use parting::{Parting, part};
pub use swizzle::Swizzle;
pub(crate) use tree::{saturated, stride_in, stride_of};

use core::fmt;

/// A rule of the algebra that is broken, with the numbers that break it.
///
/// Printed as the second half of a sentence:
/// `stride 3 does not divide 4 nor is divided by it, ...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// Composition: a stride on the right and a prefix product of the left shape do not divide one
    /// another.
    PrefixProduct {
        /// The stride of the mode on the right.
        stride: i64,
        /// The prefix product of the left shape.
        product: i64,
        /// The shape of the mode on the right.
        steps: i64,
    },
    /// Composition: the steps of a mode on the right cannot be split where a mode of the left ends.
    ShapeSplit {
        /// The steps that are left to place.
        steps: i64,
        /// How many of them lie before the boundary.
        fit: i64,
        /// The prefix product of the left shape at the boundary.
        product: i64,
    },
    /// Composition: two modes on the right together overflow a mode of the left.
    Carry {
        /// The mode of the left, coalesced.
        left: usize,
        /// Its shape.
        shape: i64,
        /// What the modes on the right sum to in it.
        reach: i64,
    },
    /// Composition: modes on the right with strides of opposite sign borrow from one another.
    Borrow {
        /// The mode of the left, coalesced, that goes below zero.
        low: usize,
        /// The mode that it borrows from.
        high: usize,
    },
    /// Composition: the layout is not the composition at this coordinate.
    Differs {
        /// The coordinate of the right side.
        at: i64,
    },
    /// Composition: only a comparison of every element could tell, and there are too many.
    TooManyPoints {
        /// The most that are compared.
        most: i64,
    },
    /// Composition by a scaled-basis stride that names a mode which the left side does not have.
    NoSuchMode {
        /// The mode named.
        mode: usize,
        /// The modes there are.
        rank: usize,
    },
    /// Composition: some strides on the right are integers and others name modes, or name modes at
    /// different depths, so that there is no coordinate to hand to the left side.
    MixedBasis,
    /// Complement: the layout is not injective.
    Overlap {
        /// The stride that is too small.
        stride: i64,
        /// What the modes of smaller stride cover.
        covered: i64,
    },
    /// Divide: the tiler leaves elements that neither it nor its complement reaches.
    Gap {
        /// The stride that is no multiple.
        stride: i64,
        /// What the modes of smaller stride cover.
        covered: i64,
    },
    /// Complement: CuTe's result does not fill the target.
    Uncovered {
        /// The size of the target.
        wanted: i64,
        /// Where layout and complement together end.
        reached: i64,
        /// The size of the complement.
        size: i64,
        /// The size of the layout.
        of: i64,
    },
    /// Product: the block is repeated more often than its complement has places.
    Places {
        /// The places needed.
        needed: i64,
        /// The places there are.
        places: i64,
    },
    /// Divide: no copy of the tile reaches these elements of the layout, or two do.
    Uncounted {
        /// The mode of the layout, coalesced.
        left: usize,
        /// The step in it that no mode takes, or that two take.
        step: i64,
    },
    /// Exact divide: the tiles do not fill the layout.
    Ragged {
        /// The elements in all tiles.
        tiled: i64,
        /// The elements of the layout.
        size: i64,
    },
    /// Left inverse: the sorted strides do not divide one another.
    InverseStride {
        /// The stride.
        stride: i64,
        /// The stride before it.
        before: i64,
    },
    /// Left inverse: overlapping modes carry into a larger stride, past the end of its mode.
    NotQuasiInverse {
        /// The stride.
        stride: i64,
        /// The shape of its mode.
        shape: i64,
        /// The steps of the stride that some offset takes.
        steps: i64,
    },
    /// A stride below zero where the operation has no meaning for it.
    NegativeStride {
        /// The stride.
        stride: i64,
    },
    /// A scaled-basis stride where the operation needs integers.
    BasisStride,
    /// Upcast: the stride and the factor do not divide one another.
    CastStride {
        /// The stride.
        stride: i64,
        /// The factor.
        n: i64,
    },
    /// Exact upcast: the elements do not fill whole units.
    CastShape {
        /// The elements of the mode.
        shape: i64,
        /// The elements of a unit.
        per_unit: i64,
    },
    /// Downcast: no mode has stride 1, so no two elements are neighbours.
    NoUnitStride,
    /// A number that must be at least 1.
    NotPositive {
        /// The number found.
        value: i64,
    },
    /// A power of two is needed.
    NotPowerOfTwo {
        /// The number found.
        value: i64,
    },
    /// Swizzle: the bits exclusive-ored overlap the bits they come from.
    SwizzleOverlap {
        /// Bits in the mask.
        bits: u32,
        /// The distance between the masks.
        shift: i32,
    },
    /// Swizzle: the masks lie beyond the bits of an offset.
    SwizzleRange {
        /// The bit after the last one.
        end: u32,
    },
    /// Swizzle: the two masks differ in their number of bits, or their bits are no runs.
    SwizzleMasks {
        /// The mask read.
        y: i64,
        /// The mask changed.
        z: i64,
    },
    /// Swizzle: only swizzles of the same shift merge.
    SwizzleShift {
        /// The shift on the left.
        left: i32,
        /// The shift on the right.
        right: i32,
    },
    /// Swizzle: moved through the layout it is another function at this index.
    SwizzleDiffers {
        /// The index.
        at: i64,
    },
    /// Swizzle: elements of one unit do not stay together.
    SwizzleTorn {
        /// The elements of a unit.
        n: i64,
        /// The elements that the swizzle moves whole.
        whole: i64,
    },
    /// Composed layout: the operation takes one swizzle, and there are two.
    Swizzles,
    /// Composed layout: the operation needs offset 0.
    Offset {
        /// The offset found.
        offset: i64,
    },
    /// Shape and stride (or coordinate and shape) have different profiles.
    Congruence,
    /// A tuple has a different number of modes than needed.
    Rank {
        /// The modes found.
        found: usize,
        /// The modes needed.
        needed: usize,
    },
    /// Zipped divides and products: `_` leaves a mode as it is, which is no pair to part.
    Unpaired {
        /// The number that stands for `_` there.
        instead: i64,
    },
    /// A tuple has more modes than allowed.
    RankAbove {
        /// The modes found.
        found: usize,
        /// The modes allowed.
        most: usize,
    },
    /// Modes `begin..end` are not a range of the layout's modes.
    Range {
        /// The first mode.
        begin: usize,
        /// One past the last.
        end: usize,
        /// The modes there are.
        rank: usize,
    },
    /// A tuple with no mode.
    Empty,
    /// A block does not divide the shape to tile.
    BlockDivides {
        /// The size of the block's mode.
        block: i64,
        /// The size of the shape's mode.
        shape: i64,
    },
    /// Shared memory: a vector's elements are not contiguous and aligned.
    Scattered {
        /// The elements of a vector.
        elements: i64,
        /// The stride that moves it off its alignment.
        stride: i64,
    },
    /// More modes than a rule looks at.
    TooManyModes {
        /// The most there may be.
        most: usize,
    },
    /// A number that does not fit in 64 bits.
    Overflow,
}

/// The sentence of [`check::sentence`](crate::check::sentence), the one statement of it, which
/// constants print too.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(crate::check::sentence(self).as_str())
    }
}

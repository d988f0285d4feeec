//! The rules of the algebra, each stated once: `const fn` over flat layouts of fixed capacity.
//!
//! They need neither an allocator nor the run-time mirror, so a compile-time check evaluates the very
//! statement that [`dynamic`](super) evaluates at run time, and both print the same sentence.
//!
//! ```text
//! layout in types  --flatten-->  Flat  --rule-->  Ok, or the Rule broken, in decimals
//! DynLayout        --flatten-->   "
//! ```

mod banks;
mod cast;
mod complement;
mod compose;
mod flat;
mod inverse;
mod swizzle;

pub use banks::{Access, Choice, Conflicts, Tile, choose_swizzle, conflicts};
pub use cast::{downcast, exact_upcast, upcast};
pub use complement::{complement, holes, nests};
pub use compose::{MAX_POINTS, Part, Split, composition, joint, rounds_up, split, split_as_cute};
pub use flat::{Flat, MAX_MODES, ceil_div, gcd};
pub use inverse::{left_inverse, left_inverse_as_cute, right_inverse};
pub use swizzle::Swizzle;

use core::fmt;

/// A rule of the algebra that is broken, with the numbers that break it.
///
/// Printed as the second half of a sentence: `stride 3 does not divide 4 nor is divided by it, ...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// Composition: a stride on the right and a prefix product of the left shape do not divide one another.
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
    /// Composition: some strides on the right are integers and others name modes, or name modes at different
    /// depths, so that there is no coordinate to hand to the left side.
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

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::PrefixProduct {
                stride,
                product,
                steps,
            } => write!(
                f,
                "stride {stride} does not divide {product}, a prefix product of the left shape, nor is divided by it{}",
                if steps > 1 && stride.abs() < product {
                    ", and the mode's steps run past that boundary"
                } else {
                    ""
                }
            ),
            Self::ShapeSplit {
                steps,
                fit,
                product,
            } => write!(
                f,
                "{fit} of {steps} steps lie before {product}, a prefix product of the left shape, and {fit} does not divide {steps}"
            ),
            Self::Carry { left, shape, reach } => write!(
                f,
                "together the modes of the right side reach {reach} in mode {left} of the coalesced left side, whose shape is {shape}"
            ),
            Self::Borrow { low, high } => write!(
                f,
                "strides of opposite sign on the right side borrow from mode {high} of the coalesced left side into mode {low}"
            ),
            Self::Differs { at } => write!(
                f,
                "at element {at} of the right side the layout is not the composition"
            ),
            Self::TooManyPoints { most } => {
                write!(
                    f,
                    "only comparing every element could tell, and there are more than {most}"
                )
            }
            Self::NoSuchMode { mode, rank } => {
                write!(
                    f,
                    "the stride's basis names mode {mode}, and the left side has {rank}"
                )
            }
            Self::MixedBasis => {
                write!(
                    f,
                    "the strides of the right side do not name coordinates of one profile"
                )
            }
            Self::Overlap { stride, covered } => write!(
                f,
                "the layout is not injective: stride {stride} lies inside the {covered} elements that smaller strides cover"
            ),
            Self::Gap { stride, covered } => write!(
                f,
                "the sorted strides do not nest: stride {stride} is no multiple of the {covered} elements that smaller strides cover, so some elements are in no tile"
            ),
            Self::Uncovered {
                wanted,
                reached,
                size,
                of,
            } => write!(
                f,
                "the result of size {size} over a layout of size {of} reaches only {reached} of {wanted} elements"
            ),
            Self::Places { needed, places } => {
                write!(
                    f,
                    "the block is repeated to place {needed} of the {places} that its complement has"
                )
            }
            Self::Uncounted { left, step } => write!(
                f,
                "in mode {left} of the coalesced layout, element {step} is in no copy of the tile or in two"
            ),
            Self::Ragged { tiled, size } => {
                write!(
                    f,
                    "the tiles hold {tiled} elements, the layout {size}; the divide without `exact` rounds up"
                )
            }
            Self::InverseStride { stride, before } => {
                write!(
                    f,
                    "stride {stride} is no multiple of the next smaller stride {before}"
                )
            }
            Self::NotQuasiInverse {
                stride,
                shape,
                steps,
            } => write!(
                f,
                "overlapping modes reach {steps} steps of stride {stride}, whose mode has {shape} elements"
            ),
            Self::NegativeStride { stride } => write!(f, "stride {stride} is negative"),
            Self::BasisStride => {
                write!(f, "a stride is a scaled basis, where an integer is needed")
            }
            Self::CastStride { stride, n } => write!(
                f,
                "stride {stride} does not divide {n} nor is divided by it"
            ),
            Self::CastShape { shape, per_unit } => {
                write!(
                    f,
                    "{shape} elements do not fill units of {per_unit}; the upcast without `exact` rounds up"
                )
            }
            Self::NoUnitStride => {
                write!(f, "no mode has stride 1, so there are no adjacent elements")
            }
            Self::NotPositive { value } => write!(f, "{value} is not positive"),
            Self::NotPowerOfTwo { value } => write!(f, "{value} is not a power of two"),
            Self::SwizzleOverlap { bits, shift } => {
                write!(
                    f,
                    "the shift {shift} is less than the {bits} bits that are exchanged"
                )
            }
            Self::SwizzleRange { end } => write!(
                f,
                "the masks end at bit {end}, past the 31 bits of an offset"
            ),
            Self::SwizzleMasks { y, z } => {
                write!(
                    f,
                    "bit masks {y} and {z} are not two runs of equally many bits, as a swizzle needs"
                )
            }
            Self::SwizzleShift { left, right } => {
                write!(
                    f,
                    "only swizzles of the same shift merge, and the shifts are {left} and {right}"
                )
            }
            Self::SwizzleDiffers { at } => {
                write!(
                    f,
                    "no swizzle behind the layout is the same function at index {at}"
                )
            }
            Self::SwizzleTorn { n, whole } => {
                write!(
                    f,
                    "units of {n} elements are torn apart by a swizzle that moves {whole} whole"
                )
            }
            Self::Offset { offset } => write!(f, "the offset is {offset}, and must be 0"),
            Self::Congruence => write!(f, "the profiles differ"),
            Self::Rank { found, needed } => write!(f, "{found} modes where {needed} are needed"),
            Self::RankAbove { found, most } => {
                write!(f, "{found} modes where there are only {most}")
            }
            Self::Range { begin, end, rank } => {
                write!(f, "modes {begin}..{end} are no range of {rank} modes")
            }
            Self::Empty => write!(f, "no mode is left"),
            Self::BlockDivides { block, shape } => {
                write!(f, "the block's {block} does not divide {shape}")
            }
            Self::Scattered { elements, stride } => {
                write!(
                    f,
                    "vectors of {elements} elements are not contiguous and aligned with a stride of {stride}"
                )
            }
            Self::TooManyModes { most } => write!(f, "more than {most} modes"),
            Self::Overflow => write!(f, "a number does not fit in 64 bits"),
        }
    }
}

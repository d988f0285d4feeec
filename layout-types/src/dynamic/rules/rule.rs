//! The rules of the algebra. Each rule has a subject, numbers, and the sentence that a refusal
//! prints.
//!
//! ```text
//!   CastStride { stride: i64 = "..", n: i64 = ".." } => ["stride " stride " does not divide " n ..];
//!    -> Rule::CastStride { stride: 3, n: 4 }     "stride 3 does not divide 4 nor is divided by it"
//! ```
//!
//! Law: each rule has its own sentence, which prints the numbers that break the rule. The sentence
//! is built without `core::fmt`, which does not run in constants. The rules of the types are in
//! `kinds`, and their sentences, with numbers as types, in `algebra::message`.

use crate::check::Text;
use core::fmt;

/// Appends a piece of a sentence: a string, a number by its name, or a string by an expression.
macro_rules! say {
    ($text:ident, $words:literal) => {
        $text.say($words)
    };
    ($text:ident, $number:ident) => {
        $text.number($number as i64)
    };
    ($text:ident, $words:expr) => {
        $text.say($words)
    };
}

/// The rules as an enum, and their sentences.
macro_rules! rules {
    ($(
        $(#[$doc:meta])*
        $rule:ident $({ $($number:ident: $type:ty = $meaning:literal,)* })? => [$($piece:tt)+];
    )*) => {
        /// A rule of the algebra that an operand breaks, with the numbers that break it.
        ///
        /// It is printed as the second half of a sentence:
        /// `stride 3 does not divide 4 nor is divided by it, ...`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Rule {
            $(
                $(#[$doc])*
                $rule $({ $(#[doc = $meaning] $number: $type,)* })?,
            )*
        }

        /// Returns the sentence of a rule.
        ///
        /// ```
        /// use layout_types::{check::sentence, dynamic::rules::Rule};
        /// let rule = Rule::CastStride { stride: 3, n: 4 };
        /// assert_eq!(sentence(&rule).as_str(), "stride 3 does not divide 4 nor is divided by it");
        /// ```
        pub const fn sentence(rule: &Rule) -> Text {
            let mut text = Text::new();
            match *rule {
                $(Rule::$rule $({ $($number,)* })? => { rules!(@sentence text, $($piece)+); })*
            }
            text
        }
    };
    (@sentence $text:ident, $($piece:tt)+) => {
        $(say!($text, $piece);)+
    };
}

rules! {
    /// Composition: neither does a stride on the right divide a prefix product of the left shape,
    /// nor the prefix product the stride.
    PrefixProduct {
        stride: i64 = "The stride of the mode on the right.",
        product: i64 = "The prefix product of the left shape.",
        steps: i64 = "The shape of the mode on the right.",
    } => ["stride " stride " does not divide " product
        ", a prefix product of the left shape, nor is divided by it"
        (if steps > 1 && stride.abs() < product {
            ", and the mode's steps run past that boundary"
        } else {
            ""
        })];
    /// Composition: the steps of a mode on the right cannot be split where a mode of the left ends.
    ShapeSplit {
        steps: i64 = "The steps that are left to place.",
        fit: i64 = "How many of them lie before the boundary.",
        product: i64 = "The prefix product of the left shape at the boundary.",
    } => [fit " of " steps " steps lie before " product ", a prefix product of the left shape, and "
        fit " does not divide " steps];
    /// Composition: two modes on the right together overflow a mode of the left.
    Carry {
        left: usize = "The mode of the left, coalesced.",
        shape: i64 = "Its shape.",
        reach: i64 = "What the modes on the right sum to in it.",
    } => ["together the modes of the right side reach " reach " in mode " left
        " of the coalesced left side, whose shape is " shape];
    /// Composition: modes on the right with strides of opposite sign borrow from one another.
    Borrow {
        low: usize = "The mode of the left, coalesced, that goes below zero.",
        high: usize = "The mode that it borrows from.",
    } => ["strides of opposite sign on the right side borrow from mode " high
        " of the coalesced left side into mode " low];
    /// Composition: the layout is not the composition at this coordinate.
    Differs {
        at: i64 = "The coordinate of the right side.",
    } => ["at element " at " of the right side the layout is not the composition"];
    /// Composition: only a comparison of every element could decide, and there are too many.
    TooManyPoints {
        most: i64 = "The most that are compared.",
    } => ["only comparing every element could tell, and there are more than " most];
    /// Composition by a scaled-basis stride that names a mode which the left side does not have.
    NoSuchMode {
        mode: usize = "The mode named.",
        rank: usize = "The modes there are.",
    } => ["the stride's basis names mode " mode ", and the left side has " rank];
    /// Composition: some strides on the right are integers and others name modes, or they name
    /// modes at different depths, so that they form no coordinate for the left side.
    MixedBasis => ["the strides of the right side do not name coordinates of one profile"];
    /// Complement: the layout is not injective.
    Overlap {
        stride: i64 = "The stride that is too small.",
        covered: i64 = "What the modes of smaller stride cover.",
    } => ["the layout is not injective: stride " stride " lies inside the " covered
        " elements that smaller strides cover"];
    /// Divide: the tiler leaves elements that neither it nor its complement reaches.
    Gap {
        stride: i64 = "The stride that is no multiple.",
        covered: i64 = "What the modes of smaller stride cover.",
    } => ["the sorted strides do not nest: stride " stride " is no multiple of the " covered
        " elements that smaller strides cover, so some elements are in no tile"];
    /// Complement: CuTe's result does not fill the target.
    Uncovered {
        wanted: i64 = "The size of the target.",
        reached: i64 = "Where layout and complement together end.",
        size: i64 = "The size of the complement.",
        of: i64 = "The size of the layout.",
    } => ["the result of size " size " over a layout of size " of " reaches only " reached " of "
        wanted " elements"];
    /// Product: the block is repeated more often than its complement has places.
    Places {
        needed: i64 = "The places needed.",
        places: i64 = "The places there are.",
    } => ["the block is repeated to place " needed " of the " places " that its complement has"];
    /// Divide: some elements of the layout are in no copy of the tile, or in two copies.
    Uncounted {
        left: usize = "The mode of the layout, coalesced.",
        step: i64 = "The step in it that no mode takes, or that two take.",
    } => ["in mode " left " of the coalesced layout, element " step
        " is in no copy of the tile or in two"];
    /// Exact divide: the tiles do not fill the layout.
    Ragged {
        tiled: i64 = "The elements in all tiles.",
        size: i64 = "The elements of the layout.",
    } => ["the tiles hold " tiled " elements, the layout " size
        "; the divide without `exact` rounds up"];
    /// Left inverse: a sorted stride does not divide the next one.
    InverseStride {
        stride: i64 = "The stride.",
        before: i64 = "The stride before it.",
    } => ["stride " stride " is no multiple of the next smaller stride " before];
    /// Left inverse: the steps of overlapping modes carry into a larger stride and past the end of
    /// its mode.
    NotQuasiInverse {
        stride: i64 = "The stride.",
        shape: i64 = "The shape of its mode.",
        steps: i64 = "The steps of the stride that some offset takes.",
    } => ["overlapping modes reach " steps " steps of stride " stride ", whose mode has " shape
        " elements"];
    /// A stride is below zero, which has no meaning in this operation.
    NegativeStride {
        stride: i64 = "The stride.",
    } => ["stride " stride " is negative"];
    /// A stride is a scaled basis, and the operation needs integers.
    BasisStride => ["a stride is a scaled basis, where an integer is needed"];
    /// Upcast: neither does the stride divide the factor, nor the factor the stride.
    CastStride {
        stride: i64 = "The stride.",
        n: i64 = "The factor.",
    } => ["stride " stride " does not divide " n " nor is divided by it"];
    /// Exact upcast: the elements do not fill whole units.
    CastShape {
        shape: i64 = "The elements of the mode.",
        per_unit: i64 = "The elements of a unit.",
    } => [shape " elements do not fill units of " per_unit
        "; the upcast without `exact` rounds up"];
    /// Downcast: no mode has stride 1, so no two elements are neighbours.
    NoUnitStride => ["no mode has stride 1, so there are no adjacent elements"];
    /// A number must be at least 1.
    NotPositive {
        value: i64 = "The number found.",
    } => [value " is not positive"];
    /// A number must be a power of two.
    NotPowerOfTwo {
        value: i64 = "The number found.",
    } => [value " is not a power of two"];
    /// Swizzle: the bits that are changed overlap the bits that are read.
    SwizzleOverlap {
        bits: u32 = "Bits in the mask.",
        shift: i32 = "The distance between the masks.",
    } => ["the shift " shift " is less than the " bits " bits that are exchanged"];
    /// Swizzle: the masks lie beyond the bits of an offset.
    SwizzleRange {
        end: u32 = "The bit after the last one.",
    } => ["the masks end at bit " end ", past the 31 bits of an offset"];
    /// Swizzle: the two masks differ in their number of bits, or the bits of a mask are not
    /// contiguous.
    SwizzleMasks {
        y: i64 = "The mask read.",
        z: i64 = "The mask changed.",
    } => ["bit masks " y " and " z " are not two runs of equally many bits, as a swizzle needs"];
    /// Swizzle: only swizzles of the same shift merge.
    SwizzleShift {
        left: i32 = "The shift on the left.",
        right: i32 = "The shift on the right.",
    } => ["only swizzles of the same shift merge, and the shifts are " left " and " right];
    /// Swizzle: moved through the layout, the swizzle is a different function at this index.
    SwizzleDiffers {
        at: i64 = "The index.",
    } => ["no swizzle behind the layout is the same function at index " at];
    /// Swizzle: elements of one unit do not stay together.
    SwizzleTorn {
        n: i64 = "The elements of a unit.",
        whole: i64 = "The elements that the swizzle moves whole.",
    } => ["units of " n " elements are torn apart by a swizzle that moves " whole " whole"];
    /// Composed layout: the operation takes one swizzle, and the layouts have two.
    Swizzles => ["a swizzle behind a swizzle, where one is taken"];
    /// Composed layout: the operation needs offset 0.
    Offset {
        offset: i64 = "The offset found.",
    } => ["the offset is " offset ", and must be 0"];
    /// Shape and stride (or coordinate and shape) have different profiles.
    Congruence => ["the profiles differ"];
    /// A tuple has a different number of modes than needed.
    Rank {
        found: usize = "The modes found.",
        needed: usize = "The modes needed.",
    } => [found (if found == 1 { " mode where " } else { " modes where " }) needed
        (if needed == 1 { " is needed" } else { " are needed" })];
    /// Zipped divides and products: `_` leaves a mode as it is, so it has no pair of tile and rest.
    Unpaired {
        instead: i64 = "The number that stands for `_` there.",
    } => ["`_` leaves the mode whole, where a pair of tile and rest is needed: write " instead
        " for it, or take the operation that begins with `logical_`"];
    /// A tuple has more modes than allowed.
    RankAbove {
        found: usize = "The modes found.",
        most: usize = "The modes allowed.",
    } => [found (if found == 1 { " mode" } else { " modes" })
        (if most == 1 { " where there is only " } else { " where there are only " }) most];
    /// Modes `begin..end` are not a range of the layout's modes.
    Range {
        begin: usize = "The first mode.",
        end: usize = "One past the last.",
        rank: usize = "The modes there are.",
    } => ["modes " begin ".." end " are no range of " rank " modes"];
    /// A tuple has no mode.
    Empty => ["no mode is left"];
    /// A block does not divide the shape to tile.
    BlockDivides {
        block: i64 = "The size of the block's mode.",
        shape: i64 = "The size of the shape's mode.",
    } => ["the block's " block " does not divide " shape];
    /// Shared memory: a vector's elements are not contiguous and aligned.
    Scattered {
        elements: i64 = "The elements of a vector.",
        stride: i64 = "The stride that moves it off its alignment.",
    } => ["vectors of " elements
        " elements are not contiguous and aligned with a stride of " stride];
    /// A layout has more modes than a rule can handle.
    TooManyModes {
        most: usize = "The most there may be.",
    } => ["more than " most " modes"];
    /// A number does not fit in 64 bits.
    Overflow => ["a number does not fit in 64 bits"];
}

/// Prints [`sentence`], which constants also print.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(sentence(self).as_str())
    }
}

//! The messages of refusals. Each rule has a trait that no type implements, with the rule's
//! operands in decimals.
//!
//! ```text
//!   error[E0277]: composition (_4, _6):(_6, _1) o _8:_3 is not admissible: stride _3 does not divide _4, ..
//!     --> the line the user wrote
//! ```
//!
//! Law: a refused operation leads to exactly one of these traits, the trait of the rule that it
//! breaks.
//!
//! Numbers print as `_4`, which is how CuTe itself prints a static integer. A message of a trait
//! bound can name only types and constants. A bare `4` could only be a constant parameter of the
//! trait, and no type in a tuple prints as such a parameter. A type-level number becomes a constant
//! parameter only through a table such as that of [`decimal`](crate::decimal). Where a constant is
//! evaluated, in `layouts!` and the `assert_..!` macros, the same sentence has bare numbers.

use super::borrow::BorrowRule;
use super::cast::{CastBasisRule, CastStrideRule, UnitRule, WholeRule};
use super::complements::{CoverRule, GapRule, OrderRule, OverlapRule};
use super::compose::{BasisRule, DiffersRule, MixedRule, PointsRule, RankRule};
use super::compose_list::{CarryRule, ShapeRule, StepRule, StrideRule};
use super::divide::{PairRule, RaggedRule};
use super::fits::{LeavesRule, OverflowRule};
use super::inverse::{InverseBasisRule, InverseSignRule, InverseStrideRule, QuasiRule};
use super::make::OrderBasisRule;
use super::modes::{RangeRule, RowsRule};
use super::outcome::{Here, Mode};
use super::product::PlacesRule;
use super::shape_tiling::{BlockRankRule, FillRule};
use crate::decimal::Decimal;
use crate::tree::{Cons, Nil};

/// The names of a refused operation and of the word between its operands.
#[doc(hidden)]
pub trait Operation {
    /// The operation's name.
    type Name;
    /// The word between the operands.
    type Word;
}

/// The second operand, as shape and stride in decimals.
#[doc(hidden)]
pub trait Operand {
    /// The shape, or the whole operand.
    type Shape;
    /// The stride, or the kind of operand.
    type Stride;
}
impl<S: Decimal, D: Decimal> Operand for crate::Layout<S, D> {
    type Shape = S::Text;
    type Stride = D::Text;
}
impl<N: crate::num::Nat + Decimal> Operand for N {
    type Shape = N::Text;
    type Stride = crate::decimal::_1;
}
/// Represents, in a message, a tuple that is applied mode by mode.
#[allow(non_camel_case_types)]
pub struct by_mode;
impl<H, T> Operand for Cons<H, T>
where
    Self: Decimal,
{
    type Shape = <Self as Decimal>::Text;
    type Stride = by_mode;
}
impl Operand for Nil {
    type Shape = ();
    type Stride = ();
}
impl Operand for crate::Underscore {
    type Shape = crate::Underscore;
    type Stride = crate::Underscore;
}
impl<A: Decimal, B: Decimal> Operand for (A, B) {
    type Shape = (A::Text, B::Text);
    type Stride = by_mode;
}
impl Operand for () {
    type Shape = ();
    type Stride = ();
}

/// The path to a mode, in decimals.
#[doc(hidden)]
pub trait PathText {
    /// The mode's number. For a nested mode, it is a pair of the number and the path inside.
    type Text;
}
impl PathText for Here {
    type Text = crate::decimal::_0;
}
impl<I: Decimal> PathText for Mode<I, Here> {
    type Text = I::Text;
}
impl<I: Decimal, J, P> PathText for Mode<I, Mode<J, P>>
where
    Mode<J, P>: PathText,
{
    type Text = (I::Text, <Mode<J, P> as PathText>::Text);
}

/// Represents any broken rule.
pub struct Refusal;

/// A rule whose message can be printed.
#[doc(hidden)]
pub trait Broken<Name, Word, AS, AD, BS, BD, S, D, At> {}

macro_rules! rules {
    ($($rule:ident $(<$($p:ident),*>)? , $forbids:ident, $message:literal, $label:literal;)*) => {$(
        #[doc = concat!("Never implemented; carries the diagnostic of [`", stringify!($rule), "`].")]
        #[diagnostic::on_unimplemented(
            message = $message,
            label = $label
        )]
        #[doc(hidden)]
        pub trait $forbids<Name, Word, AS, AD, BS, BD, S, D, At $(, $($p),*)?> {}
        impl<Name, Word, AS, AD, BS, BD, S, D, At $(, $($p: Decimal),*)?> Broken<Name, Word, AS, AD, BS, BD, S, D, At>
            for $rule $(<$($p),*>)?
        where
            Refusal: $forbids<Name, Word, AS, AD, BS, BD, S, D, At $(, $($p::Text),*)?>,
        {
        }
    )*};
}

rules! {
    StrideRule<D1, C>, StrideDivides,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: stride {D1} does not divide {C}, nor is it divided by it (mode {At} of the right side, {S}:{D})",
        "the stride of mode {At} leaves a mode of the left shape off its boundary";
    StepRule<S1, D1, C>, StepStays,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: stride {D1} does not divide {C}, and its {S1} steps run past that boundary (mode {At} of the right side, {S}:{D})",
        "the steps of mode {At} leave a mode of the left shape off its boundary";
    ShapeRule<S1, N>, ShapeSplits,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: {N} of {S1} steps lie before a boundary of the left shape, and {N} does not divide {S1} (mode {At} of the right side, {S}:{D})",
        "the shape of mode {At} is not split evenly by the left shape";
    CarryRule<C>, StaysInDigit,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: the modes of the right side together pass the end of a mode of shape {C} on the left (at mode {At}, {S}:{D})",
        "mode {At} carries into the next mode of the left shape";
    RankRule, EnoughModes,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: there are more tilers than modes",
        "more tilers than modes";
    BasisRule, NamesMode,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: the left side has no mode that the scaled basis of {S}:{D} names",
        "no such mode on the left side";
    MixedRule, OneProfile,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: the strides of the right side do not name coordinates of one profile",
        "integers and scaled basis elements are mixed";
    DiffersRule, IsComposition,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: no layout of this shape is the composition",
        "the layout would differ from the composition";
    PointsRule, FewPoints,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: a mode of stride 0 on the left is stepped over unevenly, so only comparing every element could tell, and there are {S}, more than _256",
        "too many elements to compare";
    BorrowRule, BorrowsNothing,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: strides of opposite sign on the right side borrow from one another across the modes of the left side",
        "strides of opposite sign borrow from one another";
    OverlapRule<Cur>, Disjoint,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: a layout is not injective, stride {D} lies inside the {Cur} elements that smaller strides cover",
        "the mode {S}:{D} overlaps the modes of smaller stride";
    CoverRule<T>, Covers,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: the sorted strides do not nest, and layout and complement do not reach {S} elements",
        "layout and complement end before {S}";
    GapRule, Nests,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: the sorted strides of the tiler do not nest, so some elements are in no tile",
        "some elements are in no tile";
    OrderRule, IsOffset,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: stride {D} is no positive integer",
        "negative and scaled-basis strides have no complement";
    PairRule, IsPair,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: `_` leaves mode {At} whole, which is no pair of tile and rest; write {S} for it in a divide, 1 in a product, or take the operation that begins with `Logical`",
        "the tiler's `_` gives neither a tile nor a rest";
    RaggedRule, Fills,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: the tiles hold {S} elements, the layout {D}; the divide without `Exact` rounds up",
        "the tiles do not fill the layout";
    PlacesRule, HasPlaces,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: the block is repeated to place {S} of the {D} that its complement has",
        "the block's holes do not hold the repeats";
    BlockRankRule, BlockRankFits,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: the block has more modes than the shape",
        "more modes than the shape";
    FillRule, BlockDivides,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: the block's {S} does not divide {D} (mode {At})",
        "the block does not divide the shape";
    RangeRule, InRange,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: the modes are no range of the layout's modes",
        "no such modes";
    RowsRule, OneRank,
        "{Name} {AS}:{AD} is not admissible: the modes to zip are not tuples of one rank",
        "the modes to zip have different ranks";
    CastStrideRule, CastDivides,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: stride {D} and the factor do not divide one another (mode {At}, {S}:{D})",
        "stride {D} does not divide the factor, nor is it divided by it";
    CastBasisRule, CastsInteger,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: {D} is a scaled basis, where an integer is needed",
        "a scaled-basis stride cannot be counted in other units";
    UnitRule, HasUnit,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: no mode has stride 1, so there are no adjacent elements",
        "no mode has stride 1";
    WholeRule, WholeUnits,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: the elements do not fill whole units; the upcast without `Exact` rounds up",
        "the elements do not fill whole units";
    InverseStrideRule, InverseDivides,
        "{Name} {AS}:{AD} is not admissible: stride {S} is no multiple of the next smaller stride {D}",
        "the sorted strides do not divide one another";
    QuasiRule, QuasiInverse,
        "{Name} {AS}:{AD} is not admissible: overlapping modes carry into stride {D}, past the end of its mode",
        "the result would be no quasi-inverse";
    OrderBasisRule, OrdersIntegers,
        "{Name} {AS}:{AD} is not admissible: a stride is a scaled basis, where an integer is needed",
        "scaled-basis strides have no order";
    InverseSignRule, InversePositive,
        "{Name} {AS}:{AD} is not admissible: stride {D} is negative",
        "a negative stride has no left inverse";
    OverflowRule, FitsWord,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: a number does not fit in 64 bits",
        "the size, a stride or the greatest offset of the result is too large";
    LeavesRule, HasFewLeaves,
        "{Name} {AS}:{AD} {Word} {BS}:{BD} is not admissible: the result has more than 32 leaves, or is nested more than 16 deep",
        "a layout has at most 32 leaves, nested at most 16 deep";
    InverseBasisRule, InverseInteger,
        "{Name} {AS}:{AD} is not admissible: {D} is a scaled basis, where an integer is needed",
        "a scaled-basis stride has no inverse";
}

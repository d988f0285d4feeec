//! Machinery: the kinds of the type level, and the functions that every operation may call on them.
//!
//! ```text
//!   kind Bool = Bool { True, False }  matched by { coalescing::OnBool, complements::OnBool, .. }
//!    -> pub trait BoolFunctions: coalescing::OnBool + complements::OnBool + .. {}      which the trait Bool requires
//!       impl BoolFunctions for True {}   impl BoolFunctions for False {}
//! ```
//!
//! A kind is a closed set of types, each made by a constructor, as an `enum` is a closed set of
//! values. An operation is a file of functions (`#[functions(crate::kinds::table)]`, see
//! [`layout_types_macros::functions`]). Its branches are associated types of a trait `OnKind` of
//! that file. The kind's trait requires `OnKind`, so that a bound on the kind suffices where the
//! operation is used. Only this table knows which files match on a kind. `num`, `tree` and `shape`
//! know no operation.
//!
//! `kind X = trait Y` declares the trait `Y` here. `kind X = Y` uses a trait that is declared
//! elsewhere. A constructor in brackets represents several types, and its one field is the whole
//! value.
#![allow(non_camel_case_types, missing_docs)]

pub use crate::algebra::borrow::{All, Along, BorrowRule, Falling, Integers, NoLevel, Rising};
pub use crate::algebra::cast::{CastBasisRule, CastStrideRule, UnitRule, WholeRule};
pub use crate::algebra::complements::{CoverRule, GapRule, OrderRule, OverlapRule};
pub use crate::algebra::complements::{Gap, NoGap, Unordered};
pub use crate::algebra::compose::{
    BasisRule, ByNumber, ByTree, DiffersRule, Each, MixedRule, NoGuide, PointsRule, RankRule, Whole,
};
pub use crate::algebra::compose_list::{
    ComposedParts, Digit, End, Failed, ShapeRule, Start, StepRule, StrideRule, Unbudgeted,
};
pub use crate::algebra::divide::{Exact, PairRule, RaggedRule, RoundUp};
pub use crate::algebra::fits::OverflowRule;
pub use crate::algebra::inverse::{
    Entry, InverseBasisRule, InverseSignRule, InverseStrideRule, NoEntry, NoneBefore, NullBefore,
    QuasiRule, Then,
};
pub use crate::algebra::make::OrderBasisRule;
pub use crate::algebra::modes::{RangeRule, RowsRule};
pub use crate::algebra::nesting::{Overlap, UpTo};
pub use crate::algebra::outcome::{Done, Here, Mode, ModePath, Outcome, Refused, Undecided};
pub use crate::algebra::points::{NoSum, Sum, SumOf};
pub use crate::algebra::product::{PlacesRule, Repeat};
pub use crate::algebra::shape_tiling::{BlockRankRule, ColumnMajor, FillRule};
pub use crate::num::{
    Bool, Difference, E, False, Nat, NatAdd, NatCmp, NatDiv, NatSub, One, QuotRem, StrideLeaf,
    True, Underflow, Zero,
};
pub use crate::shape::{CeilRest, ShapeTree};
pub use crate::tree::{Cons, M, ModeList, ModeTree, Nil};
pub use typenum::{B0, B1, NInt, NonZero, UInt, UTerm};

use crate::algebra::{
    borrow, carries, cast, coalescing, common_vectors, complements, compose, compose_list, decide,
    divide, fits, flatten, inverse, make, modes, nesting, points, product, runs, shape_tiling,
    slice, spans, swizzle, swizzle_types,
};
use crate::coord::TreeOffset;
use crate::ragged::RaggedBranch;

/// Passes the table to a macro of `layout_types_macros`, before its other tokens.
macro_rules! table {
    ($macro:ident $($text:tt)*) => {
        layout_types_macros::$macro! {
            {
                values in crate::values;

                /// Truth values.
                kind Bool = Bool { True, False }
                matched by {
                    borrow::OnBool, carries::OnBool, coalescing::OnBool, complements::OnBool, compose_list::OnBool,
                    cast::OnBool, common_vectors::OnBool, decide::OnBool, divide::OnBool,
                    fits::FitsBranch, flatten::OnBool, inverse::OnBool,
                    make::OnBool, modes::OnBool, nesting::OnBool, product::OnBool,
                    shape_tiling::OnBool, slice::StepBranch, spans::ImageBranch, spans::Verdict,
                    swizzle::SwizzleBranch, swizzle_types::MovedBranch, RaggedBranch,
                }

                /// Natural numbers.
                kind Nat: Stride + Shape + Allowance + Difference = Nat {
                    Zero = UTerm,
                    Positive[n: Nat] = UInt(u: Nat, B0) | UInt(u: Nat, B1),
                }
                matched by { points::NatPoints, slice::BitModes }

                /// Natural numbers from 1 on.
                kind Positive: Nat = Nat + NonZero {}

                /// A difference of natural numbers, or `Underflow` if it would be negative.
                kind Difference: Budget = Difference {
                    Underflow,
                    Number[n: Nat] = UTerm | UInt(u: Nat, B0) | UInt(u: Nat, B1),
                }
                matched by { points::PointDifference }

                /// Integers of either sign, and scaled basis elements.
                kind Stride = StrideLeaf {
                    Null = UTerm,
                    Positive[n: Nat] = UInt(u: Nat, B0) | UInt(u: Nat, B1),
                    Negative(n: Positive) = NInt,
                    Basis(mode: Nat, scale: Stride) = E,
                }
                matched by {
                    borrow::OnStride, complements::OnStride, compose_list::OnStride,
                    carries::OnStride, cast::OnStride, decide::OnStride, inverse::OnStride, points::AddStride,
                    runs::RunStride, swizzle_types::ShiftStride,
                }

                /// Layouts as trees of modes.
                kind Tree = ModeTree { M(shape: Nat, stride: Stride), Nil, Cons(first: Tree, others: List) }
                matched by {
                    coalescing::OnTree, complements::OnTree, compose_list::OnTree,
                    carries::OnTree, cast::OnTree, common_vectors::OnTree, decide::OnTree, fits::FitsTree,
                    flatten::OnTree, inverse::OnTree, make::OnTree, modes::OnTree,
                    nesting::OnTree, points::PointTree, product::OnTree, runs::RunTree, spans::ImageTree, TreeOffset,
                }

                /// Lists of trees.
                kind List: Tree = ModeList { Nil, Cons(first: Tree, others: List) }
                matched by {
                    coalescing::OnList, compose::OnList,
                    cast::OnList, decide::OnList, divide::OnList,
                    flatten::OnList, inverse::OnList, make::OnList,
                    modes::OnList, product::OnList, runs::RunList, shape_tiling::OnList,
                }

                /// The path to a mode in a tree.
                kind Path = ModePath { Here, Mode(at: Nat, way: Path) }

                /// The rules that refuse an operation, with the numbers that their sentence says
                /// beside the mode.
                kind Rule = _ {
                    RankRule,
                    OrderRule,
                    OverlapRule(below: Nat),
                    CoverRule(reach: Nat),
                    StrideRule(stride: Nat, shape: Nat),
                    StepRule(steps: Nat, stride: Nat, shape: Nat),
                    ShapeRule(shape: Nat, steps: Nat),
                    CarryRule(shape: Nat),
                    MixedRule,
                    BasisRule,
                    DiffersRule,
                    PointsRule,
                    BorrowRule,
                    GapRule,
                    RaggedRule,
                    PairRule,
                    PlacesRule,
                    OverflowRule,
                    RowsRule,
                    RangeRule,
                    OrderBasisRule,
                    FillRule,
                    BlockRankRule,
                    CastStrideRule,
                    CastBasisRule,
                    UnitRule,
                    WholeRule,
                    InverseStrideRule,
                    QuasiRule,
                    InverseSignRule,
                    InverseBasisRule,
                }

                /// The result of an operation: a tree; the rule that forbids the result, with the
                /// mode that broke the rule or two numbers of the rule's own; or `Undecided`. A
                /// field with a default may be left out.
                kind Outcome = Outcome {
                    Done(tree: Tree, left: Digits = Start),
                    Refused(why: Rule, shape: Nat, stride: Stride, way: Path),
                    Undecided,
                }
                matched by {
                    complements::OnOutcome, compose::OnOutcome, compose_list::OnOutcome,
                    cast::OnOutcome, common_vectors::OnOutcome, decide::OnOutcome, divide::OnOutcome,
                    flatten::OnOutcome, product::OnOutcome, slice::SliceNext,
                }

                /// The left operand of a composition, coalesced, the lowest digit first.
                kind Digits = trait Digits: Copy + Default + 'static {
                    Start(budget: Allowance = 0),
                    End(shape: Nat, budget: Allowance, stride: Stride),
                    Digit(shape: Nat, budget: Allowance, stride: Stride, higher: Digits),
                }
                matched by { borrow::OnDigits, compose_list::OnDigits }

                /// The modes that one mode of a composition's right operand became, or the rule
                /// that forbids them.
                kind Leaf = trait ComposedLeaf {
                    Failed(why: Rule),
                    Undecided,
                    ComposedParts(modes: List, left: Digits),
                }
                matched by { compose_list::OnLeaf }

                /// The rest of a digit's budget, or `Underflow` if the budget does not suffice.
                kind Budget = trait Budget {
                    Underflow,
                    Number[n: Nat] = UTerm | UInt(u: Nat, B0) | UInt(u: Nat, B1),
                    Unbudgeted(parts: Sorted),
                }
                matched by { compose_list::OnBudget }

                /// A digit's budget: the number of steps of 1 that are left or, where nothing is
                /// checked, the parts that were taken.
                kind Allowance: Budget = trait Allowance: Copy + Default + 'static {
                    Number[n: Nat] = UTerm | UInt(u: Nat, B0) | UInt(u: Nat, B1),
                    Unbudgeted(parts: Sorted),
                }
                matched by { compose_list::OnAllowance }

                /// Modes by increasing stride.
                kind Sorted = trait Sorted: Copy + Default + 'static {
                    NoGap,
                    Gap(shape: Nat, stride: Nat, others: Sorted),
                    Unordered(shape: Nat, stride: Stride),
                }
                matched by { complements::OnSorted }

                /// The order in which modes are filled: the first mode first, or a number for each
                /// mode.
                kind Order = trait FillOrder {
                    ColumnMajor, Nil, Cons(first: Nat, others: Indices),
                }
                matched by { shape_tiling::OnOrder }

                /// The reach of some modes that nest, or `Overlap` if they do not nest.
                kind Ascent = trait Ascent { UpTo(reach: Nat), Overlap }
                matched by { nesting::OnAscent }

                /// The room that a quick test of a layout's size has left (`algebra::room`).
                kind Room = Room {}

                /// Numbers of modes, or numbers that belong to modes.
                kind Indices: Order = trait Indices { Nil, Cons(first: Nat, others: Indices) }
                matched by { modes::OnIndices, shape_tiling::OnIndices }

                /// Shapes: numbers and tuples of shapes.
                kind Shape = ShapeTree {}
                /// The strides that a walk looks at.
                kind Pick = trait Pick {
                    All, Integers, Rising, Falling, Along(mode: Nat, pick: Pick),
                }
                matched by { borrow::OnPick }

                /// The level of a walk for borrows.
                kind Level = trait Level { NoLevel, SumOf(up: Nat, down: Nat), NoSum }
                matched by { borrow::OnLevel }

                /// A sum of offsets.
                kind Sum: Level = Sum { SumOf(up: Nat, down: Nat), NoSum }

                /// The operation that a tiler applies to a layout: composition with a tree or with
                /// a number of elements, no change, or a separate operation for each mode.
                kind Guide = trait Guide {
                    ByTree(tree: Tree), ByNumber(n: Nat), Whole, NoGuide,
                    Each(first: Guide, others: Guides),
                }
                matched by { compose::OnGuide, divide::OnGuide, flatten::OnGuide }

                /// The operations that a tuple of tilers applies to the modes.
                kind Guides: Guide = trait Guides { NoGuide, Each(first: Guide, others: Guides) }
                matched by { divide::OnGuides }

                /// What a divide does if its tiles do not fill the layout. Products use `Repeat`:
                /// each mode is repeated.
                kind Fit = trait Fit { RoundUp, Exact, Repeat }
                matched by { divide::OnFit }

                /// The previous mode in the walk of the left inverse.
                kind Before = trait Before {
                    NoneBefore, NullBefore(shape: Nat),
                    Entry(shape: Nat, stride: Stride, first: Nat, is_last: Bool),
                }
                matched by { inverse::OnBefore }

                /// A mode, the index of its first step, and whether it is the layout's last.
                kind Entry: Before = trait AnyEntry {
                    Entry(shape: Nat, stride: Stride, first: Nat, is_last: Bool),
                }
                matched by { inverse::OnEntry }

                /// The modes that are inverted.
                kind Entries = trait Entries { NoEntry, Then(entry: Entry, others: Entries) }
                matched by { inverse::OnEntries }

                fn not(a: Bool) -> Bool { <a as Bool>::Not }
                fn and(a: Bool, b: Bool) -> Bool { <a as Bool>::And<b> }
                fn or(a: Bool, b: Bool) -> Bool { <a as Bool>::Or<b> }

                fn is_zero(n: Nat) -> Bool { <n as NatCmp>::IsZero }
                fn is_one(n: Nat) -> Bool { <n as NatCmp>::IsOne }
                fn equals(a: Nat, b: Nat) -> Bool { <a as NatCmp>::Equals<b> }
                fn at_least(a: Nat, b: Nat) -> Bool { <a as NatCmp>::AtLeast<b> }
                fn plus(a: Nat, b: Nat) -> Nat { <a as NatAdd>::Add<b> }
                fn times(a: Nat, b: Nat) -> Nat { <a as NatAdd>::Mul<b> }
                /// Returns `n + 1`.
                fn succ(n: Nat) -> Nat { <n as NatAdd>::Succ }
                /// Returns `n - 1`, or 0 if `n` is 0.
                fn pred(n: Nat) -> Nat { <<n as NatSub>::Sub<One> as Difference>::OrZero }
                fn checked_sub(a: Nat, b: Nat) -> Difference { <a as NatSub>::Sub<b> }
                /// Returns `a / b`, rounded down, or 0 if `b` is 0.
                fn over(a: Nat, b: Nat) -> Nat { <<a as NatDiv>::DivRem<b> as QuotRem>::Quot }
                /// Returns the remainder of `a / b`, or `a` if `b` is 0.
                fn rem(a: Nat, b: Nat) -> Nat { <<a as NatDiv>::DivRem<b> as QuotRem>::Rem }
                /// Returns `a / b`, rounded up, for `b` not 0.
                fn div_ceil(a: Nat, b: Nat) -> Nat { <<a as NatDiv>::DivRem<b> as QuotRem>::Ceil }
                /// Returns `a - b`, or 0 if `b` is larger.
                fn minus(a: Nat, b: Nat) -> Nat { <<a as NatSub>::Sub<b> as Difference>::OrZero }
                fn least(a: Nat, b: Nat) -> Nat { <a as NatCmp>::Min::<b> }
                fn gcd(a: Nat, b: Nat) -> Nat { <a as NatDiv>::GcdOf::<b> }
                /// Whether `a % b == 0`.
                fn is_multiple(a: Nat, b: Nat) -> Bool { <<a as NatDiv>::DivRem<b> as QuotRem>::Exact }

                /// Returns the stride `d` times the number `n`.
                fn scale(d: Stride, n: Nat) -> Stride { <d as StrideLeaf>::Scale<n> }
                fn same(d: Stride, e: Stride) -> Bool { <d as StrideLeaf>::Same<e> }
                /// Returns the stride with the opposite sign.
                fn opposite(d: Stride) -> Stride { <d as StrideLeaf>::Negate }
                fn is_null(d: Stride) -> Bool { <d as StrideLeaf>::Null }
                /// Whether `d` is less than `e`; false if either stride is a scaled basis element.
                fn is_less(d: Stride, e: Stride) -> Bool { <d as StrideLeaf>::Less::<e> }
                /// Returns the magnitude of a stride, without its sign and without the modes of a
                /// basis element.
                fn magnitude(d: Stride) -> Nat { <d as StrideLeaf>::Magnitude }

                /// Returns the same tree with the sign of each stride changed.
                fn negated(t: Tree) -> Tree { <t as ModeTree>::Negated }
                /// Returns the list of the top-level modes; a leaf is its own only mode.
                fn modes_of(t: Tree) -> List { <t as ModeTree>::Modes }
                fn size(t: Tree) -> Nat { <t as ModeTree>::Size }
                fn rank(t: Tree) -> Nat { <t as ModeTree>::Rank }
                fn shape_of(t: Tree) -> Shape { <t as ModeTree>::Shape }
                /// Returns the list of the modes of `t`, or, if `t` has exactly one mode, the list
                /// that contains `t` itself.
                fn spliced(t: Tree) -> List { <t as ModeTree>::Spliced }
                /// Returns the first mode, or `1:0` if the list is empty.
                fn head(list: List) -> Tree { <list as ModeList>::First }
                /// Returns the list without its first mode.
                fn tail(list: List) -> List { <list as ModeList>::Rest }
                fn concat(list: List, more: List) -> List { <list as ModeList>::Concat::<more> }
                /// Returns the greatest offset, where each stride counts by its magnitude.
                fn reach(t: Tree) -> Nat { <t as ModeTree>::Reach }

                /// Inserts `first` before the modes of a result. A refusal at a mode then names the
                /// next mode.
                fn behind(o: Outcome, first: Tree) -> Outcome { <o as Outcome>::Behind<first> }
                /// Simplifies a result: a list of one mode becomes the mode, and the empty list
                /// becomes `1:0`. No modes are coalesced.
                fn simplest_outcome(o: Outcome) -> Outcome { <o as Outcome>::Simplest }

                fn is_number(s: Shape) -> Bool { <s as ShapeTree>::IsNumber }
                fn shape_size(s: Shape) -> Nat { <s as ShapeTree>::Size }
            }
            $($text)*
        }
    };
}
pub(crate) use table;

table!(kinds);

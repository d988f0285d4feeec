//! The outcome of an operation: a tree of modes, or the rule that forbids it.
//!
//! ```text
//!   Done<Tree, Left>                      Refused<Why, S, D, Mode<I, Here>>
//! ```
//!
//! Law: an operation's trait holds if and only if the outcome is [`Done`]. A [`Refused`] passes
//! through all further steps, which only extend the path to the mode that broke the rule, and ends
//! in the message of `Forbids`.

use super::coalescing::simplest;
use super::compose_list::{Digits, Start};
use super::fits::{Fitting, InRange};
use super::message::{Broken, Operand, Operation, PathText};
use crate::decimal::Decimal;
use crate::kinds::OutcomeFunctions;
use crate::layout::{LayoutFn, ShapeOf, StrideOf};
use crate::num::{Nat, StrideLeaf};
use crate::tree::{Cons, ModeTree, Nil, phantom};

/// A result or a refusal, and the next step of each operation on it.
#[doc(hidden)]
pub trait Outcome: OutcomeFunctions {
    /// The outcome with the element `H` of a tuple inserted before it.
    type Behind<H: ModeTree>: Outcome;
    /// The outcome with a simplified tree: a list of one mode becomes the mode, and the empty list
    /// becomes `1:0`.
    type Simplest: Outcome;
}

phantom! {
    /// The resulting tree. For a composition, `X` is the left operand with the remaining budget.
    Done<T, X = Start>
}
phantom! {
    /// The refusal by the rule `Why`, which the mode `S:D` broke. `Path` leads to this mode.
    Refused<Why, S, D, Path>
}
/// A composition that the walk over digits cannot decide; the search in `decide.rs` decides it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Undecided;

/// The end of a path: this mode itself broke the rule.
#[derive(Clone, Copy, Debug, Default)]
pub struct Here;
phantom! {
    /// The path to element `I` of a tuple, and from there along `P`.
    Mode<I, P>
}

/// The path to a mode in a tree.
#[doc(hidden)]
pub trait ModePath: Copy + Default + 'static {
    /// The path after one more element was inserted before.
    type Next: ModePath;
}
impl ModePath for Here {
    type Next = Here;
}
impl<I: Nat, P: ModePath> ModePath for Mode<I, P> {
    type Next = Mode<I::Succ, P>;
}

impl<T: ModeTree, X: Digits> Outcome for Done<T, X> {
    type Behind<H: ModeTree> = Done<Cons<H, T::Modes>, X>;
    type Simplest = Done<simplest<T::Modes>, X>;
}
impl<Why, S: Nat, D: StrideLeaf, P: ModePath> Outcome for Refused<Why, S, D, P> {
    type Behind<H: ModeTree> = Refused<Why, S, D, P::Next>;
    type Simplest = Self;
}
impl Outcome for Undecided {
    type Behind<H: ModeTree> = Self;
    type Simplest = Self;
}

/// Implemented if the operation `Op` on `A` and `B` has a result.
#[doc(hidden)]
pub trait Admissible<Op, A, B> {
    /// The tree of the result.
    type Tree: ModeTree;
}
impl<Op, A, B, T: ModeTree, X: Digits> Admissible<Op, A, B> for Done<T, X>
where
    Fitting<T>: InRange<Op, A, B>,
{
    type Tree = T;
}
impl<Op, A, B, Why, S: Nat, D: StrideLeaf, P: ModePath> Admissible<Op, A, B>
    for Refused<Why, S, D, P>
where
    Op: Operation,
    A: LayoutFn,
    ShapeOf<A>: Decimal,
    StrideOf<A>: Decimal,
    B: Operand,
    S: Decimal,
    D: Decimal,
    P: PathText,
    Why: Broken<
            Op::Name,
            Op::Word,
            <ShapeOf<A> as Decimal>::Text,
            <StrideOf<A> as Decimal>::Text,
            B::Shape,
            B::Stride,
            S::Text,
            D::Text,
            P::Text,
        >,
{
    type Tree = Nil;
}

/// Defines the operations, with the names and words that messages print.
macro_rules! operations {
    ($($(#[$m:meta])* $op:ident, $name:ident, $word:ident;)*) => {
        $(
            $(#[$m])*
            #[derive(Clone, Copy, Debug, Default)]
            pub struct $op;
            impl Operation for $op {
                type Name = names::$name;
                type Word = words::$word;
            }
        )*
        /// Names of operations as messages print them.
        #[allow(non_camel_case_types, missing_docs)]
        pub mod names {
            $(pub struct $name;)*
        }
    };
}
/// Words between operands as messages print them.
#[allow(non_camel_case_types, missing_docs)]
pub mod words {
    pub struct o;
    pub struct by;
    pub struct within;
    pub struct and;
    pub struct to;
}
operations! {
    /// Coalesce by profile.
    Coalesces, coalesce, by;
    /// Inverses.
    RightInverses, right_inverse, and;
    /// Inverses.
    LeftInverses, left_inverse, and;
    /// Upcast.
    Upcasts, upcast, by;
    /// Upcast without remainder.
    ExactUpcasts, exact_upcast, by;
    /// Downcast.
    Downcasts, downcast, by;
    /// Recast.
    Recasts, recast, to;
    /// Fragments.
    Fragments, make_fragment_like, and;
    /// Layouts like others.
    Likes, make_layout_like, and;
    /// Common layouts.
    Commons, max_common_layout, and;
    /// Alignment.
    Alignments, max_alignment, and;
    /// Composition.
    Compositions, composition, o;
    /// Complement.
    Complements, complement, within;
    /// Divide.
    LogicalDivides, logical_divide, by;
    /// Divide.
    ZippedDivides, zipped_divide, by;
    /// Divide.
    TiledDivides, tiled_divide, by;
    /// Divide.
    FlatDivides, flat_divide, by;
    /// Exact divide.
    ExactLogicalDivides, exact_logical_divide, by;
    /// Exact divide.
    ExactZippedDivides, exact_zipped_divide, by;
    /// Exact divide.
    ExactTiledDivides, exact_tiled_divide, by;
    /// Exact divide.
    ExactFlatDivides, exact_flat_divide, by;
    /// Product.
    LogicalProducts, logical_product, and;
    /// Product.
    ZippedProducts, zipped_product, and;
    /// Product.
    TiledProducts, tiled_product, and;
    /// Product.
    FlatProducts, flat_product, and;
    /// Product.
    BlockedProducts, blocked_product, and;
    /// Product.
    RakedProducts, raked_product, and;
    /// `tile_to_shape`.
    TilesToShape, tile_to_shape, to;
    /// Modes.
    Selects, select, by;
    /// Modes.
    Takes, take, by;
    /// Modes.
    Groups, group, by;
    /// Modes.
    Replaces, replace, by;
    /// Modes.
    Appends, append, to;
    /// Modes.
    Prepends, prepend, to;
    /// Modes.
    Zips, zip, and;
}

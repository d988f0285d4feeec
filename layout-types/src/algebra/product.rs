//! The products: a layout repeated as another says.
//!
//! ```text
//!   (2,2):(4,1) x 6:1   =   ((2,2),(2,3)):((4,1),(2,8))       (block, repeats)
//! ```
//!
//! Law: `logical_product(A, B) = (A, complement(A, size(A) * cosize(B)) o B)`: mode 0 is the block, mode 1 walks over
//! disjoint repeats of it in the order of `B`. The blocked product pairs the modes of block and repeats,
//! `((BlockM,RepeatM),(BlockN,RepeatN),..)`, the raked product puts the repeats first
//! (CuTe: `cute/layout.hpp`, "Logical product").

use super::complement::ComplementOf;
use super::compose_list::Digits;
use super::composition::ComposeNext;
use super::outcome::{Admissible, Done, ModePath, Outcome, Products, Refused};
use crate::layout::LayoutFn;
use crate::num::{Nat, NatAdd, StrideLeaf};
use crate::shape::ShapeList;
use crate::tree::{Cons, ModeList, ModeTree, Nil};

/// `logical_product` of two trees.
pub type ProductOf<A, B> = <<ComplementOf<
    A,
    <<A as ModeTree>::Size as Nat>::Times<<<B as ModeTree>::Reach as NatAdd>::Succ>,
> as ComposeNext>::ThenCompose<B> as ProductNext>::PairBehind<A>;

/// What the products do next.
pub trait ProductNext {
    /// `(A, Self)`.
    type PairBehind<A: ModeTree>: Outcome;
    /// The modes of block and repeats in pairs.
    type Blocked: Outcome;
    /// The modes of repeats and block in pairs.
    type Raked: Outcome;
}
impl<T: ModeTree, X: Digits> ProductNext for Done<T, X> {
    type PairBehind<A: ModeTree> = Done<Cons<A, Cons<T, Nil>>>;
    type Blocked = Done<<BlockModes<T> as ProductModes>::Zip<RepeatModes<T>>>;
    type Raked = Done<<RepeatModes<T> as ProductModes>::Zip<BlockModes<T>>>;
}
impl<Why, S: Nat, D: StrideLeaf, P: ModePath> ProductNext for Refused<Why, S, D, P> {
    type PairBehind<A: ModeTree> = Self;
    type Blocked = Self;
    type Raked = Self;
}
type BlockModes<T> = <<<T as ModeTree>::Modes as ModeList>::First as ModeTree>::Modes;
type RepeatModes<T> =
    <<<<T as ModeTree>::Modes as ModeList>::Rest as ModeList>::First as ModeTree>::Modes;

/// Lists of modes in products.
pub trait ProductModes {
    /// `((A0,B0),(A1,B1),..)` for two lists of one length.
    type Zip<B: ModeList>: ModeList;
    /// At least as many modes as `B` has: `1:0` is appended.
    type PadTo<B: ShapeList>: ModeList;
}
impl ProductModes for Nil {
    type Zip<B: ModeList> = Nil;
    type PadTo<B: ShapeList> = B::Units;
}
impl<H: ModeTree, T: ModeList> ProductModes for Cons<H, T> {
    type Zip<B: ModeList> = Cons<Cons<H, Cons<B::First, Nil>>, T::Zip<B::Rest>>;
    type PadTo<B: ShapeList> = Cons<H, T::PadTo<B::Rest>>;
}

/// `logical_product`: the block `A` and its repeats in the order of `B`, `(A, repeats)`.
///
/// ```
/// use layout_types::prelude::*;
/// type P = LogicalProduct<layout!((2,2):(4,1)), layout!(6:1)>;
/// assert_eq!(P::default().to_string(), "((2,2),(2,3)):((4,1),(2,8))");
/// ```
pub type LogicalProduct<A, B> = <A as LogicalProductBy<B>>::Output;
/// `Self` can be repeated as `B` says.
pub trait LogicalProductBy<B>: LayoutFn {
    /// [`LogicalProduct`].
    type Output: LayoutFn;
}
impl<A: LayoutFn, B: LayoutFn> LogicalProductBy<B> for A
where
    ProductOf<A::Modes, B::Modes>: Admissible<Products, A, B>,
{
    type Output = A::With<<ProductOf<A::Modes, B::Modes> as Admissible<Products, A, B>>::Tree>;
}

//! `tile_to_shape`: a block repeated until it fills a shape.
//!
//! ```text
//!   (8,32):(32,1) to (128,32,3)    =    ((8,16),(32,1),(1,3)):((32,256),(1,0),(0,4096))
//! ```
//!
//! Law: `T = TileToShape<B, S>` has size `size(S)`, mode `i` has size `size(S_i)`, and mode `i` of
//! `T` is mode `i` of the block followed by its repeats; the repeats are ordered column-major, or
//! as asked (CuTe: `tile_to_shape` in `cute/layout.hpp`).

use super::make::ordered_modes;
use super::outcome::{Admissible, Here, Mode, Outcome, Refused, TilesToShape};
use super::product::{padded, padded_modes, product, side_by_side};
use crate::layout::LayoutFn;
use crate::num::{Bool, False, Nat, NatAdd, NatCmp, NatDiv, One, QuotRem, True, Zero};
use crate::shape::{ShapeList, ShapeTree};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil};

/// `tile_to_shape`: the block repeated until it fills the shape, modes in column-major order, or in
/// the order of a tuple of numbers.
///
/// ```
/// use layout_types::prelude::*;
/// type T = TileToShape<layout!((8,32):(32,1)), shape!((128,32,3))>;
/// assert_eq!(T::default().to_string(), "((8,16),(32,1),(1,3)):((32,256),(1,0),(0,4096))");
/// // As in CuTe, an integer block and its repeats, which are a 1-tuple, make one mode.
/// assert_eq!(TileToShape::<layout!(8:1), shape!(16)>::default().to_string(), "((8,(2))):((1,(8)))");
/// ```
#[doc(alias = "tile_to_shape")]
pub type TileToShape<Block, Shape, Order = ColumnMajor> = <Block as TileTo<Shape, Order>>::Output;

/// `Self` can fill the shape `S`, its repeats in the order `O`.
#[diagnostic::on_unimplemented(
    message = "tile_to_shape is not admissible for these operands",
    label = "no such tiling"
)]
pub trait TileTo<S, O = ColumnMajor>: LayoutFn {
    /// [`TileToShape`].
    type Output: LayoutFn;
}
impl<A: LayoutFn, S: ShapeTree, O: FillOrder> TileTo<S, O> for A
where
    TiledToShape<A::Modes, S, O>: Admissible<TilesToShape, A, S>,
{
    type Output = A::With<<TiledToShape<A::Modes, S, O> as Admissible<TilesToShape, A, S>>::Tree>;
}

/// A tree repeated until it fills the shape `S`, in the order `O`.
pub type TiledToShape<T, S, O> = <<<<<S as ShapeTree>::Elements as ShapeList>::Len as NatCmp>::AtLeast<
    <T as ModeTree>::Rank,
> as Bool>::And<<O as FillOrder>::Fits<<S as ShapeTree>::Elements>> as FillBranch>::RankFits<
    T,
    <S as ShapeTree>::Elements,
    O,
>;
/// The block with modes `1:0` up to the rank of the shape; an integer stays one beside a shape of
/// rank 1.
type PaddedBlock<T, S> = padded<T, <S as ShapeList>::Units>;
type PaddedModes<T, S> = padded_modes<<T as ModeTree>::Modes, <S as ShapeList>::Units>;

/// The first mode is filled first.
#[derive(Clone, Copy, Debug, Default)]
pub struct ColumnMajor;
/// The order in which the modes of a shape are filled: [`ColumnMajor`], or a tuple of numbers, one
/// for each mode.
pub trait FillOrder {
    /// The compact layout of the shape in this order.
    type Ordered<R: ShapeList>: ModeList;
    /// Has it a number for each element?
    type Fits<S: ShapeList>: Bool;
}
impl FillOrder for ColumnMajor {
    type Ordered<R: ShapeList> = R::LeftList<One>;
    type Fits<S: ShapeList> = True;
}
impl FillOrder for Nil {
    type Ordered<R: ShapeList> = Nil;
    type Fits<S: ShapeList> = <S::Len as NatCmp>::IsZero;
}
impl<H: Nat, T: OrderList> FillOrder for Cons<H, T> {
    type Ordered<R: ShapeList> =
        ordered_modes<<Self as OrderList>::ZipWith<R>, <Self as OrderList>::ZipWith<R>>;
    type Fits<S: ShapeList> = <S::Len as NatCmp>::Equals<<Self as OrderList>::Len>;
}
/// A tuple of numbers that order modes.
pub trait OrderList {
    /// The elements of `R` as modes whose strides are the numbers.
    type ZipWith<R: ShapeList>: ModeList;
    /// How many there are.
    type Len: Nat;
}
impl OrderList for Nil {
    type ZipWith<R: ShapeList> = Nil;
    type Len = Zero;
}
impl<H: Nat, T: OrderList> OrderList for Cons<H, T> {
    type ZipWith<R: ShapeList> = Cons<M<<R::First as ShapeTree>::Size, H>, T::ZipWith<R::Rest>>;
    type Len = <T::Len as NatAdd>::Succ;
}

/// Blocks that fill a shape.
pub trait FillModes {
    /// How often each mode fits into that of the shape.
    type Repeats<S: ShapeList>: ShapeList;
    /// Does each mode divide that of the shape?
    type Fills<S: ShapeList>: Bool;
    /// The refusal of the first mode that does not, `I` being the number of modes before these.
    type Refusal<S: ShapeList, I: Nat>: Outcome;
}
impl FillModes for Nil {
    type Repeats<S: ShapeList> = Nil;
    type Fills<S: ShapeList> = True;
    type Refusal<S: ShapeList, I: Nat> = Refused<FillRule, Zero, Zero, Here>;
}
impl<H: ModeTree, T: ModeList> FillModes for Cons<H, T> {
    type Repeats<S: ShapeList> =
        Cons<<<S::First as ShapeTree>::Size as Nat>::Over<H::Size>, T::Repeats<S::Rest>>;
    type Fills<S: ShapeList> = <<<<S::First as ShapeTree>::Size as NatDiv>::DivRem<H::Size> as QuotRem>::Exact
        as Bool>::And<T::Fills<S::Rest>>;
    type Refusal<S: ShapeList, I: Nat> = <<<<S::First as ShapeTree>::Size as NatDiv>::DivRem<
        H::Size,
    > as QuotRem>::Exact as FillBranch>::RefusalFrom<H, T, S, I>;
}

/// What `tile_to_shape` does on a truth value.
pub trait FillBranch {
    /// True: the block has at most as many modes as the shape.
    type RankFits<T: ModeTree, S: ShapeList, O: FillOrder>: Outcome;
    /// True: the modes of the block, as many as those of the shape, divide them.
    type Fill<T: ModeTree, S: ShapeList, O: FillOrder>: Outcome;
    /// True: the mode `H` of the block, before the modes `T`, divides the first of the shape.
    type RefusalFrom<H: ModeTree, T: FillModes, S: ShapeList, I: Nat>: Outcome;
}
impl FillBranch for True {
    type RankFits<T: ModeTree, S: ShapeList, O: FillOrder> =
        <<PaddedModes<T, S> as FillModes>::Fills<S> as FillBranch>::Fill<PaddedBlock<T, S>, S, O>;
    type Fill<T: ModeTree, S: ShapeList, O: FillOrder> =
        side_by_side<product<T, O::Ordered<<T::Modes as FillModes>::Repeats<S>>>>;
    type RefusalFrom<H: ModeTree, T: FillModes, S: ShapeList, I: Nat> =
        T::Refusal<S::Rest, <I as NatAdd>::Succ>;
}
impl FillBranch for False {
    type RankFits<T: ModeTree, S: ShapeList, O: FillOrder> =
        Refused<BlockRankRule, Zero, Zero, Here>;
    type Fill<T: ModeTree, S: ShapeList, O: FillOrder> = <T::Modes as FillModes>::Refusal<S, Zero>;
    type RefusalFrom<H: ModeTree, T: FillModes, S: ShapeList, I: Nat> =
        Refused<FillRule, H::Size, <S::First as ShapeTree>::Size, Mode<I, Here>>;
}

/// The block has more modes than the shape.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockRankRule;
/// A mode of the block does not divide that of the shape.
#[derive(Clone, Copy, Debug, Default)]
pub struct FillRule;

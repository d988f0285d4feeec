//! `tile_to_shape`: a block repeated until it fills a shape.
//!
//! ```text
//!   (8,32):(32,1) to (128,32,3)    =    ((8,16),(32,1),(1,3)):((32,256),(1,0),(0,4096))
//! ```
//!
//! Law: `T = TileToShape<B, S>` has size `size(S)`, mode `i` has size `size(S_i)`, and mode `i` of `T` is mode `i` of the
//! block followed by its repeats; the repeats are ordered column-major (CuTe: `tile_to_shape` in
//! `cute/layout.hpp`).

use super::outcome::{Admissible, Here, Outcome, Refused, TilesToShape};
use super::product::{ProductNext, ProductOf};
use crate::layout::LayoutFn;
use crate::num::{Bool, False, Nat, NatCmp, NatDiv, One, QuotRem, True, Zero};
use crate::shape::{ShapeList, ShapeTree};
use crate::tree::{Cons, ModeList, ModeTree, Nil};

/// `tile_to_shape`: the block repeated until it fills the shape, modes in column-major order.
///
/// ```
/// use layout_types::prelude::*;
/// type T = TileToShape<layout!((8,32):(32,1)), shape!((128,32,3))>;
/// assert_eq!(T::default().to_string(), "((8,16),(32,1),(1,3)):((32,256),(1,0),(0,4096))");
/// ```
pub type TileToShape<Block, Shape> = <Block as TileTo<Shape>>::Output;

/// `Self` can fill the shape `S`.
pub trait TileTo<S>: LayoutFn {
    /// [`TileToShape`].
    type Output: LayoutFn;
}
impl<A: LayoutFn, S: ShapeTree> TileTo<S> for A
where
    TiledToShape<A::Modes, S>: Admissible<TilesToShape, A, S>,
{
    type Output = A::With<<TiledToShape<A::Modes, S> as Admissible<TilesToShape, A, S>>::Tree>;
}

/// A tree repeated until it fills the shape `S`.
pub type TiledToShape<T, S> = <<<<S as ShapeTree>::Elements as ShapeList>::Len as NatCmp>::AtLeast<
    <T as ModeTree>::Rank,
> as FillBranch>::RankFits<<T as ModeTree>::Modes, <S as ShapeTree>::Elements>;

/// Blocks that fill a shape.
pub trait FillModes {
    /// How often each mode fits into that of the shape.
    type Repeats<S: ShapeList>: ShapeList;
    /// Does each mode divide that of the shape?
    type Fills<S: ShapeList>: Bool;
}
impl FillModes for Nil {
    type Repeats<S: ShapeList> = Nil;
    type Fills<S: ShapeList> = True;
}
impl<H: ModeTree, T: ModeList> FillModes for Cons<H, T> {
    type Repeats<S: ShapeList> =
        Cons<<<S::First as ShapeTree>::Size as Nat>::Over<H::Size>, T::Repeats<S::Rest>>;
    type Fills<S: ShapeList> = <<<<S::First as ShapeTree>::Size as NatDiv>::DivRem<H::Size> as QuotRem>::Exact
        as Bool>::And<T::Fills<S::Rest>>;
}

/// What `tile_to_shape` does on a truth value.
pub trait FillBranch {
    /// True: the block has at most as many modes as the shape.
    type RankFits<T: ModeList, S: ShapeList>: Outcome;
    /// True: the modes of the block, as many as those of the shape, divide them.
    type Fill<T: ModeList, S: ShapeList>: Outcome;
}
impl FillBranch for True {
    type RankFits<T: ModeList, S: ShapeList> =
        <<T::PadTo<S> as FillModes>::Fills<S> as FillBranch>::Fill<T::PadTo<S>, S>;
    type Fill<T: ModeList, S: ShapeList> =
        <ProductOf<T, <T::Repeats<S> as ShapeList>::LeftList<One>> as ProductNext>::Blocked;
}
impl FillBranch for False {
    type RankFits<T: ModeList, S: ShapeList> = Refused<BlockRankRule, Zero, Zero, Here>;
    type Fill<T: ModeList, S: ShapeList> = Refused<FillRule, Zero, Zero, Here>;
}

/// The block has more modes than the shape.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockRankRule;
/// A mode of the block does not divide that of the shape.
#[derive(Clone, Copy, Debug, Default)]
pub struct FillRule;

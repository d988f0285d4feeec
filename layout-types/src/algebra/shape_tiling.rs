//! `tile_to_shape` repeats a block until it fills a shape.
//!
//! ```text
//!   (8,32):(32,1) to (128,32,3)    =    ((8,16),(32,1),(1,3)):((32,256),(1,0),(0,4096))
//! ```
//!
//! Law: `T = TileToShape<B, S>` has size `size(S)`, mode `i` has size `size(S_i)`, and mode `i` of
//! `T` is mode `i` of the block followed by its repetitions. The repetitions are ordered
//! column-major, or as requested (CuTe: `tile_to_shape` in `cute/layout.hpp`).

use super::make::{column_major_modes, ordered_modes};
use super::outcome::{Admissible, TilesToShape};
use super::product::{padded, product, side_by_side};
use crate::kinds::*;
use crate::layout::LayoutFn;
use crate::shape::ShapeList;
use layout_types_macros::functions;

/// `tile_to_shape`: the block repeated until it fills the shape. The repetitions go along the modes
/// in column-major order, or in the order of a tuple of numbers.
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

/// Layouts that can fill the shape `S`, with repetitions in the order `O`.
#[diagnostic::on_unimplemented(
    message = "tile_to_shape is not admissible for these operands",
    label = "no such tiling"
)]
#[doc(hidden)]
pub trait TileTo<S, O = ColumnMajor>: LayoutFn {
    /// [`TileToShape`].
    type Output: LayoutFn;
}
impl<A: LayoutFn, S: ShapeTree, O: FillOrder> TileTo<S, O> for A
where
    tiled_to<A::Modes, ModesOf<S>, O>: Admissible<TilesToShape, A, S>,
{
    type Output =
        A::With<<tiled_to<A::Modes, ModesOf<S>, O> as Admissible<TilesToShape, A, S>>::Tree>;
}
/// The elements of a shape as modes of their sizes.
type ModesOf<S> = <<S as ShapeTree>::Elements as ShapeList>::AsModes;

/// Fills the first mode first.
#[derive(Clone, Copy, Debug, Default)]
pub struct ColumnMajor;

pub(crate) use self::functions::*;
pub use crate::kinds::FillOrder;

#[functions(crate::kinds::table)]
mod functions {
    use super::*;

    fn column_major_modes(list: List, step: Nat) -> List;
    fn ordered_modes(list: List, all: Tree) -> List;
    fn padded(t: Tree, beside: List) -> Tree;
    fn product(block: Tree, repeats: Tree) -> Outcome;
    fn side_by_side(result: Outcome) -> Outcome;

    /// Repeats the block until it fills the shape with the modes `shape`.
    fn tiled_to(block: Tree, shape: List, order: Order) -> Outcome {
        if rank(shape) >= rank(block) && orders_all(order, shape) {
            repeated_to(padded(block, shape), shape, order)
        } else {
            Refused(BlockRankRule, 0, 0, Here)
        }
    }
    /// Repeats a block that has as many modes as the shape.
    fn repeated_to(block: Tree, shape: List, order: Order) -> Outcome {
        if divide_all(modes_of(block), shape) {
            side_by_side(product(
                block,
                in_order(counts(modes_of(block), shape), order),
            ))
        } else {
            undivided(modes_of(block), shape, 0)
        }
    }
    /// Whether each mode of the block divides the shape's mode.
    fn divide_all(list: List, shape: List) -> Bool {
        match list {
            Nil => true,
            Cons(h, rest) => size(head(shape)) % size(h) == 0 && divide_all(rest, tail(shape)),
        }
    }
    /// Returns how often each mode of the block fits into the shape's mode.
    fn counts(list: List, shape: List) -> List {
        match list {
            Nil => Nil,
            Cons(h, rest) => Cons(M(size(head(shape)) / size(h), 0), counts(rest, tail(shape))),
        }
    }
    /// Returns the refusal of the first mode that does not divide the shape's mode. `i` is the
    /// number of modes before these.
    fn undivided(list: List, shape: List, i: Nat) -> Outcome {
        match list {
            Nil => Refused(FillRule, 0, 0, Here),
            Cons(h, rest) => {
                if size(head(shape)) % size(h) == 0 {
                    undivided(rest, tail(shape), succ(i))
                } else {
                    Refused(FillRule, size(h), size(head(shape)), Mode(i, Here))
                }
            }
        }
    }

    // -- The order of the repeats -----------------------------------------------------------------

    /// Whether the order has a number for each mode.
    fn orders_all(order: Order, shape: List) -> Bool {
        match order {
            ColumnMajor => true,
            Nil => rank(shape) == 0,
            Cons(_, others) => rank(shape) == succ(how_many(others)),
        }
    }
    fn how_many(numbers: Indices) -> Nat {
        match numbers {
            Nil => 0,
            Cons(_, others) => succ(how_many(others)),
        }
    }
    /// Returns the compact layout of the shapes with strides in this order.
    fn in_order(shapes: List, order: Order) -> List {
        match order {
            ColumnMajor => column_major_modes(shapes, 1),
            Nil => Nil,
            Cons(first, others) => ordered_modes(
                with_orders(shapes, Cons(first, others)),
                with_orders(shapes, Cons(first, others)),
            ),
        }
    }
    /// Returns the shapes as modes whose strides are the numbers.
    fn with_orders(shapes: List, numbers: Indices) -> List {
        match numbers {
            Nil => Nil,
            Cons(i, others) => Cons(M(size(head(shapes)), i), with_orders(tail(shapes), others)),
        }
    }
}

/// The rule that the block has no more modes than the shape.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockRankRule;
/// The rule that each mode of the block divides the shape's mode.
#[derive(Clone, Copy, Debug, Default)]
pub struct FillRule;

//! Products: operations that repeat one layout in the order of another.
//!
//! ```text
//!   (2,2):(4,1) x 6:1   =   ((2,2),(2,3)):((4,1),(2,8))       (block, repeats)
//! ```
//!
//! Law: `logical_product(A, B) = (A, complement(A, size(A) * cosize(B)) o B)`: mode 0 is the block,
//! and mode 1 walks over disjoint copies of the block in the order of `B`. The blocked product
//! pairs the modes of the block and of the copies, `((BlockM,RepeatM),(BlockN,RepeatN),..)`; the
//! raked product has the copies first (CuTe: `cute/layout.hpp`, "Logical product").

use super::complements::{end_of, holes, sort};
use super::compose::Tiler;
use super::decide::decided;
use super::divide::{flat, logical, tiled, zipped};
use super::fits::{FitsTree, OverflowRule};
use super::modes::zip_modes;
use super::outcome::{
    Admissible, BlockedProducts, FlatProducts, LogicalProducts, RakedProducts, TiledProducts,
    ZippedProducts,
};
use super::room::{Room, Units11};
use crate::kinds::*;
use crate::layout::LayoutFn;
use layout_types_macros::functions;
use typenum::U58;

/// Guides a divide in which each mode is repeated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repeat;
/// The rule that the block's holes have enough places for the repetitions.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlacesRule;

pub(crate) use self::functions::*;

#[functions(crate::kinds::table)]
mod functions {
    use super::*;

    fn decided(a: Tree, b: Tree) -> Outcome;
    fn end_of(list: Sorted, cur: Nat) -> Nat;
    fn holes(list: Sorted, n: Shape) -> Outcome;
    fn sort(t: Tree, acc: Sorted) -> Sorted;
    fn zip_modes(t: Tree) -> Outcome;

    /// Returns `size(block) * cosize(repeats)`.
    fn product_size(block: Tree, repeats: Tree) -> Nat {
        size(block) * succ(reach(repeats))
    }
    /// Whether strides are at most 2^24 and sizes so small that no exponents have to be added.
    /// Eleven units of room (`room::Room`) are 33 bits.
    fn has_room(a: Tree, b: Tree) -> Bool {
        <<b as FitsTree>::RoomLeft<<a as FitsTree>::RoomLeft<Units11>> as Room>::IsLeft
    }
    /// Whether two exponents of two add up to at most 58, which the compiler's depth permits to
    /// compare: the exponent of the size of `a`, with each shape rounded up to a power of two, and
    /// the exponent of the longest leaf of `b`.
    fn can_multiply(a: Tree, b: Tree) -> Bool {
        <U58 as NatCmp>::AtLeast::<<<a as FitsTree>::SizeLog as Nat>::Plus<<b as FitsTree>::SpanLog>>
    }

    /// Returns `(block, repeats)`, with the repetitions in the holes of the block.
    fn product(block: Tree, repeats: Tree) -> Outcome {
        if has_room(block, repeats) {
            in_holes(block, repeats)
        } else if can_multiply(block, repeats) {
            in_holes(block, repeats)
        } else {
            Refused(OverflowRule, 0, 0, Here)
        }
    }
    fn in_holes(block: Tree, repeats: Tree) -> Outcome {
        match holes(sort(block, NoGap), product_size(block, repeats)) {
            Done(places, _) => {
                if has_places(places, block, repeats) {
                    behind_block(decided(places, repeats), block)
                } else {
                    Refused(PlacesRule, succ(reach(repeats)), size(places), Here)
                }
            }
            refused => refused,
        }
    }
    /// Whether there are enough places. Past its end, the complement continues with the stride of
    /// its last mode: after the block, where the places are free, or in holes that are occupied.
    fn has_places(places: Tree, block: Tree, repeats: Tree) -> Bool {
        size(places) >= succ(reach(repeats))
            || !(end_of(sort(block, NoGap), 1) >= product_size(block, repeats))
    }
    fn behind_block(repeats: Outcome, block: Tree) -> Outcome {
        match repeats {
            Done(t, _) => Done(Cons(block, Cons(t, Nil))),
            refused => refused,
        }
    }

    // -- Modes side by side -----------------------------------------------------------------------

    /// Returns `((BlockM,RepeatM),(BlockN,RepeatN),..)`.
    fn blocked(block: Tree, repeats: Tree) -> Outcome {
        side_by_side(padded_product(block, repeats))
    }
    /// Pairs block and repetitions mode by mode.
    fn side_by_side(result: Outcome) -> Outcome {
        match result {
            Done(t, _) => zip_modes(t),
            refused => refused,
        }
    }
    /// Returns `((RepeatM,BlockM),(RepeatN,BlockN),..)`.
    fn raked(block: Tree, repeats: Tree) -> Outcome {
        match padded_product(block, repeats) {
            Done(t, _) => zip_modes(Cons(head(tail(modes_of(t))), Cons(head(modes_of(t)), Nil))),
            refused => refused,
        }
    }
    /// Returns the product of two trees, each padded with modes `1:0` to the rank of the other.
    fn padded_product(block: Tree, repeats: Tree) -> Outcome {
        product(
            padded(block, modes_of(repeats)),
            padded(repeats, modes_of(block)),
        )
    }
    /// Pads a tree to the rank of `beside`. A leaf next to one mode remains a leaf.
    fn padded(t: Tree, beside: List) -> Tree {
        match t {
            M(s, d) => {
                if 1 >= rank(beside) {
                    M(s, d)
                } else {
                    Cons(M(s, d), units(tail(beside)))
                }
            }
            Nil => units(beside),
            Cons(h, rest) => Cons(h, padded_modes(rest, tail(beside))),
        }
    }
    fn padded_modes(list: List, beside: List) -> List {
        match list {
            Nil => units(beside),
            Cons(h, rest) => Cons(h, padded_modes(rest, tail(beside))),
        }
    }
    /// Returns a list of modes `1:0` with the same length.
    fn units(list: List) -> List {
        match list {
            Nil => Nil,
            Cons(_, rest) => Cons(M(1, 0), units(rest)),
        }
    }
}

macro_rules! product {
    ($(#[$m:meta])* $alias:ident, $trait:ident, $form:ident, $op:ident) => {
        $(#[$m])*
        pub type $alias<A, B> = <A as $trait<B>>::Output;
        #[doc = concat!("`Self` has a [`", stringify!($alias), "`] with `B`.")]
        #[diagnostic::on_unimplemented(message = "this operation is not admissible for these operands")]
        #[doc(hidden)]
        pub trait $trait<B>: LayoutFn {
            #[doc = concat!("[`", stringify!($alias), "`].")]
            type Output: LayoutFn;
        }
        impl<A: LayoutFn, B: Tiler> $trait<B> for A
        where
            $form<A::Modes, B::Guide, Repeat>: Admissible<$op, A, B>,
        {
            type Output =
                A::With<<$form<A::Modes, B::Guide, Repeat> as Admissible<$op, A, B>>::Tree>;
        }
    };
}
product! {
    /// `logical_product`: `(A, repeats)`, the block `A` and its repetitions in the order of `B`. If
    /// `B` is a tuple, the product is mode by mode.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type P = LogicalProduct<layout!((2,2):(4,1)), layout!(6:1)>;
    /// assert_eq!(P::default().to_string(), "((2,2),(2,3)):((4,1),(2,8))");
    /// ```
    #[doc(alias = "logical_product")]
    LogicalProduct, LogicalProductBy, logical, LogicalProducts
}
product! {
    /// The product as `((BlockM,BlockN,..),(RepeatM,RepeatN,..,L,..))`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type P = ZippedProduct<layout!((2,5)), tile!(3, 4)>;
    /// assert_eq!(P::default().to_string(), "((2,5),(3,(2,2))):((1,2),(2,(1,10)))");
    /// ```
    #[doc(alias = "zipped_product")]
    ZippedProduct, ZippedProductBy, zipped, ZippedProducts
}
product! {
    /// The product as `((BlockM,BlockN,..),RepeatM,RepeatN,..,L,..)`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type P = TiledProduct<layout!((2,5)), tile!(3, 4)>;
    /// assert_eq!(P::default().to_string(), "((2,5),3,(2,2)):((1,2),2,(1,10))");
    /// ```
    #[doc(alias = "tiled_product")]
    TiledProduct, TiledProductBy, tiled, TiledProducts
}
product! {
    /// The product as `(BlockM,BlockN,..,RepeatM,RepeatN,..,L,..)`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type P = FlatProduct<layout!((2,5)), tile!(3, 4)>;
    /// assert_eq!(P::default().to_string(), "(2,5,3,(2,2)):(1,2,2,(1,10))");
    /// ```
    #[doc(alias = "flat_product")]
    FlatProduct, FlatProductBy, flat, FlatProducts
}

macro_rules! ranked {
    ($(#[$m:meta])* $alias:ident, $trait:ident, $form:ident, $op:ident) => {
        $(#[$m])*
        pub type $alias<A, B> = <A as $trait<B>>::Output;
        #[doc = concat!("`Self` has a [`", stringify!($alias), "`] with `B`.")]
        #[diagnostic::on_unimplemented(message = "this operation is not admissible for these operands")]
        #[doc(hidden)]
        pub trait $trait<B>: LayoutFn {
            #[doc = concat!("[`", stringify!($alias), "`].")]
            type Output: LayoutFn;
        }
        impl<A: LayoutFn, B: LayoutFn> $trait<B> for A
        where
            $form<A::Modes, B::Modes>: Admissible<$op, A, B>,
        {
            type Output = A::With<<$form<A::Modes, B::Modes> as Admissible<$op, A, B>>::Tree>;
        }
    };
}
ranked! {
    /// Pairs `(block, repeats)` mode by mode: the blocks lie side by side.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type P = BlockedProduct<layout!((2,2)), layout!((3,4))>;
    /// assert_eq!(P::default().to_string(), "((2,3),(2,4)):((1,4),(2,12))");
    /// ```
    #[doc(alias = "blocked_product")]
    BlockedProduct, BlockedProductBy, blocked, BlockedProducts
}
ranked! {
    /// Pairs `(repeats, block)` mode by mode: the blocks are interleaved.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type P = RakedProduct<layout!((2,2)), layout!((3,4))>;
    /// assert_eq!(P::default().to_string(), "((3,2),(4,2)):((4,1),(12,2))");
    /// ```
    #[doc(alias = "raked_product")]
    RakedProduct, RakedProductBy, raked, RakedProducts
}

//! Divides: operations that divide a layout into tiles.
//!
//! ```text
//!   (4,2,3):(2,1,8) / 4:2   =   ((2,2),(2,3)):((4,1),(2,8))       (tile, rest)
//! ```
//!
//! Law: `logical_divide(A, T) = A o (T, complement(T, shape(A)))`: mode 0 is the elements of `A` in
//! the tile, and mode 1 walks over the tiles. The zipped, tiled and flat divides gather the modes:
//! `((TileM,TileN,..),(RestM,RestN,..))`, `((TileM,TileN,..),RestM,RestN,..)`,
//! `(TileM,TileN,..,RestM,RestN,..)`. As in CuTe, a tile that does not divide its mode rounds up,
//! and then the result is larger than `A` (CuTe: `cute/layout.hpp`, "Logical divide").

use super::coalescing::coalesced;
use super::complements::{holes, nests, sort};
use super::compose::Tiler;
use super::compose_list::covered;
use super::decide::{as_cute, decided};
use super::outcome::{
    Admissible, ExactFlatDivides, ExactLogicalDivides, ExactTiledDivides, ExactZippedDivides,
    FlatDivides, LogicalDivides, TiledDivides, ZippedDivides,
};
use super::product::product;
use crate::kinds::*;
use crate::layout::LayoutFn;
use layout_types_macros::functions;

macro_rules! divide {
    ($(#[$m:meta])* $alias:ident, $(#[$n:meta])* $trait:ident, $form:ident, $fit:ident, $op:ident) => {
        $(#[$m])*
        pub type $alias<A, T> = <A as $trait<T>>::Output;

        $(#[$n])*
        #[diagnostic::on_unimplemented(message = "this operation is not admissible for these operands")]
        #[doc(hidden)]
        pub trait $trait<T>: LayoutFn {
            /// The result of the divide.
            type Output: LayoutFn;
        }
        impl<A: LayoutFn, T: Tiler> $trait<T> for A
        where
            $form<A::Modes, T::Guide, $fit>: Admissible<$op, A, T>,
        {
            type Output =
                A::With<<$form<A::Modes, T::Guide, $fit> as Admissible<$op, A, T>>::Tree>;
        }
    };
}

divide! {
    /// Divides to `((TileM,RestM),(TileN,RestN),..)`, or `(Tile,Rest)` if the tiler is a layout.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type D = LogicalDivide<layout!((4,2,3):(2,1,8)), layout!(4:2)>;
    /// assert_eq!(D::default().to_string(), "((2,2),(2,3)):((4,1),(2,8))");
    /// ```
    #[doc(alias = "logical_divide")]
    LogicalDivide,
    /// `Self` can be divided by the tiler `T`.
    LogicalDivideBy, logical, RoundUp, LogicalDivides
}
divide! {
    /// Divides to `((TileM,TileN,..),(RestM,RestN,..,L,..))`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type D = ZippedDivide<layout!((8,6)), tile!(4:1, 3)>;
    /// assert_eq!(D::default().to_string(), "((4,3),(2,2)):((1,8),(4,24))");
    /// ```
    ///
    #[doc = include_str!("../pictures/divide.html")]
    #[doc(alias = "zipped_divide")]
    ZippedDivide,
    /// `Self` can be divided by the tiler `T`, tiles first.
    ZippedDivideBy, zipped, RoundUp, ZippedDivides
}
divide! {
    /// Divides to `((TileM,TileN,..),RestM,RestN,..,L,..)`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type D = TiledDivide<layout!((8,6)), tile!(4:1, 3)>;
    /// assert_eq!(D::default().to_string(), "((4,3),2,2):((1,8),4,24)");
    /// ```
    #[doc(alias = "tiled_divide")]
    TiledDivide,
    /// `Self` can be divided by the tiler `T`, tiles first, rests unpacked.
    TiledDivideBy, tiled, RoundUp, TiledDivides
}
divide! {
    /// Divides to `(TileM,TileN,..,RestM,RestN,..,L,..)`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type D = FlatDivide<layout!((8,6)), tile!(4:1, 3)>;
    /// assert_eq!(D::default().to_string(), "(4,3,2,2):(1,8,4,24)");
    /// ```
    #[doc(alias = "flat_divide")]
    FlatDivide,
    /// `Self` can be divided by the tiler `T`, tiles first, all unpacked.
    FlatDivideBy, flat, RoundUp, FlatDivides
}

divide! {
    /// Divides to `((TileM,RestM),(TileN,RestN),..)`, where the tiles fill the layout exactly.
    /// Refuses a tile that reaches beyond the layout.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type D = ExactLogicalDivide<layout!((8,6)), tile!(4, 3)>;
    /// assert_eq!(D::default().to_string(), "((4,2),(3,2)):((1,4),(8,24))");
    /// ```
    ExactLogicalDivide,
    /// `Self` can be divided by the tiler `T` without remainder.
    ExactLogicalDivideBy, logical, Exact, ExactLogicalDivides
}
divide! {
    /// Divides to `((TileM,TileN,..),(RestM,RestN,..,L,..))`, where the tiles fill the layout
    /// exactly. Refuses a tile that reaches beyond the layout.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type D = ExactZippedDivide<layout!((8,6)), tile!(4, 3)>;
    /// assert_eq!(D::default().to_string(), "((4,3),(2,2)):((1,8),(4,24))");
    /// ```
    ExactZippedDivide,
    /// `Self` can be divided by the tiler `T` without remainder.
    ExactZippedDivideBy, zipped, Exact, ExactZippedDivides
}
divide! {
    /// Divides to `((TileM,TileN,..),RestM,RestN,..,L,..)`, where the tiles fill the layout
    /// exactly. Refuses a tile that reaches beyond the layout.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type D = ExactTiledDivide<layout!((8,6)), tile!(4, 3)>;
    /// assert_eq!(D::default().to_string(), "((4,3),2,2):((1,8),4,24)");
    /// ```
    ExactTiledDivide,
    /// `Self` can be divided by the tiler `T` without remainder.
    ExactTiledDivideBy, tiled, Exact, ExactTiledDivides
}
divide! {
    /// Divides to `(TileM,TileN,..,RestM,RestN,..,L,..)`, where the tiles fill the layout exactly.
    /// Refuses a tile that reaches beyond the layout.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type D = ExactFlatDivide<layout!((8,6)), tile!(4, 3)>;
    /// assert_eq!(D::default().to_string(), "(4,3,2,2):(1,8,4,24)");
    /// ```
    ExactFlatDivide,
    /// `Self` can be divided by the tiler `T` without remainder.
    ExactFlatDivideBy, flat, Exact, ExactFlatDivides
}

/// Permits the last tiles to reach beyond the layout, as in CuTe.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundUp;
/// Requires that the tiles fill the layout exactly.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact;

pub(crate) use self::functions::*;

#[functions(crate::kinds::table)]
mod functions {
    use super::*;

    fn as_cute(a: Tree, b: Tree) -> Outcome;
    fn coalesced(t: Tree) -> Tree;
    fn covered(x: Digits) -> Bool;
    fn decided(a: Tree, b: Tree) -> Outcome;
    fn holes(list: Sorted, n: Shape) -> Outcome;
    fn nests(list: Sorted, cur: Nat) -> Bool;
    fn product(block: Tree, repeats: Tree) -> Outcome;
    fn sort(t: Tree, acc: Sorted) -> Sorted;

    // -- The forms --------------------------------------------------------------------------------

    /// Returns `((TileM,RestM),(TileN,RestN),..)`. A list is also a tree, and the guides after the
    /// first guide are also a guide, so the function calls itself with the other modes, until
    /// `NoGuide` leaves the remaining modes as they are.
    fn logical(a: Tree, g: Guide, fit: Fit) -> Outcome {
        match g {
            ByTree(t) => fitted(a, t, fit),
            ByNumber(n) => fitted(a, run_of(n), fit),
            Whole => Done(a),
            NoGuide => Done(a),
            Each(first, others) => logical_modes(modes_of(a), first, others, fit),
        }
    }
    /// Divides the modes one by one. Modes without a guide do not change.
    fn logical_modes(list: List, g: Guide, others: Guides, fit: Fit) -> Outcome {
        match list {
            Nil => Refused(RankRule, 0, 0, Here),
            Cons(h, rest) => match logical(h, g, fit) {
                Done(t, _) => behind(logical(rest, others, fit), t),
                Refused(why, s, d, way) => Refused(why, s, d, Mode(0, way)),
                Undecided => Undecided,
            },
        }
    }
    /// Returns `((TileM,TileN,..),(RestM,RestN,..,L,..))`.
    fn zipped(a: Tree, g: Guide, fit: Fit) -> Outcome {
        match logical(a, g, fit) {
            Done(t, _) => if_pairs(pairs(t, g), Cons(tile_of(t, g), Cons(rest_of(t, g), Nil))),
            refused => refused,
        }
    }
    /// Returns `((TileM,TileN,..),RestM,RestN,..,L,..)`.
    fn tiled(a: Tree, g: Guide, fit: Fit) -> Outcome {
        match logical(a, g, fit) {
            Done(t, _) => if_pairs(pairs(t, g), Cons(tile_of(t, g), spliced(rest_of(t, g)))),
            refused => refused,
        }
    }
    /// Returns `(TileM,TileN,..,RestM,RestN,..,L,..)`.
    fn flat(a: Tree, g: Guide, fit: Fit) -> Outcome {
        match logical(a, g, fit) {
            Done(t, _) => if_pairs(
                pairs(t, g),
                concat(spliced(tile_of(t, g)), spliced(rest_of(t, g))),
            ),
            refused => refused,
        }
    }

    // -- One mode ---------------------------------------------------------------------------------

    /// Returns the layout of the first `n` elements.
    fn run_of(n: Nat) -> Tree {
        if n == 1 { M(1, 0) } else { M(n, 1) }
    }
    /// Divides `a` by the tile `t`. If `fit` is `Repeat`, repeats `a` in the order of `t` instead.
    fn fitted(a: Tree, t: Tree, fit: Fit) -> Outcome {
        match fit {
            Repeat => product(a, t),
            RoundUp => divided(a, t, RoundUp),
            Exact => divided(a, t, Exact),
        }
    }
    /// Composes `a` with the tile `t` and the tile's complement in the shape of `a`.
    fn divided(a: Tree, t: Tree, fit: Fit) -> Outcome {
        match holes(sort(t, NoGap), shape_of(coalesced(a))) {
            Done(r, _) => with_rest(a, t, r, fit),
            refused => refused,
        }
    }
    /// Divides `a` by the tile `t`, with the rest `r`. If the tile's strides nest, each a multiple
    /// of the elements that the modes before it cover, tile and rest reach each element exactly
    /// once.
    fn with_rest(a: Tree, t: Tree, r: Tree, fit: Fit) -> Outcome {
        match fit {
            Exact => {
                if nests(sort(t, NoGap), 1) {
                    exactly(size(t) * size(r), a, t, r)
                } else {
                    Refused(GapRule, 1, 0, Here)
                }
            }
            _ => {
                if nests(sort(t, NoGap), 1) {
                    or_rounded(decided(a, Cons(t, Cons(r, Nil))), a, t, r)
                } else {
                    rounded(decided(a, t), a, t, r, Refused(GapRule, 1, 0, Here))
                }
            }
        }
    }
    /// Composes `a` with tile and rest, which together have `n` elements.
    fn exactly(n: Nat, a: Tree, t: Tree, r: Tree) -> Outcome {
        if n == size(a) {
            decided(a, Cons(t, Cons(r, Nil)))
        } else {
            Refused(RaggedRule, n, size(a), Here)
        }
    }
    /// Returns `strict`, the composition with tile and rest. If a rule forbids it, the last tile
    /// may reach beyond the layout, so the rounded result is tried.
    fn or_rounded(strict: Outcome, a: Tree, t: Tree, r: Tree) -> Outcome {
        match strict {
            Refused(why, s, d, way) => rounded(decided(a, t), a, t, r, Refused(why, s, d, way)),
            other => other,
        }
    }
    /// Returns CuTe's unchecked composition with tile and rest, if it is correct: if `tile`, the
    /// composition with only the tile, exists, and each element of `a` is reached exactly once.
    /// Otherwise returns the refusal `instead`.
    fn rounded(tile: Outcome, a: Tree, t: Tree, r: Tree, instead: Outcome) -> Outcome {
        match tile {
            Done(_, _) => if_covered(as_cute(a, Cons(t, Cons(r, Nil))), instead),
            refused => refused,
        }
    }
    fn if_covered(result: Outcome, instead: Outcome) -> Outcome {
        match result {
            Done(t, left) => {
                if covered(left) {
                    Done(t)
                } else {
                    instead
                }
            }
            refused => refused,
        }
    }

    // -- Tiles and rests gathered -----------------------------------------------------------------

    /// Returns the tree `gathered` of tiles and rests if each guide made a pair.
    fn if_pairs(found: Outcome, gathered: Tree) -> Outcome {
        match found {
            Done(_, _) => Done(gathered),
            refused => refused,
        }
    }
    /// Checks that each guide of the divided tree `t` that is not a tuple made a pair of tile and
    /// rest. Otherwise returns the path to a mode that is no pair. All guides except `_` make
    /// pairs; a mode that `_` keeps counts as a pair if it has two modes.
    fn pairs(t: Tree, g: Guide) -> Outcome {
        match g {
            Whole => {
                if rank(t) == succ(1) {
                    Done(t)
                } else {
                    Refused(PairRule, size(t), 0, Here)
                }
            }
            Each(first, others) => pairs_of(modes_of(t), first, others),
            _ => Done(t),
        }
    }
    fn pairs_of(list: List, g: Guide, others: Guides) -> Outcome {
        match pairs(head(list), g) {
            Done(t, _) => behind(pairs(tail(list), others), t),
            Refused(why, s, d, way) => Refused(why, s, d, Mode(0, way)),
            Undecided => Undecided,
        }
    }
    /// Returns the tile of a divided tree. For a tuple, this is the tile of each mode.
    fn tile_of(t: Tree, g: Guide) -> Tree {
        match g {
            NoGuide => Nil,
            Each(first, others) => Cons(
                tile_of(head(modes_of(t)), first),
                tiles(tail(modes_of(t)), others),
            ),
            _ => head(modes_of(t)),
        }
    }
    fn tiles(list: List, g: Guides) -> List {
        match g {
            NoGuide => Nil,
            Each(first, others) => Cons(tile_of(head(list), first), tiles(tail(list), others)),
        }
    }
    /// Returns the rest of a divided tree. For a tuple, this is the rest of each mode, followed by
    /// the modes without a guide.
    fn rest_of(t: Tree, g: Guide) -> Tree {
        match g {
            NoGuide => t,
            Each(first, others) => Cons(
                rest_of(head(modes_of(t)), first),
                rests(tail(modes_of(t)), others),
            ),
            _ => head(tail(modes_of(t))),
        }
    }
    fn rests(list: List, g: Guides) -> List {
        match g {
            NoGuide => list,
            Each(first, others) => Cons(rest_of(head(list), first), rests(tail(list), others)),
        }
    }
}

/// The rule that a mode kept by `_` has two modes, which a zipped divide uses as tile and rest.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairRule;
/// The rule that the tiles fill the layout exactly.
#[derive(Clone, Copy, Debug, Default)]
pub struct RaggedRule;

//! Operations that pick, group, add and pair modes.
//!
//! ```text
//!   A = (a,b,c)      select<2,0>  (c,a)      take<1,3>  (b,c)      group<0,2>  ((a,b),c)
//!                    append<4>    (a,b,c,1)  replace<1> (a,x,c)    zip(A,B)    ((a,A),(b,B),(c,C))
//! ```
//!
//! Law: all operations except `Replace` leave the function of each kept mode unchanged (CuTe:
//! `cute/layout.hpp`, "Sublayout manipulations").

use super::outcome::{Admissible, Appends, Groups, Prepends, Replaces, Selects, Takes, Zips};
use crate::kinds::*;
use crate::layout::LayoutFn;
use layout_types_macros::functions;

macro_rules! partial {
    ($(#[$m:meta])* $alias:ident<L $(, $p:ident $(: $bound:ident)? $(= $default:ty)?)*>, $trait:ident, $op:ident($shown:ty), $outcome:ty) => {
        $(#[$m])*
        pub type $alias<L $(, $p $(= $default)?)*> = <L as $trait<$($p),*>>::Output;
        #[doc = concat!("`Self` has a [`", stringify!($alias), "`].")]
        #[diagnostic::on_unimplemented(message = "this operation is not admissible for these operands")]
        #[doc(hidden)]
        pub trait $trait<$($p),*>: LayoutFn {
            #[doc = concat!("[`", stringify!($alias), "`].")]
            type Output: LayoutFn;
        }
        impl<L: LayoutFn $(, $p $(: $bound)?)*> $trait<$($p),*> for L
        where
            $outcome: Admissible<$op, L, $shown>,
        {
            type Output = L::With<<$outcome as Admissible<$op, L, $shown>>::Tree>;
        }
    };
}

partial! {
    /// The modes numbered by the tuple `I`, in that order.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(Select::<layout!((4,2,3)), coord!(2, 0)>::default().to_string(), "(3,4):(8,1)");
    /// ```
    #[doc(alias = "select")]
    Select<L, I: Indices>, Selectable, Selects(I), selected<<L::Modes as ModeTree>::Modes, I>
}
partial! {
    /// The modes `B` to `E`, without `E`, as a tuple.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(Take::<layout!((6,6,6)), int!(1), int!(3)>::default().to_string(), "(6,6):(6,36)");
    /// ```
    #[doc(alias = "take")]
    Take<L, B: Nat, E: Nat>, Takeable, Takes((B, E)), range_of<L::Modes, B, E>
}
partial! {
    /// Groups the modes from `B` to `E`, without `E`, into one mode.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(Group::<layout!((2,3,4)), int!(0), int!(2)>::default().to_string(), "((2,3),4):((1,2),6)");
    /// ```
    #[doc(alias = "group_modes")]
    Group<L, B: Nat, E: Nat>, Groupable, Groups((B, E)), grouped<L::Modes, B, E>
}
partial! {
    /// The layout with mode `I` replaced by the layout `X`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type R = Replace<layout!((8,8)), int!(0), layout!((2,3):(3,1))>;
    /// assert_eq!(R::default().to_string(), "((2,3),8):((3,1),8)");
    /// ```
    #[doc(alias = "replace")]
    Replace<L, I: Nat, X: LayoutFn>, Replaceable, Replaces((I, X)),
    replaced<L::Modes, I, X::Modes>
}
partial! {
    /// The layout padded with modes `X` (`1:0` unless given) at the end up to rank `N`, CuTe's
    /// `append<N>`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(AppendTo::<layout!((4,6)), int!(3)>::default().to_string(), "(4,6,1):(1,4,0)");
    /// ```
    #[doc(alias = "append")]
    AppendTo<L, N: Nat, X: LayoutFn = crate::Layout<One, Zero>>, Appendable, Appends((N, X)),
    appended<L::Modes, N, X::Modes>
}
partial! {
    /// The layout padded with modes `X` (`1:0` unless given) in front up to rank `N`, CuTe's
    /// `prepend<N>`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(PrependTo::<layout!((5)), int!(3)>::default().to_string(), "(1,1,5):(0,0,1)");
    /// ```
    #[doc(alias = "prepend")]
    PrependTo<L, N: Nat, X: LayoutFn = crate::Layout<One, Zero>>, Prependable, Prepends((N, X)),
    prepended<L::Modes, N, X::Modes>
}
partial! {
    /// Transposes the modes of `L`, which are tuples of the same rank: `((a,b),(c,d))` becomes
    /// `((a,c),(b,d))`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(ZipModes::<layout!(((2,3),(4,5)):((1,2),(6,24)))>::default().to_string(), "((2,4),(3,5)):((1,6),(2,24))");
    /// ```
    #[doc(alias = "zip")]
    ZipModes<L>, Zippable, Zips(()), zip_modes<L::Modes>
}
partial! {
    /// The modes of `L` and `B` in pairs: `((L0,B0),(L1,B1),..)`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(Zip::<layout!((2,3)), layout!((4,5))>::default().to_string(), "((2,4),(3,5)):((1,1),(2,4))");
    /// ```
    Zip<L, B: LayoutFn>, ZipWith, Zips(B), zip_modes<Cons<L::Modes, Cons<B::Modes, Nil>>>
}

/// The layout with the mode `X` appended.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Append::<layout!((4,6)), layout!((2,2):(9,3))>::default().to_string(), "(4,6,(2,2)):(1,4,(9,3))");
/// ```
pub type Append<L, X> = <L as LayoutFn>::With<
    <<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Concat<
        Cons<<X as LayoutFn>::Modes, Nil>,
    >,
>;
/// The layout with the mode `X` prepended.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Prepend::<layout!((4,6)), layout!(2:9)>::default().to_string(), "(2,4,6):(9,1,4)");
/// ```
pub type Prepend<L, X> = <L as LayoutFn>::With<
    Cons<<X as LayoutFn>::Modes, <<L as LayoutFn>::Modes as ModeTree>::Modes>,
>;
/// Mode `I` of a layout, or `1:0` if the layout has fewer modes.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(GetMode::<layout!((4,(2,3))), int!(1)>::default().to_string(), "(2,3):(4,8)");
/// ```
#[doc(alias = "get")]
#[doc(alias = "layout")]
pub type GetMode<L, I> = <L as LayoutFn>::With<nth<<<L as LayoutFn>::Modes as ModeTree>::Modes, I>>;

pub(crate) use self::functions::*;
pub use crate::kinds::Indices;

#[functions(crate::kinds::table)]
mod functions {
    use super::*;

    // -- Modes picked -----------------------------------------------------------------------------

    /// Returns mode `i`, or `1:0` if the list is shorter.
    fn nth(list: List, i: Nat) -> Tree {
        match list {
            Nil => M(1, 0),
            Cons(h, rest) => {
                if i == 0 {
                    h
                } else {
                    nth(rest, pred(i))
                }
            }
        }
    }
    /// Returns the modes with these numbers.
    fn selected(list: List, numbers: Indices) -> Outcome {
        match numbers {
            Nil => Done(Nil),
            Cons(i, others) => {
                if rank(list) >= succ(i) {
                    behind(selected(list, others), nth(list, i))
                } else {
                    Refused(RangeRule, 0, 0, Here)
                }
            }
        }
    }
    /// Returns the list without its first `n` modes.
    fn skipped(list: List, n: Nat) -> List {
        match list {
            Nil => Nil,
            Cons(h, rest) => {
                if n == 0 {
                    Cons(h, rest)
                } else {
                    skipped(rest, pred(n))
                }
            }
        }
    }
    /// Returns the first `n` modes of the list.
    fn kept(list: List, n: Nat) -> List {
        match list {
            Nil => Nil,
            Cons(h, rest) => {
                if n == 0 {
                    Nil
                } else {
                    Cons(h, kept(rest, pred(n)))
                }
            }
        }
    }
    /// Returns `found` if `b..e` is a nonempty range of the modes of `t`, or a refusal otherwise.
    fn if_range(t: Tree, b: Nat, e: Nat, found: Tree) -> Outcome {
        if rank(t) >= e && e > b {
            Done(found)
        } else {
            Refused(RangeRule, 0, 0, Here)
        }
    }
    /// Returns modes `b..e`.
    fn range_of(t: Tree, b: Nat, e: Nat) -> Outcome {
        if_range(t, b, e, kept(skipped(modes_of(t), b), minus(e, b)))
    }
    /// Groups modes `b..e` into one mode among the others.
    fn grouped(t: Tree, b: Nat, e: Nat) -> Outcome {
        if_range(
            t,
            b,
            e,
            concat(
                kept(modes_of(t), b),
                Cons(
                    kept(skipped(modes_of(t), b), minus(e, b)),
                    skipped(modes_of(t), e),
                ),
            ),
        )
    }

    // -- Modes replaced and added -----------------------------------------------------------------

    /// Replaces mode `i` by `x`. A leaf is its own mode 0.
    fn replaced(t: Tree, i: Nat, x: Tree) -> Outcome {
        match t {
            M(s, d) => if_range(M(s, d), i, succ(i), x),
            Nil => Refused(RangeRule, 0, 0, Here),
            Cons(h, rest) => if_range(
                Cons(h, rest),
                i,
                succ(i),
                replaced_mode(Cons(h, rest), i, x),
            ),
        }
    }
    fn replaced_mode(list: List, i: Nat, x: Tree) -> List {
        match list {
            Nil => Nil,
            Cons(h, rest) => {
                if i == 0 {
                    Cons(x, rest)
                } else {
                    Cons(h, replaced_mode(rest, pred(i), x))
                }
            }
        }
    }
    /// Pads the tree with modes `x` at the end to `n` modes.
    fn appended(t: Tree, n: Nat, x: Tree) -> Outcome {
        if n == rank(t) {
            Done(t)
        } else if n >= rank(t) {
            Done(concat(modes_of(t), copies(minus(n, rank(t)), x)))
        } else {
            Refused(RangeRule, 0, 0, Here)
        }
    }
    /// Pads the tree with modes `x` in front to `n` modes.
    fn prepended(t: Tree, n: Nat, x: Tree) -> Outcome {
        if n == rank(t) {
            Done(t)
        } else if n >= rank(t) {
            Done(concat(copies(minus(n, rank(t)), x), modes_of(t)))
        } else {
            Refused(RangeRule, 0, 0, Here)
        }
    }
    fn copies(n: Nat, x: Tree) -> List {
        if n == 0 {
            Nil
        } else {
            Cons(x, copies(pred(n), x))
        }
    }

    // -- Modes paired -----------------------------------------------------------------------------

    /// Transposes a tree's modes. A leaf is not changed.
    fn zip_modes(t: Tree) -> Outcome {
        if are_rows(t) {
            Done(transposed(t))
        } else {
            Refused(RowsRule, 0, 0, Here)
        }
    }
    /// Whether all modes have the same rank.
    fn are_rows(t: Tree) -> Bool {
        match t {
            Cons(h, rest) => is_leaf(h) || have_rank(rest, rank(h)),
            _ => true,
        }
    }
    fn have_rank(list: List, n: Nat) -> Bool {
        match list {
            Nil => true,
            Cons(h, rest) => !is_leaf(h) && rank(h) == n && have_rank(rest, n),
        }
    }
    fn is_leaf(t: Tree) -> Bool {
        match t {
            M(_, _) => true,
            _ => false,
        }
    }
    fn transposed(t: Tree) -> Tree {
        match t {
            M(s, d) => M(s, d),
            Nil => Nil,
            Cons(h, rest) => match h {
                M(s, d) => Cons(Cons(M(s, d), rest), Nil),
                _ => columns(Cons(h, rest)),
            },
        }
    }
    /// Returns the columns of a list of rows.
    fn columns(rows: List) -> List {
        match rows {
            Nil => Nil,
            Cons(row, rest) => over_columns(modes_of(row), columns(rest)),
        }
    }
    /// Puts each mode of a row before the corresponding column.
    fn over_columns(row: List, below: List) -> List {
        match row {
            Nil => Nil,
            Cons(h, rest) => Cons(Cons(h, column_of(below)), over_columns(rest, tail(below))),
        }
    }
    /// Returns the first of these columns, or an empty list if there is no column.
    fn column_of(columns_below: List) -> List {
        match columns_below {
            Nil => Nil,
            Cons(h, _) => modes_of(h),
        }
    }
}

/// The rule that the requested modes are among the layout's modes.
#[derive(Clone, Copy, Debug, Default)]
pub struct RangeRule;
/// The rule that the modes to zip have the same rank.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowsRule;

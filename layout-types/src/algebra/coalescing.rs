//! Coalesces a layout: the same function with the fewest modes.
//!
//! ```text
//!   (2,(1,6)):(1,(6,2))    ->    12:1
//!    2 of stride 1, then 6 of stride 2 = 2 * 1:  one run
//! ```
//!
//! Law: `Coalesce<A>` has depth at most 1 and no mode of size 1 unless it is `1:0`;
//! `Coalesce<A>(i) == A(i)` for every `i` below the size (CuTe: `coalesce` in `cute/layout.hpp`).

use crate::kinds::*;
use crate::layout::LayoutFn;
use layout_types_macros::functions;

/// The coalesced layout.
///
/// ```
/// use layout_types::prelude::*;
/// type A = layout!((2,(1,6)):(1,(6,2)));
/// assert_eq!(Coalesce::<A>::default().to_string(), "12:1");
/// ```
#[doc(alias = "coalesce")]
pub type Coalesce<L> = <L as CoalesceLayout>::Output;

/// Coalesce as a trait, which every layout implements.
#[doc(hidden)]
pub trait CoalesceLayout: LayoutFn {
    /// [`Coalesce`].
    type Output: LayoutFn;
}
impl<L: LayoutFn> CoalesceLayout for L {
    type Output = L::With<coalesced<L::Modes>>;
}

/// The mode tree `T`, coalesced.
pub type CoalescedTree<T> = coalesced<T>;

pub(crate) use self::functions::*;

#[functions(crate::kinds::table)]
mod functions {
    use super::*;

    /// Coalesces the tree to a list, and converts the list to a tree.
    fn coalesced(t: Tree) -> Tree {
        simplest(coalesce_onto(t, Nil))
    }

    /// Coalesces the leaves from the last to the first, in front of the coalesced list `acc`.
    fn coalesce_onto(t: Tree, acc: List) -> List {
        match t {
            M(s, d) => push_unless_unit(acc, s, d),
            Nil => acc,
            Cons(h, rest) => coalesce_onto(h, coalesce_onto(rest, acc)),
        }
    }

    fn push_unless_unit(list: List, s: Nat, d: Stride) -> List {
        if s == 1 { list } else { push(list, s, d) }
    }

    /// Adds the mode `s:d` in front of the list, merged with the list's first mode if that mode
    /// continues it.
    fn push(list: List, s: Nat, d: Stride) -> List {
        match list {
            Nil => Cons(M(s, d), Nil),
            Cons(first, rest) => match first {
                M(s2, d2) => {
                    if same(scale(d, s), d2) {
                        Cons(M(s * s2, d), rest)
                    } else {
                        Cons(M(s, d), Cons(M(s2, d2), rest))
                    }
                }
                _ => Cons(M(s, d), Cons(first, rest)),
            },
        }
    }

    /// Returns `1:0` for the empty list, the mode for a list of one mode, and otherwise the list
    /// itself.
    fn simplest(list: List) -> Tree {
        match list {
            Nil => M(1, 0),
            Cons(h, t) => match t {
                Nil => h,
                Cons(_, _) => Cons(h, t),
            },
        }
    }
}

//! The inverses of a layout, and its nullspace.
//!
//! ```text
//!   A = (2,4):(4,1)     offsets 0 4 1 5 2 6 3 7        right_inverse (4,2):(2,1)     A(R(i)) = i
//!   A = (4,2):(1,5)     offsets 0 1 2 3 5 6 7 8        left_inverse  (5,2):(1,4)     L(A(i)) = i
//!   A = (4,8):(1,0)                                    nullspace      8:4            A(N(i)) = 0
//! ```
//!
//! Law: `A(R(i)) == i` for every `i` of the right inverse `R`, which is the longest run in CuTe's
//! order of modes. `A(L(A(i))) == A(i)` for the left inverse `L`, and `L(A(i)) == i` if `A` is
//! injective. `A(N(i)) == 0` for the nullspace `N` (CuTe: `cute/layout.hpp`, "Right-Inverse and
//! Left-Inverse", "Kernel (Nullspace) of a Layout").

use super::coalescing::{coalesce_onto, simplest};
use super::complements::behind_gap;
use super::flatten::leaves_onto;
use super::outcome::{Admissible, LeftInverses, RightInverses};
use crate::kinds::*;
use crate::layout::{Layout, LayoutFn, StaticLayout, Unzip};
use crate::tree::phantom;
use layout_types_macros::functions;

macro_rules! inverse {
    ($(#[$m:meta])* $alias:ident, $trait:ident, $of:ident, $op:ident, $message:literal) => {
        $(#[$m])*
        pub type $alias<L> = <L as $trait>::Output;
        #[doc = concat!("`Self` has a [`", stringify!($alias), "`].")]
        #[diagnostic::on_unimplemented(message = $message, label = "no such inverse")]
        #[doc(hidden)]
        pub trait $trait {
            #[doc = concat!("[`", stringify!($alias), "`].")]
            type Output: crate::LayoutFn;
        }
        impl<S0, D0> $trait for Layout<S0, D0>
        where
            Layout<S0, D0>: StaticLayout,
            $of<<Layout<S0, D0> as LayoutFn>::Modes>: Admissible<$op, Self, ()>,
        {
            type Output = Unzip<
                <$of<<Layout<S0, D0> as LayoutFn>::Modes> as Admissible<$op, Self, ()>>::Tree,
            >;
        }
    };
}
inverse! {
    /// The right inverse of a layout.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(RightInverse::<layout!((4,8):(8,1))>::default().to_string(), "(8,4):(4,1)");
    /// ```
    #[doc(alias = "right_inverse")]
    RightInverse, RightInvertible, right_of, RightInverses,
    "right_inverse is not admissible for these operands"
}
inverse! {
    /// The left inverse of a layout.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(LeftInverse::<layout!((4,2):(1,5))>::default().to_string(), "(5,2):(1,4)");
    /// ```
    #[doc(alias = "left_inverse")]
    LeftInverse, LeftInvertible, left_of, LeftInverses,
    "left_inverse is not admissible for these operands"
}
/// The layout of the coordinates that a layout maps to 0.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Nullspace::<layout!((2,4,6,2):(4,1,0,8))>::default().to_string(), "6:8");
/// ```
#[doc(alias = "nullspace")]
pub type Nullspace<L> = Unzip<null_of<<L as LayoutFn>::Modes>>;

phantom! {
    /// A mode `S:D` whose first step is at index `P`; `Last` is true if it is the layout's last
    /// mode.
    Entry<S, D, P, Last>
}
phantom! {
    /// An entry and more entries.
    Then<E, R>
}
/// No more entry.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEntry;
/// No entry yet.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoneBefore;
phantom! {
    /// Only entries of stride 0 came before; the last of them has shape `S`.
    NullBefore<S>
}

pub(crate) use self::functions::*;

#[functions(crate::kinds::table)]
mod functions {
    use super::*;

    fn behind_gap(rest: Outcome, s: Nat, d: Nat) -> Outcome;
    fn coalesce_onto(t: Tree, acc: List) -> List;
    fn leaves_onto(t: Tree, list: List) -> List;
    fn simplest(list: List) -> Tree;

    /// Returns the right inverse of a tree.
    fn right_of(t: Tree) -> Outcome {
        simplest_outcome(right(by_stride(t), 1))
    }
    /// Returns the left inverse of a tree.
    fn left_of(t: Tree) -> Outcome {
        simplest_outcome(left(by_stride(t), 1, NoneBefore, 0))
    }
    /// Returns the nullspace of a tree.
    fn null_of(t: Tree) -> Tree {
        simplest(null_modes(leaves_onto(t, Nil), 1))
    }

    // -- The modes by increasing stride, in the order of CuTe's exchange sort ---------------------

    fn by_stride(t: Tree) -> Entries {
        sorted(entries(coalesce_onto(t, Nil), 1))
    }
    /// Converts the modes to entries; the first entry starts at index `p`.
    fn entries(list: List, p: Nat) -> Entries {
        match list {
            Nil => NoEntry,
            Cons(h, rest) => match h {
                M(s, d) => Then(Entry(s, d, p, is_empty(rest)), entries(rest, p * s)),
                _ => entries(rest, p * size(h)),
            },
        }
    }
    fn is_empty(list: List) -> Bool {
        match list {
            Nil => true,
            _ => false,
        }
    }
    fn stride_of(e: Entry) -> Stride {
        match e {
            Entry(_, d, _, _) => d,
        }
    }
    fn sorted(all: Entries) -> Entries {
        match all {
            NoEntry => NoEntry,
            Then(e, rest) => sorted_behind(least_first(rest, e)),
        }
    }
    /// Sorts the entries after the first.
    fn sorted_behind(all: Entries) -> Entries {
        match all {
            NoEntry => NoEntry,
            Then(e, rest) => Then(e, sorted(rest)),
        }
    }
    /// Adds `f` in front, and exchanges the least entry to the front.
    fn least_first(all: Entries, f: Entry) -> Entries {
        match all {
            NoEntry => Then(f, NoEntry),
            Then(e, rest) => {
                if is_less(stride_of(e), stride_of(f)) {
                    as_second(least_first(rest, e), f)
                } else {
                    as_second(least_first(rest, f), e)
                }
            }
        }
    }
    fn as_second(all: Entries, f: Entry) -> Entries {
        match all {
            NoEntry => Then(f, NoEntry),
            Then(e, rest) => Then(e, Then(f, rest)),
        }
    }

    // -- The right inverse ------------------------------------------------------------------------

    /// Returns the modes of the right inverse that continue a run of `next` offsets.
    fn right(all: Entries, next: Nat) -> Outcome {
        match all {
            NoEntry => Done(Nil),
            Then(e, rest) => match e {
                Entry(s, d, p, _) => right_mode(d, s, p, rest, next),
            },
        }
    }
    fn right_mode(d: Stride, s: Nat, p: Nat, rest: Entries, next: Nat) -> Outcome {
        match d {
            Null => right(rest, next),
            Positive(n) => {
                if n == next {
                    behind_gap(right(rest, next * s), s, p)
                } else {
                    right(rest, next)
                }
            }
            Negative(_) => right(rest, next),
            Basis(mode, of_mode) => Refused(InverseBasisRule, s, Basis(mode, of_mode), Here),
        }
    }
    /// Returns the first elements of a list of leaves, at most `most`: whole modes, and as much of
    /// the next mode as fits.
    fn prefix(list: List, most: Nat) -> List {
        match list {
            Nil => Nil,
            Cons(h, rest) => match h {
                M(s, d) => cut(least(most, s), d, prefix(rest, whole_of(most, s))),
                _ => prefix(rest, most),
            },
        }
    }
    fn cut(s: Nat, d: Stride, rest: List) -> List {
        if s == 1 { rest } else { Cons(M(s, d), rest) }
    }
    /// Returns how often `s` fits into `most`, at least once.
    fn whole_of(most: Nat, s: Nat) -> Nat {
        if most >= s { most / s } else { 1 }
    }

    // -- The left inverse -------------------------------------------------------------------------

    /// Returns the modes of the left inverse after the entry `b` of stride `cov`. Some offset takes
    /// `steps` steps of this entry.
    fn left(all: Entries, cov: Nat, b: Before, steps: Nat) -> Outcome {
        match all {
            NoEntry => end(b, cov, steps),
            Then(e, rest) => match e {
                Entry(s, d, p, last) => left_mode(d, s, p, last, rest, cov, b, steps),
            },
        }
    }
    fn left_mode(
        d: Stride,
        s: Nat,
        p: Nat,
        last: Bool,
        rest: Entries,
        cov: Nat,
        b: Before,
        steps: Nat,
    ) -> Outcome {
        match d {
            // Skip the mode. If no positive stride follows, its shape ends the inverse, as in CuTe.
            Null => left(rest, cov, NullBefore(s), steps),
            Positive(n) => {
                if n % cov == 0 {
                    left_step(n, n / cov, s, p, last, rest, cov, b, steps)
                } else {
                    Refused(InverseStrideRule, n, cov, Here)
                }
            }
            Negative(n) => Refused(InverseSignRule, s, Negative(n), Here),
            Basis(mode, of_mode) => Refused(InverseBasisRule, s, Basis(mode, of_mode), Here),
        }
    }
    /// Adds the mode `s:d`, where `d` is `q` times `cov`. Fewer than `q` steps of the previous
    /// entry are taken, and further steps continue in this mode.
    fn left_step(
        d: Nat,
        q: Nat,
        s: Nat,
        p: Nat,
        last: Bool,
        rest: Entries,
        cov: Nat,
        b: Before,
        steps: Nat,
    ) -> Outcome {
        if allows(b, least(steps, pred(q))) {
            behind_gap(
                left(rest, d, Entry(s, d, p, last), pred(s) + steps / q),
                q,
                start_of(b),
            )
        } else {
            Refused(QuasiRule, s, cov, Here)
        }
    }
    /// Returns the end of the inverse.
    fn end(b: Before, cov: Nat, steps: Nat) -> Outcome {
        match b {
            NoneBefore => Done(Nil),
            NullBefore(s) => behind_gap(Done(Nil), s, 0),
            Entry(s, _, p, last) => {
                if last || s > steps {
                    behind_gap(Done(Nil), s, p)
                } else {
                    Refused(QuasiRule, s, cov, Here)
                }
            }
        }
    }
    /// Whether this many steps of the entry may be taken. The last mode is unbounded; any other
    /// mode holds fewer steps than its shape.
    fn allows(b: Before, steps: Nat) -> Bool {
        match b {
            Entry(s, _, _, last) => last || s > steps,
            _ => true,
        }
    }
    /// Returns the index of the entry's first step, or 0 if there is no entry.
    fn start_of(b: Before) -> Nat {
        match b {
            Entry(_, _, p, _) => p,
            _ => 0,
        }
    }

    // -- The nullspace ----------------------------------------------------------------------------

    /// Returns the modes of stride 0, with the index of their first step as stride.
    fn null_modes(list: List, p: Nat) -> List {
        match list {
            Nil => Nil,
            Cons(h, rest) => match h {
                M(s, d) => {
                    if is_null(d) {
                        Cons(starting(s, p), null_modes(rest, p * s))
                    } else {
                        null_modes(rest, p * s)
                    }
                }
                _ => null_modes(rest, p * size(h)),
            },
        }
    }
    /// Returns the mode `s:p`, or `1:0` for a mode of size 1.
    fn starting(s: Nat, p: Nat) -> Tree {
        if s == 1 { M(1, 0) } else { M(s, p) }
    }
}

/// The rule that each stride is a multiple of the next smaller stride.
#[derive(Clone, Copy, Debug, Default)]
pub struct InverseStrideRule;
/// The rule that overlapping modes do not together leave a mode of greater stride: otherwise the
/// result would not be a quasi-inverse.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuasiRule;
/// The rule that no stride is negative: such a layout has no left inverse.
#[derive(Clone, Copy, Debug, Default)]
pub struct InverseSignRule;
/// The rule that no stride is a scaled basis element: such a layout has no inverse.
#[derive(Clone, Copy, Debug, Default)]
pub struct InverseBasisRule;

//! Decides the compositions that the walk over digits does not decide: strides of either sign,
//! scaled basis elements, and steps over the end of a digit of stride 0.
//!
//! ```text
//!   A o (4,4):(1@1,1@0)        each mode of A on its own: mode 1 o 4:1, mode 0 o 4:1
//!   A o 4:-2                   -(A o 4:2)
//!   A o (2,2):(-1,8)           the modes of each sign on their own, and then what they borrow from one another
//!   (5,8):(0,1) o 4:3          CuTe's result, compared with A(B(i)) one by one
//! ```
//!
//! Law: the law of a composition is decided exactly. Only the last kind needs comparisons, at most
//! [`MaxPoints`] of them.

use super::borrow::{borrow_free, picked};
use super::compose_list::{compose, digits_onto};
use super::points::{NatPoints, SamePoints};
use crate::kinds::*;
use layout_types_macros::functions;

/// The largest number of points that are compared: 256, since the compiler computes each of them.
pub type MaxPoints = typenum::U256;

/// The composition `A o B` of trees, decided.
pub type FullCompose<A, B> = decided<A, B>;
/// The composition `A o B` as CuTe computes it, without further checks.
pub type UnbudgetedCompose<A, B> = as_cute<A, B>;

pub(crate) use self::functions::*;

#[functions(crate::kinds::table)]
mod functions {
    use super::*;

    fn borrow_free(up: Digits, down: Digits) -> Bool;
    fn compose(b: Tree, x: Digits) -> Outcome;
    fn digits_onto(t: Tree, x: Digits) -> Digits;
    fn picked(d: Stride, p: Pick) -> Stride;

    /// Whether a right operand has few enough points to compare them one by one.
    fn are_few(n: Nat) -> Bool {
        <MaxPoints as NatCmp>::AtLeast::<n>
    }
    /// Whether `t(i) == x(b(i))` for each `i` below `n`.
    fn same_points(n: Nat, x: Digits, b: Tree, t: Tree) -> Bool {
        <n as NatPoints>::AllFrom::<Zero, SamePoints<x, b, t>>
    }

    /// Composes `a o b`.
    fn decided(a: Tree, b: Tree) -> Outcome {
        match compose(b, digits_onto(a, Start)) {
            Undecided => searched(a, b),
            found => found,
        }
    }
    /// Returns the composition as CuTe computes it.
    fn as_cute(a: Tree, b: Tree) -> Outcome {
        compose(b, digits_onto(a, Start(Unbudgeted(NoGap))))
    }

    /// Composes `a o b` if the walk over digits does not decide it.
    fn searched(a: Tree, b: Tree) -> Outcome {
        if has_basis(b) {
            components(modes_of(a), b, 0, leaves(b, a))
        } else if never_up(b) {
            opposed(decided(a, negated(b)))
        } else {
            both_signs(compose(only(b, Rising), digits_onto(a, Start)), a, b)
        }
    }

    // -- Strides of either sign -------------------------------------------------------------------

    /// Returns the result with all strides negated. A refusal names the mode as it was written.
    fn opposed(result: Outcome) -> Outcome {
        match result {
            Done(t, left) => Done(negated(t), left),
            Refused(why, s, d, way) => Refused(why, s, opposite(d), way),
            Undecided => Undecided,
        }
    }
    /// Composes `a o b`, where `rising` is the composition with only the modes of positive stride.
    fn both_signs(rising: Outcome, a: Tree, b: Tree) -> Outcome {
        match rising {
            Done(_, _) => match compose(only(b, Falling), digits_onto(a, Start)) {
                Done(_, _) => unless_borrowed(a, b),
                Refused(why, s, d, way) => Refused(why, s, opposite(d), way),
                Undecided => compared(a, b),
            },
            Undecided => compared(a, b),
            refused => refused,
        }
    }
    /// Composes `a o b`, whose modes of each sign have a composition.
    fn unless_borrowed(a: Tree, b: Tree) -> Outcome {
        if borrow_free(
            digits_left(as_cute(a, only(b, Rising))),
            digits_left(as_cute(a, only(b, Falling))),
        ) {
            as_cute(a, b)
        } else {
            Refused(BorrowRule, 0, 0, Here)
        }
    }
    /// Returns the left operand with the steps that a composition took from it.
    fn digits_left(result: Outcome) -> Digits {
        match result {
            Done(_, left) => left,
            _ => Start,
        }
    }

    // -- Point by point ---------------------------------------------------------------------------

    /// Returns CuTe's result of `a o b`, if it equals the composition at each point and the points
    /// are few.
    fn compared(a: Tree, b: Tree) -> Outcome {
        if are_few(size(b)) {
            if_same(as_cute(a, b), a, b)
        } else {
            Refused(PointsRule, size(b), 0, Here)
        }
    }
    fn if_same(result: Outcome, a: Tree, b: Tree) -> Outcome {
        match result {
            Done(t, _) => {
                if same_points(size(b), digits_onto(a, Start), b, t) {
                    Done(t)
                } else {
                    Refused(DiffersRule, 0, 0, Here)
                }
            }
            Undecided => Refused(MixedRule, 0, 0, Here),
            refused => refused,
        }
    }

    // -- Scaled basis elements --------------------------------------------------------------------

    /// Returns `result` if each mode of the list, from number `i` on, has a composition with the
    /// components of `b` that name this mode.
    fn components(list: List, b: Tree, i: Nat, result: Outcome) -> Outcome {
        match list {
            Nil => result,
            Cons(h, rest) => match decided(h, only(b, Along(i, All))) {
                Done(_, _) => components(rest, b, succ(i), result),
                refused => refused,
            },
        }
    }
    /// Composes each leaf with the mode of `a` that the leaf's stride names.
    fn leaves(b: Tree, a: Tree) -> Outcome {
        match b {
            M(s, d) => leaf(d, s, modes_of(a)),
            Nil => Done(Nil),
            Cons(h, rest) => match leaves(h, a) {
                Done(t, _) => behind(leaves(rest, a), t),
                Refused(why, s, d, way) => Refused(why, s, d, Mode(0, way)),
                Undecided => Undecided,
            },
        }
    }
    fn leaf(d: Stride, s: Nat, modes: List) -> Outcome {
        match d {
            Null => Done(M(s, 0)),
            Positive(n) => Refused(MixedRule, s, n, Here),
            Negative(n) => Refused(MixedRule, s, Negative(n), Here),
            Basis(mode, of_mode) => named(modes, mode, s, of_mode),
        }
    }
    /// Composes mode `i` with `s:v`.
    fn named(list: List, i: Nat, s: Nat, v: Stride) -> Outcome {
        match list {
            Nil => Refused(BasisRule, s, v, Here),
            Cons(h, rest) => {
                if i == 0 {
                    decided(h, M(s, v))
                } else {
                    named(rest, pred(i), s, v)
                }
            }
        }
    }

    // -- Questions about the right operand --------------------------------------------------------

    /// Whether some stride is a scaled basis.
    fn has_basis(t: Tree) -> Bool {
        match t {
            M(_, d) => is_basis(d),
            Nil => false,
            Cons(h, rest) => has_basis(h) || has_basis(rest),
        }
    }
    fn is_basis(d: Stride) -> Bool {
        match d {
            Basis(_, _) => true,
            _ => false,
        }
    }
    /// Whether each stride is an integer and not positive.
    fn never_up(t: Tree) -> Bool {
        match t {
            M(_, d) => is_falling(d),
            Nil => true,
            Cons(h, rest) => never_up(h) && never_up(rest),
        }
    }
    fn is_falling(d: Stride) -> Bool {
        match d {
            Null => true,
            Negative(_) => true,
            _ => false,
        }
    }
    /// Returns the tree with the part of each stride that `p` picks.
    fn only(t: Tree, p: Pick) -> Tree {
        match t {
            M(s, d) => M(s, picked(d, p)),
            Nil => Nil,
            Cons(h, rest) => Cons(only(h, p), only_of_each(rest, p)),
        }
    }
    fn only_of_each(list: List, p: Pick) -> List {
        match list {
            Nil => Nil,
            Cons(h, rest) => Cons(only(h, p), only_of_each(rest, p)),
        }
    }
}

//! Composition of two trees, mode by mode, and the rules that refuse it.
//!
//! ```text
//!   A = (4,6):(6,1)   Digit<4, 3, 6, End<6, 5, 1>>   a mixed radix: a digit of shape 4, then one that never ends
//!   A o 8:2           4 / 2 = 2 steps of stride 2*6 fill the first digit, 8 / 2 = 4 of stride 1 are left      (2,4):(12,1)
//!
//!   A = (4,6):(1,8)   A o 2:6           6 is above 4 and no multiple of it                           StrideRule<6, 4>
//!                     A o 3:3           3 steps of 3 pass the end of 4, which 3 does not divide      StepRule<3, 3, 4>
//!                     A o 5:2           2 steps of 2 fill 4, and 5 is no multiple of 2               ShapeRule<5, 2>
//!                     A o (3,2):(1,2)   2*1 + 1*2 in one digit is above 3: a carry                   CarryRule<4>
//! ```
//!
//! Law: with the left side coalesced, the offsets `d * i` of a mode `s:d` have digits in the left
//! shape's mixed radix. They form a layout digit by digit if, at each digit, `d` is a multiple of
//! the digit's shape, or all steps stay in the digit, or `d` divides the digit's shape and the
//! number of steps that fill the digit divides `s`. If only the sum over all digits is a layout,
//! the mode is refused: `(4,6):(1,8) o 4:5` is the function `4:9`, but neither CuTe nor this walk
//! finds that layout.
//!
//! For each digit, the greatest values over all modes of the right side must sum to less than the
//! digit's shape, or a carry would reach the next digit; the budget that remains for the digit is
//! passed from mode to mode. CuTe checks neither rule, and a divide that rounds up relies on this.
//! For such a divide the same walk runs with [`Unbudgeted`] in place of a budget, and collects the
//! steps taken in each digit. [`decide`](super::decide) decides the cases that a walk leaves
//! [`Undecided`]: negative strides, scaled basis elements, and steps over the end of a digit of
//! stride 0.

use super::coalescing::simplest;
use super::complements::{chains, insert, is_any, sorted_in};
use super::points::AddStride;
use crate::kinds::*;
use crate::tree::phantom;
use layout_types_macros::functions;

phantom! {
    /// The last digit, which is unbounded: its shape, its budget, which is used only if it is
    /// [`Unbudgeted`], and its stride.
    End<C, Cap, D>
}
phantom! {
    /// A digit: its shape, its remaining budget, its stride, and the digits above it.
    Digit<C, Cap, D, Rest>
}
phantom! {
    /// The left operand before its first digit; `Cap` is the kind of budget that the digits get.
    Start<Cap = Zero>
}
phantom! {
    /// Takes the place of a budget: the modes `Parts` that were taken in the digit, without a
    /// check.
    Unbudgeted<Parts>
}
phantom! {
    /// The result of a mode that the rule `Why` refuses.
    Failed<Why>
}
phantom! {
    /// The modes `P` that a mode of the right operand became, and the left operand `X` with the
    /// remaining budgets.
    ComposedParts<P, X>
}
phantom! {
    /// The rule that a stride `D` which reaches a digit of shape `C` is less than `C` or a multiple
    /// of `C`.
    StrideRule<D, C>
}
phantom! {
    /// The rule that `D` divides the shape `C` of a digit which `S` steps of `D` go beyond.
    StepRule<S, D, C>
}
phantom! {
    /// The rule that the number `N` of steps that fill a digit divides the shape `S`.
    ShapeRule<S, N>
}
phantom! {
    /// The rule that the modes of the right operand together do not reach the next digit of the
    /// left shape from a digit of shape `C`.
    CarryRule<C>
}
/// A left operand for a composition as CuTe computes it.
pub type StartUnbudgeted = Start<Unbudgeted<NoGap>>;

pub(crate) use self::functions::*;
pub use crate::kinds::Digits;

#[functions(crate::kinds::table)]
mod functions {
    use super::*;

    fn simplest(list: List) -> Tree;
    fn chains(list: Sorted, prev: Nat, cur: Nat, c: Nat) -> Bool;
    fn insert(list: Sorted, s: Nat, d: Nat) -> Sorted;
    fn is_any(list: Sorted) -> Bool;
    fn sorted_in(s: Nat, d: Stride, acc: Sorted) -> Sorted;

    fn add_times(d: Stride, n: Nat, sum: Sum) -> Sum {
        <d as AddStride>::AddTimes::<n, sum>
    }

    // -- The left operand -------------------------------------------------------------------------

    /// Converts the tree to a left operand: coalesced, with its last mode unbounded.
    fn digits_onto(t: Tree, x: Digits) -> Digits {
        match t {
            M(s, d) => push_digit(x, s, d),
            Nil => x,
            Cons(h, rest) => digits_onto(h, digits_onto(rest, x)),
        }
    }

    /// Adds the mode `s:d` below the digits. A mode of size 1 counts only as the last mode.
    fn push_digit(x: Digits, s: Nat, d: Stride) -> Digits {
        match x {
            Start(cap) => End(s, fresh(cap, s), d),
            _ => {
                if s == 1 {
                    x
                } else {
                    push_proper(x, s, d)
                }
            }
        }
    }

    /// Adds the mode `s:d`, not of size 1, below the digits. Merges the mode with the lowest digit
    /// if the digit continues the mode.
    fn push_proper(x: Digits, s: Nat, d: Stride) -> Digits {
        match x {
            Start(cap) => End(s, fresh(cap, s), d),
            End(c, cap, e) => {
                if same(scale(d, s), e) {
                    End(s * c, fresh(cap, s * c), d)
                } else {
                    Digit(s, fresh(cap, s), d, x)
                }
            }
            Digit(c, cap, e, rest) => {
                if same(scale(d, s), e) {
                    Digit(s * c, fresh(cap, s * c), d, rest)
                } else {
                    Digit(s, fresh(cap, s), d, x)
                }
            }
        }
    }

    /// Returns the stride of the last digit.
    fn last(x: Digits) -> Stride {
        match x {
            Start(_) => 0,
            End(_, _, e) => e,
            Digit(_, _, _, rest) => last(rest),
        }
    }

    // -- The right operand ------------------------------------------------------------------------

    /// Composes `x` with the tree `b`, leaf by leaf.
    fn compose(b: Tree, x: Digits) -> Outcome {
        match b {
            M(s, d) => compose_mode(d, s, x),
            Nil => Done(Nil, x),
            Cons(h, rest) => match compose(h, x) {
                Done(t, left) => behind(compose(rest, left), t),
                Refused(why, s, d, path) => Refused(why, s, d, Mode(0, path)),
                Undecided => Undecided,
            },
        }
    }

    /// Composes `x` with `s:d`.
    fn compose_mode(d: Stride, s: Nat, x: Digits) -> Outcome {
        match d {
            Null => Done(M(s, 0), x),
            Positive(n) => finish(strided(x, s, n), s, n),
            Negative(n) => down(x, s, n, Negative(n)),
            Basis(_, _) => Undecided,
        }
    }

    // -- One mode of the right operand ------------------------------------------------------------

    /// Composes `x` with `s:d`, where `d` is positive.
    fn strided(x: Digits, s: Nat, d: Nat) -> Leaf {
        match x {
            Start(_) => one_mode(s, 0, x),
            End(c, cap, e) => one_mode(s, scale(e, d), End(c, noted(cap, s, d), e)),
            Digit(c, cap, e, rest) => {
                if d % c == 0 {
                    // The digit is constant, as the stride skips it.
                    above(strided(rest, s, d / c), c, cap, e)
                } else if d / c == 0 {
                    if s == 1 {
                        // One element takes no step; CuTe gives it the stride of the last digit.
                        one_mode(s, last(rest), x)
                    } else if c.div_ceil(d) >= s {
                        // All steps stay in the digit.
                        spend_all(taken_from(cap, s, d), s, scale(e, d), c, e, rest)
                    } else if c % d == 0 {
                        filled(s, d, c / d, c, cap, e, rest)
                    } else {
                        uneven(cap, s, d, succ(c / d), c, e, rest)
                    }
                } else {
                    Failed(StrideRule(d, c))
                }
            }
        }
    }

    /// Fills the digit `c:e` with `n` of `s` steps of `d`; the other steps continue after the
    /// digit.
    fn filled(s: Nat, d: Nat, n: Nat, c: Nat, cap: Allowance, e: Stride, rest: Digits) -> Leaf {
        if s % n == 0 {
            spend(
                taken_from(cap, n, d),
                run(rest, s / n),
                n,
                scale(e, d),
                c,
                e,
            )
        } else {
            Failed(ShapeRule(s, n))
        }
    }

    /// Composes `x` with `s:1`, where `s` is at least 2.
    fn run(x: Digits, s: Nat) -> Leaf {
        match x {
            Start(_) => one_mode(s, 0, x),
            End(c, cap, e) => one_mode(s, e, End(c, noted(cap, s, 1), e)),
            Digit(c, cap, e, rest) => {
                if s % c == 0 {
                    if s / c == 1 {
                        spend_all(taken_from(cap, s, 1), s, e, c, e, rest)
                    } else {
                        spend(taken_from(cap, c, 1), run(rest, s / c), c, e, c, e)
                    }
                } else if s / c == 0 {
                    spend_all(taken_from(cap, s, 1), s, e, c, e, rest)
                } else {
                    Failed(ShapeRule(s, c))
                }
            }
        }
    }

    /// Takes `s` steps of `d`, which are more than the `n` steps that fit in the digit. The digit's
    /// shape `c` is not a multiple of `d`.
    fn uneven(cap: Allowance, s: Nat, d: Nat, n: Nat, c: Nat, e: Stride, rest: Digits) -> Leaf {
        match cap {
            Number(_) => {
                if is_null(e) {
                    Undecided
                } else {
                    Failed(StepRule(s, d, c))
                }
            }
            Unbudgeted(_) => filled(s, d, n, c, cap, e, rest),
        }
    }

    /// Composes `x` with `s:d`, where `d` is `-n`.
    fn down(x: Digits, s: Nat, n: Nat, d: Stride) -> Outcome {
        match x {
            Start(cap) => down_by(cap, x, s, n, d),
            End(_, cap, _) => down_by(cap, x, s, n, d),
            Digit(_, cap, _, _) => down_by(cap, x, s, n, d),
        }
    }
    fn down_by(cap: Allowance, x: Digits, s: Nat, n: Nat, d: Stride) -> Outcome {
        match cap {
            Number(_) => Undecided,
            Unbudgeted(_) => finish_negated(strided(x, s, n), s, d),
        }
    }

    // -- The modes that a mode became -------------------------------------------------------------

    fn one_mode(s: Nat, d: Stride, x: Digits) -> Leaf {
        ComposedParts(Cons(M(s, d), Nil), x)
    }
    /// Adds the digit `c:e` with budget `cap` below the digits of `leaf`.
    fn above(leaf: Leaf, c: Nat, cap: Allowance, e: Stride) -> Leaf {
        match leaf {
            ComposedParts(p, x) => ComposedParts(p, Digit(c, cap, e, x)),
            _ => leaf,
        }
    }
    /// Adds the digit `c:e` with budget `cap` below the digits of `leaf`, and the mode `s:d` in
    /// front.
    fn before(leaf: Leaf, s: Nat, d: Stride, c: Nat, cap: Allowance, e: Stride) -> Leaf {
        match leaf {
            ComposedParts(p, x) => ComposedParts(Cons(M(s, d), p), Digit(c, cap, e, x)),
            _ => leaf,
        }
    }
    /// Returns the modes of `leaf` as a tree; `s:d` is the mode of the right operand that they came
    /// from.
    fn finish(leaf: Leaf, s: Nat, d: Stride) -> Outcome {
        match leaf {
            ComposedParts(p, x) => Done(simplest(p), x),
            Failed(why) => Refused(why, s, d, Here),
            Undecided => Undecided,
        }
    }
    fn finish_negated(leaf: Leaf, s: Nat, d: Stride) -> Outcome {
        match leaf {
            ComposedParts(p, x) => Done(negated(simplest(p)), x),
            Failed(why) => Refused(why, s, d, Here),
            Undecided => Undecided,
        }
    }

    // -- Budgets ----------------------------------------------------------------------------------

    /// Places the mode `s:d` in the digit `c:e`, whose budget is then `left`, in front of the modes
    /// of `next`.
    fn spend(left: Budget, next: Leaf, s: Nat, d: Stride, c: Nat, e: Stride) -> Leaf {
        match left {
            Underflow => Failed(CarryRule(c)),
            cap => before(next, s, d, c, cap, e),
        }
    }
    /// Places the mode `s:d` in the digit `c:e`, and nothing in the digits of `rest`.
    fn spend_all(left: Budget, s: Nat, d: Stride, c: Nat, e: Stride, rest: Digits) -> Leaf {
        match left {
            Underflow => Failed(CarryRule(c)),
            cap => one_mode(s, d, Digit(c, cap, e, rest)),
        }
    }
    /// Returns the budget of a new digit of shape `c`.
    fn fresh(cap: Allowance, c: Nat) -> Allowance {
        match cap {
            Number(_) => pred(c),
            Unbudgeted(_) => Unbudgeted(NoGap),
        }
    }
    /// Returns the budget that remains after the mode `s:d`.
    fn taken_from(cap: Allowance, s: Nat, d: Nat) -> Budget {
        match cap {
            Number(n) => checked_sub(n, pred(s) * d),
            Unbudgeted(p) => Unbudgeted(insert(p, s, d)),
        }
    }
    /// Returns the budget of the last digit, which is unbounded, after the mode `s:d`.
    fn noted(cap: Allowance, s: Nat, d: Nat) -> Allowance {
        match cap {
            Number(n) => n,
            Unbudgeted(p) => Unbudgeted(sorted_in(s, d, p)),
        }
    }
    /// Whether the parts taken cover a digit of shape `c`.
    fn covers(cap: Allowance, c: Nat) -> Bool {
        match cap {
            Number(_) => true,
            Unbudgeted(p) => chains(p, 0, 1, c),
        }
    }
    fn was_taken(cap: Allowance) -> Bool {
        match cap {
            Number(_) => false,
            Unbudgeted(p) => is_any(p),
        }
    }

    // -- Questions about the digits ---------------------------------------------------------------

    /// Whether, in each `Unbudgeted` digit, the parts taken cover the digit from the first step to
    /// its end.
    fn covered(x: Digits) -> Bool {
        match x {
            Start(_) => true,
            End(c, cap, _) => covers(cap, c),
            Digit(c, cap, _, rest) => covers(cap, c) && covered(rest),
        }
    }
    /// Adds the offset of `at` to `sum`.
    fn add_at(x: Digits, at: Nat, sum: Sum) -> Sum {
        match x {
            Start(_) => sum,
            End(_, _, e) => add_times(e, at, sum),
            Digit(c, _, e, rest) => add_at(rest, at / c, add_times(e, at % c, sum)),
        }
    }
}

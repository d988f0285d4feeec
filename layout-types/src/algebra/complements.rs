//! Complement: the layout of the offsets that another layout skips.
//!
//! ```text
//!   complement((2,2):(1,6), 24)  =  (3,2):(2,12)
//!   0 1 . . . . 6 7 . . . .|. . . . . . . . . . . .       2:1 fits three times below 6, then all repeats at 12
//! ```
//!
//! Law, with `R = Complement<A, M>`: `(A, R)` is injective, `R` is increasing, and together they
//! reach `size(M)`: `cosize(A) + cosize(R) - 1 >= size(M)` (CuTe: the postconditions of
//! `complement` in `cute/layout.hpp`). There is no complement if `A`'s modes of nonzero stride,
//! sorted by stride, overlap, or leave a gap that is too large for `R` to reach `M`.

use super::coalescing::{push_unless_unit, simplest};
use super::outcome::{Admissible, Complements};
use crate::kinds::*;
use crate::layout::LayoutFn;
use crate::tree::phantom;
use layout_types_macros::functions;

/// The complement of `A` in `M`, a number or a shape; the default is 1, which gives only the gaps.
///
/// ```
/// use layout_types::prelude::*;
/// type R = Complement<layout!((2,2):(1,6)), int!(24)>;
/// assert_eq!(R::default().to_string(), "(3,2):(2,12)");
/// ```
#[doc(alias = "complement")]
pub type Complement<A, M = One> = <A as Complementable<M>>::Output;

/// Layouts that have a complement in `M`.
#[diagnostic::on_unimplemented(
    message = "complement is not admissible for these operands",
    label = "no such complement"
)]
#[doc(hidden)]
pub trait Complementable<M>: LayoutFn {
    /// [`Complement`].
    type Output: LayoutFn;
}
impl<A: LayoutFn, N: ShapeTree> Complementable<N> for A
where
    complement_of<A::Modes, N>: Admissible<Complements, A, N>,
{
    type Output = A::With<<complement_of<A::Modes, N> as Admissible<Complements, A, N>>::Tree>;
}

phantom! {
    /// A mode of shape `S` and stride `D`, followed by the modes `Rest`, whose strides are at least
    /// `D`.
    Gap<S, D, Rest>
}
/// The end of the list: no more modes.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoGap;
phantom! {
    /// A stride that cannot be ordered by offset.
    Unordered<S, D>
}

pub(crate) use self::functions::*;

#[functions(crate::kinds::table)]
mod functions {
    use super::*;

    fn push_unless_unit(list: List, s: Nat, d: Stride) -> List;
    fn simplest(list: List) -> Tree;

    /// Returns how many repetitions of a block of `cur` offsets cover `n`.
    fn repeats(n: Shape, cur: Nat) -> Nat {
        <<n as ShapeTree>::CeilProduct<cur> as CeilRest>::Product
    }

    /// Returns the complement of the tree `t` in `n`.
    fn complement_of(t: Tree, n: Shape) -> Outcome {
        complement(sort(t, NoGap), t, n)
    }

    // -- Sorting ----------------------------------------------------------------------------------

    /// Merges the modes of a tree with those of `acc`, by stride. Skips modes of size 1 or stride
    /// 0.
    fn sort(t: Tree, acc: Sorted) -> Sorted {
        match t {
            M(s, d) => sorted_in(s, d, acc),
            Nil => acc,
            Cons(h, rest) => sort(rest, sort(h, acc)),
        }
    }
    fn sorted_in(s: Nat, d: Stride, acc: Sorted) -> Sorted {
        if s == 1 { acc } else { sort_stride(d, s, acc) }
    }
    fn sort_stride(d: Stride, s: Nat, acc: Sorted) -> Sorted {
        match d {
            Null => acc,
            Positive(n) => insert(acc, s, n),
            _ => Unordered(s, d),
        }
    }
    fn insert(list: Sorted, s: Nat, d: Nat) -> Sorted {
        match list {
            NoGap => Gap(s, d, NoGap),
            Gap(s2, d2, rest) => {
                if d2 >= d {
                    Gap(s, d, list)
                } else {
                    Gap(s2, d2, insert(rest, s, d))
                }
            }
            Unordered(_, _) => list,
        }
    }

    // -- The gaps ---------------------------------------------------------------------------------

    /// Returns the complement in `n` of the tree `t`, whose sorted modes are `list`.
    fn complement(list: Sorted, t: Tree, n: Shape) -> Outcome {
        match list {
            Unordered(s, d) => Refused(OrderRule, s, d, Here),
            _ => {
                if nests(list, 1) && is_number(n) {
                    simplest_outcome(walk(list, 1, n))
                } else {
                    reaching(walk(list, 1, n), reach(t), shape_size(n), extent(list))
                }
            }
        }
    }
    /// Returns the complement like `complement`, but the result need not cover `n`.
    fn holes(list: Sorted, n: Shape) -> Outcome {
        match list {
            Unordered(s, d) => Refused(OrderRule, s, d, Here),
            _ => simplest_outcome(walk(list, 1, n)),
        }
    }
    /// Returns the gaps below each of the modes, and the repetitions that cover the rest of `n`.
    /// The modes before these take all offsets below `cur`.
    fn walk(list: Sorted, cur: Nat, n: Shape) -> Outcome {
        match list {
            NoGap => Done(push_unless_unit(Nil, repeats(n, cur), cur)),
            Gap(s, d, rest) => {
                if d / cur == 0 {
                    Refused(OverlapRule(cur), s, d, Here)
                } else {
                    behind_gap(walk(rest, d * s, n), d / cur, cur)
                }
            }
            Unordered(s, d) => Refused(OrderRule, s, d, Here),
        }
    }
    fn behind_gap(rest: Outcome, s: Nat, d: Nat) -> Outcome {
        match rest {
            Done(r, _) => Done(push_unless_unit(modes_of(r), s, d)),
            _ => rest,
        }
    }
    /// Returns the result if it has at least `n / of` elements and, together with a layout of reach
    /// `t`, reaches the size `n`. Refuses it otherwise.
    fn reaching(result: Outcome, t: Nat, n: Nat, of: Nat) -> Outcome {
        match result {
            Done(r, _) => {
                if succ(t + reach(r)) >= n && size(r) >= n / of {
                    Done(simplest(modes_of(r)))
                } else {
                    Refused(CoverRule(t), n, 0, Here)
                }
            }
            _ => result,
        }
    }

    // -- Questions about sorted modes -------------------------------------------------------------

    /// Whether each stride continues the modes before it, up to a whole number of repetitions.
    fn nests(list: Sorted, cur: Nat) -> Bool {
        match list {
            Gap(s, d, rest) => d % cur == 0 && nests(rest, d * s),
            _ => true,
        }
    }
    /// Whether the modes cover `c` offsets without a gap, each stride taken once. The modes before
    /// these cover `cur` offsets, and the last stride taken is `prev`.
    fn chains(list: Sorted, prev: Nat, cur: Nat, c: Nat) -> Bool {
        match list {
            NoGap => cur >= c,
            Gap(s, d, rest) => {
                if d == prev {
                    false
                } else if cur >= c {
                    true
                } else if cur >= d {
                    if d == cur {
                        chains(rest, d, d * s, c)
                    } else {
                        chains(rest, prev, cur, c)
                    }
                } else {
                    false
                }
            }
            Unordered(_, _) => false,
        }
    }
    fn is_any(list: Sorted) -> Bool {
        match list {
            NoGap => false,
            _ => true,
        }
    }
    /// Returns the offset at which the last mode ends.
    fn end_of(list: Sorted, cur: Nat) -> Nat {
        match list {
            Gap(s, d, rest) => end_of(rest, d * s),
            _ => cur,
        }
    }
    /// Returns the product of the modes' shapes.
    fn extent(list: Sorted) -> Nat {
        match list {
            Gap(s, _, rest) => s * extent(rest),
            _ => 1,
        }
    }
}

phantom! {
    /// The rule that a mode's stride does not lie within the offsets below `Cur` that smaller
    /// strides take.
    OverlapRule<Cur>
}
phantom! {
    /// The rule that the gaps and the modes, whose reach is `T`, together cover the target, even if
    /// the gaps are not whole repetitions.
    CoverRule<T>
}
/// The rule that strides nest; otherwise some offsets are in no tile.
#[derive(Clone, Copy, Debug, Default)]
pub struct GapRule;
/// The rule that no stride is negative or a scaled basis: these have no complement.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderRule;

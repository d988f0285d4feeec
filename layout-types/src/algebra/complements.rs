//! Complement: the layout of what another leaves out.
//!
//! ```text
//!   complement((2,2):(1,6), 24)  =  (3,2):(2,12)
//!   0 1 . . . . 6 7 . . . .|. . . . . . . . . . . .       the gap 2..6 three times, then the whole again at 12
//! ```
//!
//! Law, with `R = Complement<A, M>`: `(A, R)` is injective, `R` is increasing, and together they
//! reach `size(M)`: `cosize(A) + cosize(R) - 1 >= size(M)` (CuTe: the postconditions of
//! `complement` in `cute/layout.hpp`). Where `A`'s modes of stride not 0, by increasing stride,
//! overlap, or leave a hole too large to reach `M`, there is none.

use super::coalescing::{push_unless_unit, simplest};
use super::outcome::{Admissible, Complements};
use crate::kinds::*;
use crate::layout::LayoutFn;
use crate::tree::phantom;
use layout_types_macros::functions;

/// The complement of `A` in `M`, a number or a shape; by default in 1, the gaps alone.
///
/// ```
/// use layout_types::prelude::*;
/// type R = Complement<layout!((2,2):(1,6)), int!(24)>;
/// assert_eq!(R::default().to_string(), "(3,2):(2,12)");
/// ```
#[doc(alias = "complement")]
pub type Complement<A, M = One> = <A as Complementable<M>>::Output;

/// `Self` has a complement in `M`.
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
    /// A mode of shape `S` and stride `D`, before the modes `Rest` of strides not less.
    Gap<S, D, Rest>
}
/// No more mode.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoGap;
phantom! {
    /// A stride that has no place in an order of offsets.
    Unordered<S, D>
}

pub(crate) use self::functions::*;

#[functions(crate::kinds::table)]
mod functions {
    use super::*;

    fn push_unless_unit(list: List, s: Nat, d: Stride) -> List;
    fn simplest(list: List) -> Tree;

    /// How often a block of `cur` offsets has to be repeated to cover `n`.
    fn repeats(n: Shape, cur: Nat) -> Nat {
        <<n as ShapeTree>::CeilProduct<cur> as CeilRest>::Product
    }

    /// The complement of the tree `t` in `n`.
    fn complement_of(t: Tree, n: Shape) -> Outcome {
        complement(sort(t, NoGap), t, n)
    }

    // -- Sorting ----------------------------------------------------------------------------------

    /// The modes of a tree with those of `acc`, by stride; modes of size 1 or stride 0 are left
    /// out.
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

    /// The complement in `n` of the tree `t`, whose modes these are.
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
    /// As `complement`, whether or not it covers `n`.
    fn holes(list: Sorted, n: Shape) -> Outcome {
        match list {
            Unordered(s, d) => Refused(OrderRule, s, d, Here),
            _ => simplest_outcome(walk(list, 1, n)),
        }
    }
    /// The gaps before the modes, where all offsets below `cur` are taken, and the rest of `n`.
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
    /// The result, where it and a layout of size `of` and reach `t` have `n` elements and reach the
    /// size `n`.
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

    /// Does each stride continue the modes before, up to a whole number of repeats?
    fn nests(list: Sorted, cur: Nat) -> Bool {
        match list {
            Gap(s, d, rest) => d % cur == 0 && nests(rest, d * s),
            _ => true,
        }
    }
    /// With `cur` offsets of `c` covered, the last step to it being `prev`: do the modes cover the
    /// rest without a gap, each step once?
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
    /// Where the last mode ends.
    fn end_of(list: Sorted, cur: Nat) -> Nat {
        match list {
            Gap(s, d, rest) => end_of(rest, d * s),
            _ => cur,
        }
    }
    /// The product of the modes' shapes.
    fn extent(list: Sorted) -> Nat {
        match list {
            Gap(s, _, rest) => s * extent(rest),
            _ => 1,
        }
    }
}

phantom! {
    /// The mode's stride lies within the offsets below `Cur` that modes of smaller stride take.
    OverlapRule<Cur>
}
phantom! {
    /// The holes that the modes leave are no whole number of repeats, and gaps and modes of reach
    /// `T` do not cover the target.
    CoverRule<T>
}
/// The strides do not nest: some offsets are in no tile.
#[derive(Clone, Copy, Debug, Default)]
pub struct GapRule;
/// Negative and scaled-basis strides have no complement.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderRule;

//! The part that two layouts have in common, and the length up to which a layout is contiguous.
//!
//! ```text
//!   A = (8,4):(1,8)   B = (8,4):(1,16)      max_common_vector = 8: elements 0..8 agree
//!   max_alignment((4,8):(1,16)) = 4         the widest vector that starts at every multiple of it
//! ```
//!
//! Law: with `R = MaxCommonLayout<A, B>`, `A(R(i)) == i == B(R(i))`; `MaxAlignment<L>` divides the
//! length of the contiguous run from offset 0, and every stride of the other modes (CuTe:
//! `cute/layout.hpp`).

use super::coalescing::{CoalescedTree, coalesced};
use super::decide::{as_cute, decided};
use super::divide::divided;
use super::inverse::right_of;
use super::outcome::{Admissible, Alignments, Commons};
use crate::kinds::*;
use crate::layout::{LayoutFn, StaticLayout, Unzip};
use layout_types_macros::functions;

/// The layout of the longest run of elements on which `A` and `B` agree.
///
/// ```
/// use layout_types::prelude::*;
/// type R = MaxCommonLayout<layout!((8,2):(2,1)), layout!((8,2):(4,1))>;
/// assert_eq!(R::default().to_string(), "2:8");
/// ```
#[doc(alias = "max_common_layout")]
pub type MaxCommonLayout<A, B> = <A as CommonWith<B>>::Layout;
/// The number of elements on which `A` and `B` agree, at least 1.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::typenum::Unsigned;
/// assert_eq!(MaxCommonVector::<layout!((8,4):(1,8)), layout!((8,4):(1,16))>::USIZE, 8);
/// ```
#[doc(alias = "max_common_vector")]
pub type MaxCommonVector<A, B> = <A as CommonWith<B>>::Vector;
/// Layouts `Self` that can be compared with `B`.
#[diagnostic::on_unimplemented(
    message = "max_common_layout is not admissible for these operands",
    label = "no such comparison"
)]
#[doc(hidden)]
pub trait CommonWith<B> {
    /// [`MaxCommonLayout`].
    type Layout: LayoutFn;
    /// [`MaxCommonVector`].
    type Vector: Nat;
}
impl<A: StaticLayout, B: StaticLayout> CommonWith<B> for A
where
    common<A::Modes, B::Modes>: Admissible<Commons, A, B>,
{
    type Layout = Unzip<<common<A::Modes, B::Modes> as Admissible<Commons, A, B>>::Tree>;
    type Vector =
        <<common<A::Modes, B::Modes> as Admissible<Commons, A, B>>::Tree as ModeTree>::Size;
}

/// The widest vector with which the whole layout can be accessed.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::typenum::Unsigned;
/// assert_eq!(MaxAlignment::<layout!((4,8):(1,10))>::USIZE, 2);
/// ```
#[doc(alias = "max_alignment")]
pub type MaxAlignment<L> = <L as Aligned>::Vector;
/// Layouts that have an alignment.
#[diagnostic::on_unimplemented(
    message = "max_alignment is not admissible for these operands",
    label = "no such alignment"
)]
#[doc(hidden)]
pub trait Aligned {
    /// [`MaxAlignment`].
    type Vector: Nat;
}
impl<L: StaticLayout> Aligned for L
where
    run_and_rest<L::Modes>: Admissible<Alignments, L, ()>,
{
    type Vector = alignment<<run_and_rest<L::Modes> as Admissible<Alignments, L, ()>>::Tree>;
}

/// A layout that takes up to `N` elements of the shape `S`, from the first element on, and divides
/// each mode without remainder.
///
/// ```
/// use layout_types::prelude::*;
/// type D = DomainDistribute<shape!(((15,14),2)), int!(6)>;
/// assert_eq!(D::default().to_string(), "(3,2):(1,15)");
/// ```
#[doc(alias = "domain_distribute")]
pub type DomainDistribute<S, N> = Unzip<CoalescedTree<<S as DistributeShape>::Part<Stop, N, One>>>;

/// The rest mode of the divide of the shape `S` by the layout `T`: CuTe's
/// `ceil_div(shape, layout)`.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(<CeilDivLayout<int!(32), layout!((1,2):(0,2))>>::default().to_string(), "(2,8)");
/// ```
#[doc(alias = "ceil_div")]
pub type CeilDivLayout<S, T> = crate::ShapeOf<super::complements::Complement<T, S>>;

/// The layout, or its first elements, in another shape: `A` composed with the column-major layout
/// of `S`.
///
/// ```
/// use layout_types::prelude::*;
/// type W = WithShape<layout!((16,3,3):(3,48,1)), shape!(((3,2),24))>;
/// assert_eq!(W::default().to_string(), "((3,2),(8,3)):((3,9),(18,1))");
/// ```
pub type WithShape<A, S> = super::compose::Composition<A, crate::LayoutLeft<S>>;

pub(crate) use self::functions::*;

#[functions(crate::kinds::table)]
mod functions {
    use super::*;

    fn as_cute(a: Tree, b: Tree) -> Outcome;
    fn coalesced(t: Tree) -> Tree;
    fn decided(a: Tree, b: Tree) -> Outcome;
    fn divided(a: Tree, t: Tree, fit: Fit) -> Outcome;
    fn right_of(t: Tree) -> Outcome;

    // -- The common part of two layouts -----------------------------------------------------------

    /// Returns the longest run of elements on which both trees agree.
    fn common(a: Tree, b: Tree) -> Outcome {
        match right_of(b) {
            Done(inverse, _) => common_run(as_cute(a, inverse), a, inverse),
            refused => refused,
        }
    }
    /// Returns the run, where `along` is `a` in the order of the inverse.
    fn common_run(along: Outcome, a: Tree, inverse: Tree) -> Outcome {
        match along {
            Done(t, _) => first_run(head(modes_of(coalesced(t))), a, inverse),
            refused => refused,
        }
    }
    fn first_run(first: Tree, a: Tree, inverse: Tree) -> Outcome {
        match first {
            M(s, d) => {
                if same(d, 1) {
                    proved_run(decided(inverse, M(s, 1)), a, s)
                } else {
                    Done(M(1, 0))
                }
            }
            _ => Done(M(1, 0)),
        }
    }
    /// Returns the run of `n` elements if they are contiguous in `a`.
    fn proved_run(run: Outcome, a: Tree, n: Nat) -> Outcome {
        match run {
            Done(r, _) => if_neighbours(decided(a, r), n, r),
            refused => refused,
        }
    }
    fn if_neighbours(in_a: Outcome, n: Nat, run: Tree) -> Outcome {
        match in_a {
            Done(t, _) => {
                if is_run_of(coalesced(t), n) {
                    Done(run)
                } else {
                    Refused(DiffersRule, 0, 0, Here)
                }
            }
            refused => refused,
        }
    }
    /// Whether the tree is `n:1`.
    fn is_run_of(t: Tree, n: Nat) -> Bool {
        match t {
            M(s, d) => s == n && same(d, 1),
            _ => false,
        }
    }
    /// Returns the size, or 1 if there is no result.
    fn size_or_one(result: Outcome) -> Nat {
        match result {
            Done(t, _) => size(t),
            _ => 1,
        }
    }

    // -- Up to which length a layout is contiguous ------------------------------------------------

    /// Divides a tree by its right inverse, into the run and the rest.
    fn run_and_rest(t: Tree) -> Outcome {
        match right_of(coalesced(t)) {
            Done(run, _) => divided(coalesced(t), run, RoundUp),
            refused => refused,
        }
    }
    /// Returns the greatest common divisor of the run's size and the rest's strides.
    fn alignment(t: Tree) -> Nat {
        stride_gcd(head(tail(modes_of(t))), size(head(modes_of(t))))
    }
    fn alignment_or_one(result: Outcome) -> Nat {
        match result {
            Done(t, _) => alignment(t),
            _ => 1,
        }
    }
    /// Returns the greatest common divisor of `n` and all strides.
    fn stride_gcd(t: Tree, n: Nat) -> Nat {
        match t {
            M(_, d) => gcd(magnitude(d), n),
            Nil => n,
            Cons(h, rest) => stride_gcd(rest, stride_gcd(h, n)),
        }
    }
}

/// Shapes over which elements are distributed.
#[doc(hidden)]
pub trait DistributeShape {
    /// The parts of this shape's leaves, followed by the parts of `Rest`. `N` elements are still to
    /// be taken, and `Step` elements are before this shape.
    type Part<Rest: DistributeShape, N: Nat, Step: Nat>: ModeList;
}
impl<S: Nat> DistributeShape for S {
    type Part<R: DistributeShape, N: Nat, Step: Nat> = Cons<
        M<S::GcdOf<N>, Step>,
        R::Part<Stop, <N as Nat>::Over<S::GcdOf<N>>, <Step as Nat>::Times<S>>,
    >;
}
impl DistributeShape for Nil {
    type Part<R: DistributeShape, N: Nat, Step: Nat> = R::Part<Stop, N, Step>;
}
/// The end of all shapes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stop;
impl DistributeShape for Stop {
    type Part<R: DistributeShape, N: Nat, Step: Nat> = Nil;
}
impl<H: DistributeShape, T: DistributeShape> DistributeShape for Cons<H, T> {
    type Part<R: DistributeShape, N: Nat, Step: Nat> = H::Part<Cons<T, R>, N, Step>;
}

//! Flatten, filter, and coalesce mode by mode.
//!
//! ```text
//!   flatten        (2,(3,4)):(1,(0,2))   ->   (2,3,4):(1,0,2)
//!   filter_zeros                         ->   (2,(1,4)):(1,(0,2))
//!   filter                               ->   8:1
//! ```
//!
//! Law: `Flatten` and `CoalesceBy` keep the function; `FilterZeros` keeps the tuple structure and
//! removes the coordinates that do not change the offset; `Filter` is `Coalesce` after
//! `FilterZeros` (CuTe: `cute/layout.hpp`).

use super::coalescing::{CoalescedTree, coalesced};
use super::outcome::{Admissible, Coalesces};
use crate::kinds::*;
use crate::layout::LayoutFn;
use layout_types_macros::functions;

/// The layout with depth at most 1.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Flatten::<layout!((2,(3,4)):(1,(0,2)))>::default().to_string(), "(2,3,4):(1,0,2)");
/// ```
#[doc(alias = "flatten")]
pub type Flatten<L> = <L as LayoutFn>::With<flattened<<L as LayoutFn>::Modes>>;
/// The layout with every mode of stride 0 replaced by `1:0`.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(FilterZeros::<layout!((2,(3,4)):(1,(0,2)))>::default().to_string(), "(2,(1,4)):(1,(0,2))");
/// ```
#[doc(alias = "filter_zeros")]
pub type FilterZeros<L> = <L as LayoutFn>::With<nonzero<<L as LayoutFn>::Modes>>;
/// The layout without modes of size 1 or stride 0, coalesced.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Filter::<layout!((2,(3,4)):(1,(0,2)))>::default().to_string(), "8:1");
/// ```
#[doc(alias = "filter")]
pub type Filter<L> = <L as LayoutFn>::With<CoalescedTree<nonzero<<L as LayoutFn>::Modes>>>;

pub(crate) use self::functions::*;

#[functions(crate::kinds::table)]
mod functions {
    use super::*;

    fn coalesced(t: Tree) -> Tree;

    /// Returns the leaves of a tree, followed by the list.
    fn leaves_onto(t: Tree, list: List) -> List {
        match t {
            M(s, d) => Cons(M(s, d), list),
            Nil => list,
            Cons(h, rest) => leaves_onto(h, leaves_onto(rest, list)),
        }
    }
    /// Returns the leaves as a list, or the leaf itself for a leaf.
    fn flattened(t: Tree) -> Tree {
        match t {
            M(s, d) => M(s, d),
            Nil => Nil,
            Cons(h, rest) => leaves_onto(h, leaves_onto(rest, Nil)),
        }
    }
    /// Returns the tree with shape 1 in each mode of stride 0.
    fn nonzero(t: Tree) -> Tree {
        match t {
            M(s, d) => {
                if is_null(d) {
                    M(1, d)
                } else {
                    M(s, d)
                }
            }
            Nil => Nil,
            Cons(h, rest) => Cons(nonzero(h), nonzero_modes(rest)),
        }
    }
    fn nonzero_modes(list: List) -> List {
        match list {
            Nil => Nil,
            Cons(h, rest) => Cons(nonzero(h), nonzero_modes(rest)),
        }
    }
    /// Coalesces the tree by a profile, which is a number or a tuple.
    fn coalesced_by(t: Tree, profile: Guide) -> Outcome {
        match profile {
            ByNumber(_) => Done(coalesced(t)),
            Each(first, others) => coalesced_modes(modes_of(t), first, others),
            _ => Done(t),
        }
    }
    /// Coalesces the modes one by one. Modes without a profile do not change.
    fn coalesced_modes(list: List, first: Guide, others: Guides) -> Outcome {
        match list {
            Nil => Refused(RankRule, 0, 0, Here),
            Cons(h, rest) => match coalesced_by(h, first) {
                Done(t, _) => behind(coalesced_by(rest, others), t),
                Refused(why, s, d, way) => Refused(why, s, d, Mode(0, way)),
                Undecided => Undecided,
            },
        }
    }
}

/// `coalesce(L, profile)`: each mode that the profile names, coalesced by itself, and the other
/// modes unchanged.
///
/// ```
/// use layout_types::prelude::*;
/// type C = CoalesceBy<layout!(((2,4),(3,5)):((1,2),(8,24))), shape!((1, 1))>;
/// assert_eq!(C::default().to_string(), "(8,15):(1,8)");
/// ```
#[doc(alias = "coalesce")]
pub type CoalesceBy<L, P> = <L as CoalesceByProfile<P>>::Output;
/// Layouts that have the modes which the profile `P` names.
#[diagnostic::on_unimplemented(
    message = "coalesce is not admissible for these operands",
    label = "no such coalesced layout"
)]
#[doc(hidden)]
pub trait CoalesceByProfile<P>: LayoutFn {
    /// [`CoalesceBy`].
    type Output: LayoutFn;
}
impl<L: LayoutFn, P: Profile> CoalesceByProfile<P> for L
where
    coalesced_by<L::Modes, P::Guide>: Admissible<Coalesces, L, P>,
{
    type Output = L::With<<coalesced_by<L::Modes, P::Guide> as Admissible<Coalesces, L, P>>::Tree>;
}

/// A number, or a tuple of profiles.
#[doc(hidden)]
pub trait Profile {
    /// The modes to coalesce, in the form that the functions of the algebra take.
    type Guide: Guide;
}
/// A tuple of profiles.
#[doc(hidden)]
pub trait ProfileList: Profile<Guide: Guides> {}
impl<N: Nat> Profile for N {
    type Guide = ByNumber<N>;
}
impl Profile for Nil {
    type Guide = NoGuide;
}
impl ProfileList for Nil {}
impl<H: Profile, T: ProfileList> Profile for Cons<H, T> {
    type Guide = Each<H::Guide, T::Guide>;
}
impl<H: Profile, T: ProfileList> ProfileList for Cons<H, T> {}

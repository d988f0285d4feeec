//! The inverses and the nullspace.
//!
//! ```text
//!   A = (2,4):(4,1)     offsets 0 4 1 5 2 6 3 7        right_inverse (4,2):(2,1)     A(R(i)) = i
//!   A = (4,2):(1,5)     offsets 0 1 2 3 5 6 7 8        left_inverse  (5,2):(1,4)     L(A(i)) = i
//!   A = (4,8):(1,0)                                    nullspace      8:4            A(N(i)) = 0
//! ```
//!
//! Law: `A(R(i)) == i` for every `i` of the right inverse `R`, which is the longest run that CuTe's
//! order of modes gives. `A(L(A(i))) == A(i)` for the left inverse `L`, and `L(A(i)) == i` where
//! `A` is injective. `A(N(i)) == 0` for the nullspace `N` (CuTe: `cute/layout.hpp`, "Right-Inverse
//! and Left-Inverse", "Kernel (Nullspace) of a Layout").

use super::coalescing::{coalesce_onto, simplest};
use super::complements::behind_gap;
use super::outcome::{Admissible, Done, Here, LeftInverses, Outcome, Refused, RightInverses};
use crate::layout::{Layout, LayoutFn, StaticLayout, Unzip};
use crate::num::{Bool, False, Nat, NatCmp, One, Pred, QuotRem, StrideLeaf, True, Zero};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil, phantom};

macro_rules! inverse {
    ($(#[$m:meta])* $alias:ident, $trait:ident, $of:ident, $op:ident, $message:literal) => {
        $(#[$m])*
        pub type $alias<L> = <L as $trait>::Output;
        #[doc = concat!("`Self` has a [`", stringify!($alias), "`].")]
        #[diagnostic::on_unimplemented(message = $message, label = "no such inverse")]
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
    RightInverse, RightInvertible, RightInverseOf, RightInverses,
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
    LeftInverse, LeftInvertible, LeftInverseOf, LeftInverses,
    "left_inverse is not admissible for these operands"
}
/// The layout of the coordinates that a layout maps to 0.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Nullspace::<layout!((2,4,6,2):(4,1,0,8))>::default().to_string(), "6:8");
/// ```
#[doc(alias = "nullspace")]
pub type Nullspace<L> = Unzip<NullspaceOf<<L as crate::LayoutFn>::Modes>>;

/// [`RightInverse`] of a tree.
pub type RightInverseOf<T> = <<SortedOf<T> as Seq>::Right<One> as Outcome>::Simplest;
/// [`LeftInverse`] of a tree.
pub type LeftInverseOf<T> =
    <<SortedOf<T> as Seq>::Left<One, NoneBefore, Zero> as Outcome>::Simplest;
/// [`Nullspace`] of a tree.
pub type NullspaceOf<T> =
    simplest<<<T as super::flatten::FlattenTree>::LeavesOnto<Nil> as InverseList>::Null<One>>;
/// The coalesced modes of a tree by increasing stride, in the order of CuTe's exchange sort.
pub type SortedOf<T> = <<coalesce_onto<T, Nil> as InverseList>::Entries<One> as Seq>::Sort;

phantom! {
    /// A mode `S:D` whose first step is at index `P`; `Last` where it is the layout's last.
    Entry<S, D, P, Last>
}
/// Reads an [`Entry`].
pub trait AnyEntry {
    /// The shape.
    type S: Nat;
    /// The stride.
    type D: StrideLeaf;
    /// The index of the first step.
    type P: Nat;
    /// Is it the last mode?
    type Last: Bool;
}
impl<S: Nat, D: StrideLeaf, P: Nat, L: Bool> AnyEntry for Entry<S, D, P, L> {
    type S = S;
    type D = D;
    type P = P;
    type Last = L;
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

/// A list of entries.
pub trait Seq {
    /// By increasing stride.
    type Sort: Seq;
    /// With `E` in front, the least entry exchanged to the front.
    type Bubble<E: AnyEntry>: Seq;
    /// With `E` behind the first.
    type Second<E: AnyEntry>: Seq;
    /// The first as it is, the rest sorted.
    type SortRest: Seq;
    /// The modes of the right inverse, the run having reached `Next`.
    type Right<Next: Nat>: Outcome;
    /// The modes of the left inverse behind the entry `B` of stride `Cov`, of which some offset
    /// takes `Steps` steps.
    type Left<Cov: Nat, B: Before, Steps: Nat>: Outcome;
}
impl Seq for NoEntry {
    type Sort = NoEntry;
    type Bubble<E: AnyEntry> = Then<E, NoEntry>;
    type Second<E: AnyEntry> = Then<E, NoEntry>;
    type SortRest = NoEntry;
    type Right<Next: Nat> = Done<Nil>;
    type Left<Cov: Nat, B: Before, Steps: Nat> = B::End<Cov, Steps>;
}
impl<E: AnyEntry, R: Seq> Seq for Then<E, R> {
    type Sort = <R::Bubble<E> as Seq>::SortRest;
    type Bubble<F: AnyEntry> =
        <<E::D as StrideLeaf>::Less<F::D> as InverseBranch>::Exchange<E, F, R>;
    type Second<F: AnyEntry> = Then<E, Then<F, R>>;
    type SortRest = Then<E, R::Sort>;
    type Right<Next: Nat> = <E::D as InverseStride>::Right<E, R, Next>;
    type Left<Cov: Nat, B: Before, Steps: Nat> = <E::D as InverseStride>::Left<E, R, Cov, B, Steps>;
}

/// Lists of coalesced modes.
pub trait InverseList {
    /// The modes as entries, the first of which starts at index `P`.
    type Entries<P: Nat>: Seq;
    /// Is the list empty?
    type Empty: Bool;
    /// The modes of stride 0, with the index of their first step as stride.
    type Null<P: Nat>: ModeList;
    /// The first elements, at most `Most`: whole modes, and as much of the next as fits.
    type Prefix<Most: Nat>: ModeList;
}
impl InverseList for Nil {
    type Entries<P: Nat> = NoEntry;
    type Empty = True;
    type Null<P: Nat> = Nil;
    type Prefix<Most: Nat> = Nil;
}
impl<H: ModeTree, T: ModeList> InverseList for Cons<H, T> {
    type Entries<P: Nat> = H::EntryBefore<P, T::Empty, T::Entries<<P as Nat>::Times<H::Size>>>;
    type Empty = False;
    type Null<P: Nat> = H::NullBefore<P, T::Null<<P as Nat>::Times<H::Size>>>;
    type Prefix<Most: Nat> = H::PrefixBefore<Most, T>;
}
/// Leaves of such lists.
pub trait InverseTree {
    /// The leaf's entry before others.
    type EntryBefore<P: Nat, Last: Bool, R: Seq>: Seq;
    /// `S:P` before `L` where the stride is 0.
    type NullBefore<P: Nat, L: ModeList>: ModeList;
    /// [`InverseList::Prefix`] of the leaf and `L`.
    type PrefixBefore<Most: Nat, L: ModeList>: ModeList;
}
impl<S: Nat, D: StrideLeaf> InverseTree for M<S, D> {
    type EntryBefore<P: Nat, Last: Bool, R: Seq> = Then<Entry<S, D, P, Last>, R>;
    type NullBefore<P: Nat, L: ModeList> = <D::Null as InverseBranch>::Null<S, P, L>;
    type PrefixBefore<Most: Nat, L: ModeList> =
        <<Most::Min<S> as NatCmp>::IsOne as InverseBranch>::OrBehind<
            M<Most::Min<S>, D>,
            L::Prefix<<Most::AtLeast<S> as Bool>::PickNat<<Most as Nat>::Over<S>, One>>,
        >;
}
impl InverseTree for Nil {
    type EntryBefore<P: Nat, Last: Bool, R: Seq> = R;
    type NullBefore<P: Nat, L: ModeList> = L;
    type PrefixBefore<Most: Nat, L: ModeList> = L::Prefix<Most>;
}
impl<H: ModeTree, T: ModeList> InverseTree for Cons<H, T> {
    type EntryBefore<P: Nat, Last: Bool, R: Seq> = R;
    type NullBefore<P: Nat, L: ModeList> = L;
    type PrefixBefore<Most: Nat, L: ModeList> = L::Prefix<Most>;
}

/// What the inverses do with a stride.
pub trait InverseStride {
    /// [`Seq::Right`] for an entry of this stride before `R`.
    type Right<E: AnyEntry, R: Seq, Next: Nat>: Outcome;
    /// [`Seq::Left`] for an entry of this stride before `R`.
    type Left<E: AnyEntry, R: Seq, Cov: Nat, B: Before, Steps: Nat>: Outcome;
}
use crate::num::E as Basis;
use typenum::{B0, B1, NInt, NonZero, UInt, UTerm};
impl InverseStride for UTerm {
    type Right<E: AnyEntry, R: Seq, Next: Nat> = R::Right<Next>;
    // Skipped, but if it is the greatest, its shape ends the inverse.
    type Left<E: AnyEntry, R: Seq, Cov: Nat, B: Before, Steps: Nat> =
        R::Left<Cov, NullBefore<E::S>, Steps>;
}
macro_rules! inverse_positive {
    ($b:ty) => {
        impl<U: Nat> InverseStride for UInt<U, $b> {
            type Right<E: AnyEntry, R: Seq, Next: Nat> =
                <<Self as NatCmp>::Equals<Next> as InverseBranch>::Continues<E, R, Next>;
            type Left<E: AnyEntry, R: Seq, Cov: Nat, B: Before, Steps: Nat> =
                <<<Self as crate::num::NatDiv>::DivRem<Cov> as QuotRem>::Exact as InverseBranch>::LeftStep<
                    E,
                    R,
                    Self,
                    <Self as Nat>::Over<Cov>,
                    Cov,
                    B,
                    Steps,
                >;
        }
    };
}
inverse_positive!(B0);
inverse_positive!(B1);
impl<N: Nat + NonZero> InverseStride for NInt<N> {
    type Right<E: AnyEntry, R: Seq, Next: Nat> = R::Right<Next>;
    type Left<E: AnyEntry, R: Seq, Cov: Nat, B: Before, Steps: Nat> =
        Refused<InverseSignRule, E::S, Self, Here>;
}
impl<I: Nat, V: StrideLeaf> InverseStride for Basis<I, V> {
    type Right<E: AnyEntry, R: Seq, Next: Nat> = Refused<InverseBasisRule, E::S, Self, Here>;
    type Left<E: AnyEntry, R: Seq, Cov: Nat, B: Before, Steps: Nat> =
        Refused<InverseBasisRule, E::S, Self, Here>;
}

/// The entry before, in the walk of the left inverse.
pub trait Before {
    /// The index of its first step, 0 for none.
    type P: Nat;
    /// May so many steps be taken of it?
    type Allows<Steps: Nat>: Bool;
    /// The end of the inverse.
    type End<Cov: Nat, Steps: Nat>: Outcome;
}
phantom! {
    /// Only entries of stride 0 before, the last of shape `S`.
    NullBefore<S>
}
impl Before for NoneBefore {
    type P = Zero;
    type Allows<Steps: Nat> = True;
    type End<Cov: Nat, Steps: Nat> = Done<Nil>;
}
impl<S: Nat> Before for NullBefore<S> {
    type P = Zero;
    type Allows<Steps: Nat> = True;
    type End<Cov: Nat, Steps: Nat> = behind_gap<Done<Nil>, S, Zero>;
}
impl<S: Nat, D: StrideLeaf, P: Nat, L: Bool> Before for Entry<S, D, P, L> {
    type P = P;
    // The last mode is unbounded; the others hold fewer steps than their shape.
    type Allows<Steps: Nat> = <L as Bool>::Or<<Steps::AtLeast<S> as Bool>::Not>;
    type End<Cov: Nat, Steps: Nat> =
        <Self::Allows<Steps> as InverseBranch>::Unless<behind_gap<Done<Nil>, S, P>, S, Cov>;
}

/// What the inverses do on a truth value.
pub trait InverseBranch {
    /// True: `E` is less and goes before `F`.
    type Exchange<E: AnyEntry, F: AnyEntry, R: Seq>: Seq;
    /// True: the entry continues the run.
    type Continues<E: AnyEntry, R: Seq, Next: Nat>: Outcome;
    /// `S:P` before `L` where true; a mode of size 1 as `1:0`.
    type Null<S: Nat, P: Nat, L: ModeList>: ModeList;
    /// True: the stride `D` is `Q` times the one before.
    type LeftStep<E: AnyEntry, R: Seq, D: Nat, Q: Nat, Cov: Nat, B: Before, Steps: Nat>: Outcome;
    /// `L` where true, `H` before it otherwise.
    type OrBehind<H: ModeTree, L: ModeList>: ModeList;
    /// `O` where true; otherwise a mode `S` of stride `Cov` is left by its steps.
    type Unless<O: Outcome, S: Nat, Cov: Nat>: Outcome;
}
impl InverseBranch for True {
    type Exchange<E: AnyEntry, F: AnyEntry, R: Seq> = <R::Bubble<E> as Seq>::Second<F>;
    type Continues<E: AnyEntry, R: Seq, Next: Nat> =
        behind_gap<R::Right<<Next as Nat>::Times<E::S>>, E::S, E::P>;
    type Null<S: Nat, P: Nat, L: ModeList> = Cons<M<S, <S::IsOne as Bool>::PickNat<Zero, P>>, L>;
    // Fewer than `Q` steps are taken of the entry before; what is more goes on in this one.
    type LeftStep<E: AnyEntry, R: Seq, D: Nat, Q: Nat, Cov: Nat, B: Before, Steps: Nat> =
        behind_gap<
            <B::Allows<Steps::Min<Pred<Q>>> as InverseBranch>::Unless<
                R::Left<
                    D,
                    Entry<E::S, E::D, E::P, E::Last>,
                    <Pred<E::S> as Nat>::Plus<Steps::Over<Q>>,
                >,
                E::S,
                Cov,
            >,
            Q,
            B::P,
        >;
    type OrBehind<H: ModeTree, L: ModeList> = L;
    type Unless<O: Outcome, S: Nat, Cov: Nat> = O;
}
impl InverseBranch for False {
    type Exchange<E: AnyEntry, F: AnyEntry, R: Seq> = <R::Bubble<F> as Seq>::Second<E>;
    type Continues<E: AnyEntry, R: Seq, Next: Nat> = R::Right<Next>;
    type Null<S: Nat, P: Nat, L: ModeList> = L;
    type LeftStep<E: AnyEntry, R: Seq, D: Nat, Q: Nat, Cov: Nat, B: Before, Steps: Nat> =
        Refused<InverseStrideRule, D, Cov, Here>;
    type OrBehind<H: ModeTree, L: ModeList> = Cons<H, L>;
    type Unless<O: Outcome, S: Nat, Cov: Nat> = Refused<QuasiRule, S, Cov, Here>;
}

/// A stride is no multiple of the next smaller one.
#[derive(Clone, Copy, Debug, Default)]
pub struct InverseStrideRule;
/// Modes overlap, and together leave a mode of greater stride: the result would be no
/// quasi-inverse.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuasiRule;
/// A negative stride has no left inverse.
#[derive(Clone, Copy, Debug, Default)]
pub struct InverseSignRule;
/// A scaled-basis stride has no inverse.
#[derive(Clone, Copy, Debug, Default)]
pub struct InverseBasisRule;

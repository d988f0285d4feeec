//! Runs of neighbouring elements, and the offsets at which vectors of a run begin.
//!
//! ```text
//!   (8,4):(1,32)     run 8, and 32 is a multiple of 8: vectors of 8, each at a multiple of 8
//!   (8,4):(1,20)     run 8, but 20 is no multiple of 8: vectors of 4
//!   (8,4):(1@1,1@0)  run 8 along mode 1 of the coordinate; the step along mode 0 is not known here
//! ```
//!
//! Law: if a coalesced layout begins with a run of a multiple of `V` and its other strides are
//! multiples of `V`, then for every `i` element `i` is at `V q + i % V` for some `q`. Along a
//! scaled basis element this applies to the coordinate that the basis names. The type does not know
//! the stride of that mode, unless a global tensor's type states that the stride of one mode is 1
//! ([`RunTree::WithUnit`]).

use crate::num::{Bool, E, False, Nat, NatCmp, NatDiv, One, QuotRem, StrideLeaf, True};
use crate::tensor::{KnownStrides, RunTimeStrides, UnitStride};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil};
use typenum::{B0, B1, NInt, NonZero, UInt, UTerm};

/// Strides as steps of vectors.
#[doc(hidden)]
pub trait RunStride {
    /// Whether the stride is 1, or 1 along a basis.
    type IsUnit: Bool;
    /// Whether the stride's part along the unit `U` is a multiple of `V`.
    type WholeAlong<U: StrideLeaf, V: Nat>: Bool;
    /// Whether the part of `S@J` along the unit `Self` is a multiple of `V`.
    type WholeBasis<J: Nat, S: StrideLeaf, V: Nat>: Bool;
    /// Whether the stride is an integer.
    type IsInteger: Bool;
    /// Whether the stride is along the basis of mode `I`.
    type IsAlong<I: Nat>: Bool;
    /// The stride in elements if mode `I` has stride 1. It is 0 along other modes, whose strides
    /// are multiples of every vector.
    type WithUnit<I: Nat>: StrideLeaf;
    /// The mode of the basis, or 0 for an integer.
    type Mode: Nat;
    /// The kind of strides of a global tensor in which neighbours along this stride are neighbours
    /// in memory.
    type Known: KnownStrides;
}
/// The definitions that all integers share.
macro_rules! integer {
    () => {
        type IsInteger = True;
        type IsAlong<I: Nat> = False;
        type WithUnit<I: Nat> = Self;
        type Mode = UTerm;
        type Known = RunTimeStrides;
    };
}
impl RunStride for UTerm {
    integer!();
    type IsUnit = False;
    type WholeAlong<U: StrideLeaf, V: Nat> = True;
    type WholeBasis<J: Nat, S: StrideLeaf, V: Nat> = True;
}
macro_rules! positive {
    ($b:ty) => {
        impl<N: Nat> RunStride for UInt<N, $b> {
            integer!();
            type IsUnit = <Self as NatCmp>::IsOne;
            type WholeAlong<U: StrideLeaf, V: Nat> =
                <<Self as NatDiv>::DivRem<V> as QuotRem>::Exact;
            type WholeBasis<J: Nat, S: StrideLeaf, V: Nat> = True;
        }
    };
}
positive!(B0);
positive!(B1);
impl<N: Nat + NonZero> RunStride for NInt<N> {
    integer!();
    type IsUnit = False;
    type WholeAlong<U: StrideLeaf, V: Nat> = <<N as NatDiv>::DivRem<V> as QuotRem>::Exact;
    type WholeBasis<J: Nat, S: StrideLeaf, V: Nat> = True;
}
impl<I: Nat, R: StrideLeaf> RunStride for E<I, R> {
    type IsUnit = R::IsUnit;
    type WholeAlong<U: StrideLeaf, V: Nat> = U::WholeBasis<I, R, V>;
    type WholeBasis<J: Nat, S: StrideLeaf, V: Nat> =
        <<I::Equals<J> as Bool>::Not as Bool>::Or<S::WholeAlong<R, V>>;
    type IsInteger = False;
    type IsAlong<J: Nat> = I::Equals<J>;
    type WithUnit<J: Nat> = <I::Equals<J> as Bool>::PickStride<R, UTerm>;
    type Mode = I;
    type Known = UnitStride<I>;
}

/// Trees that begin with a run.
#[doc(hidden)]
pub trait RunTree {
    /// The stride of the first leaf, or 1 if there is no leaf.
    type Unit: StrideLeaf;
    /// The shape of the first leaf if the leaf's stride is a unit, otherwise 1.
    type Run: Nat;
    /// Whether the parts along the unit `U` of all used strides are multiples of `V`.
    type WholeSteps<U: StrideLeaf, V: Nat>: Bool;
    /// Whether the strides of all leaves but the first are such multiples along the first leaf's
    /// stride.
    type WholeRest<V: Nat>: Bool;
    /// The longest part of `V`, a power of two, for which an upcast exists: no mode ends within a
    /// vector.
    type Fit<V: Nat>: Nat;
    /// The tree with each stride replaced by its [`RunStride::WithUnit`].
    type WithUnit<I: Nat>: ModeTree;
}
/// Lists that begin with a run.
#[doc(hidden)]
pub trait RunList {
    /// The tree's [`RunTree::WithUnit`] as a list.
    type ListWithUnit<I: Nat>: ModeList;
}
impl RunList for Nil {
    type ListWithUnit<I: Nat> = Nil;
}
impl<H: ModeTree, T: ModeList> RunList for Cons<H, T> {
    type ListWithUnit<I: Nat> = Cons<H::WithUnit<I>, T::ListWithUnit<I>>;
}
type Exact<N, V> = <<N as NatDiv>::DivRem<V> as QuotRem>::Exact;
/// The longest vectors up to `V` that fit a mode of `S` elements `D` apart. They are `V` if `S` is
/// 1, if `D` is a multiple of `V`, or if one of `S` and `V / D` divides the other. Otherwise they
/// are a greatest common divisor: of `V` and the mode's reach `S D` if `D` divides `V`, or else of
/// `V` and `D`.
type FitMode<S, D, V> = <<<S as NatCmp>::IsOne as Bool>::Or<Exact<D, V>> as Bool>::PickNat<
    V,
    <Exact<V, D> as Bool>::PickNat<
        <<Exact<S, <V as Nat>::Over<D>> as Bool>::Or<Exact<<V as Nat>::Over<D>, S>> as Bool>::PickNat<
            V,
            <V as NatDiv>::GcdOf<<S as Nat>::Times<D>>,
        >,
        <V as NatDiv>::GcdOf<D>,
    >,
>;
impl<S: Nat, D: StrideLeaf> RunTree for M<S, D> {
    type Unit = D;
    type Run = <D::IsUnit as Bool>::PickNat<S, One>;
    type WholeSteps<U: StrideLeaf, V: Nat> = <S::IsOne as Bool>::Or<D::WholeAlong<U, V>>;
    type WholeRest<V: Nat> = True;
    type Fit<V: Nat> = FitMode<S, D::Magnitude, V>;
    type WithUnit<I: Nat> = M<S, <D as RunStride>::WithUnit<I>>;
}
impl RunTree for Nil {
    type Unit = One;
    type Run = One;
    type WholeSteps<U: StrideLeaf, V: Nat> = True;
    type WholeRest<V: Nat> = True;
    type Fit<V: Nat> = V;
    type WithUnit<I: Nat> = Nil;
}
impl<H: ModeTree, T: ModeList> RunTree for Cons<H, T> {
    type Unit = H::Unit;
    type Run = H::Run;
    type WholeSteps<U: StrideLeaf, V: Nat> =
        <H::WholeSteps<U, V> as Bool>::And<T::WholeSteps<U, V>>;
    type WholeRest<V: Nat> = <H::WholeRest<V> as Bool>::And<T::WholeSteps<H::Unit, V>>;
    type Fit<V: Nat> = T::Fit<H::Fit<V>>;
    type WithUnit<I: Nat> = <Self as RunList>::ListWithUnit<I>;
}

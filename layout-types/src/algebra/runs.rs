//! Runs of neighbouring elements, and where vectors of them begin.
//!
//! ```text
//!   (8,4):(1,32)     run 8, and 32 is a multiple of 8: vectors of 8, each at a multiple of 8
//!   (8,4):(1,20)     run 8, but 20 is no multiple of 8: vectors of 4
//!   (8,4):(1@1,1@0)  run 8 along mode 1 of the coordinate; the step along mode 0 is not known here
//! ```
//!
//! Law: where a coalesced layout leads with a run of a multiple of `V` and its other strides are
//! multiples of `V`, element `i` is at `V q + i % V` for some `q`, for every `i`. Along a scaled
//! basis element this is said of the coordinate that the basis names: what the basis stands for is
//! not known to the type, but where a global tensor's type says of one mode that its stride is 1
//! ([`RunTree::WithUnit`]).

use crate::num::{Bool, E, False, Nat, NatCmp, NatDiv, One, QuotRem, StrideLeaf, True};
use crate::tensor::{KnownStrides, RunTimeStrides, UnitStride};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil};
use typenum::{B0, B1, NInt, NonZero, UInt, UTerm};

/// Strides as steps of vectors.
#[doc(hidden)]
pub trait RunStride {
    /// Is it 1, or 1 along a basis?
    type IsUnit: Bool;
    /// Is it a multiple of `V` as far as it lies along the unit `U`?
    type WholeAlong<U: StrideLeaf, V: Nat>: Bool;
    /// Is `S@J` a multiple of `V` as far as it lies along the unit `Self`?
    type WholeBasis<J: Nat, S: StrideLeaf, V: Nat>: Bool;
    /// Is it an integer?
    type IsInteger: Bool;
    /// Is it along the basis of mode `I`?
    type IsAlong<I: Nat>: Bool;
    /// The stride in elements where mode `I` has stride 1; 0 along other modes, whose strides are
    /// multiples of every vector.
    type WithUnit<I: Nat>: StrideLeaf;
    /// The mode of the basis; 0 of an integer.
    type Mode: Nat;
    /// The strides of a global tensor of which neighbours along this one are neighbours in memory.
    type Known: KnownStrides;
}
/// What integers have in common.
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

/// Trees as runs.
#[doc(hidden)]
pub trait RunTree {
    /// The stride of the first leaf; 1 where there is none.
    type Unit: StrideLeaf;
    /// The shape of the first leaf where its stride is a unit; 1 otherwise.
    type Run: Nat;
    /// Are all strides that are used multiples of `V` as far as they lie along the unit `U`?
    type WholeSteps<U: StrideLeaf, V: Nat>: Bool;
    /// The same of all leaves but the first, along the first.
    type WholeRest<V: Nat>: Bool;
    /// The longest part of `V`, a power of two, that an upcast takes: no mode ends within a vector.
    type Fit<V: Nat>: Nat;
    /// The tree with [`RunStride::WithUnit`] for each stride.
    type WithUnit<I: Nat>: ModeTree;
}
/// Lists as runs.
#[doc(hidden)]
pub trait RunList {
    /// [`RunTree::WithUnit`] as a list.
    type ListWithUnit<I: Nat>: ModeList;
}
impl RunList for Nil {
    type ListWithUnit<I: Nat> = Nil;
}
impl<H: ModeTree, T: ModeList> RunList for Cons<H, T> {
    type ListWithUnit<I: Nat> = Cons<H::WithUnit<I>, T::ListWithUnit<I>>;
}
type Exact<N, V> = <<N as NatDiv>::DivRem<V> as QuotRem>::Exact;
/// Vectors of `V` over a mode of `S` elements `D` apart: those that it begins and ends with; those
/// of which it is a whole number or an even part; otherwise what the stride, or the mode, has of
/// them.
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

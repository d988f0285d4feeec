//! Modes picked, grouped, added and paired.
//!
//! ```text
//!   A = (a,b,c)      select<2,0>  (c,a)      take<1,3>  (b,c)      group<0,2>  ((a,b),c)
//!                    append<4>    (a,b,c,1)  replace<1> (a,x,c)    zip(A,B)    ((a,A),(b,B),(c,C))
//! ```
//!
//! Law: all but `Replace` keep the function on each mode that they keep (CuTe: `cute/layout.hpp`,
//! "Sublayout manipulations").

use super::outcome::{
    Admissible, Appends, Done, Groups, Here, Outcome, Prepends, Refused, Replaces, Selects, Takes,
    Zips,
};
use crate::layout::LayoutFn;
use crate::num::{Bool, Difference, False, Nat, NatCmp, NatSub, One, Pred, True, Zero};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil};

macro_rules! partial {
    ($(#[$m:meta])* $alias:ident<L $(, $p:ident $(: $bound:ident)? $(= $default:ty)?)*>, $trait:ident, $op:ident($shown:ty), $outcome:ty) => {
        $(#[$m])*
        pub type $alias<L $(, $p $(= $default)?)*> = <L as $trait<$($p),*>>::Output;
        #[doc = concat!("`Self` has a [`", stringify!($alias), "`].")]
        #[diagnostic::on_unimplemented(message = "this operation is not admissible for these operands")]
        pub trait $trait<$($p),*>: LayoutFn {
            #[doc = concat!("[`", stringify!($alias), "`].")]
            type Output: LayoutFn;
        }
        impl<L: LayoutFn $(, $p $(: $bound)?)*> $trait<$($p),*> for L
        where
            $outcome: Admissible<$op, L, $shown>,
        {
            type Output = L::With<<$outcome as Admissible<$op, L, $shown>>::Tree>;
        }
    };
}

partial! {
    /// The modes of the indices `I`, a tuple of numbers, in their order.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(Select::<layout!((4,2,3)), coord!(2, 0)>::default().to_string(), "(3,4):(8,1)");
    /// ```
    #[doc(alias = "select")]
    Select<L, I: Indices>, Selectable, Selects(I), I::SelectFrom<<L::Modes as ModeTree>::Modes>
}
partial! {
    /// The modes `B` to `E`, without `E`, as a tuple.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(Take::<layout!((6,6,6)), int!(1), int!(3)>::default().to_string(), "(6,6):(6,36)");
    /// ```
    #[doc(alias = "take")]
    Take<L, B: Nat, E: Nat>, Takeable, Takes((B, E)), <RangeFits<L::Modes, B, E> as ModesBranch>::IfRange<TakeModes<L::Modes, B, E>>
}
partial! {
    /// The modes `B` to `E`, without `E`, made one mode.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(Group::<layout!((2,3,4)), int!(0), int!(2)>::default().to_string(), "((2,3),4):((1,2),6)");
    /// ```
    #[doc(alias = "group_modes")]
    Group<L, B: Nat, E: Nat>, Groupable, Groups((B, E)), <RangeFits<L::Modes, B, E> as ModesBranch>::IfRange<GroupModes<L::Modes, B, E>>
}
partial! {
    /// The layout with mode `I` replaced by the layout `X`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type R = Replace<layout!((8,8)), int!(0), layout!((2,3):(3,1))>;
    /// assert_eq!(R::default().to_string(), "((2,3),8):((3,1),8)");
    /// ```
    #[doc(alias = "replace")]
    Replace<L, I: Nat, X: LayoutFn>, Replaceable, Replaces((I, X)),
    <RangeFits<L::Modes, I, <I as crate::num::NatAdd>::Succ> as ModesBranch>::IfRange<
        <L::Modes as ModesTree>::WithNth<I, X::Modes>,
    >
}
partial! {
    /// The layout with modes `X` (`1:0` unless given) behind it up to rank `N`, CuTe's `append<N>`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(AppendTo::<layout!((4,6)), int!(3)>::default().to_string(), "(4,6,1):(1,4,0)");
    /// ```
    #[doc(alias = "append")]
    AppendTo<L, N: Nat, X: LayoutFn = crate::Layout<One, Zero>>, Appendable, Appends((N, X)),
    <<N as NatCmp>::AtLeast<<L::Modes as ModeTree>::Rank> as ModesBranch>::IfRange<
        <<N as NatCmp>::Equals<<L::Modes as ModeTree>::Rank> as ModesBranch>::Padded<
            L::Modes,
            <<L::Modes as ModeTree>::Modes as ModeList>::Concat<Copies<L::Modes, N, X>>,
        >,
    >
}
partial! {
    /// The layout with modes `X` (`1:0` unless given) before it up to rank `N`, CuTe's
    /// `prepend<N>`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(PrependTo::<layout!((5)), int!(3)>::default().to_string(), "(1,1,5):(0,0,1)");
    /// ```
    #[doc(alias = "prepend")]
    PrependTo<L, N: Nat, X: LayoutFn = crate::Layout<One, Zero>>, Prependable, Prepends((N, X)),
    <<N as NatCmp>::AtLeast<<L::Modes as ModeTree>::Rank> as ModesBranch>::IfRange<
        <<N as NatCmp>::Equals<<L::Modes as ModeTree>::Rank> as ModesBranch>::Padded<
            L::Modes,
            <Copies<L::Modes, N, X> as ModeList>::Concat<<L::Modes as ModeTree>::Modes>,
        >,
    >
}
partial! {
    /// The modes of `L`, each a tuple of one rank, transposed: `((a,b),(c,d))` becomes
    /// `((a,c),(b,d))`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(ZipModes::<layout!(((2,3),(4,5)):((1,2),(6,24)))>::default().to_string(), "((2,4),(3,5)):((1,6),(2,24))");
    /// ```
    #[doc(alias = "zip")]
    ZipModes<L>, Zippable, Zips(()), ZipModesOf<L::Modes>
}
partial! {
    /// The modes of `L` and `B` in pairs: `((L0,B0),(L1,B1),..)`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(Zip::<layout!((2,3)), layout!((4,5))>::default().to_string(), "((2,4),(3,5)):((1,1),(2,4))");
    /// ```
    Zip<L, B: LayoutFn>, ZipWith, Zips(B), ZipModesOf<Cons<L::Modes, Cons<B::Modes, Nil>>>
}

/// The layout with the mode `X` behind it.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Append::<layout!((4,6)), layout!((2,2):(9,3))>::default().to_string(), "(4,6,(2,2)):(1,4,(9,3))");
/// ```
pub type Append<L, X> = <L as LayoutFn>::With<
    <<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Concat<
        Cons<<X as LayoutFn>::Modes, Nil>,
    >,
>;
/// The layout with the mode `X` before it.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Prepend::<layout!((4,6)), layout!(2:9)>::default().to_string(), "(2,4,6):(9,1,4)");
/// ```
pub type Prepend<L, X> = <L as LayoutFn>::With<
    Cons<<X as LayoutFn>::Modes, <<L as LayoutFn>::Modes as ModeTree>::Modes>,
>;
/// Mode `I` of a layout; `1:0` where there is none.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(GetMode::<layout!((4,(2,3))), int!(1)>::default().to_string(), "(2,3):(4,8)");
/// ```
#[doc(alias = "get")]
#[doc(alias = "layout")]
pub type GetMode<L, I> =
    <L as LayoutFn>::With<<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModesList>::Nth<I>>;

/// Is `B..E` a range of the modes of `T` that is not empty?
pub type RangeFits<T, B, E> = <<<T as ModeTree>::Rank as NatCmp>::AtLeast<E> as Bool>::And<
    <E as NatCmp>::AtLeast<<B as crate::num::NatAdd>::Succ>,
>;
type Minus<E, B> = <<E as NatSub>::Sub<B> as Difference>::OrZero;
/// Modes `B..E`.
pub type TakeModes<T, B, E> =
    <<<T as ModeTree>::Modes as ModesList>::Skip<B> as ModesList>::Keep<Minus<E, B>>;
/// Modes `B..E` as one mode among the others.
pub type GroupModes<T, B, E> = <<<T as ModeTree>::Modes as ModesList>::Keep<B> as ModeList>::Concat<
    Cons<TakeModes<T, B, E>, <<T as ModeTree>::Modes as ModesList>::Skip<E>>,
>;
/// As many copies of `X` as the rank of `T` is below `N`.
pub type Copies<T, N, X> =
    <Minus<N, <T as ModeTree>::Rank> as NatCopies>::Copies<<X as LayoutFn>::Modes>;
/// The transpose of a tree's modes; a leaf as it is.
pub type ZipModesOf<T> =
    <<T as ModesTree>::RowsEqual as ModesBranch>::IfRows<<T as ModesTree>::Zipped>;

/// Copies of a mode, as many as a number.
pub trait NatCopies {
    /// So many modes `X`.
    type Copies<X: ModeTree>: ModeList;
}
impl NatCopies for typenum::UTerm {
    type Copies<X: ModeTree> = Nil;
}
impl<U: Nat> NatCopies for typenum::UInt<U, typenum::B0> {
    type Copies<X: ModeTree> = <U::Copies<X> as ModeList>::Concat<U::Copies<X>>;
}
impl<U: Nat> NatCopies for typenum::UInt<U, typenum::B1> {
    type Copies<X: ModeTree> = Cons<X, <U::Copies<X> as ModeList>::Concat<U::Copies<X>>>;
}

/// Trees whose modes are changed.
pub trait ModesTree {
    /// Mode `I` replaced by `X`; a leaf is its own mode 0.
    type WithNth<I: Nat, X: ModeTree>: ModeTree;
    /// The modes transposed, for modes of one rank.
    type Zipped: ModeTree;
    /// Have the modes one rank?
    type RowsEqual: Bool;
    /// Is it a leaf?
    type IsLeaf: Bool;
    /// The modes of this row, each before the corresponding column.
    type OnColumns<C: ModeList>: ModeList;
}
impl<S: Nat, D: crate::num::StrideLeaf> ModesTree for M<S, D> {
    type WithNth<I: Nat, X: ModeTree> = X;
    type Zipped = Self;
    type RowsEqual = True;
    type IsLeaf = True;
    type OnColumns<C: ModeList> = Cons<Cons<Self, C::FirstModes>, Nil>;
}
impl ModesTree for Nil {
    type WithNth<I: Nat, X: ModeTree> = Nil;
    type Zipped = Nil;
    type RowsEqual = True;
    type IsLeaf = False;
    type OnColumns<C: ModeList> = Nil;
}
impl<H: ModeTree, T: ModeList> ModesTree for Cons<H, T> {
    type WithNth<I: Nat, X: ModeTree> = <Self as ModesList>::WithNthMode<I, X>;
    type Zipped = <H::IsLeaf as ModesBranch>::ZipRows<Self>;
    type RowsEqual = <H::IsLeaf as Bool>::Or<T::RanksAre<H::Rank>>;
    type IsLeaf = False;
    type OnColumns<C: ModeList> =
        Cons<Cons<H, C::FirstModes>, <T as ModesList>::RestOnColumns<C::Rest>>;
}

/// Lists whose modes are picked.
pub trait ModesList {
    /// Mode `I`; `1:0` where there is none.
    type Nth<I: Nat>: ModeTree;
    /// Without the first `N`.
    type Skip<N: Nat>: ModeList;
    /// The first `N`.
    type Keep<N: Nat>: ModeList;
    /// Mode `I` replaced by `X`.
    type WithNthMode<I: Nat, X: ModeTree>: ModeList;
    /// Is each mode a tuple of rank `N`?
    type RanksAre<N: Nat>: Bool;
    /// The columns of these rows.
    type Columns: ModeList;
    /// The modes of the first mode, none where there is none.
    type FirstModes: ModeList;
    /// [`ModesTree::OnColumns`] for the rest of a row.
    type RestOnColumns<C: ModeList>: ModeList;
}
impl ModesList for Nil {
    type Nth<I: Nat> = M<One, Zero>;
    type Skip<N: Nat> = Nil;
    type Keep<N: Nat> = Nil;
    type WithNthMode<I: Nat, X: ModeTree> = Nil;
    type RanksAre<N: Nat> = True;
    type Columns = Nil;
    type FirstModes = Nil;
    type RestOnColumns<C: ModeList> = Nil;
}
impl<H: ModeTree, T: ModeList> ModesList for Cons<H, T> {
    type Nth<I: Nat> = <I::IsZero as ModesBranch>::NthOf<H, T, I>;
    type Skip<N: Nat> = <N::IsZero as ModesBranch>::SkipOf<H, T, N>;
    type Keep<N: Nat> = <N::IsZero as ModesBranch>::KeepOf<H, T, N>;
    type WithNthMode<I: Nat, X: ModeTree> = <I::IsZero as ModesBranch>::WithNthOf<H, T, I, X>;
    type RanksAre<N: Nat> =
        <<<H::IsLeaf as Bool>::Not as Bool>::And<<H::Rank as NatCmp>::Equals<N>> as Bool>::And<
            T::RanksAre<N>,
        >;
    type Columns = H::OnColumns<T::Columns>;
    type FirstModes = H::Modes;
    type RestOnColumns<C: ModeList> = Cons<Cons<H, C::FirstModes>, T::RestOnColumns<C::Rest>>;
}

/// A tuple of mode numbers.
pub trait Indices {
    /// The modes of `L` with these numbers.
    type SelectFrom<L: ModeList>: Outcome;
}
impl Indices for Nil {
    type SelectFrom<L: ModeList> = Done<Nil>;
}
impl<I: Nat, R: Indices> Indices for Cons<I, R> {
    type SelectFrom<L: ModeList> =
        <<L::Len as NatCmp>::AtLeast<I::Succ> as ModesBranch>::SelectThen<L::Nth<I>, R, L>;
}

/// What these operations do on a truth value.
pub trait ModesBranch {
    /// `T` where true; the range is none of the layout's modes otherwise.
    type IfRange<T: ModeTree>: Outcome;
    /// `T` where true; the modes have different ranks otherwise.
    type IfRows<T: ModeTree>: Outcome;
    /// `T` where true, `U` otherwise.
    type Padded<T: ModeTree, U: ModeTree>: ModeTree;
    /// True: mode 0.
    type NthOf<H: ModeTree, T: ModeList, I: Nat>: ModeTree;
    /// True: none to skip.
    type SkipOf<H: ModeTree, T: ModeList, N: Nat>: ModeList;
    /// True: none to keep.
    type KeepOf<H: ModeTree, T: ModeList, N: Nat>: ModeList;
    /// True: mode 0.
    type WithNthOf<H: ModeTree, T: ModeList, I: Nat, X: ModeTree>: ModeList;
    /// True: the rows are leaves, and `T` becomes one column.
    type ZipRows<T: ModeList>: ModeTree;
    /// True: the mode `T` exists, the modes `R` of `L` follow.
    type SelectThen<T: ModeTree, R: Indices, L: ModeList>: Outcome;
}
impl ModesBranch for True {
    type IfRange<T: ModeTree> = Done<T>;
    type IfRows<T: ModeTree> = Done<T>;
    type Padded<T: ModeTree, U: ModeTree> = T;
    type NthOf<H: ModeTree, T: ModeList, I: Nat> = H;
    type SkipOf<H: ModeTree, T: ModeList, N: Nat> = Cons<H, T>;
    type KeepOf<H: ModeTree, T: ModeList, N: Nat> = Nil;
    type WithNthOf<H: ModeTree, T: ModeList, I: Nat, X: ModeTree> = Cons<X, T>;
    type ZipRows<T: ModeList> = Cons<T, Nil>;
    type SelectThen<T: ModeTree, R: Indices, L: ModeList> =
        <R::SelectFrom<L> as Outcome>::Behind<T>;
}
impl ModesBranch for False {
    type IfRange<T: ModeTree> = Refused<RangeRule, Zero, Zero, Here>;
    type IfRows<T: ModeTree> = Refused<RowsRule, Zero, Zero, Here>;
    type Padded<T: ModeTree, U: ModeTree> = U;
    type NthOf<H: ModeTree, T: ModeList, I: Nat> = T::Nth<Pred<I>>;
    type SkipOf<H: ModeTree, T: ModeList, N: Nat> = T::Skip<Pred<N>>;
    type KeepOf<H: ModeTree, T: ModeList, N: Nat> = Cons<H, T::Keep<Pred<N>>>;
    type WithNthOf<H: ModeTree, T: ModeList, I: Nat, X: ModeTree> =
        Cons<H, T::WithNthMode<Pred<I>, X>>;
    type ZipRows<T: ModeList> = T::Columns;
    type SelectThen<T: ModeTree, R: Indices, L: ModeList> = Refused<RangeRule, Zero, Zero, Here>;
}

/// The modes asked for are not among the layout's.
#[derive(Clone, Copy, Debug, Default)]
pub struct RangeRule;
/// The modes to zip have different ranks.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowsRule;

//! Maps coordinates to offsets and back, at run time.
//!
//! ```text
//!   (4,(2,3)):(2,(1,8))     at 13         = at (1, 3)     = at (1, (1, 1))     = 2 + 1 + 8
//! ```
//!
//! Law: a number is a coordinate of any mode: the colexicographic coordinate at that position; the
//! last mode is unbounded. Offsets are linear in each leaf's coordinate (CuTe: `crd2idx` and
//! `idx2crd` in `cute/stride.hpp`).
//!
//! Shapes and strides are constants here: with a constant coordinate an offset is a constant, and a
//! run-time coordinate costs a shift and a mask per power-of-two mode. Everything is
//! `#[inline(always)]`.

use crate::check::Text;
use crate::decimal::Decimal;
use crate::num::{Bool, False, Nat, NatCmp, One, StrideKind, StrideLeaf, True, value};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil, Underscore};
use core::ops::{Add, Div, Rem};
use typenum::{B0, B1, U1, U2, U3, U4, U5, U6, U7, U8, UInt, UTerm, Unsigned};

/// The integers that can be coordinates and offsets.
///
/// Arithmetic wraps, so that a layout with negative strides gives correct offsets in unsigned types
/// if the offset itself is not negative.
pub trait Idx:
    Copy
    + PartialEq
    + Add<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + Send
    + Sync
    + 'static
{
    /// The greatest integer of the type, at most 2^63 - 1.
    const MOST: i64;
    /// Returns the integer, truncated.
    fn of(value: i64) -> Self;
    /// Returns the sum, wrapped.
    fn plus(self, other: Self) -> Self;
    /// Returns the product, wrapped.
    fn times(self, other: Self) -> Self;
    /// Returns the integer with its bits of `mask` XORed into the bits `shift` places to the right,
    /// or `-shift` places to the left.
    fn xor_shifted(self, mask: i64, shift: i32) -> Self;
}
macro_rules! idx {
    ($($t:ty)*) => {$(
        impl Idx for $t {
            const MOST: i64 = if size_of::<$t>() < 8 { <$t>::MAX as i64 } else { i64::MAX };
            #[inline(always)]
            fn of(value: i64) -> Self {
                value as $t
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn xor_shifted(self, mask: i64, shift: i32) -> Self {
                let bits = self & mask as $t;
                self ^ if shift >= 0 { bits >> shift } else { bits << -shift }
            }
        }
    )*};
}
idx!(u32 i32 u64 i64 usize isize);

/// Stops the compiler with a sentence if a coordinate of type `I` cannot be `number`.
pub(crate) const fn holds<I: Idx>(number: i64, what: &str) {
    if number > I::MOST {
        let mut text = Text::new();
        text.say(what).say(" ").number(number);
        text.say(", which the type of the coordinate does not hold: its greatest number is ");
        panic!("{}", text.number(I::MOST).as_str());
    }
}
/// Requires that the offsets of a layout fit in a coordinate of type `I`.
pub(crate) const fn holds_offsets<I: Idx, T: ModeTree>() {
    holds::<I>(T::SPAN, "this layout has offsets up to");
}

/// The values of the units of scaled-basis strides.
///
/// A global tensor `(M,N):(ld,1)` is the layout `(M,N):(1@0,1@1)` with the strides `[ld, 1]`.
pub trait Strides<I: Idx> {
    /// Whether there are scaled-basis strides.
    const BASIS: bool = true;
    /// Returns the stride of mode `mode`.
    fn stride(&self, mode: usize) -> I;
    /// Whether an integer stride counts. A tensor adds some strides before its swizzle and some
    /// after it.
    #[inline(always)]
    fn counts(&self, _stride: i64) -> bool {
        true
    }
    /// Returns the value of an integer stride of 1: 1, or the number of bytes of an element, so
    /// that an address needs no scaling.
    #[inline(always)]
    fn unit(&self) -> i64 {
        1
    }
}
/// The strides of a layout without scaled-basis strides.
impl<I: Idx> Strides<I> for () {
    const BASIS: bool = false;
    #[inline(always)]
    fn stride(&self, _mode: usize) -> I {
        I::of(0)
    }
}
impl<I: Idx, const R: usize> Strides<I> for [I; R] {
    #[inline(always)]
    fn stride(&self, mode: usize) -> I {
        self[mode]
    }
}
/// Selects one component of a coordinate.
struct Component(usize);
impl<I: Idx> Strides<I> for Component {
    #[inline(always)]
    fn stride(&self, mode: usize) -> I {
        I::of((mode == self.0) as i64)
    }
}

/// Strides that give an offset.
#[doc(hidden)]
pub trait StrideOffset {
    /// Returns `coordinate * Self`.
    fn scale<I: Idx, S: Strides<I>>(coordinate: I, strides: &S) -> I;
}
impl<D: StrideLeaf> StrideOffset for D {
    #[inline(always)]
    fn scale<I: Idx, S: Strides<I>>(coordinate: I, strides: &S) -> I {
        match D::KIND {
            StrideKind::Integer if strides.counts(D::INT) => {
                coordinate.times(I::of(D::INT * strides.unit()))
            }
            StrideKind::Integer => I::of(0),
            StrideKind::Basis(mode) => {
                const {
                    assert!(
                        S::BASIS || matches!(D::KIND, StrideKind::Integer),
                        "a layout with scaled-basis strides has coordinates, not offsets: give the strides they stand for"
                    );
                }
                coordinate.times(I::of(D::INT)).times(strides.stride(mode))
            }
        }
    }
}

/// Trees of modes that give an offset.
#[doc(hidden)]
pub trait TreeOffset {
    /// Returns the offset of the linear coordinate `i`, with the last mode unbounded.
    fn offset<I: Idx, S: Strides<I>>(i: I, strides: &S) -> I;
    /// Writes the coordinate of linear coordinate `i`, leaf by leaf, from `leaves[at]` on.
    fn leaf_coordinates<I: Idx>(i: I, at: usize, leaves: &mut [I]);
    /// Writes the coordinate of an offset, each leaf separately, from `leaves[at]` on.
    fn coordinates_of<I: Idx>(offset: I, at: usize, leaves: &mut [I]);
}
impl<S: Nat, D: StrideLeaf> TreeOffset for M<S, D> {
    #[inline(always)]
    fn offset<I: Idx, T: Strides<I>>(i: I, strides: &T) -> I {
        D::scale(i, strides)
    }
    #[inline(always)]
    fn leaf_coordinates<I: Idx>(i: I, at: usize, leaves: &mut [I]) {
        leaves[at] = i;
    }
    #[inline(always)]
    fn coordinates_of<I: Idx>(offset: I, at: usize, leaves: &mut [I]) {
        const {
            holds::<I>(value(S::VALUE), "a mode of this layout has the size");
            holds::<I>(D::INT, "a mode of this layout has the stride");
        }
        leaves[at] = if D::INT == 0 {
            I::of(0)
        } else {
            (offset / I::of(D::INT)) % I::of(value(S::VALUE))
        };
    }
}
impl TreeOffset for Nil {
    #[inline(always)]
    fn offset<I: Idx, T: Strides<I>>(_i: I, _strides: &T) -> I {
        I::of(0)
    }
    #[inline(always)]
    fn leaf_coordinates<I: Idx>(_i: I, _at: usize, _leaves: &mut [I]) {}
    #[inline(always)]
    fn coordinates_of<I: Idx>(_offset: I, _at: usize, _leaves: &mut [I]) {}
}
impl<H: ModeTree, L: ModeList> TreeOffset for Cons<H, L> {
    #[inline(always)]
    fn offset<I: Idx, T: Strides<I>>(i: I, strides: &T) -> I {
        if <L::Len as Unsigned>::USIZE == 0 {
            return H::offset(i, strides);
        }
        const { holds::<I>(H::SIZE as i64, "a mode of this layout has the size") }
        let size = I::of(H::SIZE as i64);
        H::offset(i % size, strides).plus(L::offset(i / size, strides))
    }
    #[inline(always)]
    fn leaf_coordinates<I: Idx>(i: I, at: usize, leaves: &mut [I]) {
        if <L::Len as Unsigned>::USIZE == 0 {
            return H::leaf_coordinates(i, at, leaves);
        }
        const { holds::<I>(H::SIZE as i64, "a mode of this layout has the size") }
        let size = I::of(H::SIZE as i64);
        H::leaf_coordinates(i % size, at, leaves);
        L::leaf_coordinates(i / size, at + H::LEAVES, leaves);
    }
    #[inline(always)]
    fn coordinates_of<I: Idx>(offset: I, at: usize, leaves: &mut [I]) {
        H::coordinates_of(offset, at, leaves);
        L::coordinates_of(offset, at + H::LEAVES, leaves);
    }
}

/// Returns the components of the coordinate to which a layout with scaled-basis strides maps
/// `coordinate`.
#[inline(always)]
pub(crate) fn components<T, I: Idx, C: Coord<T, I> + Copy, const R: usize>(
    coordinate: C,
) -> [I; R] {
    core::array::from_fn(|mode| coordinate.offset(&Component(mode)))
}

/// Returns the coordinate of the linear coordinate `i` in each leaf.
#[inline(always)]
pub(crate) fn leaves<T: ModeTree, I: Idx, const N: usize>(i: I) -> [I; N] {
    const {
        assert!(
            N == T::LEAVES,
            "the array must have as many elements as the layout has leaves"
        );
    }
    let mut leaves = [I::of(0); N];
    T::leaf_coordinates(i, 0, &mut leaves);
    leaves
}

/// Returns the coordinate of an offset in each leaf.
#[inline(always)]
pub(crate) fn leaves_of<T: ModeTree, I: Idx, const N: usize>(offset: I) -> [I; N] {
    const {
        assert!(
            N == T::LEAVES,
            "the array must have as many elements as the layout has leaves"
        );
    }
    let mut leaves = [I::of(0); N];
    T::coordinates_of(offset, 0, &mut leaves);
    leaves
}

/// The modes that a coordinate with `_` selects from a tree, and the modes that it fixes.
///
/// A coordinate is a number (a run-time one such as `u32` and `usize`, or a static one), `_`
/// ([`Underscore`]), or a tuple with one coordinate for each mode.
#[diagnostic::on_unimplemented(
    message = "this is not a coordinate of the layout",
    label = "a coordinate is an integer, or a tuple of as many coordinates as there are modes"
)]
pub trait Pattern<T> {
    /// The modes that `_` keeps, as a list.
    type Lifted: ModeList;
    /// CuTe's slice: the tree itself for `_`, the kept modes otherwise.
    type Sliced: ModeTree;
    /// The modes that a coordinate fixes, as a list.
    type Fixed: ModeList;
    /// CuTe's dice: the tree itself for a number, the fixed modes otherwise.
    type Diced: ModeTree;
}

/// A coordinate of the tree `T`, of index type `I`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a coordinate of the layout",
    label = "a coordinate is an integer, or a tuple of as many coordinates as there are modes",
    note = "all run-time integers of one coordinate have the same type"
)]
pub trait Coord<T, I: Idx>: Pattern<T> {
    /// Returns the offset, where `_` counts as 0.
    fn offset<S: Strides<I>>(self, strides: &S) -> I;
}

/// Counts the coordinates in `Self`, which are given for `Rank` modes.
#[doc(hidden)]
pub trait CountsModes<Rank> {
    /// The number of coordinates.
    type Count: Nat;
    /// Whether there is one coordinate for each mode, or one for all modes.
    type Fits: Bool;
    /// Whether there is one coordinate for each mode.
    type ForEach: Bool;
}
macro_rules! one_for_all {
    ([$($u:ident)?] $t:ty) => {
        impl<R: Nat, $($u: Nat)?> CountsModes<R> for $t {
            type Count = One;
            type Fits = True;
            type ForEach = <One as NatCmp>::Equals<R>;
        }
    };
}
one_for_all!([] Underscore);
one_for_all!([] Nil);
impl<R, H, T> CountsModes<R> for Cons<H, T> {
    type Count = One;
    type Fits = True;
    type ForEach = True;
}

/// The slice of the modes `T` at the coordinate `C`, selected by whether the numbers of coordinates
/// and modes agree. A refusal shows the modes as `Shown`.
#[doc(hidden)]
pub trait SlicesModes<C, T, Count, Rank, Shown> {
    /// CuTe's slice.
    type Sliced: ModeTree;
    /// The coordinate, or an arbitrary coordinate if the slice is refused.
    type Place: Coord<T, u32> + Copy;
    /// Returns the coordinate.
    fn place(coordinate: C) -> Self::Place;
}
impl<C: Coord<T, u32> + Copy, T, N, R, X> SlicesModes<C, T, N, R, X> for True {
    type Sliced = C::Sliced;
    type Place = C;
    #[inline(always)]
    fn place(coordinate: C) -> C {
        coordinate
    }
}
impl<C, T: ModeTree, N: Decimal, R: Decimal, X: Decimal> SlicesModes<C, T, N, R, X> for False
where
    Coordinates: AreForModes<N::Text, R::Text, X::Text>,
{
    type Sliced = Nil;
    type Place = u32;
    fn place(_coordinate: C) -> u32 {
        0
    }
}
/// Names the coordinates of a slice in a diagnostic.
#[derive(Clone, Copy, Debug)]
pub struct Coordinates;
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "{Count} coordinates for the {Rank} modes {Shape} of the tensor",
    label = "a coordinate or `__` for each mode: of a partition (CPY,CPY_M,CPY_K,..) or (MMA,MMA_M,MMA_K,..), stages or k tiles last"
)]
#[doc(hidden)]
pub trait AreForModes<Count, Rank, Shape> {}

macro_rules! integer_coord {
    ($($t:ty)*) => {$(
        one_for_all!([] $t);
        impl<T: ModeTree> Pattern<T> for $t {
            type Lifted = Nil;
            type Sliced = Nil;
            type Fixed = Cons<T, Nil>;
            type Diced = T;
        }
        impl<T: ModeTree> Coord<T, $t> for $t {
            #[inline(always)]
            fn offset<S: Strides<$t>>(self, strides: &S) -> $t {
                T::offset(self, strides)
            }
        }
    )*};
}
integer_coord!(u32 i32 u64 i64 usize isize);

macro_rules! static_coord {
    ($([$($u:ident)?] $t:ty;)*) => {$(
        one_for_all!([$($u)?] $t);
        impl<T: ModeTree, $($u: Nat)?> Pattern<T> for $t {
            type Lifted = Nil;
            type Sliced = Nil;
            type Fixed = Cons<T, Nil>;
            type Diced = T;
        }
        impl<T: ModeTree, I: Idx, $($u: Nat)?> Coord<T, I> for $t {
            #[inline(always)]
            fn offset<S: Strides<I>>(self, strides: &S) -> I {
                const { holds::<I>(<$t as StrideLeaf>::INT, "the coordinate is") }
                T::offset(I::of(<$t as StrideLeaf>::INT), strides)
            }
        }
    )*};
}
static_coord!([] UTerm; [U] UInt<U, B0>; [U] UInt<U, B1>;);

impl<T: ModeTree> Pattern<T> for Underscore {
    type Lifted = Cons<T, Nil>;
    type Sliced = T;
    type Fixed = Nil;
    type Diced = Nil;
}
impl<T: ModeTree, I: Idx> Coord<T, I> for Underscore {
    #[inline(always)]
    fn offset<S: Strides<I>>(self, _strides: &S) -> I {
        I::of(0)
    }
}

macro_rules! tuple_coord {
    ($N:ident; $($C:ident $T:ident)+) => {
        impl<R: Nat, $($C),+> CountsModes<R> for ($($C,)+) {
            type Count = $N;
            type Fits = <$N as NatCmp>::Equals<R>;
            type ForEach = Self::Fits;
        }
        impl<$($C: Pattern<$T>, $T: ModeTree),+> Pattern<cons!($($T)+)> for ($($C,)+) {
            type Lifted = concat!(Lifted $($C $T)+);
            type Sliced = Self::Lifted;
            type Fixed = concat!(Fixed $($C $T)+);
            type Diced = Self::Fixed;
        }
        impl<I: Idx, $($C: Coord<$T, I>, $T: ModeTree),+> Coord<cons!($($T)+), I> for ($($C,)+) {
            #[inline(always)]
            fn offset<S: Strides<I>>(self, strides: &S) -> I {
                #[allow(non_snake_case)]
                let ($($C,)+) = self;
                let sum = I::of(0);
                $(let sum = sum.plus($C.offset(strides));)+
                sum
            }
        }
    };
}
macro_rules! cons {
    () => { Nil };
    ($H:ident $($T:ident)*) => { Cons<$H, cons!($($T)*)> };
}
macro_rules! concat {
    ($name:ident) => { Nil };
    ($name:ident $C:ident $H:ident $($T:ident)*) => {
        <<$C as Pattern<$H>>::$name as ModeList>::Concat<concat!($name $($T)*)>
    };
}
tuple_coord!(U1; C0 T0);
tuple_coord!(U2; C0 T0 C1 T1);
tuple_coord!(U3; C0 T0 C1 T1 C2 T2);
tuple_coord!(U4; C0 T0 C1 T1 C2 T2 C3 T3);
tuple_coord!(U5; C0 T0 C1 T1 C2 T2 C3 T3 C4 T4);
tuple_coord!(U6; C0 T0 C1 T1 C2 T2 C3 T3 C4 T4 C5 T5);
tuple_coord!(U7; C0 T0 C1 T1 C2 T2 C3 T3 C4 T4 C5 T5 C6 T6);
tuple_coord!(U8; C0 T0 C1 T1 C2 T2 C3 T3 C4 T4 C5 T5 C6 T6 C7 T7);

// Coordinates that are cons lists: the static coordinates that `coord!` writes.
impl Pattern<Nil> for Nil {
    type Lifted = Nil;
    type Sliced = Nil;
    type Fixed = Nil;
    type Diced = Nil;
}
impl<CH, CT, TH: ModeTree, TT: ModeList> Pattern<Cons<TH, TT>> for Cons<CH, CT>
where
    CH: Pattern<TH>,
    CT: Pattern<TT>,
{
    type Lifted = <CH::Lifted as ModeList>::Concat<CT::Lifted>;
    type Sliced = Self::Lifted;
    type Fixed = <CH::Fixed as ModeList>::Concat<CT::Fixed>;
    type Diced = Self::Fixed;
}
impl<I: Idx> Coord<Nil, I> for Nil {
    #[inline(always)]
    fn offset<S: Strides<I>>(self, _strides: &S) -> I {
        I::of(0)
    }
}
impl<I: Idx, CH, CT, TH: ModeTree, TT: ModeList> Coord<Cons<TH, TT>, I> for Cons<CH, CT>
where
    CH: Coord<TH, I> + Default,
    CT: Coord<TT, I> + Default,
{
    #[inline(always)]
    fn offset<S: Strides<I>>(self, strides: &S) -> I {
        CH::default()
            .offset(strides)
            .plus(CT::default().offset(strides))
    }
}

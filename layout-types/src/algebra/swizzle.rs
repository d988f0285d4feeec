//! Swizzles, and layouts to which a swizzle is applied.
//!
//! ```text
//!   Sw<B,M,S>, S > 0     offset  ..yyy....zzz....        B bits each, Z from bit M on, Y from bit M + S on
//!                        result  ..yyy....(y^z)..        Z ^= Y
//! ```
//!
//! Law: a swizzle is a bijection and its own inverse; it is linear over XOR, and the identity for
//! `B` = 0. For `S` < 0 the roles of the two bit fields are exchanged (CuTe: `cute/swizzle.hpp`;
//! `cute/swizzle_layout.hpp`).

use super::compose::Compose;
use super::message::Refusal;
use crate::coord::Idx;
use crate::decimal::Decimal;
use crate::layout::LayoutFn;
use crate::notation::Outer;
use crate::num::{Bool, Nat, NatCmp, NatDiv, StrideLeaf, Zero, value};
use crate::tree::{ModeTree, phantom};
use core::fmt;
use typenum::{Const, ToUInt};

phantom! {
    /// The swizzle of typenum integers, CuTe's `Sw<B,M,S>`; in code write [`Swizzle`].
    Sw<B, M, S>
}

/// The swizzle that XORs the `B` bits from bit `M + S` on into the `B` bits from bit `M` on.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Swizzle::<2, 3, 3>::default().to_string(), "Sw<2,3,3>");
/// assert_eq!(Swizzle::<2, 3, 3>::apply(0b01_000_000u32), 0b01_001_000);
/// ```
///
#[doc = include_str!("../pictures/swizzle.html")]
pub type Swizzle<const B: usize, const M: usize, const S: i32> =
    Sw<<Const<B> as ToUInt>::Output, <Const<M> as ToUInt>::Output, <Shift<S> as ToStride>::Stride>;

/// A shift as a const number.
pub struct Shift<const S: i32>;
/// Maps a number to its stride type.
#[doc(hidden)]
pub trait ToStride {
    /// The number as typenum integer.
    type Stride: StrideLeaf;
}
macro_rules! shifts {
    ($($n:literal $u:ident)*) => {$(
        impl ToStride for Shift<$n> {
            type Stride = typenum::$u;
        }
        impl ToStride for Shift<{ -$n }> {
            type Stride = typenum::NInt<typenum::$u>;
        }
    )*};
}
impl ToStride for Shift<0> {
    type Stride = Zero;
}
shifts!(1 U1 2 U2 3 U3 4 U4 5 U5 6 U6 7 U7 8 U8 9 U9 10 U10 11 U11 12 U12 13 U13 14 U14 15 U15 16 U16
    17 U17 18 U18 19 U19 20 U20 21 U21 22 U22 23 U23 24 U24 25 U25 26 U26 27 U27 28 U28 29 U29 30 U30);

/// A bijection on offsets that a composed layout applies last.
#[doc(hidden)]
pub trait OffsetMap: Copy + Default + fmt::Display + Send + Sync + 'static {
    /// Returns the image of an offset.
    fn apply<I: Idx>(offset: I) -> I;
    /// CuTe's B, M and S.
    const BITS: (u32, u32, i32);
    /// The size of the aligned block in which an offset remains.
    const BLOCK: usize;
    /// The bound below which no offset changes.
    const FIRST: usize;
    /// Whether the map is the identity.
    type Trivial: Bool;
    /// The size of the aligned blocks of offsets that remain contiguous, or 0 for the identity.
    type SwizzleBlock: Nat;
}

impl<B: Nat, M: Nat, S: StrideLeaf> Sw<B, M, S> {
    const SHIFT: u32 = S::INT.unsigned_abs() as u32;
    const BASE: u32 = M::U32;
    /// The bits that are read.
    pub const YYY: i64 =
        ((1 << B::U32) - 1) << (Self::BASE + if S::INT > 0 { Self::SHIFT } else { 0 });
    /// The bits that change.
    pub const ZZZ: i64 =
        ((1 << B::U32) - 1) << (Self::BASE + if S::INT > 0 { 0 } else { Self::SHIFT });

    /// Returns the image of an offset.
    #[inline(always)]
    pub fn apply<I: Idx>(offset: I) -> I {
        offset.xor_shifted(Self::YYY, S::INT as i32)
    }
}
impl<B: Nat, M: Nat, S: StrideLeaf> OffsetMap for Sw<B, M, S> {
    #[inline(always)]
    fn apply<I: Idx>(offset: I) -> I {
        Self::apply(offset)
    }
    const BITS: (u32, u32, i32) = (B::U32, M::U32, S::INT as i32);
    // Only the bits of ZZZ change, so an offset stays within its aligned block whose size is one
    // bit above the highest bit of ZZZ.
    const BLOCK: usize = if B::USIZE == 0 {
        1
    } else {
        1 << (64 - Self::ZZZ.leading_zeros())
    };
    const FIRST: usize = if B::USIZE == 0 {
        usize::MAX
    } else {
        1 << Self::YYY.trailing_zeros()
    };
    type Trivial = B::IsZero;
    type SwizzleBlock = <B::IsZero as Bool>::PickNat<Zero, M::Exp2>;
}
impl<B: Nat, M: Nat, S: StrideLeaf> fmt::Display for Sw<B, M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sw<{},{},{}>", B::U32, M::U32, S::INT)
    }
}
impl<B: Nat, M: Nat, S: StrideLeaf> fmt::Debug for Sw<B, M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

phantom! {
    /// The composed layout `F o Offset o L`: the layout `L`, its offsets shifted by `Offset` and
    /// then mapped by `F`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type A = Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>;
    /// assert_eq!(A::default().to_string(), "Sw<2,3,3> o 0 o (8,32):(32,1)");
    /// assert_eq!(A::at((3u32, 0)), 96 ^ 8);
    /// type T = TileToShape<A, shape!((128,32,3))>;
    /// assert_eq!(T::default().to_string(), "Sw<2,3,3> o 0 o ((8,16),(32,1),(1,3)):((32,256),(1,0),(0,4096))");
    /// ```
    ComposedLayout<F, Offset, L>
}

impl<F: OffsetMap, O: Nat, L: LayoutFn> LayoutFn for ComposedLayout<F, O, L> {
    type Modes = L::Modes;
    type With<T: ModeTree> = ComposedLayout<F, O, L::With<T>>;
    // The swizzle's blocks, reduced to those that the offset keeps aligned.
    type SwizzleBlock = <<O as NatDiv>::GcdOf<F::SwizzleBlock> as NatDiv>::GcdOf<L::SwizzleBlock>;
    const COSIZE: usize = {
        let linear = value((L::COSIZE as i64).checked_add(O::INT)) as usize;
        if linear <= F::FIRST {
            linear
        } else {
            linear.next_multiple_of(F::BLOCK)
        }
    };
    const OUTER: Outer = Outer::Swizzle {
        bits: F::BITS,
        offset: O::INT,
        inner: &L::OUTER,
    };
    #[inline(always)]
    fn swizzled<I: Idx>(offset: I) -> I {
        F::apply(L::swizzled(offset).plus(I::of(O::INT)))
    }
}
impl<F: OffsetMap, O: Nat, L: LayoutFn> fmt::Display for ComposedLayout<F, O, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} o ", F::default())?;
        O::print(f)?;
        write!(f, " o {}", L::default())
    }
}
impl<F: OffsetMap, O: Nat, L: LayoutFn> fmt::Debug for ComposedLayout<F, O, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Requires that the shift is at least the number of bits.
#[doc(hidden)]
pub trait ShiftFits<B, M, S> {}
impl<B, M, S> ShiftFits<B, M, S> for crate::num::True {}
impl<B: Decimal, M: Decimal, S: Decimal> ShiftFits<B, M, S> for crate::num::False where
    Refusal: ShiftAtLeastBits<B::Text, M::Text, S::Text>
{
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "Sw<{B},{M},{S}> is no swizzle: the shift {S} is less than the {B} bits that are exchanged",
    label = "the bits that are read and those that change overlap"
)]
#[doc(hidden)]
pub trait ShiftAtLeastBits<B, M, S> {}

impl<B: Nat, M: Nat, S: StrideLeaf, L: LayoutFn> Compose<L> for Sw<B, M, S>
where
    <S::Magnitude as NatCmp>::AtLeast<B>: ShiftFits<B, M, S>,
{
    type Output = <B::IsZero as SwizzleBranch>::Swizzled<Self, L>;
}

/// Applies a swizzle depending on a truth value.
#[doc(hidden)]
pub trait SwizzleBranch {
    /// `L` if the value is true, otherwise `F o 0 o L`.
    type Swizzled<F: OffsetMap, L: LayoutFn>: LayoutFn;
}
impl SwizzleBranch for crate::num::True {
    type Swizzled<F: OffsetMap, L: LayoutFn> = L;
}
impl SwizzleBranch for crate::num::False {
    type Swizzled<F: OffsetMap, L: LayoutFn> = ComposedLayout<F, Zero, L>;
}

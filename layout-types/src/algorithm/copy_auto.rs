//! `copy` without a tiled copy: as wide as both layouts prove.
//!
//! ```text
//!   (8,4):(1,8)   and   Sw<3,3,3> o 0 o (8,4):(1,64)     of f16: 8 elements, 128 bits
//!   (8,4):(1,8)   and   (8,4):(4,1)                      one by one
//! ```
//!
//! Law: the width is [`AutoVector`]: the longest run that lies alike in both, aligned in both, up to 128 bits or what the
//! instruction's name assumes. Both layouts are recast to it, so element `i` of the one goes to element `i` of the other.
//!
//! Source: CuTe `AutoVectorizingCopyWithAssumedAlignment`, `copy_vec` in `cute/algorithm/copy.hpp`.

use super::copy::{CopyBy, PredicatedCopy, SameCount};
use super::gemm::IsElement;
use crate::algebra::cast::UpcastBy;
use crate::atom::Element;
use crate::atom::copy::{AtomPredicate, AutoVectorizingCopyWithAssumedAlignment};
use crate::layout::{LayoutFn, Size};
use crate::num::{Nat, NatCmp, NatDiv, One};
use crate::tensor::{Engine, Load, Plain, Store, Word};
use crate::tiled::AutoVector;
use crate::unroll::Unroll;
use typenum::{B1, U8, U16, U32, U64, U128, UInt, UTerm};

/// A width that one access has.
#[diagnostic::on_unimplemented(
    message = "no access has that many bits",
    label = "a thread moves 8, 16, 32, 64 or 128 bits at once"
)]
pub trait WordBits: Nat {
    /// What one access moves.
    type Word: Word;
    /// An element of that size.
    type Wide: Plain;
}
macro_rules! word_bits {
    ($($bits:ty, $word:ty, $wide:ty;)*) => {$(
        impl WordBits for $bits {
            type Word = $word;
            type Wide = $wide;
        }
    )*};
}
word_bits! {
    U8, u8, u8;
    U16, u16, u16;
    U32, u32, u32;
    U64, [u32; 2], u64;
    U128, [u32; 4], u128;
}

/// How many elements of type `T` one access of at most `Max` bits moves between layouts `Self` and `DL`.
pub trait Vectors<DL, T, Max>: LayoutFn {
    /// Elements.
    type Run: Nat;
    /// Bits.
    type Bits: Nat;
}
impl<SL: LayoutFn, DL: LayoutFn, T: Element, Max: Nat> Vectors<DL, T, Max> for SL {
    type Run =
        <AutoVector<SL, DL, T> as NatDiv>::GcdOf<<<Max as Nat>::Over<T::Bits> as NatCmp>::Max<One>>;
    type Bits = <Self::Run as Nat>::Times<T::Bits>;
}
type Run<SL, DL, T, Max> = <SL as Vectors<DL, T, Max>>::Run;
type Wide<SL, DL, T, Max, L> = <Run<SL, DL, T, Max> as RunOf<L>>::Wide;
type WideElement<SL, DL, T, Max> = <<SL as Vectors<DL, T, Max>>::Bits as WordBits>::Wide;
type WideWord<SL, DL, T, Max> = <<SL as Vectors<DL, T, Max>>::Bits as WordBits>::Word;

/// A number of elements of `L` that become one.
pub trait RunOf<L> {
    /// `L` in units of `Self` elements.
    type Wide: LayoutFn;
}
/// One element is one element, whatever the strides.
impl<L: LayoutFn> RunOf<L> for UInt<UTerm, B1> {
    type Wide = L;
}
impl<L: UpcastBy<Self>, U, B, C> RunOf<L> for UInt<UInt<U, B>, C> {
    type Wide = L::Output;
}

/// Copies in accesses of at most `Max` bits.
pub trait CopyVectors<SE, SL, DE, DL, Max> {
    /// How many accesses there are.
    type Count: Nat;
    /// Access `i`.
    fn access(i: u32, src: SE, dst: DE);
}
/// As wide as both layouts prove.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByVectors;
impl<SE, SL, DE, DL, T, Max> CopyVectors<SE, SL, DE, DL, Max> for ByVectors
where
    T: Plain,
    SE: Load<Value = T>,
    DE: Store<Value: IsElement<T>>,
    SL: Vectors<DL, T, Max, Bits: WordBits, Run: RunOf<SL> + RunOf<DL>>,
    DL: LayoutFn,
    DE::Recast<WideElement<SL, DL, T, Max>>: Store,
    <Size<SL> as NatCmp>::Equals<Size<DL>>: SameCount<Size<SL>, Size<DL>>,
{
    type Count = Size<Wide<SL, DL, T, Max, SL>>;
    #[inline(always)]
    fn access(i: u32, src: SE, dst: DE) {
        let word = src
            .recast::<WideElement<SL, DL, T, Max>>()
            .step::<Wide<SL, DL, T, Max, SL>, u32>(i)
            .load_word::<Wide<SL, DL, T, Max, SL>, WideWord<SL, DL, T, Max>>();
        dst.recast::<WideElement<SL, DL, T, Max>>()
            .step::<Wide<SL, DL, T, Max, DL>, u32>(i)
            .store_word::<Wide<SL, DL, T, Max, DL>, WideWord<SL, DL, T, Max>>(word);
    }
}

macro_rules! auto {
    ($($bits:literal, $max:ty;)*) => {$(
        impl<SE, SL, DE, DL> CopyBy<SE, SL, DE, DL> for AutoVectorizingCopyWithAssumedAlignment<$bits>
        where
            ByVectors: CopyVectors<SE, SL, DE, DL, $max, Count: Unroll>,
        {
            type Count = <ByVectors as CopyVectors<SE, SL, DE, DL, $max>>::Count;
            #[inline(always)]
            unsafe fn atom(i: u32, src: SE, dst: DE) {
                <ByVectors as CopyVectors<SE, SL, DE, DL, $max>>::access(i, src, dst);
            }
        }
        impl<SE, SL, DE, DL> PredicatedCopy<SE, SL, DE, DL> for AutoVectorizingCopyWithAssumedAlignment<$bits>
        where
            Self: CopyBy<SE, SL, DE, DL>,
        {
            #[inline(always)]
            unsafe fn atom_if(i: u32, src: SE, dst: DE, predicate: impl AtomPredicate) {
                if predicate.holds() {
                    // SAFETY: the caller's contract.
                    unsafe { <Self as CopyBy<SE, SL, DE, DL>>::atom(i, src, dst) };
                }
            }
        }
    )*};
}
auto! {
    8, U8;
    16, U16;
    32, U32;
    64, U64;
    128, U128;
}

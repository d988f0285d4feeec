//! `copy` without a tiled copy: as wide as both layouts prove.
//!
//! ```text
//!   (8,4):(1,8)   and   Sw<3,3,3> o 0 o (8,4):(1,64)     of f16: 8 elements, 128 bits
//!   (8,4):(1,8)   and   (8,4):(4,1)                      one by one
//! ```
//!
//! Law: the width is [`AutoVector`]: the longest run that lies alike in both, aligned in both, up to 128 bits or what the
//! instruction's name assumes. Both layouts are recast to it, so element `i` of the one goes to element `i` of the other. A global
//! tensor of run-time strides has runs along the mode whose stride is `Int::<1>`.
//!
//! Source: CuTe `AutoVectorizingCopyWithAssumedAlignment`, `copy_vec` in `cute/algorithm/copy.hpp`.

use super::copy::{CopyBy, PredicatedCopy, SameCount};
use super::gemm::IsElement;
use crate::algebra::cast::UpcastBy;
use crate::atom::Element;
use crate::atom::copy::{AtomPredicate, AutoVectorizingCopyWithAssumedAlignment};
use crate::layout::{LayoutFn, Size};
use crate::num::{Nat, NatCmp, NatDiv, One};
use crate::tensor::{Engine, KnownStrides, Load, Plain, Store, Word};
use crate::tiled::AutoVector;
use crate::unroll::{Unroll, unroll_type};
use typenum::{B1, U8, U16, U32, U64, U128, UInt, UTerm, Unsigned};

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
/// The layout `L` as the engine `E` has it in memory.
type Seen<E, L> = <<E as Engine>::Strides as KnownStrides>::InMemory<L>;
type Run<SL, DL, T, Max> = <SL as Vectors<DL, T, Max>>::Run;
type Wide<SL, DL, T, Max, L> = <Run<SL, DL, T, Max> as RunOf<L>>::Wide;
type WideElement<SL, DL, T, Max> = <<SL as Vectors<DL, T, Max>>::Bits as WordBits>::Wide;
type WideWord<SL, DL, T, Max> = <<SL as Vectors<DL, T, Max>>::Bits as WordBits>::Word;
type ElementWord<T> = <<T as Element>::Bits as WordBits>::Word;

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
    /// The elements of an access.
    type Run: Unroll + Nat;
    /// Access `i`.
    fn access(i: u32, src: SE, dst: DE);
    /// Element `i`, by itself.
    fn element(i: u32, src: SE, dst: DE);
}
/// As wide as both layouts prove.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByVectors;
impl<SE, SL, DE, DL, T, Max> CopyVectors<SE, SL, DE, DL, Max> for ByVectors
where
    T: Plain + Element<Bits: WordBits>,
    SE: Load<Value = T>,
    DE: Store<Value: IsElement<T>>,
    SL: LayoutFn,
    DL: LayoutFn,
    Seen<SE, SL>: Vectors<
            Seen<DE, DL>,
            T,
            Max,
            Bits: WordBits,
            Run: RunOf<Seen<SE, SL>> + RunOf<Seen<DE, DL>> + Unroll,
        >,
    DE::Recast<WideElement<Seen<SE, SL>, Seen<DE, DL>, T, Max>>: Store,
    <Size<SL> as NatCmp>::Equals<Size<DL>>: SameCount<Size<SL>, Size<DL>>,
{
    type Count = Size<Wide<Seen<SE, SL>, Seen<DE, DL>, T, Max, Seen<SE, SL>>>;
    type Run = Run<Seen<SE, SL>, Seen<DE, DL>, T, Max>;
    #[inline(always)]
    fn access(i: u32, src: SE, dst: DE) {
        let word = src.load_vector::<
            SL,
            Wide<Seen<SE, SL>, Seen<DE, DL>, T, Max, Seen<SE, SL>>,
            WideElement<Seen<SE, SL>, Seen<DE, DL>, T, Max>,
            WideWord<Seen<SE, SL>, Seen<DE, DL>, T, Max>,
        >(i);
        dst.store_vector::<
            DL,
            Wide<Seen<SE, SL>, Seen<DE, DL>, T, Max, Seen<DE, DL>>,
            WideElement<Seen<SE, SL>, Seen<DE, DL>, T, Max>,
            WideWord<Seen<SE, SL>, Seen<DE, DL>, T, Max>,
        >(i, word);
    }
    #[inline(always)]
    fn element(i: u32, src: SE, dst: DE) {
        let word = src.step::<SL, u32>(i).load_word::<SL, ElementWord<T>>();
        dst.step::<DL, u32>(i)
            .store_word::<DL, ElementWord<T>>(word);
    }
}

/// Copies those elements of access `i` for which `predicate` holds: by the access where it holds for all of them.
#[inline(always)]
fn access_where<SE: Copy, SL, DE: Copy, DL, Max, P: AtomPredicate>(
    i: u32,
    src: SE,
    dst: DE,
    predicate: &impl Fn(usize) -> P,
) where
    ByVectors: CopyVectors<SE, SL, DE, DL, Max>,
{
    type RunIn<SE, SL, DE, DL, Max> = <ByVectors as CopyVectors<SE, SL, DE, DL, Max>>::Run;
    if RunIn::<SE, SL, DE, DL, Max>::USIZE == 1 {
        if predicate(i as usize).holds() {
            ByVectors::access(i, src, dst);
        }
        return;
    }
    let first = i as usize * RunIn::<SE, SL, DE, DL, Max>::USIZE;
    let mut all = true;
    unroll_type::<RunIn<SE, SL, DE, DL, Max>>(|at| all &= predicate(first + at).holds());
    if all {
        ByVectors::access(i, src, dst);
    } else {
        unroll_type::<RunIn<SE, SL, DE, DL, Max>>(|at| {
            if predicate(first + at).holds() {
                ByVectors::element((first + at) as u32, src, dst);
            }
        });
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
            ByVectors: CopyVectors<SE, SL, DE, DL, $max>,
            SE: Copy,
            DE: Copy,
        {
            #[inline(always)]
            unsafe fn atom_if(i: u32, src: SE, dst: DE, predicate: impl AtomPredicate) {
                if predicate.holds() {
                    <ByVectors as CopyVectors<SE, SL, DE, DL, $max>>::access(i, src, dst);
                }
            }
            #[inline(always)]
            unsafe fn atom_where<P: AtomPredicate>(
                i: u32,
                src: SE,
                dst: DE,
                predicate: &impl Fn(usize) -> P,
            ) {
                access_where::<SE, SL, DE, DL, $max, P>(i, src, dst, predicate);
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

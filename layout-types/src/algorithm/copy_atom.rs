//! One atom of a copy, from place to place.
//!
//! ```text
//!   cp.async    Global ─► Shared       ldmatrix   Shared ─► Registers       stmatrix   Registers ─► Shared
//!   UniversalCopy                      any ─► any, in one access each       movmatrix  Registers ─► Registers
//! ```
//!
//! Law: the values at the source's place become those at the destination's. A side in memory is one run of bits; a side in
//! registers is 32-bit registers, each a run of values, wherever the fragment's layout has them.
//!
//! Source: CuTe `copy_unpack` in `cute/atom/copy_traits.hpp`.

use super::copy_auto::WordBits;
use crate::atom::copy::{
    AtomPredicate, AutoVectorizingCopyWithAssumedAlignment, CpAsyncOp, LdsmOp, MovmOp,
    Sm75_U16x2_LDSM_T, Sm75_U16x4_LDSM_T, Sm75_U16x8_LDSM_T, Sm75_U32x1_LDSM_N, Sm75_U32x1_MOVM_T,
    Sm75_U32x2_LDSM_N, Sm75_U32x4_LDSM_N, Sm80_CP_ASYNC_CACHEALWAYS,
    Sm80_CP_ASYNC_CACHEALWAYS_ZFILL, Sm80_CP_ASYNC_CACHEGLOBAL, Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL,
    Sm90_U16x2_STSM_T, Sm90_U16x4_STSM_T, Sm90_U16x8_STSM_T, Sm90_U32x1_STSM_N, Sm90_U32x2_STSM_N,
    Sm90_U32x4_STSM_N, StsmOp, UniversalCopy,
};
use crate::atom::{Element, RegisterArray};
use crate::layout::{LayoutFn, Unzip};
use crate::num::{Nat, NatCmp};
use crate::tensor::{
    Engine, Global, GlobalAccess, KnownStrides, Load, Plain, Registers, Shared, Store, SwizzleOf,
};
use crate::tiled::HasVectors;
use crate::tree::{ModeList, ModeTree};
use typenum::{U8, U16, U32, U64, U128};

/// One atom from a place in `SE` to a place in `DE`, of parts with the layouts `SL` and `DL`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not copy from `{SE}` to `{DE}`",
    label = "the instruction goes between other memories"
)]
pub trait CopyCall<SE, SL, DE, DL> {
    /// Copies.
    ///
    /// # Safety
    /// The threads of the atom execute it together.
    unsafe fn call(src: SE, dst: DE);
}
/// An atom that a thread can leave out.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no predicate",
    label = "`cp.async` and plain loads and stores can be predicated; what a warp does together can not"
)]
pub trait PredicatedCall<SE, SL, DE, DL>: CopyCall<SE, SL, DE, DL> {
    /// Copies where `predicate` holds; where not, the source is not read, and the destination is as it was, or zero for
    /// an instruction that fills with zeros.
    ///
    /// # Safety
    /// As [`CopyCall::call`].
    unsafe fn call_if(src: SE, dst: DE, predicate: impl AtomPredicate);
}

/// The values of one atom.
type AtomLayout<L> = Unzip<
    <<<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First as ModeTree>::Modes as ModeList>::First,
>;

/// The values that one register of 32 bits holds lie side by side in the fragment, wherever the register is.
pub trait InRegisters<Op, T>: LayoutFn {}
impl<L, Op, T> InRegisters<Op, T> for L
where
    T: Element,
    L: LayoutFn + HasVectors<Op, <U32 as Nat>::Over<T::Bits>>,
{
}

/// Reads the registers of one atom, each from where the layout has its values.
#[inline(always)]
fn gather<T: Plain, Role, L: LayoutFn, const N: usize>(src: Registers<'_, T, Role>) -> [u32; N] {
    let values = 4 / size_of::<T>();
    let mut registers = [0; N];
    let mut at = 0;
    while at < N {
        registers[at] = src.step::<AtomLayout<L>, u32>((at * values) as u32).read();
        at += 1;
    }
    registers
}
/// Writes the registers of one atom.
#[inline(always)]
fn scatter<T: Plain, Role, L: LayoutFn, const N: usize>(
    dst: Registers<'_, T, Role>,
    registers: [u32; N],
) {
    let values = 4 / size_of::<T>();
    let mut at = 0;
    while at < N {
        dst.step::<AtomLayout<L>, u32>((at * values) as u32)
            .write(registers[at]);
        at += 1;
    }
}

macro_rules! ldsm {
    ($($name:ident)*) => {$(
        impl<T: Plain, SL: LayoutFn, Role, DL: InRegisters<Self, T>>
            CopyCall<Shared<T>, SL, Registers<'_, T, Role>, DL> for $name
        {
            #[inline(always)]
            unsafe fn call(src: Shared<T>, dst: Registers<'_, T, Role>) {
                // SAFETY: the warp is whole by the caller's contract; the layouts' types say that the row lies together and
                // aligned, and whoever made the tensor that it is there.
                let registers = unsafe { <Self as LdsmOp>::load_of::<SwizzleOf<SL, T>>(src.address::<SL>()) };
                scatter::<T, Role, DL, { <<Self as LdsmOp>::DRegisters as RegisterArray>::COUNT }>(
                    dst, registers,
                );
            }
        }
    )*};
}
ldsm!(Sm75_U32x1_LDSM_N Sm75_U32x2_LDSM_N Sm75_U32x4_LDSM_N Sm75_U16x2_LDSM_T Sm75_U16x4_LDSM_T Sm75_U16x8_LDSM_T);

macro_rules! stsm {
    ($($name:ident)*) => {$(
        impl<T: Plain, SL: InRegisters<Self, T>, Role, DL: LayoutFn>
            CopyCall<Registers<'_, T, Role>, SL, Shared<T>, DL> for $name
        {
            #[inline(always)]
            unsafe fn call(src: Registers<'_, T, Role>, dst: Shared<T>) {
                let registers =
                    gather::<T, Role, SL, { <<Self as StsmOp>::SRegisters as RegisterArray>::COUNT }>(src);
                // SAFETY: as of `ldmatrix`.
                unsafe { <Self as StsmOp>::store_of::<SwizzleOf<DL, T>>(dst.address::<DL>(), registers) };
            }
        }
    )*};
}
stsm!(Sm90_U32x1_STSM_N Sm90_U32x2_STSM_N Sm90_U32x4_STSM_N Sm90_U16x2_STSM_T Sm90_U16x4_STSM_T Sm90_U16x8_STSM_T);

impl<T: Plain, SR, SL: InRegisters<Self, T>, DR, DL: InRegisters<Self, T>>
    CopyCall<Registers<'_, T, SR>, SL, Registers<'_, T, DR>, DL> for Sm75_U32x1_MOVM_T
{
    #[inline(always)]
    unsafe fn call(src: Registers<'_, T, SR>, dst: Registers<'_, T, DR>) {
        // SAFETY: the warp is whole by the caller's contract.
        let registers = unsafe { <Self as MovmOp>::transpose(gather::<T, SR, SL, 1>(src)) };
        scatter::<T, DR, DL, 1>(dst, registers);
    }
}

macro_rules! cp_async {
    ($($name:ident)*) => {$(
        impl<S: Element, T: Plain, A: GlobalAccess, SL: LayoutFn, DL: LayoutFn, K: KnownStrides, const R: usize>
            CopyCall<Global<T, A, R, K>, SL, Shared<T>, DL> for $name<S>
        where
            Self: CpAsyncOp,
        {
            #[inline(always)]
            unsafe fn call(src: Global<T, A, R, K>, dst: Shared<T>) {
                // SAFETY: the layouts' types say that both sides lie together and aligned, and whoever made the tensors that
                // they are there.
                unsafe { <Self as CpAsyncOp>::copy_of::<SwizzleOf<DL, T>>(dst.address::<DL>(), src.address(), true) };
            }
        }
        impl<S: Element, T: Plain, A: GlobalAccess, SL: LayoutFn, DL: LayoutFn, K: KnownStrides, const R: usize>
            PredicatedCall<Global<T, A, R, K>, SL, Shared<T>, DL> for $name<S>
        where
            Self: CpAsyncOp,
        {
            #[inline(always)]
            unsafe fn call_if(src: Global<T, A, R, K>, dst: Shared<T>, predicate: impl AtomPredicate) {
                // SAFETY: as above; where the predicate does not hold the source is not read.
                unsafe { <Self as CpAsyncOp>::copy_of::<SwizzleOf<DL, T>>(dst.address::<DL>(), src.address(), predicate) };
            }
        }
    )*};
}
cp_async!(Sm80_CP_ASYNC_CACHEALWAYS Sm80_CP_ASYNC_CACHEGLOBAL Sm80_CP_ASYNC_CACHEALWAYS_ZFILL Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL);

/// The bits of one access of `Bits` bits at least that moves whole elements of type `T`.
type Whole<T, Bits> = <Bits as NatCmp>::Max<<T as Element>::Bits>;

macro_rules! plain_access {
    ($([$($generics:tt)*] $name:ty, $bits:ty;)*) => {$(
        impl<$($generics)* T: Element, SE: Load<Value = T>, SL: LayoutFn, DE: Store, DL: LayoutFn>
            CopyCall<SE, SL, DE, DL> for $name
        where
            Whole<T, $bits>: WordBits,
        {
            #[inline(always)]
            unsafe fn call(src: SE, dst: DE) {
                dst.store_word::<DL, <Whole<T, $bits> as WordBits>::Word>(
                    src.load_word::<SL, <Whole<T, $bits> as WordBits>::Word>(),
                );
            }
        }
        impl<$($generics)* T: Element, SE: Load<Value = T>, SL: LayoutFn, DE: Store, DL: LayoutFn>
            PredicatedCall<SE, SL, DE, DL> for $name
        where
            Whole<T, $bits>: WordBits,
        {
            #[inline(always)]
            unsafe fn call_if(src: SE, dst: DE, predicate: impl AtomPredicate) {
                if predicate.holds() {
                    // SAFETY: the threads of the atom execute it together, as `call_if` requires of its caller.
                    unsafe { <Self as CopyCall<SE, SL, DE, DL>>::call(src, dst) };
                }
            }
        }
    )*};
}
plain_access! {
    [S: Element,] UniversalCopy<S>, S::Bits;
    [] AutoVectorizingCopyWithAssumedAlignment<8>, U8;
    [] AutoVectorizingCopyWithAssumedAlignment<16>, U16;
    [] AutoVectorizingCopyWithAssumedAlignment<32>, U32;
    [] AutoVectorizingCopyWithAssumedAlignment<64>, U64;
    [] AutoVectorizingCopyWithAssumedAlignment<128>, U128;
}

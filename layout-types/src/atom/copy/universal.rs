//! Copies of one thread: a load and a store of 8 to 128 bits.
//!
//! ```text
//!   UniversalCopy<u128>      (1,128):(0,1)      one thread, 128 neighbouring bits
//! ```
//!
//! Law: source, destination and reference have one layout, the identity.
//!
//! Source: CuTe `cute/arch/copy.hpp`, `cute/atom/copy_traits.hpp`.

use super::{CopyAtom, CopyValues, Element, MovesElement, UniversalCopyOp, WideEnough};
use crate::arch::copy as arch;
use crate::atom::{Instruction, RegisterArray};
use crate::layout;
use crate::num::{NatCmp, True};
use core::fmt;
use core::marker::PhantomData;
use typenum::{Const, ToUInt, U0, U8, U16, U32, U64, U128};

/// CuTe's `UniversalCopy<S>`: a plain load and store of an `S`.
///
/// ```
/// use layout_types::atom::copy::{UniversalCopy, ValLayoutSrc};
/// assert_eq!(ValLayoutSrc::<UniversalCopy<u128>, half::f16>::default().to_string(), "(1,8):(0,1)");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct UniversalCopy<S>(PhantomData<S>);

impl<S: Element> fmt::Debug for UniversalCopy<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UniversalCopy<{}>", S::NAME)
    }
}
impl<S> Instruction for UniversalCopy<S> {
    type Sm = U0;
    type Later = True;
}
impl<S: Element + Default> CopyAtom for UniversalCopy<S> {
    type ThrId = layout!(1:0);
    type SrcLayout = layout!((1,S::Bits):(0,1));
    type DstLayout = layout!((1,S::Bits):(0,1));
    type RefLayout = layout!((1,S::Bits):(0,1));
    const NAME: &'static str = "UniversalCopy";
    const PTX: &'static str = "";
}
impl<S: Element + Default, T: Element> MovesElement<T> for UniversalCopy<S>
where
    Self: CopyValues<T>,
    <S::Bits as NatCmp>::AtLeast<T::Bits>: WideEnough<Self, S::Bits, T::Bits>,
{
}

/// CuTe's `AutoVectorizingCopyWithAssumedAlignment<MaxBits>`: the widest access up to `MaxBits`
/// that both tensors' layouts prove contiguous and aligned. As an atom, it is one access of
/// `MaxBits`, or of a whole element if that is wider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AutoVectorizingCopyWithAssumedAlignment<const MAX_BITS: usize>;

/// CuTe's `AutoVectorizingCopy`, with up to 128 bits.
pub type AutoVectorizingCopy = AutoVectorizingCopyWithAssumedAlignment<128>;
/// CuTe's `DefaultCopy`: copies single elements, unless the tensors' layouts prove a wider access.
///
/// ```
/// use layout_types::atom::copy::{DefaultCopy, ValLayoutSrc};
/// assert_eq!(ValLayoutSrc::<DefaultCopy, f32>::default().to_string(), "(1,1):(0,1)");
/// ```
pub type DefaultCopy = AutoVectorizingCopyWithAssumedAlignment<8>;

/// A width that one thread can move at once, and its loads and stores.
#[diagnostic::on_unimplemented(
    message = "no access has that many bits",
    label = "a thread moves 8, 16, 32, 64 or 128 bits at once"
)]
#[doc(hidden)]
pub trait AccessBits: crate::num::Nat {
    /// The registers for the bits moved.
    type Registers: RegisterArray;
    /// Loads from global memory.
    ///
    /// # Safety
    /// The conditions of [`UniversalCopyOp::load_global`] hold.
    unsafe fn load_global(global: *const u8) -> Self::Registers;
    /// Stores to global memory.
    ///
    /// # Safety
    /// The conditions of [`UniversalCopyOp::store_global`] hold.
    unsafe fn store_global(global: *mut u8, registers: Self::Registers);
    /// Loads from shared memory.
    ///
    /// # Safety
    /// The conditions of [`UniversalCopyOp::load_shared`] hold.
    unsafe fn load_shared(shared: u32) -> Self::Registers;
    /// Stores to shared memory.
    ///
    /// # Safety
    /// The conditions of [`UniversalCopyOp::store_shared`] hold.
    unsafe fn store_shared(shared: u32, registers: Self::Registers);
}
macro_rules! access {
    ($($bits:ty, $registers:ty, $load_global:ident, $store_global:ident, $load_shared:ident, $store_shared:ident,
       |$value:ident| $wrap:expr, |$array:ident| $unwrap:expr;)*) => {$(
        impl AccessBits for $bits {
            type Registers = $registers;
            #[inline(always)]
            unsafe fn load_global(global: *const u8) -> $registers {
                // SAFETY: the caller guarantees that the bits are aligned and readable, and that no
                // thread writes them meanwhile.
                let $value = unsafe { arch::$load_global(global) };
                $wrap
            }
            #[inline(always)]
            unsafe fn store_global(global: *mut u8, $array: $registers) {
                // SAFETY: the caller guarantees that the bits are aligned and writable, and that no
                // other thread accesses them.
                unsafe { arch::$store_global(global, $unwrap) }
            }
            #[inline(always)]
            unsafe fn load_shared(shared: u32) -> $registers {
                // SAFETY: the caller guarantees that the bits are aligned, initialised and the
                // block's, and that no other thread writes them before the next barrier.
                let $value = unsafe { arch::$load_shared(shared) };
                $wrap
            }
            #[inline(always)]
            unsafe fn store_shared(shared: u32, $array: $registers) {
                // SAFETY: the caller guarantees that the bits are aligned and the block's, and that
                // no other thread accesses them before the next barrier.
                unsafe { arch::$store_shared(shared, $unwrap) }
            }
        }
    )*};
}
access! {
    U8, [u8; 1], load_global_b8, store_global_b8, load_shared_b8, store_shared_b8, |v| [v], |r| r[0];
    U16, [u16; 1], load_global_b16, store_global_b16, load_shared_b16, store_shared_b16, |v| [v], |r| r[0];
    U32, [u32; 1], load_global_b32, store_global_b32, load_shared_b32, store_shared_b32, |v| [v], |r| r[0];
    U64, [u32; 2], load_global_b64, store_global_b64, load_shared_b64, store_shared_b64, |v| v, |r| r;
    U128, [u32; 4], load_global_b128, store_global_b128, load_shared_b128, store_shared_b128, |v| v, |r| r;
}

macro_rules! universal_copy_op {
    ($bits:ty) => {
        type Registers = <$bits as AccessBits>::Registers;
        #[inline(always)]
        unsafe fn load_global(global: *const u8) -> Self::Registers {
            // SAFETY: the caller guarantees that the bits are aligned and readable, and that no
            // thread writes them meanwhile.
            unsafe { <$bits as AccessBits>::load_global(global) }
        }
        #[inline(always)]
        unsafe fn store_global(global: *mut u8, registers: Self::Registers) {
            // SAFETY: the caller guarantees that the bits are aligned and writable, and that no
            // other thread accesses them.
            unsafe { <$bits as AccessBits>::store_global(global, registers) }
        }
        #[inline(always)]
        unsafe fn load_shared(shared: u32) -> Self::Registers {
            // SAFETY: the caller guarantees that the bits are aligned, initialised and the block's,
            // and that no other thread writes them before the next barrier.
            unsafe { <$bits as AccessBits>::load_shared(shared) }
        }
        #[inline(always)]
        unsafe fn store_shared(shared: u32, registers: Self::Registers) {
            // SAFETY: the caller guarantees that the bits are aligned and the block's, and that no
            // other thread accesses them before the next barrier.
            unsafe { <$bits as AccessBits>::store_shared(shared, registers) }
        }
    };
}
impl<S: Element<Bits: AccessBits> + Default> UniversalCopyOp for UniversalCopy<S> {
    universal_copy_op!(S::Bits);
}
impl<const MAX_BITS: usize> UniversalCopyOp for AutoVectorizingCopyWithAssumedAlignment<MAX_BITS>
where
    Const<MAX_BITS>: ToUInt<Output: AccessBits>,
{
    universal_copy_op!(<Const<MAX_BITS> as ToUInt>::Output);
}

impl<const MAX_BITS: usize> Instruction for AutoVectorizingCopyWithAssumedAlignment<MAX_BITS> {
    type Sm = U0;
    type Later = True;
}
impl<const MAX_BITS: usize> CopyAtom for AutoVectorizingCopyWithAssumedAlignment<MAX_BITS>
where
    Const<MAX_BITS>: ToUInt,
    <Const<MAX_BITS> as ToUInt>::Output: AccessBits,
{
    type ThrId = layout!(1:0);
    type SrcLayout = layout!((1,<Const<MAX_BITS> as ToUInt>::Output):(0,1));
    type DstLayout = layout!((1,<Const<MAX_BITS> as ToUInt>::Output):(0,1));
    type RefLayout = layout!((1,<Const<MAX_BITS> as ToUInt>::Output):(0,1));
    const NAME: &'static str = "AutoVectorizingCopyWithAssumedAlignment";
    const PTX: &'static str = "";
}
impl<const MAX_BITS: usize, T> MovesElement<T> for AutoVectorizingCopyWithAssumedAlignment<MAX_BITS> where
    Self: CopyValues<T>
{
}

//! `cp.async` of Ampere: global memory to shared memory past the registers, 4, 8 or 16 bytes a thread.
//!
//! ```text
//!   Sm80_CP_ASYNC_CACHEGLOBAL<u128>      (1,128):(0,1)      one thread, 128 neighbouring bits
//! ```
//!
//! Law: as of [`UniversalCopy`](super::UniversalCopy); the data is there after `cp.async.wait_group` of its group and a
//! barrier. The forms with zero-fill write zeros where the predicate is false.
//!
//! Source: CuTe `cute/atom/copy_traits_sm80.hpp`; PTX ISA, *Asynchronous copy: cp.async*.

use super::{AtomPredicate, CopyAtom, CopyValues, CpAsyncOp, Element, MovesElement, WideEnough};
use crate::arch::copy_sm80 as arch;
use crate::atom::element::TFloat32;
use crate::layout;
use crate::num::NatCmp;
use core::fmt;
use core::marker::PhantomData;
use typenum::{U80, Unsigned};

/// A size of `cp.async.ca`: an element type of 4, 8 or 16 bytes.
#[diagnostic::on_unimplemented(
    message = "`cp.async.ca` copies 4, 8 or 16 bytes at a time",
    label = "`u32`, `u64` and `u128` are the sizes"
)]
pub trait CacheAlwaysSize: Element {
    /// The copy of so many bytes.
    ///
    /// # Safety
    /// As of [`CpAsyncOp::copy`] where the predicate holds.
    unsafe fn cache_always(shared: u32, global: *const u8);
    /// The copy of so many bytes where `inside` is not 0, and of zeros where not.
    ///
    /// # Safety
    /// As of [`CpAsyncOp::copy`].
    unsafe fn cache_always_if(shared: u32, global: *const u8, inside: u32);
}

/// A size of `cp.async.cg`: an element type of 16 bytes.
#[diagnostic::on_unimplemented(
    message = "`cp.async.cg` copies 16 bytes at a time",
    label = "`u128` is the only size; `SM80_CP_ASYNC_CACHEALWAYS` copies `u32` and `u64` too"
)]
pub trait CacheGlobalSize: Element {
    /// The copy of so many bytes.
    ///
    /// # Safety
    /// As of [`CpAsyncOp::copy`] where the predicate holds.
    unsafe fn cache_global(shared: u32, global: *const u8);
    /// The copy of so many bytes where `inside` is not 0, and of zeros where not.
    ///
    /// # Safety
    /// As of [`CpAsyncOp::copy`].
    unsafe fn cache_global_if(shared: u32, global: *const u8, inside: u32);
}

macro_rules! sizes {
    ($($($t:ty),+: $copy_wrapper:ident, $if_wrapper:ident;)*) => {$($(
        impl CacheAlwaysSize for $t {
            #[inline(always)]
            unsafe fn cache_always(shared: u32, global: *const u8) {
                // SAFETY: the caller's contract is the wrapper's.
                unsafe { arch::$copy_wrapper(shared, global) }
            }
            #[inline(always)]
            unsafe fn cache_always_if(shared: u32, global: *const u8, inside: u32) {
                // SAFETY: the caller's contract is the wrapper's.
                unsafe { arch::$if_wrapper(shared, global, inside) }
            }
        }
    )+)*};
}
sizes! {
    u32, i32, f32, TFloat32: cp_async_ca_4, cp_async_ca_4_if;
    u64, i64, f64: cp_async_ca_8, cp_async_ca_8_if;
    u128: cp_async_ca_16, cp_async_ca_16_if;
}
impl CacheGlobalSize for u128 {
    #[inline(always)]
    unsafe fn cache_global(shared: u32, global: *const u8) {
        // SAFETY: the caller's contract is the wrapper's.
        unsafe { arch::cp_async_cg_16(shared, global) }
    }
    #[inline(always)]
    unsafe fn cache_global_if(shared: u32, global: *const u8, inside: u32) {
        // SAFETY: the caller's contract is the wrapper's.
        unsafe { arch::cp_async_cg_16_if(shared, global, inside) }
    }
}

macro_rules! cp_async {
    ($($(#[$doc:meta])* $name:ident, $size:ident, $zfill:literal, $cute:literal, $ptx:literal, |$shared:ident, $global:ident, $predicate:ident| $run:expr;)*) => {$(
        $(#[$doc])*
        #[doc = ""]
        #[doc = concat!("`", $ptx, "`")]
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Default, PartialEq, Eq)]
        pub struct $name<S>(PhantomData<S>);
        impl<S: Element> fmt::Debug for $name<S> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($cute, "<{}>"), S::NAME)
            }
        }
        impl<S> $crate::atom::Instruction for $name<S> {
            type Sm = U80;
            type Later = $crate::num::True;
        }
        impl<S: Default + $size> CopyAtom for $name<S> {
            type ThrId = layout!(1:0);
            type SrcLayout = layout!((1,S::Bits):(0,1));
            type DstLayout = layout!((1,S::Bits):(0,1));
            type RefLayout = layout!((1,S::Bits):(0,1));
            const NAME: &'static str = $cute;
            const PTX: &'static str = $ptx;
        }
        impl<S: Default + $size, T: Element> MovesElement<T> for $name<S>
        where
            Self: CopyValues<T>,
            <S::Bits as NatCmp>::AtLeast<T::Bits>: WideEnough<Self, S::Bits, T::Bits>,
        {
        }
        impl<S: Default + $size> CpAsyncOp for $name<S> {
            const BYTES: u32 = S::Bits::U32 / 8;
            const ZFILL: bool = $zfill;
            #[inline(always)]
            unsafe fn copy($shared: u32, $global: *const u8, $predicate: impl AtomPredicate) {
                // SAFETY: the caller's contract is the wrapper's.
                unsafe { $run }
            }
        }
    )*};
}
cp_async! {
    /// 4, 8 or 16 bytes, cached at all levels: CuTe's `SM80_CP_ASYNC_CACHEALWAYS`.
    Sm80_CP_ASYNC_CACHEALWAYS, CacheAlwaysSize, false, "SM80_CP_ASYNC_CACHEALWAYS", "cp.async.ca.shared.global",
        |shared, global, inside| if inside.holds() { S::cache_always(shared, global) };
    /// 16 bytes, cached in L2 only: CuTe's `SM80_CP_ASYNC_CACHEGLOBAL`.
    ///
    /// ```
    /// use layout_types::atom::copy::{Sm80_CP_ASYNC_CACHEGLOBAL, ValLayoutDst};
    /// assert_eq!(ValLayoutDst::<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, f32>::default().to_string(), "(1,4):(0,1)");
    /// ```
    ///
    /// ```compile_fail
    /// use layout_types::atom::copy::{Sm80_CP_ASYNC_CACHEGLOBAL, ValLayoutDst};
    /// let _ = ValLayoutDst::<Sm80_CP_ASYNC_CACHEGLOBAL<u64>, f32>::default();
    /// ```
    Sm80_CP_ASYNC_CACHEGLOBAL, CacheGlobalSize, false, "SM80_CP_ASYNC_CACHEGLOBAL", "cp.async.cg.shared.global",
        |shared, global, inside| if inside.holds() { S::cache_global(shared, global) };
    /// As [`Sm80_CP_ASYNC_CACHEALWAYS`], zeros where the predicate is false.
    Sm80_CP_ASYNC_CACHEALWAYS_ZFILL, CacheAlwaysSize, true, "SM80_CP_ASYNC_CACHEALWAYS_ZFILL", "cp.async.ca.shared.global",
        |shared, global, inside| S::cache_always_if(shared, global, inside.word());
    /// As [`Sm80_CP_ASYNC_CACHEGLOBAL`], zeros where the predicate is false.
    Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL, CacheGlobalSize, true, "SM80_CP_ASYNC_CACHEGLOBAL_ZFILL", "cp.async.cg.shared.global",
        |shared, global, inside| S::cache_global_if(shared, global, inside.word());
}

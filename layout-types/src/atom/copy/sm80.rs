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

use super::{CopyAtom, Element};
use crate::layout;
use core::fmt;
use core::marker::PhantomData;
use typenum::{U32, U64, U80, U128};

/// A size of `cp.async.ca`: 4, 8 or 16 bytes.
pub trait CacheAlwaysSize {}
impl<T: Element> CacheAlwaysSize for T where T::Bits: CacheAlwaysBits {}
/// Bits of `cp.async.ca`.
#[diagnostic::on_unimplemented(
    message = "`cp.async.ca` copies 4, 8 or 16 bytes at a time",
    label = "`u32`, `u64` and `u128` are the sizes"
)]
pub trait CacheAlwaysBits {}
impl CacheAlwaysBits for U32 {}
impl CacheAlwaysBits for U64 {}
impl CacheAlwaysBits for U128 {}

/// A size of `cp.async.cg`: 16 bytes.
pub trait CacheGlobalSize {}
impl<T: Element> CacheGlobalSize for T where T::Bits: CacheGlobalBits {}
/// Bits of `cp.async.cg`.
#[diagnostic::on_unimplemented(
    message = "`cp.async.cg` copies 16 bytes at a time",
    label = "`u128` is the only size; `SM80_CP_ASYNC_CACHEALWAYS` copies `u32` and `u64` too"
)]
pub trait CacheGlobalBits {}
impl CacheGlobalBits for U128 {}

macro_rules! cp_async {
    ($($(#[$doc:meta])* $name:ident, $size:ident, $cute:literal, $ptx:literal;)*) => {$(
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
        impl<S: Element + Default + $size> CopyAtom for $name<S> {
            type ThrId = layout!(1:0);
            type SrcLayout = layout!((1,S::Bits):(0,1));
            type DstLayout = layout!((1,S::Bits):(0,1));
            type RefLayout = layout!((1,S::Bits):(0,1));
            type Sm = U80;
            const NAME: &'static str = $cute;
            const PTX: &'static str = $ptx;
        }
    )*};
}
cp_async! {
    /// 4, 8 or 16 bytes, cached at all levels: CuTe's `SM80_CP_ASYNC_CACHEALWAYS`.
    Sm80_CP_ASYNC_CACHEALWAYS, CacheAlwaysSize, "SM80_CP_ASYNC_CACHEALWAYS", "cp.async.ca.shared.global";
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
    Sm80_CP_ASYNC_CACHEGLOBAL, CacheGlobalSize, "SM80_CP_ASYNC_CACHEGLOBAL", "cp.async.cg.shared.global";
    /// As [`Sm80_CP_ASYNC_CACHEALWAYS`], zeros where the predicate is false.
    Sm80_CP_ASYNC_CACHEALWAYS_ZFILL, CacheAlwaysSize, "SM80_CP_ASYNC_CACHEALWAYS_ZFILL", "cp.async.ca.shared.global";
    /// As [`Sm80_CP_ASYNC_CACHEGLOBAL`], zeros where the predicate is false.
    Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL, CacheGlobalSize, "SM80_CP_ASYNC_CACHEGLOBAL_ZFILL", "cp.async.cg.shared.global";
}

//! Copy atoms of a warp or a thread: Turing's `ldmatrix`, Ampere's `cp.async`, Hopper's `stmatrix`.
//!
//! ```text
//!   ldmatrix   shared ─► registers      cp.async   global ─► shared      stmatrix   registers ─► shared
//! ```
//!
//! Law: a lane's bits are in the places that the layouts state.

use super::{
    AtomPredicate, CopyAtom, CopyValues, CpAsyncOp, Element, LdsmOp, MovesElement, MovmOp, StsmOp,
    WideEnough, warp_copy,
};
use crate::arch::copy::SmemSwizzle;
use crate::arch::{copy_sm75, copy_sm80, copy_sm90};
use crate::atom::element::TFloat32;
use crate::layout;
use crate::num::NatCmp;
use core::fmt;
use core::marker::PhantomData;
use typenum::{U80, Unsigned};

// -- Turing ---------------------------------------------------------------------------------------
//
// `ldmatrix` and `movmatrix` of Turing: move 8x8 matrices of 16 bits from shared memory to
// fragments, and from fragment to fragment.
//
// ```text
//   one matrix, 8 rows of 128 bits      N: lane 4 g + t gets row g, 32 bits from 32 t on
//                                       T: lane 4 g + t gets column g, 16 bits of rows 2 t and 2 t + 1
// ```
//
// Law: the addresses of the rows come from lanes 0 to 7 for `x1`, from lanes 0 to 15 for `x2`, and
// from all lanes for `x4`; the addresses of other lanes are not used (stride 0).
//
// Step by step: `docs/walkthroughs/ldmatrix.md`.
//
// Source: CuTe `cute/atom/copy_traits_sm75.hpp`; PTX ISA, *Warp-level matrix load instruction:
// ldmatrix*, *Warp-level matrix transpose instruction: movmatrix*.

warp_copy! {
    /// The `ldmatrix` of one matrix.
    Sm75_U32x1_LDSM_N, "SM75_U32x1_LDSM_N", U75, "ldmatrix.sync.aligned.m8n8.x1.shared.b16",
    [((8,4),128):((128,0),1)], [(32,32):(32,1)], [(32,32):(32,1)]
}
warp_copy! {
    /// The `ldmatrix` of two matrices.
    Sm75_U32x2_LDSM_N, "SM75_U32x2_LDSM_N", U75, "ldmatrix.sync.aligned.m8n8.x2.shared.b16",
    [((16,2),128):((128,0),1)], [(32,(32,2)):(32,(1,1024))], [(32,(32,2)):(32,(1,1024))]
}
warp_copy! {
    /// The `ldmatrix` of four matrices.
    Sm75_U32x4_LDSM_N, "SM75_U32x4_LDSM_N", U75, "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
    [(32,128):(128,1)], [(32,(32,4)):(32,(1,1024))], [(32,(32,4)):(32,(1,1024))]
}
warp_copy! {
    /// The `ldmatrix` of one matrix, transposed.
    Sm75_U16x2_LDSM_T, "SM75_U16x2_LDSM_T", U75, "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16",
    [((8,4),128):((128,0),1)], [((4,8),(16,2)):((256,16),(1,128))], [((4,8),(16,2)):((256,16),(1,128))]
}
warp_copy! {
    /// The `ldmatrix` of two matrices, each transposed.
    Sm75_U16x4_LDSM_T, "SM75_U16x4_LDSM_T", U75, "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16",
    [((16,2),128):((128,0),1)], [((4,8),(16,2,2)):((256,16),(1,128,1024))], [((4,8),(16,2,2)):((256,16),(1,128,1024))]
}
warp_copy! {
    /// The `ldmatrix` of four matrices, each transposed.
    Sm75_U16x8_LDSM_T, "SM75_U16x8_LDSM_T", U75, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
    [(32,128):(128,1)], [((4,8),(16,2,4)):((256,16),(1,128,1024))], [((4,8),(16,2,4)):((256,16),(1,128,1024))]
}
warp_copy! {
    /// The `movmatrix` of one matrix, which is transposed within the registers of a warp.
    Sm75_U32x1_MOVM_T, "SM75_U32x1_MOVM_T", U75, "movmatrix.sync.aligned.m8n8.trans.b16",
    [(32,32):(32,1)], [((4,8),(16,2)):((256,16),(1,128))], [(32,32):(32,1)]
}

macro_rules! ldsm {
    ($($name:ident, $count:literal, $wrapper:ident, $swizzled:ident;)*) => {$(
        impl LdsmOp for $name {
            type DRegisters = [u32; $count];
            #[inline(always)]
            unsafe fn load(shared: u32) -> [u32; $count] {
                // SAFETY: the caller guarantees, as `load` requires, that all 32 lanes execute
                // this, and that their rows are aligned, initialised and not written meanwhile.
                unsafe { copy_sm75::$wrapper(shared) }
            }
            #[inline(always)]
            unsafe fn load_of<W: SmemSwizzle>(shared: u32) -> [u32; $count] {
                // SAFETY: the caller guarantees, as `load_of` requires, that all 32 lanes execute
                // this, and that their rows are aligned, initialised and not written meanwhile.
                unsafe { copy_sm75::$swizzled::<W>(shared) }
            }
        }
    )*};
}
ldsm! {
    Sm75_U32x1_LDSM_N, 1, ldmatrix_x1, ldmatrix_x1_of;
    Sm75_U32x2_LDSM_N, 2, ldmatrix_x2, ldmatrix_x2_of;
    Sm75_U32x4_LDSM_N, 4, ldmatrix_x4, ldmatrix_x4_of;
    Sm75_U16x2_LDSM_T, 1, ldmatrix_x1_trans, ldmatrix_x1_trans_of;
    Sm75_U16x4_LDSM_T, 2, ldmatrix_x2_trans, ldmatrix_x2_trans_of;
    Sm75_U16x8_LDSM_T, 4, ldmatrix_x4_trans, ldmatrix_x4_trans_of;
}

impl MovmOp for Sm75_U32x1_MOVM_T {
    type SRegisters = [u32; 1];
    type DRegisters = [u32; 1];
    #[inline(always)]
    unsafe fn transpose(registers: [u32; 1]) -> [u32; 1] {
        // SAFETY: the caller guarantees, as `transpose` requires, that all 32 lanes of the warp
        // execute this.
        [unsafe { copy_sm75::movmatrix_trans(registers[0]) }]
    }
}

// -- Ampere ---------------------------------------------------------------------------------------
//
// `cp.async` of Ampere: copies from global to shared memory without registers, 4, 8 or 16 bytes per
// thread.
//
// ```text
//   Sm80_CP_ASYNC_CACHEGLOBAL<u128>      (1,128):(0,1)      one thread, 128 neighbouring bits
// ```
//
// Law: the law of [`UniversalCopy`](super::UniversalCopy) holds. The data is visible after
// `cp.async.wait_group` for its group and a barrier. The forms with zero-fill write zeros if the
// predicate is false.
//
// Source: CuTe `cute/atom/copy_traits_sm80.hpp`; PTX ISA, *Asynchronous copy: cp.async*.

/// A size of `cp.async.ca`: an element type of 4, 8 or 16 bytes.
#[diagnostic::on_unimplemented(
    message = "`cp.async.ca` copies 4, 8 or 16 bytes at a time",
    label = "`u32`, `u64` and `u128` are the sizes"
)]
#[doc(hidden)]
pub trait CacheAlwaysSize: Element {
    /// Copies this type's number of bytes.
    ///
    /// # Safety
    /// The conditions of [`CpAsyncOp::copy`] for a true predicate hold.
    unsafe fn cache_always<W: SmemSwizzle>(shared: u32, global: *const u8);
    /// Copies this type's number of bytes if `inside` is not 0; otherwise writes zeros.
    ///
    /// # Safety
    /// The conditions of [`CpAsyncOp::copy`] hold.
    unsafe fn cache_always_if<W: SmemSwizzle>(shared: u32, global: *const u8, inside: u32);
}

/// A size of `cp.async.cg`: an element type of 16 bytes.
#[diagnostic::on_unimplemented(
    message = "`cp.async.cg` copies 16 bytes at a time",
    label = "`u128` is the only size; `SM80_CP_ASYNC_CACHEALWAYS` copies `u32` and `u64` too"
)]
#[doc(hidden)]
pub trait CacheGlobalSize: Element {
    /// Copies this type's number of bytes.
    ///
    /// # Safety
    /// The conditions of [`CpAsyncOp::copy`] for a true predicate hold.
    unsafe fn cache_global<W: SmemSwizzle>(shared: u32, global: *const u8);
    /// Copies this type's number of bytes if `inside` is not 0; otherwise writes zeros.
    ///
    /// # Safety
    /// The conditions of [`CpAsyncOp::copy`] hold.
    unsafe fn cache_global_if<W: SmemSwizzle>(shared: u32, global: *const u8, inside: u32);
}

macro_rules! sizes {
    ($($($t:ty),+: $copy_wrapper:ident, $if_wrapper:ident;)*) => {$($(
        impl CacheAlwaysSize for $t {
            #[inline(always)]
            unsafe fn cache_always<W: SmemSwizzle>(shared: u32, global: *const u8) {
                // SAFETY: the caller guarantees that `shared` is the block's, aligned and unused
                // until the wait, and that `global` is equally aligned and readable.
                unsafe { copy_sm80::$copy_wrapper::<W>(shared, global) }
            }
            #[inline(always)]
            unsafe fn cache_always_if<W: SmemSwizzle>(shared: u32, global: *const u8, inside: u32) {
                // SAFETY: the caller guarantees that `shared` is the block's, aligned and unused
                // until the wait, and that `global` is equally aligned and readable if `inside` is
                // not 0.
                unsafe { copy_sm80::$if_wrapper::<W>(shared, global, inside) }
            }
        }
    )+)*};
}
sizes! {
    u32, i32, f32, TFloat32: cp_async_ca_4_of, cp_async_ca_4_if_of;
    u64, i64, f64: cp_async_ca_8_of, cp_async_ca_8_if_of;
    u128: cp_async_ca_16_of, cp_async_ca_16_if_of;
}
impl CacheGlobalSize for u128 {
    #[inline(always)]
    unsafe fn cache_global<W: SmemSwizzle>(shared: u32, global: *const u8) {
        // SAFETY: the caller guarantees that `shared` is the block's, aligned and unused until the
        // wait, and that `global` is equally aligned and readable.
        unsafe { copy_sm80::cp_async_cg_16_of::<W>(shared, global) }
    }
    #[inline(always)]
    unsafe fn cache_global_if<W: SmemSwizzle>(shared: u32, global: *const u8, inside: u32) {
        // SAFETY: the caller guarantees that `shared` is the block's, aligned and unused until the
        // wait, and that `global` is equally aligned and readable if `inside` is not 0.
        unsafe { copy_sm80::cp_async_cg_16_if_of::<W>(shared, global, inside) }
    }
}

macro_rules! cp_async {
    ($($(#[$doc:meta])* $name:ident, $size:ident, $zfill:literal, $cute:literal, $ptx:literal, <$w:ident> |$shared:ident, $global:ident, $predicate:ident| $run:expr;)*) => {$(
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
            unsafe fn copy_of<$w: SmemSwizzle>($shared: u32, $global: *const u8, $predicate: impl AtomPredicate) {
                // SAFETY: the caller guarantees that `shared` is the block's, aligned and unused
                // until the wait, and that `global` is readable if the predicate is true; otherwise
                // the copy is skipped or reads nothing.
                unsafe { $run }
            }
        }
    )*};
}
cp_async! {
    /// An asynchronous copy of 4, 8 or 16 bytes, cached at all levels: CuTe's
    /// `SM80_CP_ASYNC_CACHEALWAYS`.
    Sm80_CP_ASYNC_CACHEALWAYS, CacheAlwaysSize, false, "SM80_CP_ASYNC_CACHEALWAYS", "cp.async.ca.shared.global",
        <W> |shared, global, inside| if inside.holds() { S::cache_always::<W>(shared, global) };
    /// An asynchronous copy of 16 bytes, cached in L2 only: CuTe's `SM80_CP_ASYNC_CACHEGLOBAL`.
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
        <W> |shared, global, inside| if inside.holds() { S::cache_global::<W>(shared, global) };
    /// A copy like [`Sm80_CP_ASYNC_CACHEALWAYS`] that writes zeros if the predicate is false.
    Sm80_CP_ASYNC_CACHEALWAYS_ZFILL, CacheAlwaysSize, true, "SM80_CP_ASYNC_CACHEALWAYS_ZFILL", "cp.async.ca.shared.global",
        <W> |shared, global, inside| S::cache_always_if::<W>(shared, global, inside.word());
    /// A copy like [`Sm80_CP_ASYNC_CACHEGLOBAL`] that writes zeros if the predicate is false.
    Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL, CacheGlobalSize, true, "SM80_CP_ASYNC_CACHEGLOBAL_ZFILL", "cp.async.cg.shared.global",
        <W> |shared, global, inside| S::cache_global_if::<W>(shared, global, inside.word());
}

// -- Hopper ---------------------------------------------------------------------------------------
//
// `stmatrix` of Hopper: stores fragments to 8x8 matrices of 16 bits in shared memory.
//
// ```text
//   N: lane 4 g + t stores 32 bits to row g, from bit 32 t on      T: 16 bits each to column g of rows 2 t and 2 t + 1
// ```
//
// Law: the law of `ldmatrix` holds, with source and destination exchanged. The reference layout is
// that of the fragment, which is the source here.
//
// Source: CuTe `cute/atom/copy_traits_sm90.hpp`; PTX ISA, *Warp-level matrix store instruction:
// stmatrix*.

warp_copy! {
    /// The `stmatrix` of one matrix.
    Sm90_U32x1_STSM_N, "SM90_U32x1_STSM_N", U90, "stmatrix.sync.aligned.m8n8.x1.shared.b16",
    [(32,32):(32,1)], [((8,4),128):((128,0),1)], [(32,32):(32,1)]
}
warp_copy! {
    /// The `stmatrix` of two matrices.
    Sm90_U32x2_STSM_N, "SM90_U32x2_STSM_N", U90, "stmatrix.sync.aligned.m8n8.x2.shared.b16",
    [(32,(32,2)):(32,(1,1024))], [((16,2),128):((128,0),1)], [(32,(32,2)):(32,(1,1024))]
}
warp_copy! {
    /// The `stmatrix` of four matrices.
    Sm90_U32x4_STSM_N, "SM90_U32x4_STSM_N", U90, "stmatrix.sync.aligned.m8n8.x4.shared.b16",
    [(32,(32,4)):(32,(1,1024))], [(32,128):(128,1)], [(32,(32,4)):(32,(1,1024))]
}
warp_copy! {
    /// The `stmatrix` of one matrix, transposed.
    Sm90_U16x2_STSM_T, "SM90_U16x2_STSM_T", U90, "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16",
    [((4,8),(16,2)):((256,16),(1,128))], [((8,4),128):((128,0),1)], [((4,8),(16,2)):((256,16),(1,128))]
}
warp_copy! {
    /// The `stmatrix` of two matrices, each transposed.
    Sm90_U16x4_STSM_T, "SM90_U16x4_STSM_T", U90, "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16",
    [((4,8),(16,2,2)):((256,16),(1,128,1024))], [((16,2),128):((128,0),1)], [((4,8),(16,2,2)):((256,16),(1,128,1024))]
}
warp_copy! {
    /// The `stmatrix` of four matrices, each transposed.
    Sm90_U16x8_STSM_T, "SM90_U16x8_STSM_T", U90, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
    [((4,8),(16,2,4)):((256,16),(1,128,1024))], [(32,128):(128,1)], [((4,8),(16,2,4)):((256,16),(1,128,1024))]
}

macro_rules! stsm {
    ($($name:ident, $count:literal, $wrapper:ident, $swizzled:ident;)*) => {$(
        impl StsmOp for $name {
            type SRegisters = [u32; $count];
            #[inline(always)]
            unsafe fn store(shared: u32, registers: [u32; $count]) {
                // SAFETY: the caller guarantees, as `store` requires, that all 32 lanes execute
                // this, and that their rows are aligned and not accessed by other threads.
                unsafe { copy_sm90::$wrapper(shared, registers) }
            }
            #[inline(always)]
            unsafe fn store_of<W: SmemSwizzle>(shared: u32, registers: [u32; $count]) {
                // SAFETY: the caller guarantees, as `store_of` requires, that all 32 lanes execute
                // this, and that their rows are aligned and not accessed by other threads.
                unsafe { copy_sm90::$swizzled::<W>(shared, registers) }
            }
        }
    )*};
}
stsm! {
    Sm90_U32x1_STSM_N, 1, stmatrix_x1, stmatrix_x1_of;
    Sm90_U32x2_STSM_N, 2, stmatrix_x2, stmatrix_x2_of;
    Sm90_U32x4_STSM_N, 4, stmatrix_x4, stmatrix_x4_of;
    Sm90_U16x2_STSM_T, 1, stmatrix_x1_trans, stmatrix_x1_trans_of;
    Sm90_U16x4_STSM_T, 2, stmatrix_x2_trans, stmatrix_x2_trans_of;
    Sm90_U16x8_STSM_T, 4, stmatrix_x4_trans, stmatrix_x4_trans_of;
}

//! One function for each atomic instruction of PTX. The function's name contains the operation, the
//! ordering, the type and the scope.
//!
//! ```text
//!   atomic_fetch_add_acqrel_u32_device   ──►   atom.acq_rel.gpu.add.u32
//!                 │     │    │    └ scope: block (.cta), device (.gpu), system (.sys)
//!                 │     │    └ u32, u64, i32, i64, f32, f64, where PTX has the operation
//!                 │     └ relaxed, acquire, release, acqrel; volatile: no ordering in the instruction
//!                 └ add, sub, and, or, xor, min, max, exch, cas, inc, dec
//! ```
//!
//! Law: each function returns the value before the operation. `sub` is `add` of the negated value,
//! because PTX has no `sub`. `and`, `or`, `xor`, `exch` and `cas` work on the bits, also on those
//! of floats. `inc` is `old >= limit ? 0 : old + 1` and `dec` is `old == 0 || old > limit ? limit :
//! old - 1`. As in PTX, `inc` and `dec` exist only for `u32`. Upstream (Rust-CUDA) has `inc` and
//! `dec` without a limit and for other types, but these do not assemble.
//!
//! Pointers are generic, so they may point to global or to shared memory.
//!
//! Source: PTX ISA, *atom*, *ld*, *st*, *fence*; Rust-CUDA's `atomic::intrinsics`.
#![allow(clippy::missing_safety_doc)] // One contract, in every function's own words, is written by the macros.

use crate::gpu_only;
#[cfg(target_arch = "nvptx64")]
use core::arch::asm;
use pastey::paste;

macro_rules! fences {
    ($($(#[$doc:meta])* $name:ident = $ptx:literal;)+) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// There are no conditions. The function is unsafe because upstream's function is.
        #[gpu_only]
        #[inline(always)]
        pub unsafe fn $name() {
            // SAFETY: a fence only forbids reorderings.
            unsafe { asm!($ptx, options(nostack, preserves_flags)) };
        }
    )+};
}

fences! {
    /// Executes `membar.cta`, a sequentially consistent fence for the block.
    membar_block = "membar.cta;";
    /// Executes `membar.gl`, a sequentially consistent fence for the device.
    membar_device = "membar.gl;";
    /// Executes `membar.sys`, a sequentially consistent fence for the system.
    membar_system = "membar.sys;";
    /// Executes `fence.sc.cta`.
    fence_sc_block = "fence.sc.cta;";
    /// Executes `fence.sc.gpu`.
    fence_sc_device = "fence.sc.gpu;";
    /// Executes `fence.sc.sys`.
    fence_sc_system = "fence.sc.sys;";
    /// Executes `fence.acq_rel.cta`.
    fence_acqrel_block = "fence.acq_rel.cta;";
    /// Executes `fence.acq_rel.gpu`.
    fence_acqrel_device = "fence.acq_rel.gpu;";
    /// Executes `fence.acq_rel.sys`.
    fence_acqrel_system = "fence.acq_rel.sys;";
}

/// Calls `$with!` for every scope.
macro_rules! for_scopes {
    ($with:ident $($rest:tt)*) => {
        $with!(block ".cta" $($rest)*);
        $with!(device ".gpu" $($rest)*);
        $with!(system ".sys" $($rest)*);
    };
}

/// Calls `$with!` for every scope and every ordering of a read-modify-write.
macro_rules! for_orders {
    ($with:ident $($rest:tt)*) => {
        for_scopes!($with relaxed ".relaxed" $($rest)*);
        for_scopes!($with acquire ".acquire" $($rest)*);
        for_scopes!($with release ".release" $($rest)*);
        for_scopes!($with acqrel ".acq_rel" $($rest)*);
        for_scopes!($with volatile "" $($rest)*);
    };
}

macro_rules! load {
    ($scope:ident $scope_ptx:literal $order:ident $order_ptx:literal $width:literal) => { paste! {
        #[doc = concat!("`ld", $order_ptx, $scope_ptx, ".u", $width, "`.")]
        ///
        /// # Safety
        /// `pointer` is valid for reads and aligned. Other threads that write to it during the call
        /// use atomics of this size, in a scope that includes both threads.
        #[gpu_only]
        #[inline(always)]
        #[must_use]
        pub unsafe fn [<atomic_load_ $order _ $width _ $scope>](pointer: *const [<u $width>]) -> [<u $width>] {
            let value;
            // SAFETY: the caller guarantees that `pointer` is aligned and valid for reads, and that
            // other threads write there only by atomics.
            unsafe {
                asm!(
                    concat!("ld", $order_ptx, $scope_ptx, ".u", $width, " {0}, [{1}];"),
                    out([<reg $width>]) value, in(reg64) pointer,
                    options(nostack, preserves_flags)
                );
            }
            value
        }
    }};
}

macro_rules! store {
    ($scope:ident $scope_ptx:literal $order:ident $order_ptx:literal $width:literal) => { paste! {
        #[doc = concat!("`st", $order_ptx, $scope_ptx, ".u", $width, "`.")]
        ///
        /// # Safety
        /// `pointer` is valid for writes and aligned. Other threads that access it during the call
        /// use only atomics of this size, in a scope that includes both threads.
        #[gpu_only]
        #[inline(always)]
        pub unsafe fn [<atomic_store_ $order _ $width _ $scope>](pointer: *mut [<u $width>], value: [<u $width>]) {
            // SAFETY: the caller guarantees that `pointer` is aligned and valid for writes, and
            // that other threads access it only by atomics.
            unsafe {
                asm!(
                    concat!("st", $order_ptx, $scope_ptx, ".u", $width, " [{0}], {1};"),
                    in(reg64) pointer, in([<reg $width>]) value,
                    options(nostack, preserves_flags)
                );
            }
        }
    }};
}

for_scopes!(load relaxed ".relaxed" 32);
for_scopes!(load relaxed ".relaxed" 64);
for_scopes!(load acquire ".acquire" 32);
for_scopes!(load acquire ".acquire" 64);
for_scopes!(store relaxed ".relaxed" 32);
for_scopes!(store relaxed ".relaxed" 64);
for_scopes!(store release ".release" 32);
for_scopes!(store release ".release" 64);

/// Defines the volatile functions. `ld.volatile` and `st.volatile` take no scope, so the scope in
/// the function's name is not in the instruction.
macro_rules! volatile {
    ($scope:ident $scope_ptx:literal $width:literal) => {
        volatile!(@ $scope $width);
    };
    (@ $scope:ident $width:literal) => {
        load!($scope "" volatile ".volatile" $width);
        store!($scope "" volatile ".volatile" $width);
    };
}
for_scopes!(volatile 32);
for_scopes!(volatile 64);

macro_rules! fetch {
    ($scope:ident $scope_ptx:literal $order:ident $order_ptx:literal $op:ident $type:ident $reg:ident $ptx:literal) => { paste! {
        #[doc = concat!("`atom", $order_ptx, $scope_ptx, $ptx, "`: gives the value before.")]
        ///
        /// # Safety
        /// `pointer` is valid for reads and writes and aligned. Other threads that access it during
        /// the call use only atomics of this size, in a scope that includes both threads.
        #[gpu_only]
        #[inline(always)]
        pub unsafe fn [<atomic_fetch_ $op _ $order _ $type _ $scope>](pointer: *mut $type, value: $type) -> $type {
            let before;
            // SAFETY: the caller has an aligned `pointer`, valid for reads and writes, that other
            // threads access only by atomics.
            unsafe {
                asm!(
                    concat!("atom", $order_ptx, $scope_ptx, $ptx, " {0}, [{1}], {2};"),
                    out($reg) before, in(reg64) pointer, in($reg) value,
                    options(nostack, preserves_flags)
                );
            }
            before
        }
    }};
}

macro_rules! fetch_sub {
    ($scope:ident $scope_ptx:literal $order:ident $order_ptx:literal $type:ident $value:ident => $negated:expr) => { paste! {
        #[doc = concat!("`atom", $order_ptx, $scope_ptx, ".add` of the negated value: gives the value before.")]
        ///
        /// # Safety
        /// `pointer` is valid for reads and writes and aligned. Other threads that access it during
        /// the call use only atomics of this size, in a scope that includes both threads.
        #[gpu_only]
        #[inline(always)]
        pub unsafe fn [<atomic_fetch_sub_ $order _ $type _ $scope>](pointer: *mut $type, $value: $type) -> $type {
            // SAFETY: the caller has an aligned `pointer`, valid for reads and writes, that other
            // threads access only by atomics.
            unsafe { [<atomic_fetch_add_ $order _ $type _ $scope>](pointer, $negated) }
        }
    }};
}

macro_rules! fetch_cas {
    ($scope:ident $scope_ptx:literal $order:ident $order_ptx:literal $type:ident $reg:ident $ptx:literal) => { paste! {
        #[doc = concat!("`atom", $order_ptx, $scope_ptx, ".cas", $ptx, "`: writes `new` if the bits are `current`'s; gives the value before.")]
        ///
        /// # Safety
        /// `pointer` is valid for reads and writes and aligned. Other threads that access it during
        /// the call use only atomics of this size, in a scope that includes both threads.
        #[gpu_only]
        #[inline(always)]
        pub unsafe fn [<atomic_fetch_cas_ $order _ $type _ $scope>](pointer: *mut $type, current: $type, new: $type) -> $type {
            let before;
            // SAFETY: the caller has an aligned `pointer`, valid for reads and writes, that other
            // threads access only by atomics.
            unsafe {
                asm!(
                    concat!("atom", $order_ptx, $scope_ptx, ".cas", $ptx, " {0}, [{1}], {2}, {3};"),
                    out($reg) before, in(reg64) pointer, in($reg) current, in($reg) new,
                    options(nostack, preserves_flags)
                );
            }
            before
        }
    }};
}

macro_rules! operations {
    ($($op:ident: $($type:ident $reg:ident $ptx:literal),+;)+) => {
        $($(for_orders!(fetch $op $type $reg $ptx);)+)+
    };
}

// PTX has no `add` for i64. Addition in two's complement does not depend on the sign, so `.u64` is
// used.
operations! {
    add: u32 reg32 ".add.u32", u64 reg64 ".add.u64", i32 reg32 ".add.s32", i64 reg64 ".add.u64",
         f32 reg32 ".add.f32", f64 reg64 ".add.f64";
    and: u32 reg32 ".and.b32", u64 reg64 ".and.b64", i32 reg32 ".and.b32", i64 reg64 ".and.b64",
         f32 reg32 ".and.b32", f64 reg64 ".and.b64";
    or: u32 reg32 ".or.b32", u64 reg64 ".or.b64", i32 reg32 ".or.b32", i64 reg64 ".or.b64",
        f32 reg32 ".or.b32", f64 reg64 ".or.b64";
    xor: u32 reg32 ".xor.b32", u64 reg64 ".xor.b64", i32 reg32 ".xor.b32", i64 reg64 ".xor.b64",
         f32 reg32 ".xor.b32", f64 reg64 ".xor.b64";
    exch: u32 reg32 ".exch.b32", u64 reg64 ".exch.b64", i32 reg32 ".exch.b32", i64 reg64 ".exch.b64",
          f32 reg32 ".exch.b32", f64 reg64 ".exch.b64";
    min: u32 reg32 ".min.u32", u64 reg64 ".min.u64", i32 reg32 ".min.s32", i64 reg64 ".min.s64";
    max: u32 reg32 ".max.u32", u64 reg64 ".max.u64", i32 reg32 ".max.s32", i64 reg64 ".max.s64";
    inc: u32 reg32 ".inc.u32";
    dec: u32 reg32 ".dec.u32";
}

for_orders!(fetch_sub u32 value => value.wrapping_neg());
for_orders!(fetch_sub u64 value => value.wrapping_neg());
for_orders!(fetch_sub i32 value => value.wrapping_neg());
for_orders!(fetch_sub i64 value => value.wrapping_neg());
for_orders!(fetch_sub f32 value => -value);
for_orders!(fetch_sub f64 value => -value);

for_orders!(fetch_cas u32 reg32 ".b32");
for_orders!(fetch_cas u64 reg64 ".b64");
for_orders!(fetch_cas i32 reg32 ".b32");
for_orders!(fetch_cas i64 reg64 ".b64");
for_orders!(fetch_cas f32 reg32 ".b32");
for_orders!(fetch_cas f64 reg64 ".b64");

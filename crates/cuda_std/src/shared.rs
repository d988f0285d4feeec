//! Memory that the threads of a block share: arrays whose size is known at compile time, and one
//! array whose size the launch sets.
//!
//! ```text
//!   block's shared window, u32 addresses
//!   ┌───────────────┬──────────────┬────────────────────────────────┐
//!   │ shared_array! │ shared_array!│ dynamic_shared_mem(), to the   │
//!   │ one per use   │              │ size given at the launch       │
//!   └───────────────┴──────────────┴────────────────────────────────┘
//! ```
//!
//! Law: each `shared_array!` in the source is one array, and every call of [`dynamic_shared_mem`]
//! returns the same address. Every block has its own shared memory, which starts uninitialised.
//!
//! Both kinds of array are declared by module-level `global_asm!`, so that an access that is
//! inlined or unrolled many times still refers to one variable. The addresses are generic, so
//! ordinary loads and stores work. For instructions that require a `.shared` address, [`offset_of`]
//! and [`dynamic_shared_offset`] return one.
//!
//! Source: PTX ISA, *State Spaces: .shared*; Rust-CUDA's `cuda_std::shared`.

use crate::gpu_only;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

/// The alignment in bytes of the dynamic shared array. `wgmma` and TMA require this alignment of a
/// tile with 128-byte swizzle.
pub const DYNAMIC_SHARED_ALIGNMENT: usize = 1024;

#[cfg(target_arch = "nvptx64")]
core::arch::global_asm!(
    ".extern .shared .align {align} .b8 cutlet_dynamic_shared[];",
    align = const DYNAMIC_SHARED_ALIGNMENT,
);

/// A variable in shared memory, declared by [`shared_array!`](crate::shared_array) or
/// `#[address_space(shared)]`.
///
/// # Safety
///
/// `address` and `offset` must give the generic address and the shared-window address of one
/// declared variable of at least `SIZE` bytes, aligned to `ALIGN`, and no other type may name this
/// variable.
pub unsafe trait SharedStorage {
    /// The type of the stored value.
    type Value;
    /// The size in bytes of the variable.
    const SIZE: usize = size_of::<Self::Value>();
    /// The alignment in bytes of the variable.
    const ALIGN: usize = align_of::<Self::Value>();
    /// Returns the variable's generic address.
    fn address() -> *mut Self::Value;
    /// Returns the variable's address in the block's shared window, for `.shared` instructions.
    fn offset() -> u32;
}

/// A static in shared memory: `#[address_space(shared)] static X: T` gives `X` this type. The value
/// dereferences to the `T` of the thread's block.
///
/// ```no_run
/// use cuda_std::{address_space, thread};
/// #[address_space(shared)]
/// static mut TILE: [f32; 256] = [0.0; 256];
/// unsafe { TILE[thread::thread_idx_x() as usize] = 1.0 };
/// ```
pub struct Shared<S: SharedStorage>(PhantomData<S>);

// SAFETY: the threads of a block share the `T` in the same way as threads share a static `T`.
unsafe impl<S: SharedStorage> Sync for Shared<S> where S::Value: Sync {}

impl<S: SharedStorage> Shared<S> {
    /// Returns a value that names `S`'s storage.
    ///
    /// # Safety
    /// Only one value may be made per storage. All threads of a block share the memory to which the
    /// value dereferences.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn new() -> Self {
        Self(PhantomData)
    }

    /// Returns the storage's generic address.
    #[inline(always)]
    pub fn as_ptr(&self) -> *mut S::Value {
        S::address()
    }

    /// Returns the storage's address in the shared window.
    #[inline(always)]
    pub fn offset(&self) -> u32 {
        S::offset()
    }
}

impl<S: SharedStorage> Deref for Shared<S> {
    type Target = S::Value;
    #[inline(always)]
    fn deref(&self) -> &S::Value {
        // SAFETY: the storage is declared with the value's size and alignment and lives as long as
        // the block. The `unsafe` at each use of a `static mut` promises that the value is
        // initialised and that no thread races on it.
        unsafe { &*S::address() }
    }
}

impl<S: SharedStorage> DerefMut for Shared<S> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut S::Value {
        // SAFETY: the storage is declared with the value's size and alignment and lives as long as
        // the block. The `unsafe` at each use of a `static mut` promises that the value is
        // initialised and that no other thread uses it meanwhile.
        unsafe { &mut *S::address() }
    }
}

/// Gives shared memory for `N` elements of `T`, as `*mut T`.
///
/// ```no_run
/// use cuda_std::{prelude::*, shared_array};
///
/// #[kernel]
/// pub unsafe fn reverse(d: *mut i32, n: usize) {
///     let s = shared_array![i32; 64];
///     let t = thread::thread_idx_x() as usize;
///     unsafe { *s.add(t) = *d.add(t) };
///     thread::sync_threads();
///     unsafe { *d.add(t) = *s.add(n - t - 1) };
/// }
/// ```
///
/// `T` and `N` may use items of the surrounding function, but not the function's generic
/// parameters, because the macro declares a static. One occurrence is one array, also in a loop or
/// in a function that several kernels call.
///
/// Precondition: an element is written before it is read, all accesses are in bounds, and
/// [`thread::sync_threads`] separates a thread's write from another thread's read.
///
/// [`thread::sync_threads`]: crate::thread::sync_threads
#[macro_export]
macro_rules! shared_array {
    ($element:ty; $length:expr) => {
        $crate::__shared_array!(($crate) $element; $length)
    };
}

/// Returns the block's dynamic shared memory. It has as many bytes as the launch sets, is
/// uninitialised, and is aligned to [`DYNAMIC_SHARED_ALIGNMENT`]. Every call returns the same
/// address.
#[gpu_only]
#[inline(always)]
#[must_use]
pub fn dynamic_shared_mem<T>() -> *mut T {
    let address: *mut T;
    // SAFETY: the instruction takes the address of a symbol, and touches no memory.
    unsafe {
        core::arch::asm!(
            "cvta.shared.u64 {0}, cutlet_dynamic_shared;",
            out(reg64) address,
            options(nomem, nostack, preserves_flags)
        );
    }
    crate::__private::in_shared(address)
}

/// Returns the address of [`dynamic_shared_mem`] in the block's shared window, for `.shared`
/// instructions.
#[gpu_only]
#[inline(always)]
#[must_use]
pub fn dynamic_shared_offset() -> u32 {
    let offset: u32;
    // SAFETY: the instruction takes the address of a symbol, and touches no memory.
    unsafe {
        core::arch::asm!(
            "mov.u32 {0}, cutlet_dynamic_shared;",
            out(reg32) offset,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    offset
}

/// Returns the address in the block's shared window of a generic pointer into shared memory
/// (`cvta.to.shared`).
///
/// Precondition: `pointer` lies in the block's shared memory. Otherwise the result has no meaning.
#[gpu_only]
#[inline(always)]
#[must_use]
pub fn offset_of<T>(pointer: *const T) -> u32 {
    let offset: u64;
    // SAFETY: the instruction computes an address, and touches no memory.
    unsafe {
        core::arch::asm!(
            "cvta.to.shared.u64 {0}, {1};",
            out(reg64) offset, in(reg64) pointer,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    offset as u32
}

//! Functions that find out to which memory a pointer points. The GPU's memories are windows of one
//! generic address space.
//!
//! ```text
//!   generic  ──────[ shared ]────[ local ]──────────── global: everything else
//!                    cvta.to.shared ▼   ▲ cvta.shared
//!                    0 ............. size of the window
//! ```
//!
//! Law: converting a generic pointer to an address within its space and back gives the same
//! pointer. Conversions of global pointers are the identity.
//!
//! Source: PTX ISA, *State Spaces*, *isspacep*, *cvta*; Rust-CUDA's `cuda_std::ptr`.

use crate::gpu_only;
#[cfg(target_arch = "nvptx64")]
use crate::intrinsics;

/// A memory of the GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressSpace {
    /// Memory that every thread of the device reads and writes.
    Global,
    /// The block's own memory, which only the block's threads read and write.
    Shared,
    /// Memory that every thread of the device reads, and no thread writes.
    Constant,
    /// The thread's own memory.
    Local,
}

/// Whether a generic pointer points into `address_space` (`isspacep`).
///
/// # Safety
/// `ptr` is valid for a `T`, as upstream requires.
#[gpu_only]
#[inline(always)]
#[must_use]
pub unsafe fn is_in_address_space<T>(ptr: *const T, address_space: AddressSpace) -> bool {
    // SAFETY: the instructions only read the address.
    unsafe {
        match address_space {
            AddressSpace::Global => intrinsics::is_global(ptr.cast()),
            AddressSpace::Shared => intrinsics::is_shared(ptr.cast()),
            AddressSpace::Constant => intrinsics::is_const(ptr.cast()),
            AddressSpace::Local => intrinsics::is_local(ptr.cast()),
        }
    }
}

#[cfg(target_arch = "nvptx64")]
macro_rules! convert {
    ($ptr:ident, $address_space:ident, $global:literal, $shared:literal, $constant:literal, $local:literal) => {{
        let converted;
        // SAFETY: the instructions compute an address, and touch no memory.
        unsafe {
            match $address_space {
                AddressSpace::Global => core::arch::asm!($global, out(reg64) converted, in(reg64) $ptr, options(pure, nomem, nostack, preserves_flags)),
                AddressSpace::Shared => core::arch::asm!($shared, out(reg64) converted, in(reg64) $ptr, options(pure, nomem, nostack, preserves_flags)),
                AddressSpace::Constant => core::arch::asm!($constant, out(reg64) converted, in(reg64) $ptr, options(pure, nomem, nostack, preserves_flags)),
                AddressSpace::Local => core::arch::asm!($local, out(reg64) converted, in(reg64) $ptr, options(pure, nomem, nostack, preserves_flags)),
            }
        }
        converted
    }};
}

/// Converts a generic pointer to an address within `address_space` (`cvta.to`), for instructions
/// that name the space.
///
/// The result is not a pointer that Rust may dereference, except for `Global`.
///
/// # Safety
/// `ptr` points into `address_space`.
#[gpu_only]
#[inline(always)]
#[must_use]
pub unsafe fn convert_generic_to_specific_address_space<T>(
    ptr: *const T,
    address_space: AddressSpace,
) -> *const T {
    convert!(
        ptr,
        address_space,
        "cvta.to.global.u64 {0}, {1};",
        "cvta.to.shared.u64 {0}, {1};",
        "cvta.to.const.u64 {0}, {1};",
        "cvta.to.local.u64 {0}, {1};"
    )
}

/// Converts an address within `address_space` to a generic pointer (`cvta`).
///
/// # Safety
/// `ptr` is an address within `address_space`.
#[gpu_only]
#[inline(always)]
#[must_use]
pub unsafe fn convert_specific_address_space_to_generic<T>(
    ptr: *const T,
    address_space: AddressSpace,
) -> *const T {
    convert!(
        ptr,
        address_space,
        "cvta.global.u64 {0}, {1};",
        "cvta.shared.u64 {0}, {1};",
        "cvta.const.u64 {0}, {1};",
        "cvta.local.u64 {0}, {1};"
    )
}

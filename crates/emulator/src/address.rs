//! The address space of the emulated device.
//!
//! ```text
//! generic 64-bit address
//!   0x0000_0000_0000_0000   nothing: a null pointer faults
//!   SHARED_WINDOW  + a      shared address a of the block, a from SHARED_START
//!   LOCAL_WINDOW   + a      local address a of a thread, whose number plus 1 begins at bit 21 of a
//!   PARAM_WINDOW   + a      byte a of the launch's parameters
//!   FUNCTION_START + 16 i   function i
//!   TEXTURE_START + 16 i    texture or surface object i: no address
//!   CONST_START ...         `.const` variables
//!   GLOBAL_START ...        allocations and `.global` variables, each apart from the next
//! ```
//!
//! Law: `cvta` and `cvta.to` add and subtract a window's base, and are inverse to each other;
//! global and constant addresses are generic addresses. The windows do not overlap. A shared
//! address contains the rank of its block in the cluster. Shared addresses begin at 1024, as on
//! devices of compute capability 9.0 (the first KiB belongs to the system), so that a kernel which
//! assumes that they begin at 0 is detected.

/// The base of the window of shared memory.
pub(crate) const SHARED_WINDOW: u64 = 0x0100_0000_0000;
/// The base of the window of local memory.
pub(crate) const LOCAL_WINDOW: u64 = 0x0200_0000_0000;
/// The lowest bit of the thread's number in a generic address of local memory. The address contains
/// the number in the block plus 1.
pub(crate) const OWNER_SHIFT: u32 = 21;
/// The largest local memory of a thread, in bytes, for which local addresses contain the thread's
/// number. It is half of the space below the number, so that an address a little before or after an
/// array still belongs to the thread.
pub(crate) const MOST_OWNED: usize = 1 << (OWNER_SHIFT - 1);
/// The base of the window of kernel parameters.
pub(crate) const PARAM_WINDOW: u64 = 0x0300_0000_0000;
/// The address of function 0.
pub(crate) const FUNCTION_START: u64 = 0x0400_0000_0000;
/// The distance between the addresses of functions.
pub(crate) const FUNCTION_STEP: u64 = 16;
/// The handle of texture or surface object 0.
pub(crate) const TEXTURE_START: u64 = 0x0500_0000_0000;
/// The distance between handles.
pub(crate) const TEXTURE_STEP: u64 = 16;
/// The size of each window.
pub(crate) const WINDOW: u64 = 1 << 32;
/// The lowest address of constant memory.
pub(crate) const CONST_START: u64 = 0x6000_0000_0000;
/// The lowest address of global memory.
pub(crate) const GLOBAL_START: u64 = 0x7000_0000_0000;
/// The shared address of a block's first byte.
pub(crate) const SHARED_START: u32 = 1024;

/// The lowest bit of the rank in a shared address: the rank of the address's block in its cluster.
pub(crate) const RANK_SHIFT: u32 = 24;

/// The bytes of shared memory that the system uses for cooperative groups (288 on an H100, driver
/// 580). A device has them in the first KiB of shared memory; the emulator places them after the
/// block's own memory, for kernels that read their address.
pub(crate) const SYSTEM_SHARED: usize = 288;

/// Whether a generic address lies in the window of `base`.
#[inline(always)]
pub(crate) fn in_window(address: u64, base: u64) -> bool {
    address.wrapping_sub(base) < WINDOW
}

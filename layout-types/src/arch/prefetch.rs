//! `prefetch`: a hint that a line of global memory will be read.
//!
//! ```text
//!   prefetch.global.L2 [a];        the line of a, on its way into L2
//! ```
//!
//! Law: nothing changes but how long a later load waits.
//!
//! Source: PTX ISA, *Data Movement and Conversion Instructions: prefetch*.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unreachable_code, unused_unsafe, unused_variables)
)]

use super::ptx;

/// `prefetch.global.L2`. An address outside of what is allocated is no error.
#[inline(always)]
pub fn prefetch_global_l2(address: *const u8) {
    // SAFETY: a hint: it reads nothing into the program, and an invalid address is ignored.
    unsafe {
        ptx!("{{ .reg .u64 g; cvta.to.global.u64 g, {0}; prefetch.global.L2 [g]; }}", in(reg64) address, options(nostack, preserves_flags))
    };
}

//! `griddepcontrol`: a kernel that starts before the one before it in the stream has ended.
//!
//! ```text
//!   first   ──────────── launch_dependents ── last stores ─┐
//!   second                └─ prologue ── wait ─────────────┴─ loads what the first stored
//! ```
//!
//! Law: what the kernels before stored is there after [`wait_on_dependent_grids`]. Without the launch attribute *programmatic
//! stream serialization* both do nothing.
//!
//! Source: PTX ISA, *Parallel Synchronization and Communication Instructions: griddepcontrol*; CUTLASS
//! `cutlass/arch/grid_dependency_control.h`.
#![cfg_attr(not(target_arch = "nvptx64"), allow(unreachable_code, unused_unsafe))]

use super::ptx;

/// `griddepcontrol.launch_dependents`: the next kernel may start once all blocks have said so or have left.
#[inline(always)]
pub fn launch_dependent_grids() {
    // SAFETY: touches no memory of the kernel's.
    unsafe {
        ptx!(
            "griddepcontrol.launch_dependents;",
            options(nostack, preserves_flags)
        )
    };
}

/// `griddepcontrol.wait`: waits until the kernels that this one depends on have ended and their stores are there.
#[inline(always)]
pub fn wait_on_dependent_grids() {
    // SAFETY: touches no memory of the kernel's.
    unsafe { ptx!("griddepcontrol.wait;", options(nostack, preserves_flags)) };
}

//! Instructions that control a thread's grid, registers and output, each kind in a module.
//!
//! ```text
//!   griddepcontrol      the grid before      setmaxnreg      registers of a warp group      vprintf      a line for the host
//! ```

pub mod grid_dependency_control {
    //! `griddepcontrol`: a kernel starts before the previous kernel of the stream has ended.
    //!
    //! ```text
    //!   first   ──────────── launch_dependents ── last stores ─┐
    //!   second                └─ prologue ── wait ─────────────┴─ loads what the first stored
    //! ```
    //!
    //! Law: stores of the previous kernels are visible after [`wait_on_dependent_grids`]. Without
    //! the launch attribute *programmatic stream serialization* both instructions have no effect.
    //!
    //! Source: PTX ISA, *Parallel Synchronization and Communication Instructions: griddepcontrol*;
    //! CUTLASS `cutlass/arch/grid_dependency_control.h`.
    #![cfg_attr(not(target_arch = "nvptx64"), allow(unreachable_code, unused_unsafe))]

    use crate::arch::ptx;

    /// Permits the next kernel to start once all blocks have executed this instruction or exited:
    /// `griddepcontrol.launch_dependents`.
    #[inline(always)]
    pub fn launch_dependent_grids() {
        // SAFETY: the instruction accesses no memory of the kernel.
        unsafe {
            ptx!(
                "griddepcontrol.launch_dependents;",
                options(nostack, preserves_flags)
            )
        };
    }

    /// Waits until the kernels on which this one depends have ended and their stores are visible:
    /// `griddepcontrol.wait`.
    #[inline(always)]
    pub fn wait_on_dependent_grids() {
        // SAFETY: the instruction accesses no memory of the kernel.
        unsafe { ptx!("griddepcontrol.wait;", options(nostack, preserves_flags)) };
    }
}

pub mod reg_reconfig {
    //! `setmaxnreg`: a warp group releases registers, or takes registers that other groups
    //! released.
    //!
    //! ```text
    //!   384 threads of 168   producer  dec 40    consumers  inc 232 232      128 (40 + 232 + 232) = 64512 of 65536
    //! ```
    //!
    //! Law: the count is 24 to 256 in steps of 8. `inc` waits until the block's pool has enough
    //! registers. ptxas honours the instruction only in a kernel with a bounded number of
    //! registers: `#[kernel(threads = 384, min_blocks = 1)]` of `cuda_std`.
    //!
    //! Source: PTX ISA, *Miscellaneous Instructions: setmaxnreg*; CUTLASS
    //! `cutlass/arch/reg_reconfig.h`.
    #![cfg_attr(not(target_arch = "nvptx64"), allow(unreachable_code, unused_unsafe))]

    use super::super::intrinsic;
    #[cfg(target_arch = "nvptx64")]
    use super::super::intrinsics;

    /// Checks the count: a value that `setmaxnreg` does not permit is a compile error.
    const fn check(registers: u32) {
        assert!(
            registers >= 24 && registers <= 256 && registers.is_multiple_of(8),
            "setmaxnreg takes 24 to 256 registers a thread, in steps of 8"
        );
    }

    /// Raises the thread's number of registers to `REGISTERS`: `setmaxnreg.inc.sync.aligned.u32`,
    /// CUTLASS's `warpgroup_reg_alloc`.
    ///
    /// ```compile_fail,E0080
    /// use layout_types::arch::reg_reconfig::warpgroup_reg_alloc;
    /// unsafe { warpgroup_reg_alloc::<236>() }; // steps of 8
    /// ```
    ///
    /// # Safety
    /// All warps of the warp group execute it, each warp together. Between two calls, no
    /// `setmaxnreg` is executed by only some of these warps. The warps have at most `REGISTERS`
    /// registers now, and the other groups release the missing ones.
    #[inline(always)]
    pub unsafe fn warpgroup_reg_alloc<const REGISTERS: u32>() {
        const { check(REGISTERS) }
        // SAFETY: the caller guarantees that all warps of the group execute this with at most
        // `REGISTERS` registers, and that other groups release the rest.
        unsafe { intrinsic!(intrinsics::setmaxnreg_inc(const { REGISTERS })) };
    }

    /// Lowers the thread's number of registers to `REGISTERS`: `setmaxnreg.dec.sync.aligned.u32`,
    /// CUTLASS's `warpgroup_reg_dealloc`.
    ///
    /// # Safety
    /// The conditions of [`warpgroup_reg_alloc`] hold, except that the warps have at least
    /// `REGISTERS` registers now.
    #[inline(always)]
    pub unsafe fn warpgroup_reg_dealloc<const REGISTERS: u32>() {
        const { check(REGISTERS) }
        // SAFETY: the caller guarantees that all warps of the group execute this with at least
        // `REGISTERS` registers.
        unsafe { intrinsic!(intrinsics::setmaxnreg_dec(const { REGISTERS })) };
    }
}

pub mod printf {
    //! `vprintf`, the driver's formatted output, with one value per call.
    //!
    //! ```text
    //!   printf_f64(c"%9g", x)      the format, and 8 bytes of argument
    //! ```
    //!
    //! Law: the format has one conversion, of 8 bytes: `%g` or another of floats, `%lld`, `%llu`;
    //! [`printf_text`] uses `%s`.
    //!
    //! Source: PTX Writer's Guide to Interoperability, *System Calls: vprintf*.

    use core::ffi::CStr;

    #[cfg(target_arch = "nvptx64")]
    unsafe extern "C" {
        fn vprintf(format: *const u8, arguments: *const core::ffi::c_void) -> i32;
    }

    /// Calls `vprintf` with one value of 8 bytes.
    #[inline(always)]
    fn printf(format: &'static CStr, value: u64) {
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: both pointers are readable; each caller passes a format with one conversion of 8
        // bytes.
        unsafe {
            vprintf(format.as_ptr().cast(), (&raw const value).cast());
        }
        #[cfg(not(target_arch = "nvptx64"))]
        let _ = (format, value);
    }

    /// Prints a float with `%g`, `%f` or `%e`.
    #[inline(always)]
    pub fn printf_f64(format: &'static CStr, value: f64) {
        printf(format, value.to_bits());
    }

    /// Prints an integer with `%lld`.
    #[inline(always)]
    pub fn printf_i64(format: &'static CStr, value: i64) {
        printf(format, value as u64);
    }

    /// Prints text, 31 bytes at a time. After a NUL, the rest of a piece is not printed.
    #[inline(always)]
    pub fn printf_text(text: &str) {
        for part in text.as_bytes().chunks(31) {
            let mut chunk = [0u8; 32];
            for (to, &from) in chunk.iter_mut().zip(part) {
                *to = from;
            }
            // The argument of `%s` is a generic address.
            printf(c"%s", chunk.as_ptr() as usize as u64);
            core::hint::black_box(&chunk);
        }
    }
}

//! What a thread asks of its grid, its registers and its host: a module each.
//!
//! ```text
//!   griddepcontrol      the grid before      setmaxnreg      registers of a warp group      vprintf      a line for the host
//! ```

pub mod grid_dependency_control {
    //! `griddepcontrol`: a kernel that starts before the one before it in the stream has ended.
    //!
    //! ```text
    //!   first   ──────────── launch_dependents ── last stores ─┐
    //!   second                └─ prologue ── wait ─────────────┴─ loads what the first stored
    //! ```
    //!
    //! Law: what the kernels before stored is there after [`wait_on_dependent_grids`]. Without the
    //! launch attribute *programmatic stream serialization* both do nothing.
    //!
    //! Source: PTX ISA, *Parallel Synchronization and Communication Instructions: griddepcontrol*;
    //! CUTLASS `cutlass/arch/grid_dependency_control.h`.
    #![cfg_attr(not(target_arch = "nvptx64"), allow(unreachable_code, unused_unsafe))]

    use crate::arch::ptx;

    /// `griddepcontrol.launch_dependents`: the next kernel may start once all blocks have said so
    /// or have left.
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

    /// `griddepcontrol.wait`: waits until the kernels that this one depends on have ended and their
    /// stores are there.
    #[inline(always)]
    pub fn wait_on_dependent_grids() {
        // SAFETY: touches no memory of the kernel's.
        unsafe { ptx!("griddepcontrol.wait;", options(nostack, preserves_flags)) };
    }
}

pub mod reg_reconfig {
    //! `setmaxnreg`: a warp group gives registers up, or takes those that others gave up.
    //!
    //! ```text
    //!   384 threads of 168   producer  dec 40    consumers  inc 232 232      128 (40 + 232 + 232) = 64512 of 65536
    //! ```
    //!
    //! Law: the count is 24 to 256 in steps of 8. `inc` waits until the block's pool has what it
    //! asks for. ptxas heeds it only in a kernel whose registers are bounded:
    //! `#[kernel(threads = 384, min_blocks = 1)]` of `cuda_std`.
    //!
    //! Source: PTX ISA, *Miscellaneous Instructions: setmaxnreg*; CUTLASS
    //! `cutlass/arch/reg_reconfig.h`.
    #![cfg_attr(not(target_arch = "nvptx64"), allow(unreachable_code, unused_unsafe))]

    use super::super::intrinsic;
    #[cfg(target_arch = "nvptx64")]
    use super::super::intrinsics;

    /// The register counts that `setmaxnreg` has, or it does not compile.
    const fn check(registers: u32) {
        assert!(
            registers >= 24 && registers <= 256 && registers.is_multiple_of(8),
            "setmaxnreg takes 24 to 256 registers a thread, in steps of 8"
        );
    }

    /// `setmaxnreg.inc.sync.aligned.u32`: the thread has `REGISTERS` registers, more than before.
    /// CUTLASS's `warpgroup_reg_alloc`.
    ///
    /// ```compile_fail,E0080
    /// use layout_types::arch::reg_reconfig::warpgroup_reg_alloc;
    /// unsafe { warpgroup_reg_alloc::<236>() }; // steps of 8
    /// ```
    ///
    /// # Safety
    /// All warps of the warp group execute it, whole warps together, with no other `setmaxnreg`
    /// between that they have not all executed; they have at most `REGISTERS` now, and the other
    /// groups give up what is missing.
    #[inline(always)]
    pub unsafe fn warpgroup_reg_alloc<const REGISTERS: u32>() {
        const { check(REGISTERS) }
        // SAFETY: all warps of the group are here, with at most `REGISTERS`, and others give up the
        // rest, by the caller's contract.
        unsafe { intrinsic!(intrinsics::setmaxnreg_inc(const { REGISTERS })) };
    }

    /// `setmaxnreg.dec.sync.aligned.u32`: the thread has `REGISTERS` registers, fewer than before.
    /// CUTLASS's `warpgroup_reg_dealloc`.
    ///
    /// # Safety
    /// As of [`warpgroup_reg_alloc`], but that the warps have at least `REGISTERS` now.
    #[inline(always)]
    pub unsafe fn warpgroup_reg_dealloc<const REGISTERS: u32>() {
        const { check(REGISTERS) }
        // SAFETY: all warps of the group are here, with at least `REGISTERS`, by the caller's
        // contract.
        unsafe { intrinsic!(intrinsics::setmaxnreg_dec(const { REGISTERS })) };
    }
}

pub mod printf {
    //! `vprintf`, the driver's formatted output, one value a call.
    //!
    //! ```text
    //!   printf_f64(c"%9g", x)      the format, and 8 bytes of argument
    //! ```
    //!
    //! Law: the format has one conversion, of 8 bytes: `%g` and its kin, `%lld`, `%llu`; that of
    //! [`printf_text`] is `%s`.
    //!
    //! Source: PTX Writer's Guide to Interoperability, *System Calls: vprintf*.

    use core::ffi::CStr;

    #[cfg(target_arch = "nvptx64")]
    unsafe extern "C" {
        fn vprintf(format: *const u8, arguments: *const core::ffi::c_void) -> i32;
    }

    /// `vprintf` of one value of 8 bytes.
    #[inline(always)]
    fn printf(format: &'static CStr, value: u64) {
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: both are readable; the format has one conversion of 8 bytes, as each caller says.
        unsafe {
            vprintf(format.as_ptr().cast(), (&raw const value).cast());
        }
        #[cfg(not(target_arch = "nvptx64"))]
        let _ = (format, value);
    }

    /// A float, by `%g`, `%f` or `%e`.
    #[inline(always)]
    pub fn printf_f64(format: &'static CStr, value: f64) {
        printf(format, value.to_bits());
    }

    /// An integer, by `%lld`.
    #[inline(always)]
    pub fn printf_i64(format: &'static CStr, value: i64) {
        printf(format, value as u64);
    }

    /// Bytes of text, 31 at a time; what follows a NUL among them is left out.
    #[inline(always)]
    pub fn printf_text(text: &str) {
        for part in text.as_bytes().chunks(31) {
            let mut chunk = [0u8; 32];
            for (to, &from) in chunk.iter_mut().zip(part) {
                *to = from;
            }
            // Of a `%s` the argument is an address, of any space.
            printf(c"%s", chunk.as_ptr() as usize as u64);
            core::hint::black_box(&chunk);
        }
    }
}

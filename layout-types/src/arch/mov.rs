//! `mov`: a number that the compiler knows only from here on.
//!
//! ```text
//!   let base = here(base);        what is computed from `base` below stays below: not ahead of a loop, not shared with others
//! ```
//!
//! Law: the result is the number.
//!
//! A kernel whose fragments fill the registers has none left for what the compiler would like to keep across a loop.
//!
//! Source: PTX ISA, *Data Movement and Conversion Instructions: mov*.

/// What a register holds.
pub trait Number: Copy {
    /// The same, as if it were known only here.
    #[must_use]
    fn here(self) -> Self;
}
impl Number for u32 {
    #[inline(always)]
    fn here(self) -> u32 {
        #[cfg(target_arch = "nvptx64")]
        {
            let same: u32;
            // SAFETY: registers only. It is not `pure`: LLVM would move it out of a loop.
            unsafe {
                core::arch::asm!("mov.u32 {0}, {1};", out(reg32) same, in(reg32) self, options(nomem, nostack, preserves_flags));
            }
            same
        }
        #[cfg(not(target_arch = "nvptx64"))]
        self
    }
}
impl Number for u64 {
    #[inline(always)]
    fn here(self) -> u64 {
        #[cfg(target_arch = "nvptx64")]
        {
            let same: u64;
            // SAFETY: registers only; not `pure`, or LLVM would move it out of a loop.
            unsafe {
                core::arch::asm!("mov.u64 {0}, {1};", out(reg64) same, in(reg64) self, options(nomem, nostack, preserves_flags));
            }
            same
        }
        #[cfg(not(target_arch = "nvptx64"))]
        self
    }
}
impl<T> Number for *const T {
    #[inline(always)]
    fn here(self) -> *const T {
        #[cfg(target_arch = "nvptx64")]
        {
            let same: *const T;
            // SAFETY: registers only; not `pure`, or LLVM would move it out of a loop.
            unsafe {
                core::arch::asm!("mov.u64 {0}, {1};", out(reg64) same, in(reg64) self, options(nomem, nostack, preserves_flags));
            }
            same
        }
        #[cfg(not(target_arch = "nvptx64"))]
        self
    }
}

/// The same number, or address, as if it were known only here.
///
/// ```
/// assert_eq!(layout_types::arch::mov::here(7u32), 7);
/// ```
#[inline(always)]
#[must_use]
pub fn here<N: Number>(number: N) -> N {
    number.here()
}

//! Output and assertions from GPU threads.
//!
//! ```text
//!   kernel ──► vprintf ──► 1 MiB ring buffer ──► stdout, when the host synchronises
//! ```
//!
//! Law: one call is printed in one piece; calls of different threads come in no particular order.
//!
//! Source: CUDA C++ Programming Guide, *Formatted Output*; PTX Writer's Guide to Interoperability, *System
//! Calls*.

#[cfg(target_arch = "nvptx64")]
unsafe extern "C" {
    /// The driver's `vprintf`: a C format and the arguments as one packed struct.
    #[doc(hidden)]
    pub fn vprintf(format: *const u8, arguments: *const core::ffi::c_void) -> i32;

    /// The driver's assertion failure: prints and makes the launch fail.
    #[doc(hidden)]
    pub fn __assertfail(
        message: *const u8,
        file: *const u8,
        line: u32,
        function: *const u8,
        char_size: usize,
    );
}

//! Assertions that make the launch fail, and the functions of the driver that they call.
//!
//! ```text
//!   assert_eq!(a, b)  ──►  __assertfail("a == b", file, line)  ──►  trap; the host's next call returns an error
//! ```
//!
//! Law: if the assertion holds, nothing happens. If it does not hold, the launch fails.
//!
//! Source: PTX Writer's Guide to Interoperability, *System Calls: vprintf, __assertfail*;
//! Rust-CUDA's `cuda_std::io`.

#[cfg(target_arch = "nvptx64")]
unsafe extern "C" {
    /// Calls the driver's `vprintf`, which prints a C format with its arguments. The arguments are
    /// one packed struct.
    #[doc(hidden)]
    pub fn vprintf(format: *const u8, arguments: *const core::ffi::c_void) -> i32;

    /// Prints a broken assertion, and makes the launch fail. All strings end in NUL.
    #[doc(hidden)]
    pub fn __assertfail(
        message: *const u8,
        file: *const u8,
        line: u32,
        function: *const u8,
        char_size: usize,
    );
}

/// Prints the broken assertion and its place, and ends the launch. Both strings end in NUL.
#[cfg(target_arch = "nvptx64")]
#[doc(hidden)]
#[cold]
#[inline(never)]
pub fn assertion_failed(assertion: &'static str, file: &'static str, line: u32) -> ! {
    // SAFETY: the strings end in NUL.
    unsafe {
        __assertfail(
            assertion.as_ptr(),
            file.as_ptr(),
            line,
            c"".as_ptr().cast(),
            1,
        );
        crate::intrinsics::trap()
    }
}

/// Compares two values as `core::assert_eq!` does. In a kernel, if the values are not equal, the
/// launch fails with a message that has the two expressions and their place. Values and messages
/// are not printed, because formatting would need local memory in every kernel.
///
/// On the host it is `core::assert_eq!`.
///
/// ```
/// cuda_std::assert_eq!(1 + 1, 2);
/// ```
#[macro_export]
macro_rules! assert_eq {
    ($left:expr, $right:expr $(,)?) => { $crate::__assertion!(assert_eq, ==, $left, $right) };
    ($left:expr, $right:expr, $($message:tt)+) => { $crate::__assertion!(assert_eq, ==, $left, $right, $($message)+) };
}

/// Does in kernels what `core::assert_ne!` does. [`assert_eq!`](crate::assert_eq) describes the
/// message.
///
/// ```
/// cuda_std::assert_ne!(1 + 1, 3);
/// ```
#[macro_export]
macro_rules! assert_ne {
    ($left:expr, $right:expr $(,)?) => { $crate::__assertion!(assert_ne, !=, $left, $right) };
    ($left:expr, $right:expr, $($message:tt)+) => { $crate::__assertion!(assert_ne, !=, $left, $right, $($message)+) };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __assertion {
    ($core:ident, $operator:tt, $left:expr, $right:expr $(, $($message:tt)+)?) => {{
        #[cfg(target_arch = "nvptx64")]
        match (&$left, &$right) {
            (left, right) => {
                if !(*left $operator *right) {
                    $crate::io::assertion_failed(
                        concat!(stringify!($left), " ", stringify!($operator), " ", stringify!($right), "\0"),
                        concat!(file!(), "\0"),
                        line!(),
                    );
                }
            }
        }
        #[cfg(not(target_arch = "nvptx64"))]
        ::core::$core!($left, $right $(, $($message)+)?);
    }};
}

//! The functions that replace the driver's functions if there is no driver, or if the driver lacks
//! a function.
//!
//! ```text
//!   no driver                  ──► 100 CUDA_ERROR_NO_DEVICE
//!   a driver without the name  ──► 500 CUDA_ERROR_NOT_FOUND
//!   cuGetErrorName, cuGetErrorString, in both cases ──► from the table
//! ```
//!
//! Law: the fallbacks read no argument. The exceptions are the two functions that answer from the
//! table: they read their arguments and write one pointer.
//!
//! Source: CUDA Driver API, *Data types: CUresult*, *Error Handling*.

use crate::calls::{self, Code};
use crate::error::{meaning_of, name_of};
use core::ffi::{CStr, c_char, c_void};

const INVALID_VALUE: Code = 1;

/// Replaces every function if there is no driver. The function leaves the arguments where the
/// caller put them: by the C calling conventions the caller removes them.
pub(crate) extern "C" fn no_device() -> Code {
    calls::NO_DEVICE
}

/// Replaces a function that the driver lacks.
pub(crate) extern "C" fn not_found() -> Code {
    calls::NOT_FOUND
}

/// Returns the fallback for `name`.
pub(crate) fn instead_of(name: &CStr, there_is_a_driver: bool) -> *const c_void {
    if name == c"cuGetErrorName" {
        error_name as *const c_void
    } else if name == c"cuGetErrorString" {
        error_string as *const c_void
    } else if there_is_a_driver {
        not_found as *const c_void
    } else {
        no_device as *const c_void
    }
}

/// Answers `cuGetErrorName` from the table.
///
/// # Safety
/// `out` is null or valid for the write of a pointer.
unsafe extern "C" fn error_name(code: Code, out: *mut *const c_char) -> Code {
    // SAFETY: the caller guarantees that `out` is null or valid for the write of a pointer
    // (`# Safety`).
    unsafe { answer(out, name_of(code)) }
}

/// Answers `cuGetErrorString` from the table: a description for the results that occur without a
/// driver, and the name for any other result.
///
/// # Safety
/// `out` is null or valid for the write of a pointer.
unsafe extern "C" fn error_string(code: Code, out: *mut *const c_char) -> Code {
    // SAFETY: the caller guarantees that `out` is null or valid for the write of a pointer
    // (`# Safety`).
    unsafe { answer(out, meaning_of(code)) }
}

/// Writes the text, or writes null and returns an error, as the driver API does.
///
/// # Safety
/// `out` is null or valid for the write of a pointer.
unsafe fn answer(out: *mut *const c_char, text: Option<&'static CStr>) -> Code {
    if out.is_null() {
        return INVALID_VALUE;
    }
    // SAFETY: `out` is not null, so the caller guarantees that it is valid for the write
    // (`# Safety`).
    unsafe { out.write(text.map_or(core::ptr::null(), CStr::as_ptr)) };
    if text.is_some() { 0 } else { INVALID_VALUE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_names_and_unknown_ones_none() {
        let ask = |function: unsafe extern "C" fn(Code, *mut *const c_char) -> Code, code| {
            let mut text = c"untouched".as_ptr();
            // SAFETY: `text` is a local, which is valid for the write.
            let result = unsafe { function(code, &mut text) };
            // SAFETY: the functions write null or the address of a static string.
            let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) });
            (result, text)
        };
        assert_eq!(ask(error_name, 100), (0, Some(c"CUDA_ERROR_NO_DEVICE")));
        assert_eq!(ask(error_name, 719), (0, Some(c"CUDA_ERROR_LAUNCH_FAILED")));
        assert_eq!(ask(error_name, 12345), (INVALID_VALUE, None));
        assert_eq!(ask(error_string, 500).0, 0);
        assert_eq!(
            ask(error_string, 719),
            (0, Some(c"CUDA_ERROR_LAUNCH_FAILED"))
        );
        // SAFETY: the function accepts null.
        let result = unsafe { error_name(0, core::ptr::null_mut()) };
        assert_eq!(result, INVALID_VALUE);
    }
}

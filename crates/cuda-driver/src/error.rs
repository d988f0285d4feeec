//! The error of a failed driver call, with the driver's name and description of its code.
//!
//! ```text
//!   code ──cuGetErrorName, cuGetErrorString──► DriverError     without a driver: from a table
//! ```
//!
//! Source: CUDA Driver API, *Error Handling*.

use crate::calls::{Code, NO_DEVICE, NOT_FOUND, SUCCESS, cuGetErrorName, cuGetErrorString};
use crate::error_names::ERROR_NAMES;
use core::ffi::{CStr, c_char};

/// A driver call that failed, with the name and the meaning of the code that it returned.
///
/// ```
/// let error = cuda_driver::DriverError::new("cuInit", 100);
/// assert!(error.to_string().starts_with("cuInit returned CUDA_ERROR_NO_DEVICE: "));
/// assert_eq!(cuda_driver::check("cuInit", 100), Err(error));
/// assert_eq!(cuda_driver::check("cuInit", 0), Ok(()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{call} returned {name}: {meaning}")]
pub struct DriverError {
    /// The call.
    pub call: &'static str,
    /// The code that the call returned.
    pub code: i32,
    /// The code's name, such as `CUDA_ERROR_ILLEGAL_ADDRESS`.
    pub name: String,
    /// The code's description.
    pub meaning: String,
}

impl DriverError {
    /// Returns the error of a code, with the driver's own name and description of the code.
    #[must_use]
    pub fn new(call: &'static str, code: Code) -> Self {
        let name = asked(cuGetErrorName, code).or_else(|| Some(text(name_of(code)?)));
        let meaning = asked(cuGetErrorString, code).or_else(|| Some(text(meaning_of(code)?)));
        Self {
            call,
            code,
            name: name.unwrap_or_else(|| "an error without a name".into()),
            meaning: meaning
                .unwrap_or_else(|| format!("the driver has no description of the code {code}")),
        }
    }
}

/// Returns an error if a call did not succeed.
///
/// # Errors
/// Returns a [`DriverError`] for every code except 0.
pub fn check(call: &'static str, code: Code) -> Result<(), DriverError> {
    if code == SUCCESS {
        Ok(())
    } else {
        Err(DriverError::new(call, code))
    }
}

fn text(of: &CStr) -> String {
    of.to_string_lossy().into_owned()
}

/// Returns the driver's text for a code. Returns `None` if there is no driver or if the driver has
/// no text for the code.
fn asked(function: unsafe fn(Code, *mut *const c_char) -> Code, code: Code) -> Option<String> {
    let mut found = core::ptr::null();
    // SAFETY: `function` is `cuGetErrorName` or `cuGetErrorString` (`DriverError::new` is the only
    // caller). Both only write a pointer, and `found` is a local that outlives the call.
    let answer = unsafe { function(code, &raw mut found) };
    if answer != SUCCESS || found.is_null() {
        return None;
    }
    // SAFETY: a non-null answer points to a zero-terminated string that lives as long as the
    // driver, which is never closed.
    Some(text(unsafe { CStr::from_ptr(found) }))
}

/// Returns the name of a code from the table, or `None` if the table does not contain the code.
pub(crate) fn name_of(code: Code) -> Option<&'static CStr> {
    let code = u32::try_from(code).ok()?;
    let found = ERROR_NAMES.binary_search_by_key(&code, |&(code, _)| code);
    found.ok().map(|index| ERROR_NAMES[index].1)
}

/// Returns the description of a code for use without a driver: a text for the codes that calls
/// return without a driver, and the name for all other codes.
pub(crate) fn meaning_of(code: Code) -> Option<&'static CStr> {
    match code {
        SUCCESS => Some(c"no error"),
        NO_DEVICE => Some(c"no CUDA driver or no CUDA-capable device"),
        NOT_FOUND => Some(c"the CUDA driver does not have this function"),
        _ => name_of(code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_for_the_search() {
        assert!(ERROR_NAMES.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn codes_have_their_names_and_unknown_ones_none() {
        assert_eq!(name_of(100), Some(c"CUDA_ERROR_NO_DEVICE"));
        assert_eq!(name_of(719), Some(c"CUDA_ERROR_LAUNCH_FAILED"));
        assert_eq!([name_of(12345), name_of(-1)], [None; 2]);
        assert_eq!(meaning_of(719), name_of(719));
        assert_ne!(meaning_of(500), name_of(500));
    }
}

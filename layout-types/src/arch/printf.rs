//! `vprintf`, the driver's formatted output, one value a call.
//!
//! ```text
//!   printf_f64(c"%9g", x)      the format, and 8 bytes of argument
//! ```
//!
//! Law: the format has one conversion, of 8 bytes: `%g` and its kin, `%lld`, `%llu`; that of [`printf_text`] is `%s`.
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

//! Converts compilers' mangled names to the names in the source.
//!
//! ```text
//! _Z5scaleIfEvPT_i                      void scale<float>(float*, int)      C++ (Itanium ABI)
//! _ZN4core3fmt5Write17h0123456789abcdefE  core::fmt::Write                  Rust, legacy
//! _RNvC6kernel5scale                    kernel::scale                       Rust, v0
//! ```
//!
//! Law: a name that is not mangled, or that cannot be decoded, is returned unchanged.

use std::borrow::Cow;
use std::fmt::{self, Write};

/// The most characters of a readable name: nested templates can make names very long.
const LONGEST: usize = 2000;

/// A text with a limited length.
#[derive(Default)]
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > LONGEST {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// Returns the name as written in C++ or Rust; a name that is not mangled is returned as it is.
///
/// ```
/// assert_eq!(emulator::demangle("_Z5scalePfi"), "scale(float*, int)");
/// assert_eq!(emulator::demangle("_RNvC6kernel5scale"), "kernel::scale");
/// assert_eq!(emulator::demangle("scale"), "scale");
/// ```
#[must_use]
pub fn demangle(name: &str) -> Cow<'_, str> {
    if !name.starts_with("_Z") && !name.starts_with("_R") {
        return name.into();
    }
    let mut text = Bounded::default();
    // Rust's legacy names are C++ names too, whose last part is a hash.
    let rust = rustc_demangle::try_demangle(name)
        .ok()
        .filter(|_| name.starts_with("_R") || has_hash(name));
    let written = match rust {
        Some(rust) => write!(text, "{rust:#}").is_ok(),
        None => cpp_demangle::Symbol::new(name).is_ok_and(|symbol| {
            symbol
                .structured_demangle(&mut text, &Default::default())
                .is_ok()
        }),
    };
    if written && !text.0.is_empty() {
        text.0.into()
    } else {
        name.into()
    }
}

/// Whether a legacy name ends with the hash of Rust's compiler: `17h`, 16 digits, `E`.
fn has_hash(name: &str) -> bool {
    let Some(end) = name.strip_suffix('E').and_then(|rest| {
        let at = rest.len().checked_sub(19)?;
        rest.get(at..)
    }) else {
        return false;
    };
    end.strip_prefix("17h")
        .is_some_and(|hash| hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_compilers_are_read() {
        for (name, readable) in [
            ("_Z5scaleIfEvPT_i", "void scale<float>(float*, int)"),
            ("_ZN3foo3barEv", "foo::bar()"),
            ("_ZN3foo3barE", "foo::bar"),
            (
                "_ZN4core9panicking5panic17h0123456789abcdefE",
                "core::panicking::panic",
            ),
            ("_RNvC6kernel5scale", "kernel::scale"),
            ("triton_add", "triton_add"),
            ("_Z9x", "_Z9x"),
            ("", ""),
        ] {
            assert_eq!(demangle(name), readable);
        }
    }

    #[test]
    fn a_name_that_explodes_stays_as_it_is() {
        // Each argument is a pair of two copies of the previous argument.
        let mut name = "_Z1f1AIiiE".to_owned();
        for i in 0..40 {
            let back = match i {
                0 => "S_".to_owned(),
                i => format!("S{}_", char::from_digit((i - 1) % 36, 36).unwrap()).to_uppercase(),
            };
            name += &format!("1AI{back}{back}E");
        }
        let start = std::time::Instant::now();
        let found = demangle(&name);
        assert!(found.len() <= LONGEST.max(name.len()));
        assert!(start.elapsed().as_secs() < 2);
    }
}

//! Formats counts in messages: `1 byte`, `4 bytes`.

use std::fmt;

/// Returns a number with its noun, which takes an `s` unless the number is 1.
///
/// ```
/// assert_eq!(emulator::counted(1, "byte"), "1 byte");
/// assert_eq!(emulator::counted(4, "byte"), "4 bytes");
/// ```
#[must_use]
pub fn counted(number: impl fmt::Display, noun: &str) -> String {
    let number = number.to_string();
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

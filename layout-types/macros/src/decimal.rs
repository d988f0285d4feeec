//! Names that print as decimals, for messages: `_128` for the number 128, as CuTe writes static
//! integers.

use proc_macro::TokenStream;
use std::fmt::Write;

/// Makes the items `pub struct _N;` and the impls that name numbers by them: every number up to
/// 1024, multiples of 64 up to 64 * 256, and powers of two up to 2^40.
pub fn items() -> TokenStream {
    let mut text = String::new();
    let mut name = |number: u64, by: &str, of: u64| {
        write!(text, "#[doc = \"The number {number}.\"] pub struct _{number}; impl {by} for typenum::U{of} {{ type Text = _{number}; }}")
            .expect("a string");
    };
    for number in 0..=1024 {
        name(number, "Small", number);
    }
    for blocks in 17..=256 {
        name(64 * blocks, "Blocks", blocks);
    }
    for exponent in 15..=40 {
        name(1 << exponent, "Power", exponent);
    }
    text.parse().expect("Rust items")
}

//! `cvt`: rounding f32 results to 16-bit elements, one or two at a time.
//!
//! ```text
//!   cvt.rn.f16x2.f32 d, high, low      d = [ high | low ]
//! ```
//!
//! Law: each half is the f32 rounded to nearest, ties to even: `half::f16::from_f32`, NaN payloads aside.
//!
//! Source: PTX ISA, *Data Movement and Conversion Instructions: cvt*.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unreachable_code, unused_unsafe, unused_variables)
)]

use super::ptx;

macro_rules! convert_pair {
    ($(#[$doc:meta])* $name:ident, $ptx:literal) => {
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name(low: f32, high: f32) -> u32 {
            let pair: u32;
            // SAFETY: registers only.
            unsafe { ptx!($ptx, out(reg32) pair, in(reg32) high, in(reg32) low, options(pure, nomem, nostack, preserves_flags)) };
            pair
        }
    };
}

convert_pair!(
    /// Two f32 to two f16 in one register, `low` in the lower half (`cvt.rn.f16x2.f32`, sm_80).
    f16x2_from_f32, "cvt.rn.f16x2.f32 {0}, {1}, {2};");
convert_pair!(
    /// Two f32 to two bf16 in one register, `low` in the lower half (`cvt.rn.bf16x2.f32`, sm_80).
    bf16x2_from_f32, "cvt.rn.bf16x2.f32 {0}, {1}, {2};");

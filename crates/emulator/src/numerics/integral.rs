//! Rounding to an integer that stays a floating-point number: `cvt.rni`, `.rzi`, `.rmi`, `.rpi`
//! between equal types.
//!
//! ```text
//!   -1.5   -0.5    0.5    1.5    2.5
//!   -2     -0      0      2      2      .rni
//!   -1     -0      0      1      2      .rzi
//!   -2     -1      0      1      2      .rmi
//!   -1     -0      1      2      3      .rpi
//! ```
//!
//! Law: the result is an integer at a distance below 1 (for `.rni` at most 1/2) from the operand,
//! on the side that the mode names, and has the operand's sign, even if zero. Infinities and NaN
//! are returned unchanged.

use super::rounding::Rounding;

macro_rules! round {
    ($(#[$doc:meta])* $name:ident, $float:ty, $integer:ty, $whole:expr) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(value: $float, rounding: Rounding) -> $float {
            // From this magnitude on, every number of the type is an integer.
            const WHOLE: $float = $whole;
            let magnitude = value.abs();
            if magnitude >= WHOLE || magnitude.is_nan() {
                return value;
            }
            let cut = magnitude as $integer as $float;
            let rounded = match rounding {
                // The last place of WHOLE is 1, so the sum is rounded to an integer, ties to even.
                Rounding::NearestEven => (magnitude + WHOLE) - WHOLE,
                Rounding::NearestAway => cut + if magnitude - cut >= 0.5 { 1.0 } else { 0.0 },
                Rounding::Zero => cut,
                Rounding::Down if value > 0.0 => cut,
                Rounding::Up if value < 0.0 => cut,
                Rounding::Down | Rounding::Up => cut + if cut < magnitude { 1.0 } else { 0.0 },
            };
            rounded.copysign(value)
        }
    };
}

round!(
    /// Rounds an `f32` to an integer.
    ///
    /// ```
    /// use emulator::numerics::{integral, rounding::Rounding};
    /// assert_eq!(integral::round_f32(2.5, Rounding::NearestEven), 2.0);
    /// assert_eq!(integral::round_f32(-2.5, Rounding::Up), -2.0);
    /// assert!(integral::round_f32(-0.25, Rounding::Up).is_sign_negative());
    /// ```
    round_f32, f32, i32, 8_388_608.0
);
round!(
    /// Rounds an `f64` to an integer.
    round_f64, f64, i64, 4_503_599_627_370_496.0
);

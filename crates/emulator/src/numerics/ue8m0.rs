//! `.ue8m0`: powers of two, the scale factors of narrow floats.
//!
//! ```text
//!   eeeeeeee    2^(e - 127), from 2^-127 to 2^127; NaN: all ones; neither sign, zero nor infinity
//! ```
//!
//! Laws: the sign of the source does not count. `.rz` takes the largest power of two that is not
//! above the magnitude, `.rp` the smallest that is not below; a magnitude below `2^-127` becomes
//! `2^-127`. What is beyond `2^127`, an infinity too, becomes NaN, with `.satfinite` `2^127`; NaN
//! stays NaN. Source: PTX ISA, "cvt", and for the signs and the ends of the range what CUDA's
//! `cuda_fp8.hpp` computes on a host. No card has confirmed them.

use super::soft;

/// NaN.
pub const NAN: u8 = 0xff;

/// Converts from `.f32` by `cvt.rz`, or with `up` by `cvt.rp`; `saturates` is `.satfinite`.
///
/// ```
/// use emulator::numerics::ue8m0;
/// assert_eq!(ue8m0::from_f32(3.0f32.to_bits(), false, true), 128);
/// assert_eq!(ue8m0::from_f32(3.0f32.to_bits(), true, true), 129);
/// assert_eq!(ue8m0::from_f32(f32::INFINITY.to_bits(), false, false), ue8m0::NAN);
/// ```
#[inline]
pub fn from_f32(bits: u32, up: bool, saturates: bool) -> u8 {
    const INFINITY: u32 = 0x7f80_0000;
    /// `2^-127`, a subnormal number.
    const LEAST: u32 = 0x0040_0000;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > INFINITY {
        return NAN;
    }
    let field = (magnitude >> 23) as u8;
    let is_between = magnitude & 0x007f_ffff != 0;
    let code = field + u8::from(up && is_between && magnitude > LEAST);
    if saturates { code.min(NAN - 1) } else { code }
}

/// Converts to `.bf16`, exactly; NaN becomes `0x7fff`.
#[inline]
pub fn to_bf16(bits: u8) -> u16 {
    match bits {
        NAN => soft::BF16.nan as u16,
        // 2^-127 is subnormal.
        0 => 0x0040,
        _ => u16::from(bits) << 7,
    }
}

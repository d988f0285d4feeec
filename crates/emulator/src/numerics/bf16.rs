//! `.bf16`: the upper half of an `f32`, as PTX converts it.
//!
//! ```text
//!   15 14      7 6     0
//!   s  eeeeeeee  fffffff      the f32 with 16 zeros appended
//! ```
//!
//! Laws: widening appends zeros, NaN payloads included (the hardware's conversion is a shift);
//! narrowing rounds once and makes NaN canonical.

use super::rounding::Rounding;
use super::soft;

/// PTX's canonical NaN of this format.
pub const NAN: u16 = 0x7fff;
/// One.
pub const ONE: u16 = 0x3f80;

/// Converts by `cvt.f32.bf16`, which is an exact shift.
#[inline(always)]
pub fn to_f32(bits: u16) -> u32 {
    (bits as u32) << 16
}

/// Converts by `cvt.rn.bf16.f32`: to the nearest, ties to even; NaN becomes `0x7fff`.
///
/// ```
/// use emulator::numerics::bf16;
/// assert_eq!(bf16::from_f32_nearest(1.00390625f32.to_bits()), bf16::ONE);
/// assert_eq!(bf16::from_f32_nearest(0x7f80_0001), bf16::NAN);
/// ```
#[inline(always)]
pub fn from_f32_nearest(bits: u32) -> u16 {
    // A carry goes into the exponent and, from the largest number, into infinity.
    let rounded = (bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16;
    if bits & 0x7fff_ffff > 0x7f80_0000 {
        NAN
    } else {
        rounded
    }
}

/// Converts by `cvt.{rn,rz,rm,rp}.bf16.f32`.
#[inline]
pub fn from_f32(bits: u32, rounding: Rounding) -> u16 {
    if rounding == Rounding::NearestEven {
        from_f32_nearest(bits)
    } else {
        soft::convert(soft::F32, soft::BF16, bits as u64, rounding) as u16
    }
}

/// Converts by `cvt.f64.bf16`, exactly; NaN becomes the default NaN of `f64`.
#[inline]
pub fn to_f64(bits: u16) -> u64 {
    super::float64::from_f32(to_f32(bits))
}

/// Converts by `cvt.{rn,rz,rm,rp}.bf16.f64`, rounded once (not through `f32`).
#[inline]
pub fn from_f64(bits: u64, rounding: Rounding) -> u16 {
    soft::convert(soft::F64, soft::BF16, bits, rounding) as u16
}

/// Converts an `f64` to the nearest `bf16`, rounded once: through an `f32` rounded to odd, which
/// keeps it off midpoints.
#[inline(always)]
pub(crate) fn from_f64_nearest(value: f64) -> u16 {
    from_f32_nearest(super::float32::round_to_odd(value))
}

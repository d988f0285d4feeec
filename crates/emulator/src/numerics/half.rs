//! `.f16`: IEEE half precision as PTX converts it.
//!
//! ```text
//!   15 14    10 9        0
//!   s  eeeee    ffffffffff      1.f * 2^(e-15),  0.f * 2^-14 where e = 0
//! ```
//!
//! Laws: every `f16` is an `f32` and an `f64`, so widening is exact; narrowing rounds once. NaN
//! becomes the canonical NaN of the target format, as in the hardware, which converts by an
//! addition to zero.

use super::rounding::Rounding;
use super::soft;

/// PTX's canonical NaN of this format.
pub const NAN: u16 = 0x7fff;
/// Positive infinity.
pub const INFINITY: u16 = 0x7c00;
/// One.
pub const ONE: u16 = 0x3c00;

/// Converts by `cvt.f32.f16`, exactly; NaN becomes `0x7fffffff`.
///
/// The function has no branches, so a loop over lanes becomes vector code. The magnitude's bits in
/// `f32` position are the number scaled by `2^-112`, also for subnormals, and the multiplication is
/// exact.
///
/// ```
/// use emulator::numerics::half;
/// assert_eq!(f32::from_bits(half::to_f32(0x3555)), 0.333251953125);
/// assert_eq!(half::to_f32(0x7e01), 0x7fff_ffff);
/// ```
#[inline(always)]
pub fn to_f32(bits: u16) -> u32 {
    const SCALE: f32 = f32::from_bits((127 + 112) << 23);
    let magnitude = (bits & 0x7fff) as u32;
    let scaled = (f32::from_bits(magnitude << 13) * SCALE).to_bits();
    let sign = ((bits & 0x8000) as u32) << 16;
    // The scaled top exponent is 2^16 and up; masks insert infinity and NaN.
    let infinity = if magnitude >= 0x7c00 { 0x7f80_0000 } else { 0 };
    let nan = if magnitude > 0x7c00 { 0x7fff_ffff } else { 0 };
    let result = scaled | sign | infinity;
    if nan != 0 { nan } else { result }
}

/// Converts by `cvt.rn.f16.f32`: to the nearest, ties to even; NaN becomes `0x7fff`.
///
/// ```
/// use emulator::numerics::half;
/// assert_eq!(half::from_f32_nearest(1.0f32.to_bits()), half::ONE);
/// assert_eq!(half::from_f32_nearest(65520.0f32.to_bits()), half::INFINITY);
/// ```
#[inline(always)]
pub fn from_f32_nearest(bits: u32) -> u16 {
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return NAN;
    }
    let rounded = if magnitude >= 0x4780_0000 {
        // 65536 and up.
        INFINITY
    } else if magnitude < 0x3880_0000 {
        // Below 2^-14: 0.5 has the last place 2^-24 of a subnormal half, so the sum rounds there.
        let sum = f32::from_bits(magnitude) + 0.5;
        (sum.to_bits() - 0x3f00_0000) as u16
    } else {
        let odd = magnitude >> 13 & 1;
        ((magnitude - (112 << 23) + 0xfff + odd) >> 13) as u16
    };
    rounded | sign
}

/// Converts by `cvt.{rn,rz,rm,rp}.f16.f32`.
#[inline]
pub fn from_f32(bits: u32, rounding: Rounding) -> u16 {
    if rounding == Rounding::NearestEven {
        from_f32_nearest(bits)
    } else {
        soft::convert(soft::F32, soft::F16, bits as u64, rounding) as u16
    }
}

/// Converts by `cvt.f64.f16`, exactly; NaN becomes the default NaN of `f64`.
#[inline]
pub fn to_f64(bits: u16) -> u64 {
    super::float64::from_f32(to_f32(bits))
}

/// Converts by `cvt.{rn,rz,rm,rp}.f16.f64`, rounded once (not through `f32`).
#[inline]
pub fn from_f64(bits: u64, rounding: Rounding) -> u16 {
    soft::convert(soft::F64, soft::F16, bits, rounding) as u16
}

/// Converts a finite `f64` to the nearest half, rounded once, through an `f32` that is rounded to
/// odd, which keeps it off the midpoints of the half format.
#[inline(always)]
pub(crate) fn from_f64_nearest(value: f64) -> u16 {
    from_f32_nearest(super::float32::round_to_odd(value))
}

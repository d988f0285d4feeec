//! `.e4m3` and `.e5m2`: the 8-bit formats of sm_89 and up.
//!
//! ```text
//!   e4m3   s eeee fff    bias 7,  no infinity, NaN s.1111.111, largest 448
//!   e5m2   s eeeee ff    bias 15, infinity and NaN as IEEE,    largest 57344
//! ```
//!
//! Laws: every number of both formats is an `f16`, so widening is exact; narrowing in PTX is
//! `.rn.satfinite` only, to the nearest even with infinities and numbers out of range clamped to
//! the largest finite one; NaN stays NaN.

use super::rounding::Rounding;
use super::soft::{self, Format};

/// One of the two 8-bit formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fp8 {
    /// 4 bits of exponent, 3 of fraction.
    E4m3,
    /// 5 bits of exponent, 2 of fraction.
    E5m2,
}

impl Fp8 {
    /// Returns the format's description for [`soft`].
    #[inline]
    pub const fn format(self) -> Format {
        match self {
            Fp8::E4m3 => soft::E4M3,
            Fp8::E5m2 => soft::E5M2,
        }
    }

    /// Converts to `.f16`, exactly; NaN becomes `0x7fff`.
    ///
    /// ```
    /// use emulator::numerics::{fp8::Fp8, half};
    /// assert_eq!(f32::from_bits(half::to_f32(Fp8::E4m3.to_f16(0x7e))), 448.0);
    /// ```
    #[inline]
    pub fn to_f16(self, bits: u8) -> u16 {
        match self {
            // An e5m2 is the upper half of an f16.
            Fp8::E5m2 if bits & 0x7f > 0x7c => super::half::NAN,
            Fp8::E5m2 => (bits as u16) << 8,
            Fp8::E4m3 => {
                soft::convert(soft::E4M3, soft::F16, bits as u64, Rounding::NearestEven) as u16
            }
        }
    }

    /// Converts to `.f32`, exactly, by a table of 256 values; NaN becomes `0x7fffffff`.
    #[inline(always)]
    pub fn to_f32(self, bits: u8) -> u32 {
        match self {
            Fp8::E4m3 => E4M3_TO_F32[bits as usize],
            Fp8::E5m2 => E5M2_TO_F32[bits as usize],
        }
    }

    /// Converts from `.f32` by `cvt.rn.satfinite`.
    ///
    /// ```
    /// use emulator::numerics::fp8::Fp8;
    /// assert_eq!(Fp8::E4m3.from_f32(f32::INFINITY.to_bits()), 0x7e);
    /// assert_eq!(Fp8::E5m2.from_f32((-1.0f32).to_bits()), 0xbc);
    /// ```
    #[inline]
    pub fn from_f32(self, bits: u32) -> u8 {
        let value = soft::unpack(soft::F32, bits as u64);
        soft::pack_saturating(self.format(), value, Rounding::NearestEven) as u8
    }

    /// Converts from `.f16` by `cvt.rn.satfinite`.
    #[inline]
    pub fn from_f16(self, bits: u16) -> u8 {
        self.from_f32(super::half::to_f32(bits))
    }
}

const E4M3_TO_F32: [u32; 256] = table(4, 3, false);
const E5M2_TO_F32: [u32; 256] = table(5, 2, true);

/// Computes every 8-bit number as `f32` bits, by the formats' definition.
const fn table(exponent_bits: u32, fraction_bits: u32, infinity: bool) -> [u32; 256] {
    let mut out = [0; 256];
    let bias = (1 << (exponent_bits - 1)) - 1;
    let top = (1 << exponent_bits) - 1;
    let mut code = 0;
    while code < 256 {
        let sign = (code as u32 >> 7) << 31;
        let exponent = (code as u32 >> fraction_bits) & top;
        let fraction = code as u32 & ((1 << fraction_bits) - 1);
        let all_ones = fraction == (1 << fraction_bits) - 1;
        out[code] = if exponent == top && infinity && fraction == 0 {
            sign | 0x7f80_0000
        } else if exponent == top && (infinity || all_ones) {
            0x7fff_ffff
        } else if exponent != 0 {
            sign | (exponent + 127 - bias) << 23 | fraction << (23 - fraction_bits)
        } else if fraction != 0 {
            // Subnormal: shift the leading bit up to the hidden place.
            let up = fraction.leading_zeros() - (31 - fraction_bits);
            let field = 127 - bias + 1 - up;
            let rest = (fraction << up) & ((1 << fraction_bits) - 1);
            sign | field << 23 | rest << (23 - fraction_bits)
        } else {
            sign
        };
        code += 1;
    }
    out
}

//! Binary floating-point formats, described by their numbers of bits.
//!
//! ```text
//!   sign | exponent_bits | fraction_bits        bias = 2^(exponent_bits - 1) - 1
//! ```
//!
//! Law: an encoding without its sign, read as an integer, grows with the magnitude that it encodes,
//! from zero over the subnormals to the largest finite number and then to infinity.
//! [`soft`](super::soft) uses this to round.

/// A binary floating-point format of at most 64 bits: sign, exponent, fraction, from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// The number of bits of the exponent field; the bias is `2^(bits-1) - 1`.
    pub exponent_bits: u32,
    /// The number of bits of the fraction field, without the hidden bit.
    pub fraction_bits: u32,
    /// The encoding, without sign, of infinity. For a format without infinities, it is the encoding
    /// of the smallest magnitude out of range.
    pub overflow: u64,
    /// The encoding of a NaN result, sign included: PTX's canonical NaN.
    pub nan: u64,
    /// Whether the format has infinities.
    pub has_infinity: bool,
}

/// IEEE half precision, `.f16`. Canonical NaN `0x7fff`.
pub const F16: Format = Format::ieee(5, 10, 0x7fff);
/// `.bf16`: the upper half of an `.f32`. Canonical NaN `0x7fff`.
pub const BF16: Format = Format::ieee(8, 7, 0x7fff);
/// `.tf32` in its own 19 bits; a register holds it shifted left by 13. Canonical NaN
/// `0x7fffffff >> 13`.
pub const TF32: Format = Format::ieee(8, 10, 0x3ffff);
/// IEEE single precision, `.f32`. Canonical NaN `0x7fffffff`.
pub const F32: Format = Format::ieee(8, 23, 0x7fff_ffff);
/// IEEE double precision, `.f64`. Default NaN `0xfff8000000000000`.
pub const F64: Format = Format::ieee(11, 52, 0xfff8_0000_0000_0000);
/// `.e5m2`: an 8-bit format with infinities. Canonical NaN `0x7f`.
pub const E5M2: Format = Format::ieee(5, 2, 0x7f);
/// `.e4m3`: an 8-bit format without infinities; its top exponent holds numbers up to 448, and NaN
/// is `0x7f`.
pub const E4M3: Format = Format {
    exponent_bits: 4,
    fraction_bits: 3,
    overflow: 0x7f,
    nan: 0x7f,
    has_infinity: false,
};

/// `.e2m1`: 4 bits, numbers up to 6. What PTX makes of NaN is the largest of them.
pub const E2M1: Format = Format::finite(2, 1);
/// `.e2m3`: 6 bits, numbers up to 7.5. What PTX makes of NaN is the largest of them.
pub const E2M3: Format = Format::finite(2, 3);
/// `.e3m2`: 6 bits, numbers up to 28. What PTX makes of NaN is the largest of them.
pub const E3M2: Format = Format::finite(3, 2);

impl Format {
    /// Returns a format without infinities and NaN: every encoding is a number.
    const fn finite(exponent_bits: u32, fraction_bits: u32) -> Self {
        let overflow = 1 << (exponent_bits + fraction_bits);
        Format {
            exponent_bits,
            fraction_bits,
            overflow,
            nan: overflow - 1,
            has_infinity: false,
        }
    }

    pub(super) const fn ieee(exponent_bits: u32, fraction_bits: u32, nan: u64) -> Self {
        Format {
            exponent_bits,
            fraction_bits,
            overflow: ((1 << exponent_bits) - 1) << fraction_bits,
            nan,
            has_infinity: true,
        }
    }

    /// Returns the bit of the sign.
    #[inline]
    pub const fn sign_bit(self) -> u64 {
        1 << (self.exponent_bits + self.fraction_bits)
    }

    /// Returns the exponent of the smallest normal number.
    #[inline]
    pub const fn min_exponent(self) -> i32 {
        2 - (1 << (self.exponent_bits - 1))
    }

    /// Returns the encoding of the largest finite magnitude.
    #[inline]
    pub const fn max_finite(self) -> u64 {
        self.overflow - 1
    }

    #[inline]
    pub(super) fn signed(self, negative: bool, magnitude: u64) -> u64 {
        if negative {
            magnitude | self.sign_bit()
        } else {
            magnitude
        }
    }
}

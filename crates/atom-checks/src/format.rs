//! Element formats by their bits: the value of a number in `e5m2`, `tf32` or `s4`.
//!
//! ```text
//!   e4m3   s eeee mmm      (-1)^s 2^(e-7) 1.mmm      subnormal at e = 0      no infinity, NaN is s.1111.111
//!   tf32   s eeeeeeee mmmmmmmmmm .............       the 13 lowest bits are not read
//! ```
//!
//! Law: [`Format::value`] is exact; [`Format::bits`] is its inverse on the numbers of the format.
//!
//! Source: IEEE 754-2019, section 3.4; PTX ISA, *Alternate Floating-Point Data Formats*, *Integer
//! Types*.

use host::reference::Random;

/// A format of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A float with `exponent` exponent bits, `mantissa` mantissa bits, and `unread` bits below the
    /// mantissa.
    Float {
        /// The number of exponent bits.
        exponent: u32,
        /// The number of mantissa bits.
        mantissa: u32,
        /// The number of bits below the mantissa, which are not part of the value.
        unread: u32,
        /// Whether the largest exponent is reserved for infinities and NaN. Otherwise it is used
        /// for numbers, except for its largest mantissa.
        infinities: bool,
    },
    /// A two's complement integer with this number of bits.
    Signed(u32),
    /// An unsigned integer with this number of bits.
    Unsigned(u32),
}

impl Format {
    /// Returns the format with this name in PTX, or `None` for other names.
    ///
    /// ```
    /// use atom_checks::format::Format;
    /// assert_eq!(Format::named("s4"), Some(Format::Signed(4)));
    /// assert_eq!(Format::named("bf16").unwrap().value(0xc040), -3.0);
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let float = |exponent, mantissa, unread, infinities| Self::Float {
            exponent,
            mantissa,
            unread,
            infinities,
        };
        Some(match name {
            "f64" => float(11, 52, 0, true),
            "f32" => float(8, 23, 0, true),
            "tf32" => float(8, 10, 13, true),
            "f16" => float(5, 10, 0, true),
            "bf16" => float(8, 7, 0, true),
            "e5m2" => float(5, 2, 0, true),
            "e4m3" => float(4, 3, 0, false),
            "s32" => Self::Signed(32),
            "s8" => Self::Signed(8),
            "s4" => Self::Signed(4),
            "u8" => Self::Unsigned(8),
            "u4" => Self::Unsigned(4),
            "b1" => Self::Unsigned(1),
            _ => return None,
        })
    }

    /// Returns the number of bits of an element.
    #[must_use]
    pub fn width(self) -> u32 {
        match self {
            Self::Float {
                exponent,
                mantissa,
                unread,
                ..
            } => 1 + exponent + mantissa + unread,
            Self::Signed(bits) | Self::Unsigned(bits) => bits,
        }
    }

    /// Returns the number of bytes of an element in memory, which is at least one.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.width().div_ceil(8) as usize
    }

    /// Whether the format is a float.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Self::Float { .. })
    }

    /// Returns the number of exponent bits of a float, or 0 for an integer.
    #[must_use]
    pub fn exponent(self) -> u32 {
        match self {
            Self::Float { exponent, .. } => exponent,
            Self::Signed(_) | Self::Unsigned(_) => 0,
        }
    }

    /// Returns the number of digits after the leading one for a float, or the number of bits for an
    /// integer.
    #[must_use]
    pub fn mantissa(self) -> u32 {
        match self {
            Self::Float { mantissa, .. } => mantissa,
            Self::Signed(bits) | Self::Unsigned(bits) => bits,
        }
    }

    /// Returns the value of these bits.
    ///
    /// ```
    /// use atom_checks::format::Format;
    /// let e4m3 = Format::named("e4m3").unwrap();
    /// assert_eq!((e4m3.value(0x7e), e4m3.value(0x01)), (448.0, 1.0 / 512.0));
    /// assert!(e4m3.value(0xff).is_nan());
    /// ```
    #[must_use]
    pub fn value(self, bits: u64) -> f64 {
        match self {
            Self::Signed(width) => ((bits << (64 - width)) as i64 >> (64 - width)) as f64,
            Self::Unsigned(width) => (bits & (u64::MAX >> (64 - width))) as f64,
            // f64's exponents reach further than the general rule below can scale.
            Self::Float { exponent: 11, .. } => f64::from_bits(bits),
            Self::Float {
                exponent,
                mantissa,
                unread,
                infinities,
            } => {
                let digits = (bits >> unread) & ((1 << mantissa) - 1);
                let power = (bits >> (unread + mantissa)) & ((1 << exponent) - 1);
                let bias = (1 << (exponent - 1)) - 1;
                let last = power == (1 << exponent) - 1;
                let size = if last && infinities {
                    if digits == 0 { f64::INFINITY } else { f64::NAN }
                } else if last && digits == (1 << mantissa) - 1 {
                    f64::NAN
                } else {
                    let whole = digits + if power == 0 { 0 } else { 1 << mantissa };
                    let scale = power.max(1) as i32 - bias - mantissa as i32;
                    whole as f64 * 2.0_f64.powi(scale)
                };
                if bits >> (self.width() - 1) & 1 == 1 {
                    -size
                } else {
                    size
                }
            }
        }
    }

    /// Returns the bits of a whole number, with the unread bits 0, or `None` if the format does not
    /// have the number as a normal number.
    ///
    /// ```
    /// use atom_checks::format::Format;
    /// assert_eq!(Format::named("f16").unwrap().bits(-3), Some(0xc200));
    /// assert_eq!(Format::named("e5m2").unwrap().bits(9), None);
    /// ```
    #[must_use]
    pub fn bits(self, whole: i64) -> Option<u64> {
        let mask = u64::MAX >> (64 - self.width());
        let bits = match self {
            Self::Signed(_) | Self::Unsigned(_) => whole as u64 & mask,
            Self::Float {
                exponent,
                mantissa,
                unread,
                ..
            } => {
                let size = whole.unsigned_abs();
                let sign = u64::from(whole < 0) << (self.width() - 1);
                if size == 0 {
                    sign
                } else {
                    let top = size.ilog2();
                    let digits = if top > mantissa {
                        size >> (top - mantissa)
                    } else {
                        size << (mantissa - top)
                    };
                    let power = u64::from(top) + (1 << (exponent - 1)) - 1;
                    sign | (power << mantissa | digits & ((1 << mantissa) - 1)) << unread
                }
            }
        };
        (self.value(bits) == whole as f64).then_some(bits)
    }

    /// Returns random bits of any number; infinities and NaN are rare.
    pub fn any(self, random: &mut Random) -> u64 {
        loop {
            let bits = random.next_u64() & (u64::MAX >> (64 - self.width()));
            if self.value(bits).is_finite() || random.below(64) == 0 {
                return bits;
            }
        }
    }

    /// Returns random bits of a number of magnitude 1/16 to 2 with either sign. For an integer
    /// format, returns the bits of any integer.
    pub fn moderate(self, random: &mut Random) -> u64 {
        let bits = random.next_u64() & (u64::MAX >> (64 - self.width()));
        match self {
            Self::Float {
                exponent,
                mantissa,
                unread,
                ..
            } => {
                let at = mantissa + unread;
                let power = (1 << (exponent - 1)) - 1 - random.below(5);
                bits & !(((1 << exponent) - 1) << at) | power << at
            }
            _ => bits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::{bf16, f16};

    fn same(ours: f64, theirs: f64) -> bool {
        ours == theirs && ours.is_sign_negative() == theirs.is_sign_negative()
            || ours.is_nan() && theirs.is_nan()
    }

    #[test]
    fn formats_of_16_bits_are_those_of_half() {
        let (ours16, oursb16) = (
            Format::named("f16").unwrap(),
            Format::named("bf16").unwrap(),
        );
        for bits in 0..=u16::MAX {
            assert!(same(
                ours16.value(bits.into()),
                f16::from_bits(bits).to_f64()
            ));
            assert!(same(
                oursb16.value(bits.into()),
                bf16::from_bits(bits).to_f64()
            ));
        }
    }

    #[test]
    fn formats_of_f32_and_tf32_are_rusts() {
        let (f32s, tf32) = (
            Format::named("f32").unwrap(),
            Format::named("tf32").unwrap(),
        );
        let mut random = Random::new(1);
        for _ in 0..100_000 {
            let bits = random.next_u64() as u32;
            assert!(same(f32s.value(bits.into()), f32::from_bits(bits).into()));
            let cut = f32::from_bits(bits & !0x1fff);
            assert!(same(tf32.value(bits.into()), cut.into()));
        }
    }

    #[test]
    fn bits_invert_values() {
        for name in [
            "f64", "f32", "tf32", "f16", "bf16", "e5m2", "e4m3", "s32", "s8", "s4", "u8", "u4",
            "b1",
        ] {
            let format = Format::named(name).unwrap();
            let found = (-300..=300).filter(|&whole| match format.bits(whole) {
                Some(bits) => {
                    assert_eq!(format.value(bits), whole as f64, "{name}");
                    true
                }
                None => false,
            });
            let expected = match name {
                // 0 to 8, 10 to 16 by 2, .. , 256 to 300 by 64 (-300 too), each with both signs.
                "e5m2" => 1 + 2 * (8 + 4 * 5),
                "e4m3" => 1 + 2 * (16 + 8 * 4 + 1),
                "bf16" => 1 + 2 * (256 + 22),
                "s8" => 256,
                "s4" => 16,
                "u8" => 256,
                "u4" => 16,
                "b1" => 2,
                _ => 601,
            };
            assert_eq!(found.count(), expected, "{name}");
        }
    }

    #[test]
    fn moderate_numbers_are_moderate() {
        let mut random = Random::new(2);
        for name in ["f64", "f32", "tf32", "f16", "bf16", "e5m2", "e4m3"] {
            let format = Format::named(name).unwrap();
            for _ in 0..1000 {
                let size = format.value(format.moderate(&mut random)).abs();
                assert!((1.0 / 16.0..2.0).contains(&size), "{name} {size}");
            }
        }
    }
}

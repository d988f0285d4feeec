//! Floats of 8 bits and fewer, and the scale factors of their blocks.
//!
//! ```text
//!   e4m3  s eeee mmm    e2m3  s ee mmm    e2m1  s ee m     ue8m0  eeeeeeee     2^(e - 127), NaN: all ones
//!   e5m2  s eeeee mm    e3m2  s eee mm                     ue4m3  _ eeee mmm   e4m3 without its sign, NaN: all ones
//! ```
//!
//! Law: e2m3, e3m2 and e2m1 have neither infinities nor NaN. Source: PTX ISA, "Alternate
//! Floating-Point Data Formats", "Packed and Narrow Data Formats"; OCP, "Microscaling Formats
//! Specification".

use super::super::fp8::Fp8;

/// A float of 8 bits or fewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Narrow {
    E4m3,
    E5m2,
    E2m3,
    E3m2,
    E2m1,
}

impl Narrow {
    /// Returns the number of bits.
    pub fn bits(self) -> usize {
        match self {
            Self::E4m3 | Self::E5m2 => 8,
            Self::E2m3 | Self::E3m2 => 6,
            Self::E2m1 => 4,
        }
    }

    /// Returns PTX's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::E4m3 => "e4m3",
            Self::E5m2 => "e5m2",
            Self::E2m3 => "e2m3",
            Self::E3m2 => "e3m2",
            Self::E2m1 => "e2m1",
        }
    }

    /// Returns the exponent of the smallest normal number.
    pub fn lowest(self) -> i32 {
        match self {
            Self::E4m3 => -6,
            Self::E5m2 => -14,
            Self::E3m2 => -2,
            Self::E2m3 | Self::E2m1 => 0,
        }
    }

    /// Returns the number that the low bits encode.
    pub fn value(self, bits: u32) -> f32 {
        let fraction = match self {
            Self::E4m3 => return f32::from_bits(Fp8::E4m3.to_f32(bits as u8)),
            Self::E5m2 => return f32::from_bits(Fp8::E5m2.to_f32(bits as u8)),
            Self::E2m3 => 3,
            Self::E3m2 => 2,
            Self::E2m1 => 1,
        };
        let size = bits & ((1 << (self.bits() - 1)) - 1);
        let (field, below) = (size >> fraction, size & ((1 << fraction) - 1));
        // A subnormal number has the place of the smallest normal number, without that number's
        // leading digit.
        let (digits, place) = match field {
            0 => (below, self.lowest()),
            _ => (below | 1 << fraction, self.lowest() + field as i32 - 1),
        };
        let value = digits as f32 * f32::powi(2.0, place - fraction);
        match bits >> (self.bits() - 1) & 1 {
            0 => value,
            _ => -value,
        }
    }

    /// Returns the position of the element's bits in a byte of tensor memory: elements of 4 bits
    /// are in the middle.
    ///
    /// Source: PTX ISA, "mma" with `.kind::mxf8f6f4`, for registers; for tensor memory the ISA has
    /// only figures.
    pub fn within_byte(self) -> u32 {
        match self {
            Self::E2m1 => 2,
            _ => 0,
        }
    }
}

/// The type of scale factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScaleFormat {
    Ue8m0,
    Ue4m3,
}

/// A scale factor `significand * 2^place`. Its significand is less than 2 and may be NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    pub significand: f64,
    pub place: i32,
}

impl Scale {
    /// The factor of elements that have no scale factor.
    pub const ONE: Scale = Scale {
        significand: 1.0,
        place: 0,
    };

    /// Returns the factor as a number.
    pub fn value(self) -> f64 {
        self.significand * f64::powi(2.0, self.place)
    }
}

impl ScaleFormat {
    /// Returns the factor that a byte encodes.
    pub fn scale(self, byte: u8) -> Scale {
        let of = |significand: f64, place: i32| Scale { significand, place };
        match self {
            Self::Ue8m0 if byte == 0xff => of(f64::NAN, 0),
            Self::Ue8m0 => of(1.0, i32::from(byte) - 127),
            Self::Ue4m3 => {
                let (field, below) = (byte >> 3 & 15, f64::from(byte & 7) / 8.0);
                match field {
                    _ if byte & 0x7f == 0x7f => of(f64::NAN, 0),
                    0 => of(below, -6),
                    _ => of(1.0 + below, i32::from(field) - 7),
                }
            }
        }
    }
}

/// A row of A or a column of B, with the scale factor of each quarter of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScaledRow<const K: usize> {
    pub values: [f32; K],
    pub scales: [Scale; 4],
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares numbers of the small formats with OCP's tables: all of E2M1, and the largest and
    /// smallest of each format but E5M2.
    #[test]
    fn values_are_those_of_the_formats() {
        let all = |of: Narrow| -> Vec<f32> { (0..1 << of.bits()).map(|b| of.value(b)).collect() };
        assert_eq!(
            all(Narrow::E2m1)[..8],
            [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
        );
        for (of, largest, smallest) in [
            (Narrow::E2m1, 6.0, 0.5),
            (Narrow::E2m3, 7.5, 0.125),
            (Narrow::E3m2, 28.0, 0.0625),
            (Narrow::E4m3, 448.0, 1.0 / 512.0),
        ] {
            let all = all(of);
            let half = all.len() / 2;
            for (bits, value) in all.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
                assert_eq!(all[bits ^ half], -value, "{of:?} {bits:#x}");
            }
            let positive = all[1..half].iter().copied().filter(|value| !value.is_nan());
            assert!(positive.clone().is_sorted(), "{of:?}");
            assert_eq!(positive.clone().fold(0.0, f32::max), largest);
            assert_eq!(positive.fold(largest, f32::min), smallest);
        }
    }

    #[test]
    fn scale_factors_are_those_of_the_formats() {
        let value = |of: ScaleFormat, byte| of.scale(byte).value();
        assert_eq!(value(ScaleFormat::Ue8m0, 127), 1.0);
        assert_eq!(value(ScaleFormat::Ue8m0, 0), f64::powi(2.0, -127));
        assert!(value(ScaleFormat::Ue8m0, 255).is_nan());
        for byte in 0..=255 {
            let by_f32 = f64::from(Narrow::E4m3.value(byte & 0x7f));
            let found = value(ScaleFormat::Ue4m3, byte as u8);
            assert!(found == by_f32 || found.is_nan() && by_f32.is_nan());
        }
    }
}

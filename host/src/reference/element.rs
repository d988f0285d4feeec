//! The element types that a matrix can have.

use bytemuck::Pod;
use half::{bf16, f16};

/// A number type of a kernel's inputs or outputs.
///
/// Laws: `to_f64` is exact; `from_f64` rounds to nearest even, integers to the nearest that there is;
/// `from_f64(x.to_f64()) == x` for every finite `x`.
pub trait Element: Pod + Send + Sync + PartialEq {
    /// The name that the kernels and the command line use.
    const NAME: &'static str;

    /// The largest relative error of rounding to this type, half a unit in the last place:
    /// 2⁻ᵖ for p bits of precision. 0 for integers, whose results are exact.
    const UNIT_ROUNDOFF: f64;

    /// The largest absolute error of rounding a number near 0: half the smallest subnormal.
    const UNDERFLOW: f64;

    /// Random data is uniform in [-RANGE, RANGE).
    const RANGE: f64 = 1.0;
    /// The value, exactly.
    fn to_f64(self) -> f64;

    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;
}

macro_rules! element {
    ($ty:ty, $name:literal, $precision:literal, $least_exponent:literal, $from:expr) => {
        impl Element for $ty {
            const NAME: &'static str = $name;
            const UNIT_ROUNDOFF: f64 = power_of_two(-$precision);
            const UNDERFLOW: f64 = power_of_two($least_exponent - 1);

            fn to_f64(self) -> f64 {
                f64::from(self)
            }

            fn from_f64(value: f64) -> Self {
                $from(value)
            }
        }
    };
}

element!(f16, "f16", 11, -24, f16::from_f64);
element!(bf16, "bf16", 8, -133, bf16::from_f64);
element!(f32, "f32", 24, -149, |value: f64| value as f32);
element!(f64, "f64", 53, -1074, |value| value);

macro_rules! integer {
    ($ty:ty, $name:literal, $range:literal) => {
        impl Element for $ty {
            const NAME: &'static str = $name;
            const UNIT_ROUNDOFF: f64 = 0.0;
            const UNDERFLOW: f64 = 0.0;
            const RANGE: f64 = $range;
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            fn from_f64(value: f64) -> Self {
                value.round_ties_even() as $ty
            }
        }
    };
}

integer!(i8, "i8", 128.0);
integer!(i32, "i32", 2_147_483_648.0);

/// 2 to `exponent`, where that is a normal number; 0 below.
const fn power_of_two(exponent: i64) -> f64 {
    if exponent < -1022 {
        0.0
    } else {
        f64::from_bits(((exponent + 1023) as u64) << 52)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next<T: Element>(bits: impl Fn(u64) -> T, one: u64) {
        let ulp = bits(one + 1).to_f64() - 1.0;
        assert_eq!(bits(one).to_f64(), 1.0);
        assert_eq!(ulp / 2.0, T::UNIT_ROUNDOFF, "{}", T::NAME);
        assert_eq!(bits(1).to_f64() / 2.0, T::UNDERFLOW, "{}", T::NAME);
        for x in [0.1, -3.7, 1e-3, 1.0 / 3.0] {
            let nearest = T::from_f64(x);
            assert!((nearest.to_f64() - x).abs() <= T::UNIT_ROUNDOFF * x.abs());
            assert!(T::from_f64(nearest.to_f64()) == nearest);
        }
    }

    #[test]
    fn integers_saturate() {
        assert_eq!(
            [127.4, 1e9, -128.6, 0.5, 1.5].map(i8::from_f64),
            [127, 127, -128, 0, 2]
        );
        assert_eq!(i32::from_f64(-3e9), i32::MIN);
        let data: Vec<i8> = super::super::fill(3, 100_000);
        assert_eq!(
            (data.iter().min(), data.iter().max()),
            (Some(&-128), Some(&127))
        );
    }

    #[test]
    fn the_units_are_those_of_the_encodings() {
        next(|bits| f16::from_bits(bits as u16), 0x3c00);
        next(|bits| bf16::from_bits(bits as u16), 0x3f80);
        next(|bits| f32::from_bits(bits as u32), 0x3f80_0000);
    }
}

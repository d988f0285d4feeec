//! The element types that a matrix can have.

use super::loops::Loops;
use bytemuck::Pod;
use half::{bf16, f16};
use layout_types::atom::element::{FloatE4M3, FloatE5M2};

/// A number type of a kernel's inputs or outputs.
///
/// Laws: `to_f64` is exact. `from_f64` rounds to nearest even, or for integers to the nearest
/// integer of the type. `from_f64(x.to_f64()) == x` for every finite `x`.
pub trait Element: Pod + Send + Sync + PartialEq + Loops {
    /// The name that the kernels and the command line use.
    const NAME: &'static str;

    /// The largest relative error of rounding to this type, half a unit in the last place: 2⁻ᵖ for
    /// p bits of precision. It is 0 for integers, whose results are exact.
    const UNIT_ROUNDOFF: f64;

    /// The largest absolute error of rounding a number near 0: half the smallest subnormal.
    const UNDERFLOW: f64;

    /// The bound of random data, which is uniform in [-RANGE, RANGE).
    const RANGE: f64 = 1.0;
    /// Returns the value, which float64 represents exactly.
    fn to_f64(self) -> f64;

    /// Returns the nearest value of this type.
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

/// Implements `Element` for 8-bit floats. Numbers beyond the largest finite number become that
/// number.
macro_rules! fp8 {
    ($ty:ty, $name:literal, $precision:literal, $least_exponent:literal) => {
        impl Element for $ty {
            const NAME: &'static str = $name;
            const UNIT_ROUNDOFF: f64 = power_of_two(-$precision);
            const UNDERFLOW: f64 = power_of_two($least_exponent - 1);

            fn to_f64(self) -> f64 {
                self.to_f32().into()
            }

            fn from_f64(value: f64) -> Self {
                // The first rounding, to f32, is to odd, which keeps the second rounding correct.
                let nearest = value as f32;
                let bits = nearest.to_bits();
                let towards_zero = bits - u32::from(f64::from(nearest).abs() > value.abs());
                let exact = f64::from(nearest) == value || value.is_nan();
                let odd = towards_zero | u32::from(!exact);
                Self::from_f32(f32::from_bits(if exact { bits } else { odd }))
            }
        }
    };
}
fp8!(FloatE4M3, "e4m3", 4, -9);
fp8!(FloatE5M2, "e5m2", 3, -16);

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

/// Returns 2 to the power `exponent`, or 0 if the power is smaller than the smallest normal number.
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
            let allowed = (T::UNIT_ROUNDOFF * x.abs()).max(T::UNDERFLOW);
            assert!((nearest.to_f64() - x).abs() <= allowed, "{}", T::NAME);
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

    /// Compares with the emulator's conversions, which are a second implementation and were
    /// compared with a GPU.
    #[test]
    fn bytes_are_rounded_as_the_emulator_rounds() {
        use emulator::numerics::{fp8::Fp8, half};
        let mut random = 0x9e37_79b9_u32;
        let mut cases: Vec<u32> = vec![0, 0x7f80_0000, 0x43e0_0000, 0x43e8_0000, 0x43f0_0000];
        for bits in 0..=255u8 {
            let [e4m3, e5m2] = [Fp8::E4m3, Fp8::E5m2].map(|kind| half::to_f32(kind.to_f16(bits)));
            let ours = [FloatE4M3(bits).to_f32(), FloatE5M2(bits).to_f32()];
            for (theirs, ours) in [e4m3, e5m2].into_iter().zip(ours) {
                let theirs = f32::from_bits(theirs);
                assert!(
                    theirs == ours || theirs.is_nan() && ours.is_nan(),
                    "{bits:#x}"
                );
                // The cases are the number, the tie between it and the next number, and the two
                // neighbours of the tie.
                let bits = ours.to_bits();
                let ties = [1 << 18, 1 << 19, 1 << 20].map(|half| bits.wrapping_add(half));
                cases.push(bits);
                cases.extend(ties.iter().flat_map(|&tie| [tie - 1, tie, tie + 1]));
            }
        }
        for _ in 0..100_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            cases.push(random & 0x8fff_ffff | 0x3000_0000);
        }
        for bits in cases {
            let value = f32::from_bits(bits);
            if value.is_nan() {
                continue;
            }
            let theirs = [Fp8::E4m3, Fp8::E5m2].map(|kind| kind.from_f32(bits));
            let ours = [FloatE4M3::from_f32(value).0, FloatE5M2::from_f32(value).0];
            assert_eq!(theirs, ours, "{value:e}");
            assert_eq!(FloatE4M3::from_f64(value.into()).0, ours[0]);
        }
        // The value is halfway between two f32 numbers on the two sides of a tie.
        let above_the_tie = 1.0 + 2f64.powi(-4) + 2f64.powi(-40);
        assert_eq!(FloatE4M3::from_f64(above_the_tie).to_f32(), 1.125);
    }

    #[test]
    fn the_units_are_those_of_the_encodings() {
        next(|bits| f16::from_bits(bits as u16), 0x3c00);
        next(|bits| bf16::from_bits(bits as u16), 0x3f80);
        next(|bits| f32::from_bits(bits as u32), 0x3f80_0000);
        next(|bits| FloatE4M3(bits as u8), 0x38);
        next(|bits| FloatE5M2(bits as u8), 0x3c);
    }
}

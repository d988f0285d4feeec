//! Checks `.ftz` of results around the smallest normal number: whether a result is flushed is
//! decided before a subnormal's rounding.
//!
//! ```text
//!   2^-126 - 2^-149      2^-126 - 2^-150       2^-126          exact results
//!         |--------------------|=================|
//!         to nearest: a zero   |  from the middle on 2^-126      without .ftz all of it rounds to 2^-126
//! ```

mod random;

use emulator::numerics::convert::{Cvt, Type};
use emulator::numerics::float32::{self, Mode};
use emulator::numerics::half_math::{self, HalfKind, HalfMode};
use emulator::numerics::rounding::Rounding::{self, *};
use random::Random;

fn ftz(rounding: Rounding) -> Mode {
    Mode {
        rounding,
        ftz: true,
        sat: false,
    }
}

const HALF: HalfMode = HalfMode {
    ftz: true,
    sat: false,
    relu: false,
};

/// Checks products and sums that an H200 flushed to zero, and similar ones that it did not flush.
#[test]
fn results_are_an_h200_s() {
    for (rounding, a, b, expected) in [
        (NearestEven, 0xbf7f_ffff, 0x0080_0000, 0x8000_0000),
        (NearestEven, 0x3f7f_ffff, 0x8080_0000, 0x8000_0000),
        (NearestEven, 0xbf7f_fffa, 0x0080_0003, 0x8080_0000),
        (NearestEven, 0x3f7f_fffe, 0x8080_0001, 0x8080_0000),
        (Down, 0x3f7f_fffb, 0x8080_0002, 0x8000_0000),
        (Down, 0xbf7f_fffe, 0x0080_0001, 0x8080_0000),
        (Up, 0x3f7f_fffd, 0x0080_0001, 0),
        (Up, 0xbf7f_fffc, 0x8080_0002, 0x0080_0000),
    ] {
        let found = float32::mul(a, b, ftz(rounding));
        assert_eq!(found, expected, "{a:x} * {b:x} {rounding:?}");
    }
    for (rounding, a, b, c, expected) in [
        (NearestEven, 0x9a62_2690, 0x1a3e_2269, 0x0080_0001, 0),
        (
            NearestEven,
            0x1a3d_b966,
            0x1a5b_db96,
            0x8080_0001,
            0x8000_0000,
        ),
        (
            NearestEven,
            0x9a6a_69a8,
            0x1a2e_a69a,
            0x0080_0001,
            0x0080_0000,
        ),
        (
            NearestEven,
            0x1a0f_ba3c,
            0x1a88_fba3,
            0x8080_0001,
            0x8080_0000,
        ),
        (Down, 0x1a63_cfff, 0x1a06_3cff, 0x8080_0000, 0x8000_0000),
        (Down, 0x1a10_4933, 0x1a79_0493, 0x8080_0001, 0x8080_0000),
        (Up, 0x1a1d_26b6, 0x9a39_d26b, 0x0080_0000, 0),
        (Up, 0x9a3e_333b, 0x1a6b_e333, 0x0080_0001, 0x0080_0000),
    ] {
        let found = float32::fma(a, b, c, ftz(rounding));
        assert_eq!(found, expected, "{a:x} * {b:x} + {c:x} {rounding:?}");
    }
    for (a, b, expected) in [
        (0xbbff, 0x8400, 0),
        (0xbbff, 0x0400, 0x8000),
        (0xbbf8, 0x8404, 0x0400),
        (0xbbf8, 0x0404, 0x8400),
    ] {
        assert_eq!(half_math::mul(HalfKind::F16, a, b, HALF), expected);
    }
    for (a, b, c, expected) in [
        (0x8965, 0x89d6, 0x8400, 0x8000),
        (0x0c99, 0x0cc9, 0x8401, 0x8000),
        (0x8c94, 0x0bc9, 0x0401, 0x0400),
        (0x0d64, 0x8a56, 0x0401, 0x0400),
    ] {
        assert_eq!(half_math::fma(HalfKind::F16, a, b, c, HALF), expected);
    }
}

/// Compares with the same operation on operands scaled by `2^64`: there nothing is subnormal, so
/// the result shows whether the original is too small.
#[test]
fn a_result_is_flushed_as_its_scaled_twin_is_small() {
    let up = |bits: u32| (f32::from_bits(bits) * 2f32.powi(64)).to_bits();
    let expected = |plain: u32, scaled: u32| {
        if f32::from_bits(scaled).abs() < 2f32.powi(-62) {
            plain & 1 << 31
        } else {
            plain
        }
    };
    let mut random = Random(81);
    let (mut flushed, mut kept) = (0, 0);
    for i in 0..200_000 {
        let r = random.next();
        let sign = (r >> 40 & 1) << 31;
        let near_one = (0x3f80_0000 - 1 - r % 8 * (i & 1)) as u32;
        let smallest = (0x0080_0000 + (r >> 8) % 8 + sign) as u32;
        // These products of about 2^-150 are added.
        let (x, y) = (
            ((52 + r % 3) << 23 | r >> 12 & 0x7f_ffff) as u32,
            ((52 + (r >> 4) % 3) << 23 | r >> 35 & 0x7f_ffff) as u32 | 1 << 31,
        );
        for rounding in [NearestEven, Zero, Down, Up] {
            let plain = Mode {
                rounding,
                ..Mode::default()
            };
            let results = [
                (
                    float32::mul(near_one, smallest, ftz(rounding)),
                    float32::mul(near_one, smallest, plain),
                    float32::mul(near_one, up(smallest), plain),
                ),
                (
                    float32::fma(x, y, smallest, ftz(rounding)),
                    float32::fma(x, y, smallest, plain),
                    float32::fma(up(x), y, up(smallest), plain),
                ),
                (
                    float32::div(smallest, near_one + 2, ftz(rounding)),
                    float32::div(smallest, near_one + 2, plain),
                    float32::div(up(smallest), near_one + 2, plain),
                ),
                (
                    float32::add(smallest, 0x8080_0001, ftz(rounding)),
                    float32::add(smallest, 0x8080_0001, plain),
                    float32::add(up(smallest), up(0x8080_0001), plain),
                ),
            ];
            for (found, plain, scaled) in results {
                assert_eq!(found, expected(plain, scaled), "{r:x} {rounding:?}");
                if plain & 0x7fff_ffff == 0x0080_0000 {
                    let count = if found == plain {
                        &mut kept
                    } else {
                        &mut flushed
                    };
                    *count += 1;
                }
            }
        }
    }
    // Results on both sides of the boundary occur.
    assert!(flushed > 1000 && kept > 1000, "{flushed} {kept}");
}

#[test]
fn narrowing_from_f64_flushes_by_the_exact_number() {
    let cvt = |value: f64, rounding| {
        Cvt {
            rounding,
            ftz: true,
            ..Cvt::new(Type::F32, Type::F64)
        }
        .apply(value.to_bits())
    };
    let smallest = f64::from(f32::MIN_POSITIVE);
    let below = |part: f64| smallest * (1.0 - part);
    let middle = 2f64.powi(-25);
    assert_eq!(cvt(below(middle), NearestEven), 0x0080_0000);
    assert_eq!(cvt(below(middle * 1.5), NearestEven), 0);
    assert_eq!(cvt(-below(middle * 1.5), NearestEven), 0x8000_0000);
    assert_eq!(cvt(below(middle * 1.5), Up), 0x0080_0000);
    assert_eq!(cvt(below(middle * 2.5), Up), 0);
    assert_eq!(cvt(below(middle), Zero), 0);
    assert_eq!(cvt(smallest, Zero), 0x0080_0000);
}

//! Compares arithmetic in every rounding mode with independent definitions.
//!
//! Rounding to nearest is compared with the processor. Directed rounding is compared with the
//! processor's result to nearest, moved by the sign of its exact error, which error-free
//! transformations give (TwoSum; the remainder by a fused multiply-add; for a fused multiply-add
//! itself, integers).

mod random;

use emulator::numerics::float32::{self, Mode};
use emulator::numerics::rounding::Rounding;
use emulator::numerics::soft::{self, F32, F64};
use emulator::numerics::{float64, integral};
use random::Random;

const DIRECTED: [Rounding; 3] = [Rounding::Zero, Rounding::Down, Rounding::Up];
const ALL: [Rounding; 4] = [
    Rounding::NearestEven,
    Rounding::Zero,
    Rounding::Down,
    Rounding::Up,
];

impl Random {
    fn single(&mut self, like: u64) -> u32 {
        self.float(8, 23, like) as u32
    }

    fn double(&mut self, like: u64) -> u64 {
        self.float(11, 52, like)
    }
}

fn mode(rounding: Rounding) -> Mode {
    Mode {
        rounding,
        ..Mode::default()
    }
}

/// Returns the finite `nearest`, or its neighbour if `rounding` names that one, given the sign of
/// `exact - nearest`.
fn moved(nearest: f64, error: f64, rounding: Rounding) -> f64 {
    let away_from = |up: bool| {
        if up {
            nearest.next_up()
        } else {
            nearest.next_down()
        }
    };
    match rounding {
        Rounding::Down if error < 0.0 => away_from(false),
        Rounding::Up if error > 0.0 => away_from(true),
        Rounding::Zero if error < 0.0 && nearest > 0.0 => away_from(false),
        Rounding::Zero if error > 0.0 && nearest < 0.0 => away_from(true),
        _ => nearest,
    }
}

fn moved_f32(nearest: f32, error: f64, rounding: Rounding) -> f32 {
    match rounding {
        Rounding::Down if error < 0.0 => nearest.next_down(),
        Rounding::Up if error > 0.0 => nearest.next_up(),
        Rounding::Zero if error < 0.0 && nearest > 0.0 => nearest.next_down(),
        Rounding::Zero if error > 0.0 && nearest < 0.0 => nearest.next_up(),
        _ => nearest,
    }
}

fn canonical(value: f32) -> u32 {
    if value.is_nan() {
        0x7fff_ffff
    } else {
        value.to_bits()
    }
}

/// Compares the reference in integers, and the functions that call it, with the processor, to
/// nearest, in both widths.
#[test]
fn to_nearest_is_the_processor() {
    let mut random = Random(11);
    let near = Rounding::NearestEven;
    for _ in 0..400_000 {
        let a = random.single(0x3f80_0000);
        let (b, c) = (random.single(a as u64), random.single(a as u64));
        let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
        let (aw, bw, cw) = (a as u64, b as u64, c as u64);
        let check = |soft: u64, ours: u32, processor: f32, what: &str| {
            assert_eq!(
                soft as u32,
                canonical(processor),
                "{what} {x:e} {y:e} {z:e}"
            );
            assert_eq!(ours, canonical(processor), "{what} {x:e} {y:e} {z:e}");
        };
        check(
            soft::add(F32, aw, bw, near),
            float32::add(a, b, mode(near)),
            x + y,
            "add",
        );
        check(
            soft::mul(F32, aw, bw, near),
            float32::mul(a, b, mode(near)),
            x * y,
            "mul",
        );
        check(
            soft::div(F32, aw, bw, near),
            float32::div(a, b, mode(near)),
            x / y,
            "div",
        );
        check(
            soft::sqrt(F32, aw, near),
            float32::sqrt(a, mode(near)),
            x.sqrt(),
            "sqrt",
        );
        check(
            soft::fma(F32, aw, bw, cw, near),
            float32::fma(a, b, c, mode(near)),
            x.mul_add(y, z),
            "fma",
        );
        assert_eq!(float32::sub(a, b, mode(near)), canonical(x - y));
        assert_eq!(float32::rcp(a, mode(near)), canonical(1.0 / x));
    }
    for _ in 0..400_000 {
        let a = random.double(0x3ff0_0000_0000_0000);
        let (b, c) = (random.double(a), random.double(a));
        let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
        let check = |soft: u64, ours: u64, processor: f64, what: &str| {
            if processor.is_nan() {
                assert_eq!(soft, F64.nan);
                let quiet = |bits: u64| bits | 1 << 51;
                assert!(ours == float64::NAN || [a, b, c].map(quiet).contains(&ours));
                return;
            }
            assert_eq!(soft, processor.to_bits(), "{what} {x:e} {y:e} {z:e}");
            assert_eq!(ours, processor.to_bits(), "{what} {x:e} {y:e} {z:e}");
        };
        check(
            soft::add(F64, a, b, near),
            float64::add(a, b, near),
            x + y,
            "add",
        );
        check(
            soft::add(F64, a, b ^ 1 << 63, near),
            float64::sub(a, b, near),
            x - y,
            "sub",
        );
        check(
            soft::mul(F64, a, b, near),
            float64::mul(a, b, near),
            x * y,
            "mul",
        );
        check(
            soft::div(F64, a, b, near),
            float64::div(a, b, near),
            x / y,
            "div",
        );
        check(
            soft::sqrt(F64, a, near),
            float64::sqrt(a, near),
            x.sqrt(),
            "sqrt",
        );
        check(
            soft::fma(F64, a, b, c, near),
            float64::fma(a, b, c, near),
            x.mul_add(y, z),
            "fma",
        );
    }
}

/// Checks f32: products are exact in f64; a sum's error comes from TwoSum in f64; quotient and root
/// are checked by their exact remainder in f64.
#[test]
fn directed_f32_follows_the_sign_of_the_error() {
    let mut random = Random(12);
    for _ in 0..300_000 {
        let a = random.single(0x3f80_0000);
        let b = random.single(a as u64);
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        let (xw, yw) = (x as f64, y as f64);
        for rounding in DIRECTED {
            let check = |found: u32, nearest: f32, error: f64, what: &str| {
                if nearest.is_finite() && nearest != 0.0 {
                    let expected = moved_f32(nearest, error, rounding);
                    assert_eq!(found, expected.to_bits(), "{what} {x:e} {y:e} {rounding:?}");
                }
            };
            let sum = x + y;
            // x + y - sum: both parts are exact in f64 (Sterbenz, or one operand far below the
            // other's last place).
            let error = if x.abs() >= y.abs() {
                (xw - sum as f64) + yw
            } else {
                (yw - sum as f64) + xw
            };
            check(float32::add(a, b, mode(rounding)), sum, error, "add");
            let product = x * y;
            check(
                float32::mul(a, b, mode(rounding)),
                product,
                xw * yw - product as f64,
                "mul",
            );
            if y.is_finite() && x.is_finite() && y != 0.0 {
                let quotient = x / y;
                // One fused multiply-add gives x - q*y exactly in f64, or with the right sign; this
                // sign divided by y's is the error's.
                let rest = (-(quotient as f64)).mul_add(yw, xw);
                check(
                    float32::div(a, b, mode(rounding)),
                    quotient,
                    rest * yw.signum(),
                    "div",
                );
            }
            let root = x.sqrt();
            let rest = (-(root as f64)).mul_add(root as f64, xw);
            check(float32::sqrt(a, mode(rounding)), root, rest, "sqrt");
        }
    }
}

#[test]
fn directed_f64_follows_the_sign_of_the_error() {
    let mut random = Random(13);
    for _ in 0..300_000 {
        let a = random.double(0x3ff0_0000_0000_0000);
        let b = random.double(a);
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        // TwoSum is exact for every finite sum.
        let sum = x + y;
        let part = sum - x;
        let error = (x - (sum - part)) + (y - part);
        for rounding in DIRECTED {
            if sum.is_finite() && sum != 0.0 && part.is_finite() {
                let found = float64::add(a, b, rounding);
                assert_eq!(
                    found,
                    moved(sum, error, rounding).to_bits(),
                    "{x:e} + {y:e} {rounding:?}"
                );
                assert_eq!(float64::sub(a, b ^ 1 << 63, rounding), found);
            }
            // Remainders are exact if nothing underflows.
            let normal = |v: f64| v.abs() > 1e-130 && v.abs() < 1e130;
            if normal(x) && normal(y) {
                let product = x * y;
                let found = float64::mul(a, b, rounding);
                assert_eq!(
                    found,
                    moved(product, x.mul_add(y, -product), rounding).to_bits()
                );
                let quotient = x / y;
                let rest = (-quotient).mul_add(y, x) * y.signum();
                assert_eq!(
                    float64::div(a, b, rounding),
                    moved(quotient, rest, rounding).to_bits()
                );
                let root = x.abs().sqrt();
                let rest = (-root).mul_add(root, x.abs());
                let found = float64::sqrt(x.abs().to_bits(), rounding);
                assert_eq!(found, moved(root, rest, rounding).to_bits());
            }
        }
    }
}

/// Compares fused multiply-adds with sums of integers: the operands' exponents are so near that the
/// exact `a*b + c` fits 128 bits.
#[test]
fn fused_multiply_adds_are_integers_rounded_once() {
    let mut random = Random(14);
    for _ in 0..300_000 {
        let fraction = |random: &mut Random, bits: u32| {
            (random.next() >> (64 - bits)) as i128 - (1 << (bits - 1))
        };
        let (x, y) = (fraction(&mut random, 24), fraction(&mut random, 24));
        let shift = random.next() % 70;
        let z = fraction(&mut random, 24);
        let exact = x * y + (z << shift);
        let single = |n: i128, e: i32| ((n as f64) * 2f64.powi(e)) as f32;
        let (a, b, c) = (
            single(x, -40).to_bits(),
            single(y, -40).to_bits(),
            single(z, shift as i32 - 80).to_bits(),
        );
        for rounding in ALL {
            let value = match soft::Value::from_integer(exact) {
                soft::Value::Finite {
                    negative,
                    exponent,
                    significand,
                } => soft::Value::Finite {
                    negative,
                    exponent: exponent - 80,
                    significand,
                },
                other => other,
            };
            if exact == 0 {
                continue;
            }
            // The format tests compare `pack` with a search over the format's numbers.
            let expected = soft::pack(F32, value, rounding) as u32;
            assert_eq!(
                float32::fma(a, b, c, mode(rounding)),
                expected,
                "{x} {y} {z} {shift} {rounding:?}"
            );
        }
        let (x, y, z) = (
            fraction(&mut random, 53),
            fraction(&mut random, 53),
            fraction(&mut random, 53),
        );
        let shift = random.next() % 70;
        let exact = x * y + (z << shift);
        let scaled = |n: i128, e: u64| ((n as f64) * 2f64.powi(e as i32)).to_bits();
        for rounding in ALL {
            if exact != 0 {
                let expected = soft::pack(F64, soft::Value::from_integer(exact), rounding);
                let found = float64::fma(scaled(x, 0), scaled(y, 0), scaled(z, shift), rounding);
                assert_eq!(found, expected, "{x} {y} {z} {shift} {rounding:?}");
            }
        }
    }
}

/// Compares the fast paths of f32 with the reference for all operands: specials, subnormals,
/// overflow, zero signs.
#[test]
fn f32_is_the_reference_in_every_mode() {
    let mut random = Random(15);
    for _ in 0..300_000 {
        let a = random.single(0x0080_0000);
        let (b, c) = (random.single(a as u64), random.single(a as u64));
        let (aw, bw, cw) = (a as u64, b as u64, c as u64);
        for rounding in ALL {
            let m = mode(rounding);
            let text = format!("{a:#x} {b:#x} {c:#x} {rounding:?}");
            assert_eq!(
                float32::add(a, b, m) as u64,
                soft::add(F32, aw, bw, rounding),
                "{text}"
            );
            assert_eq!(
                float32::sub(a, b, m) as u64,
                soft::add(F32, aw, bw ^ 1 << 31, rounding),
                "{text}"
            );
            assert_eq!(
                float32::mul(a, b, m) as u64,
                soft::mul(F32, aw, bw, rounding),
                "{text}"
            );
            assert_eq!(
                float32::fma(a, b, c, m) as u64,
                soft::fma(F32, aw, bw, cw, rounding),
                "{text}"
            );
        }
    }
    // Exact zeros result from operands of both signs.
    let (one, minus) = (1.0f32.to_bits(), (-1.0f32).to_bits());
    for (rounding, zero) in [
        (Rounding::Down, 1 << 31),
        (Rounding::Up, 0),
        (Rounding::Zero, 0),
    ] {
        assert_eq!(float32::add(one, minus, mode(rounding)), zero);
        assert_eq!(float32::fma(one, minus, one, mode(rounding)), zero);
        assert_eq!(
            float64::add(1.0f64.to_bits(), (-1.0f64).to_bits(), rounding) >> 32,
            zero as u64
        );
        assert_eq!(float32::add(1 << 31, 1 << 31, mode(rounding)), 1 << 31);
        assert_eq!(float32::add(0, 0, mode(rounding)), 0);
    }
    let huge = f32::MAX.to_bits();
    assert_eq!(float32::add(huge, huge, mode(Rounding::Zero)), huge);
    assert_eq!(
        float32::add(huge, huge, mode(Rounding::Up)),
        f32::INFINITY.to_bits()
    );
    assert_eq!(
        float32::mul(huge ^ 1 << 31, huge, mode(Rounding::Up)),
        huge ^ 1 << 31
    );
}

#[test]
fn ftz_and_sat_are_filters() {
    let mut random = Random(16);
    let flush = |bits: u32| {
        if f32::from_bits(bits).is_subnormal() {
            bits & 1 << 31
        } else {
            bits
        }
    };
    for _ in 0..100_000 {
        let a = random.single(0x0080_0000);
        let (b, c) = (random.single(a as u64), random.single(a as u64));
        for rounding in ALL {
            let plain = mode(rounding);
            let ftz = Mode { ftz: true, ..plain };
            let sat = Mode { sat: true, ..plain };
            // Results that round to the smallest normal number have a test of their own.
            let filtered = |plain: u32, ftz: u32| {
                ftz == flush(plain) || plain & 0x7fff_ffff == 0x0080_0000 && ftz == plain & 1 << 31
            };
            assert!(filtered(
                float32::fma(flush(a), flush(b), flush(c), plain),
                float32::fma(a, b, c, ftz)
            ));
            assert!(filtered(
                float32::div(flush(a), flush(b), plain),
                float32::div(a, b, ftz)
            ));
            let value = f32::from_bits(float32::add(a, b, plain));
            let clamped = if value.is_nan() || value <= 0.0 {
                0.0
            } else {
                value.min(1.0)
            };
            assert_eq!(float32::add(a, b, sat), clamped.to_bits());
        }
        assert_eq!(float32::neg(a, false), canonical(-f32::from_bits(a)));
        assert_eq!(
            float32::abs(a, true),
            canonical(f32::from_bits(flush(a)).abs())
        );
        assert_eq!(
            float32::copysign(a, b),
            f32::from_bits(b).copysign(f32::from_bits(a)).to_bits()
        );
        let (wide_a, wide_b) = (random.double(0), random.double(0));
        let expected = f64::from_bits(wide_b).copysign(f64::from_bits(wide_a));
        assert_eq!(float64::copysign(wide_a, wide_b), expected.to_bits());
    }
}

#[test]
fn rounding_to_integers_is_std_s() {
    let mut random = Random(18);
    for _ in 0..300_000 {
        let near = (random.next() % 4000) as f64 / 2.0;
        let x = f32::from_bits(random.single((near as f32).to_bits() as u64));
        let y = f64::from_bits(random.double(near.to_bits()));
        for (rounding, single, double) in [
            (
                Rounding::NearestEven,
                x.round_ties_even(),
                y.round_ties_even(),
            ),
            (Rounding::Zero, x.trunc(), y.trunc()),
            (Rounding::Down, x.floor(), y.floor()),
            (Rounding::Up, x.ceil(), y.ceil()),
            (Rounding::NearestAway, x.round(), y.round()),
        ] {
            let found = integral::round_f32(x, rounding);
            assert!(
                found.to_bits() == single.to_bits() || x.is_nan() && found.is_nan(),
                "{x:e} {rounding:?}"
            );
            let found = integral::round_f64(y, rounding);
            assert!(
                found.to_bits() == double.to_bits() || y.is_nan() && found.is_nan(),
                "{y:e} {rounding:?}"
            );
        }
    }
}

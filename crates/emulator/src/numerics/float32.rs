//! `.f32` arithmetic of PTX: add, sub, mul, fma, div, rcp, sqrt in every rounding mode, `.ftz` and
//! `.sat`.
//!
//! ```text
//!   operands --flush (.ftz)--> exact in f64, or odd-rounded --> f32 in the asked mode --flush--> clamp (.sat)
//! ```
//!
//! The second flush tests the exact result, not the rounded one ([`soft::is_tiny`]).
//!
//! Law: the result is the exact one rounded once (IEEE 754-2019; PTX ISA, "Floating Point
//! Instructions"), and a NaN is always PTX's canonical `0x7fffffff`.
//!
//! *Rounding to odd*: cut an inexact value and set its last bit. An `f64` rounded like this holds
//! everything that a later rounding to `f32` needs, in any mode, because it has more than two
//! additional bits (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008). The
//! product of two `f32`s is exact in `f64`; Knuth's TwoSum computes the error of a sum in `f64`.

use super::rounding::Rounding;
use super::soft;

/// PTX's canonical NaN of this format.
pub const NAN: u32 = 0x7fff_ffff;
const INFINITY: u32 = 0x7f80_0000;
const SIGN: u32 = 0x8000_0000;
/// The smallest normal number, `2^-126`.
const SMALLEST: u32 = 0x0080_0000;

/// The modifiers of an `.f32` instruction.
///
/// ```
/// use emulator::numerics::{float32::{self, Mode}, rounding::Rounding};
/// let up = Mode { rounding: Rounding::Up, ..Mode::default() };
/// let one = 1.0f32.to_bits();
/// assert_eq!(float32::add(one, 1, up), one + 1);
/// assert_eq!(float32::add(one, 1, Mode { ftz: true, ..up }), one);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Mode {
    /// `.rn` (PTX's default), `.rz`, `.rm` or `.rp`.
    pub rounding: Rounding,
    /// `.ftz`: subnormal operands and results become zeros of their sign.
    pub ftz: bool,
    /// `.sat`: the result is clamped to `[0.0, 1.0]`, NaN becomes `+0.0`.
    pub sat: bool,
}

/// Applies `.ftz` to one value: a subnormal becomes the zero of its sign.
#[inline(always)]
pub fn flush(bits: u32) -> u32 {
    if bits & INFINITY == 0 {
        bits & SIGN
    } else {
        bits
    }
}

/// Applies `.sat` to one value: it is clamped to `[0.0, 1.0]`; NaN and `-0.0` become `+0.0`.
#[inline(always)]
pub fn saturate(bits: u32) -> u32 {
    let value = f32::from_bits(bits);
    if value >= 1.0 {
        1.0f32.to_bits()
    } else if value > 0.0 {
        bits
    } else {
        0
    }
}

/// Whether `bits` are a NaN.
#[inline(always)]
pub fn is_nan(bits: u32) -> bool {
    bits & !SIGN > INFINITY
}

/// Returns `bits`, or the canonical NaN if they are any NaN.
#[inline(always)]
pub fn canonical(bits: u32) -> u32 {
    if is_nan(bits) { NAN } else { bits }
}

#[inline(always)]
fn input(bits: u32, mode: Mode) -> f32 {
    f32::from_bits(if mode.ftz { flush(bits) } else { bits })
}

/// Applies the modifiers of a result; `exact` is the result before it was rounded.
#[inline(always)]
fn output(bits: u32, exact: impl FnOnce() -> soft::Value, mode: Mode) -> u32 {
    let bits = canonical(bits);
    let bits = if mode.ftz {
        flush_result(bits, exact, mode.rounding)
    } else {
        bits
    };
    if mode.sat { saturate(bits) } else { bits }
}

/// Applies `.ftz` to a result that was rounded from `exact`: it becomes the zero of its sign if
/// `exact` is too small.
#[inline(always)]
pub(super) fn flush_result(
    bits: u32,
    exact: impl FnOnce() -> soft::Value,
    rounding: Rounding,
) -> u32 {
    // Only the smallest normal number may result from rounding a smaller number up.
    if bits & !SIGN == SMALLEST && soft::is_tiny(soft::F32, exact(), rounding) {
        bits & SIGN
    } else {
        flush(bits)
    }
}

fn number(value: f64) -> soft::Value {
    soft::unpack(soft::F64, value.to_bits())
}

/// Computes `a + b` in `f64`, rounded to odd.
///
/// The steps are exact: TwoSum's error is exact because sums of `f32`s and of their products
/// neither overflow nor underflow in `f64`. With an infinity or NaN the error is NaN and the sum is
/// not changed.
#[inline(always)]
pub(crate) fn sum_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    let bits = sum.to_bits();
    if error.abs() > 0.0 && bits & 1 == 0 {
        f64::from_bits(if (error > 0.0) == (sum > 0.0) {
            bits + 1
        } else {
            bits - 1
        })
    } else {
        sum
    }
}

/// Returns the bits of an `f64` rounded to odd in `f32`; NaN becomes canonical.
#[inline(always)]
pub(crate) fn round_to_odd(value: f64) -> u32 {
    let nearest = value as f32;
    let back = nearest as f64;
    let bits = nearest.to_bits();
    if value.is_nan() {
        NAN
    } else if back == value || bits & 1 == 1 {
        bits
    } else if back.abs() > value.abs() {
        bits - 1
    } else {
        bits + 1
    }
}

/// Converts a value by `cvt.{rn,rz,rm,rp}.f32.f64` without modifiers: rounded once, NaN canonical.
/// Out of range the result is an infinity or the largest number, depending on the mode.
///
/// The processor rounds to nearest; a directed mode then steps to the neighbour on the other side
/// if the nearest one is on the wrong side.
#[inline(always)]
pub fn from_f64(value: f64, rounding: Rounding) -> u32 {
    let nearest = value as f32;
    let bits = canonical(nearest.to_bits());
    if rounding == Rounding::NearestEven {
        return bits;
    }
    let (back, negative) = (nearest as f64, bits & SIGN != 0);
    let (too_large, too_small) = (back.abs() > value.abs(), back.abs() < value.abs());
    match rounding {
        Rounding::NearestEven => bits,
        Rounding::NearestAway => {
            soft::convert(soft::F64, soft::F32, value.to_bits(), rounding) as u32
        }
        Rounding::Zero => bits - u32::from(too_large),
        Rounding::Down if !negative => bits - u32::from(too_large),
        Rounding::Up if negative => bits - u32::from(too_large),
        Rounding::Down | Rounding::Up => bits + u32::from(too_small),
    }
}

/// Computes the exact `a + b` and rounds it, for `a` and `b` that are `f32`s or products of two. If
/// operands of both signs give an exact zero, it is `-0.0` in round-down (IEEE 754, 6.3).
#[inline(always)]
fn sum(a: f64, b: f64, rounding: Rounding) -> u32 {
    let sum = sum_to_odd(a, b);
    if rounding == Rounding::Down && sum == 0.0 {
        return if a.is_sign_negative() || b.is_sign_negative() {
            SIGN
        } else {
            0
        };
    }
    from_f64(sum, rounding)
}

/// Computes `add{.rnd}{.ftz}{.sat}.f32`.
#[inline(always)]
pub fn add(a: u32, b: u32, mode: Mode) -> u32 {
    let (a, b) = (input(a, mode), input(b, mode));
    let result = match mode.rounding {
        Rounding::NearestEven => (a + b).to_bits(),
        rounding => sum(a as f64, b as f64, rounding),
    };
    // A sum of normal operands that is this small is exact.
    output(result, || number(a as f64 + b as f64), mode)
}

/// Computes `sub{.rnd}{.ftz}{.sat}.f32`: `a - b`.
#[inline(always)]
pub fn sub(a: u32, b: u32, mode: Mode) -> u32 {
    add(a, b ^ SIGN, mode)
}

/// Computes `mul{.rnd}{.ftz}{.sat}.f32`.
#[inline(always)]
pub fn mul(a: u32, b: u32, mode: Mode) -> u32 {
    let (a, b) = (input(a, mode), input(b, mode));
    let result = match mode.rounding {
        Rounding::NearestEven => (a * b).to_bits(),
        rounding => from_f64(a as f64 * b as f64, rounding),
    };
    output(result, || number(a as f64 * b as f64), mode)
}

/// Computes `fma.rnd{.ftz}{.sat}.f32` (and `mad.rnd.f32`, the same on sm_20 and up): `a * b + c`,
/// rounded once.
///
/// ```
/// use emulator::numerics::float32::{self, Mode};
/// let x = (1.0f32 + f32::EPSILON).to_bits();
/// let square_less_one = float32::fma(x, x, (-1.0f32).to_bits(), Mode::default());
/// assert_eq!(f32::from_bits(square_less_one), 2.0 * f32::EPSILON + f32::EPSILON * f32::EPSILON);
/// ```
#[inline(always)]
pub fn fma(a: u32, b: u32, c: u32, mode: Mode) -> u32 {
    let product = input(a, mode) as f64 * input(b, mode) as f64;
    let c = input(c, mode) as f64;
    let result = sum(product, c, mode.rounding);
    output(result, || number(sum_to_odd(product, c)), mode)
}

/// Computes `div.rnd{.ftz}.f32`: `a / b`.
#[inline(always)]
pub fn div(a: u32, b: u32, mode: Mode) -> u32 {
    let (a, b) = (input(a, mode), input(b, mode));
    let result = match mode.rounding {
        Rounding::NearestEven => (a / b).to_bits(),
        rounding => soft::div(soft::F32, a.to_bits() as u64, b.to_bits() as u64, rounding) as u32,
    };
    let quotient = || soft::div_values(number(a as f64), number(b as f64));
    output(result, quotient, mode)
}

/// Computes `rcp.rnd{.ftz}.f32`: `1 / a`.
#[inline(always)]
pub fn rcp(a: u32, mode: Mode) -> u32 {
    div(1.0f32.to_bits(), a, mode)
}

/// Computes `sqrt.rnd{.ftz}.f32`; negative operands give NaN, `-0.0` stays.
#[inline(always)]
pub fn sqrt(a: u32, mode: Mode) -> u32 {
    let a = input(a, mode);
    let result = match mode.rounding {
        Rounding::NearestEven => a.sqrt().to_bits(),
        rounding => soft::sqrt(soft::F32, a.to_bits() as u64, rounding) as u32,
    };
    // The root of a normal number is not small.
    output(result, || number(a as f64), mode)
}

/// Computes `neg{.ftz}.f32`: the sign flips; NaN becomes canonical (PTX leaves it open; the
/// hardware adds to `-0.0`).
#[inline(always)]
pub fn neg(a: u32, ftz: bool) -> u32 {
    canonical(if ftz { flush(a) } else { a } ^ SIGN)
}

/// Computes `abs{.ftz}.f32`: the sign clears; NaN becomes canonical.
#[inline(always)]
pub fn abs(a: u32, ftz: bool) -> u32 {
    canonical(if ftz { flush(a) } else { a } & !SIGN)
}

/// Computes `copysign.f32 d, a, b`: the magnitude of `b` with the sign of `a`.
#[inline(always)]
pub fn copysign(a: u32, b: u32) -> u32 {
    (a & SIGN) | (b & !SIGN)
}

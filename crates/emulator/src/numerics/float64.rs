//! `.f64` arithmetic of PTX: add, sub, mul, fma, div, rcp, sqrt in every rounding mode.
//!
//! Law: the result is the exact one rounded once, subnormals included; `.f64` has no `.ftz` and no
//! `.sat` outside `cvt`. Round-to-nearest is the processor's; the directed modes go through
//! [`soft`].
//!
//! PTX leaves the payload of a NaN result open. Here it is the first NaN operand made quiet, or the
//! default NaN `0xfff8000000000000` if no operand is NaN.

use super::rounding::Rounding;
use super::soft;

/// The NaN of an invalid operation on numbers.
pub const NAN: u64 = 0xfff8_0000_0000_0000;
const INFINITY: u64 = 0x7ff0_0000_0000_0000;
const SIGN: u64 = 1 << 63;
const QUIET: u64 = 1 << 51;

/// Whether `bits` are a NaN.
#[inline(always)]
pub fn is_nan(bits: u64) -> bool {
    bits & !SIGN > INFINITY
}

/// Returns the NaN that an operation on `operands` returns.
#[inline(always)]
pub(crate) fn propagate<const N: usize>(operands: [u64; N]) -> u64 {
    operands
        .into_iter()
        .find(|&bits| is_nan(bits))
        .map_or(NAN, |bits| bits | QUIET)
}

#[inline(always)]
fn finish<const N: usize>(result: u64, operands: [u64; N]) -> u64 {
    if is_nan(result) {
        propagate(operands)
    } else {
        result
    }
}

/// Converts by `cvt.f64.f32`, exactly; NaN becomes the default NaN.
#[inline(always)]
pub fn from_f32(bits: u32) -> u64 {
    let value = f32::from_bits(bits) as f64;
    if value.is_nan() { NAN } else { value.to_bits() }
}

/// Computes `add{.rnd}.f64`.
///
/// ```
/// use emulator::numerics::{float64, rounding::Rounding};
/// let one = 1.0f64.to_bits();
/// assert_eq!(float64::add(one, 1, Rounding::Up), one + 1);
/// assert_eq!(float64::add(one, 1, Rounding::Down), one);
/// ```
#[inline(always)]
pub fn add(a: u64, b: u64, rounding: Rounding) -> u64 {
    let result = match rounding {
        Rounding::NearestEven => (f64::from_bits(a) + f64::from_bits(b)).to_bits(),
        _ => soft::add(soft::F64, a, b, rounding),
    };
    finish(result, [a, b])
}

/// Computes `sub{.rnd}.f64`: `a - b`.
#[inline(always)]
pub fn sub(a: u64, b: u64, rounding: Rounding) -> u64 {
    let result = match rounding {
        Rounding::NearestEven => (f64::from_bits(a) - f64::from_bits(b)).to_bits(),
        _ => soft::add(soft::F64, a, b ^ SIGN, rounding),
    };
    finish(result, [a, b])
}

/// Computes `mul{.rnd}.f64`.
#[inline(always)]
pub fn mul(a: u64, b: u64, rounding: Rounding) -> u64 {
    let result = match rounding {
        Rounding::NearestEven => (f64::from_bits(a) * f64::from_bits(b)).to_bits(),
        _ => soft::mul(soft::F64, a, b, rounding),
    };
    finish(result, [a, b])
}

/// Computes `fma.rnd.f64` (and `mad.rnd.f64`): `a * b + c`, rounded once.
#[inline(always)]
pub fn fma(a: u64, b: u64, c: u64, rounding: Rounding) -> u64 {
    let result = match rounding {
        Rounding::NearestEven => f64::from_bits(a)
            .mul_add(f64::from_bits(b), f64::from_bits(c))
            .to_bits(),
        _ => soft::fma(soft::F64, a, b, c, rounding),
    };
    finish(result, [a, b, c])
}

/// Computes `div.rnd.f64`: `a / b`.
#[inline(always)]
pub fn div(a: u64, b: u64, rounding: Rounding) -> u64 {
    let result = match rounding {
        Rounding::NearestEven => (f64::from_bits(a) / f64::from_bits(b)).to_bits(),
        _ => soft::div(soft::F64, a, b, rounding),
    };
    finish(result, [a, b])
}

/// Computes `rcp.rnd.f64`: `1 / a`.
#[inline(always)]
pub fn rcp(a: u64, rounding: Rounding) -> u64 {
    div(1.0f64.to_bits(), a, rounding)
}

/// Computes `sqrt.rnd.f64`; negative operands give NaN, `-0.0` stays.
#[inline(always)]
pub fn sqrt(a: u64, rounding: Rounding) -> u64 {
    let result = match rounding {
        Rounding::NearestEven => f64::from_bits(a).sqrt().to_bits(),
        _ => soft::sqrt(soft::F64, a, rounding),
    };
    finish(result, [a])
}

/// Computes `neg.f64`: the sign flips, also of NaN.
#[inline(always)]
pub fn neg(a: u64) -> u64 {
    a ^ SIGN
}

/// Computes `abs.f64`: the sign clears, also of NaN.
#[inline(always)]
pub fn abs(a: u64) -> u64 {
    a & !SIGN
}

/// Computes `copysign.f64 d, a, b`: the magnitude of `b` with the sign of `a`.
#[inline(always)]
pub fn copysign(a: u64, b: u64) -> u64 {
    (a & SIGN) | (b & !SIGN)
}

/// Applies `.sat`, which `cvt` has, to one value: it is clamped to `[0.0, 1.0]`; NaN and `-0.0`
/// become `+0.0`.
#[inline(always)]
pub fn saturate(bits: u64) -> u64 {
    let value = f64::from_bits(bits);
    if value >= 1.0 {
        1.0f64.to_bits()
    } else if value > 0.0 {
        bits
    } else {
        0
    }
}

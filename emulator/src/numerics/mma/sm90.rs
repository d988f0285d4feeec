//! The floating-point products as an H200 computes them.
//!
//! ```text
//!   exact products and C ──► cut to 25 bits below the largest exponent ──► exact sum ──► .f32 towards zero
//!     1.01 * 2^3      1.01000000...                                                      .f16 to nearest
//!     1.11 * 2^-20    0.00000000...0000111|01   what lies behind the bar is dropped
//! ```
//!
//! Law: all of K and C go into one sum. Each term keeps 25 fraction bits below the largest exponent of any term, the
//! exponent of a product being the sum of its factors'; what lies below is dropped. The sum is exact, and is cut to
//! `.f32` or rounded to the nearest `.f16`.
//!
//! What is no instruction of the device is what `ptxas` makes of it for sm_90:
//! - 8-bit floats become `.f16`, and two such products follow each other: first those of `k mod 4 < 2`, from 0 on, then
//!   the others; C is added last, as an addition of its own;
//! - `m8n8k4` is a chain of fused multiply-adds in `.f32`, for `.f32` from 0 on with C added last, for `.f16` from C on
//!   with one rounding at the end.
//!
//! Measured on one H200 on numbers of moderate size, subnormal 8-bit floats among them (`tests/data/h200_mma.txt`). Not
//! measured: subnormal operands and results otherwise, results out of range (here infinities), the sign of a zero.
//!
//! Source of the method: "MMA-Sim", arXiv 2511.10909; of the sequences: SASS of `ptxas` 13.0.

use super::super::half_math::{self, HalfKind, HalfMode};
use super::super::matrix::Lanes;
use super::super::rounding::Rounding;
use super::super::{fp8::Fp8, half, soft, tf32};
use super::{Accumulator, Element, Mma, fragment};
use std::array::from_fn;

/// The exponent of no number.
const NOTHING: i32 = i32::MIN;
/// Bits that a term keeps below the largest exponent.
const KEPT: i32 = 25;

/// An element: its format's number, `significand * 2^exponent`, `place` being the exponent that the device sees.
#[derive(Clone, Copy, Default)]
struct Number {
    significand: i64,
    exponent: i32,
    place: i32,
    value: f32,
}

/// A number of a format with `exponent_bits` and `fraction_bits`, `value` being the same as `.f32`.
fn number(bits: u32, exponent_bits: u32, fraction_bits: u32, value: u32) -> Number {
    let field = (bits >> fraction_bits & ((1 << exponent_bits) - 1)) as i32;
    let fraction = i64::from(bits & ((1 << fraction_bits) - 1));
    let hidden = i64::from(field != 0) << fraction_bits;
    let negative = bits >> (exponent_bits + fraction_bits) & 1 == 1;
    let significand = fraction | hidden;
    let place = field.max(1) - ((1 << (exponent_bits - 1)) - 1);
    Number {
        significand: if negative { -significand } else { significand },
        exponent: place - fraction_bits as i32,
        place,
        value: f32::from_bits(value),
    }
}

fn from_half(bits: u16) -> Number {
    number(u32::from(bits), 5, 10, half::to_f32(bits))
}

fn from_single(bits: u32) -> Number {
    number(bits, 8, 23, bits)
}

fn element(element: Element, bits: u32) -> Number {
    let byte = |kind: Fp8| from_half(half::from_f32_nearest(kind.to_f32(bits as u8)));
    match element {
        Element::F16 => from_half(bits as u16),
        Element::Bf16 => number(bits & 0xffff, 8, 7, bits << 16),
        Element::E4m3 => byte(Fp8::E4m3),
        Element::E5m2 => byte(Fp8::E5m2),
        _ => number(bits >> 13, 8, 10, tf32::operand(bits)),
    }
}

/// The device's sum of `c` and the products of `a` and `b`, as a value that is still to be rounded.
#[inline]
fn fused(a: &[Number], b: &[Number], c: Number) -> soft::Value {
    // A sum of what is finite is finite in `f64`: else there are infinities or NaN, and this is what they give.
    let sum = a.iter().zip(b).fold(f64::from(c.value), |sum, (a, b)| {
        sum + f64::from(a.value) * f64::from(b.value)
    });
    if !sum.is_finite() {
        return soft::unpack(soft::F64, sum.to_bits());
    }
    let mut largest = if c.significand == 0 { NOTHING } else { c.place };
    for (a, b) in a.iter().zip(b) {
        let place = a.place + b.place;
        let zero = a.significand == 0 || b.significand == 0;
        largest = largest.max(if zero { NOTHING } else { place });
    }
    if largest == NOTHING {
        // Zeros only: minus zero if all of them are, as in `f64`.
        return soft::unpack(soft::F64, sum.to_bits());
    }
    let unit = largest - KEPT;
    // What lies below is dropped towards zero; nothing reaches further up than the largest exponent and the two bits
    // of a product before its point.
    let kept = |significand: i64, exponent: i32| {
        let up = exponent - unit;
        let magnitude = significand.unsigned_abs();
        let kept = if up >= 0 {
            magnitude << (up & 63)
        } else {
            magnitude >> (-up).min(63)
        } as i64;
        if significand < 0 { -kept } else { kept }
    };
    let sum = a
        .iter()
        .zip(b)
        .filter(|(a, b)| a.significand != 0 && b.significand != 0)
        .fold(kept(c.significand, c.exponent), |sum, (a, b)| {
            sum + kept(a.significand * b.significand, a.exponent + b.exponent)
        });
    soft::Value::Finite {
        negative: sum < 0,
        exponent: unit,
        significand: u128::from(sum.unsigned_abs()),
    }
}

/// Cut to `.f32`; out of range infinite.
fn cut(value: soft::Value) -> u32 {
    if let soft::Value::Finite {
        negative,
        exponent,
        significand,
    } = value
        && significand != 0
        && exponent + 127 - significand.leading_zeros() as i32 >= 128
    {
        return f32::INFINITY.to_bits() | u32::from(negative) << 31;
    }
    soft::pack(soft::F32, value, Rounding::Zero) as u32
}

fn to_half(value: soft::Value) -> u16 {
    soft::pack(soft::F16, value, Rounding::NearestEven) as u16
}

/// One element of D, `.f16` in the lower half, of a row of A and a column of B. Of 8-bit floats the half of K that the
/// device takes first comes first in both.
fn result(mma: &Mma, a: &[Number], b: &[Number], c: Number) -> u32 {
    let is_half = mma.d == Accumulator::F16;
    let canonical = |value: f32| super::super::float32::canonical(value.to_bits());
    if mma.is_volta() {
        let start = if is_half { c.value } else { 0.0 };
        let sum = a
            .iter()
            .zip(b)
            .fold(start, |sum, (a, b)| a.value.mul_add(b.value, sum));
        return if is_half {
            u32::from(half::from_f32_nearest(sum.to_bits()))
        } else {
            canonical(sum + c.value)
        };
    }
    if !in_parts(mma) {
        let sum = fused(a, b, c);
        return if is_half {
            u32::from(to_half(sum))
        } else {
            cut(sum)
        };
    }
    let middle = a.len() / 2;
    let ((a, a2), (b, b2)) = (a.split_at(middle), b.split_at(middle));
    if is_half {
        let first = to_half(fused(a, b, Number::default()));
        let sum = to_half(fused(a2, b2, from_half(first)));
        let c = half::from_f32_nearest(c.value.to_bits());
        u32::from(half_math::add(HalfKind::F16, sum, c, HalfMode::default()))
    } else {
        let first = cut(fused(a, b, Number::default()));
        let sum = cut(fused(a2, b2, from_single(first)));
        canonical(f32::from_bits(sum) + c.value)
    }
}

/// Whether the device makes two products of it.
fn in_parts(mma: &Mma) -> bool {
    matches!(mma.a, Element::E4m3 | Element::E5m2)
}

/// All float types but `.f64`.
pub(super) fn execute(mma: &Mma, a: &[Lanes], b: &[Lanes], c: &[Lanes], d: &mut [Lanes]) {
    let (m, n, k) = (mma.shape.m, mma.shape.n, mma.shape.k);
    let (bits, per) = (mma.a.bits(), fragment::per_register(mma));
    let volta = mma.is_volta();
    let products = if volta { 4 } else { 1 };
    let product = |lane| {
        if volta {
            fragment::volta_product(lane)
        } else {
            0
        }
    };
    // Rows of A and columns of B, of all products.
    let mut left = vec![Number::default(); products * m * k];
    let mut right = vec![Number::default(); products * n * k];
    let mut start = vec![Number::default(); products * m * n];
    let field = |registers: &[Lanes], lane: usize, value: usize| {
        let word = registers[value / per][lane] >> ((value % per) as u32 * bits);
        if bits == 32 {
            word
        } else {
            word & ((1 << bits) - 1)
        }
    };
    let order = |i: usize| {
        if in_parts(mma) {
            i % 4 / 2 * (k / 2) + i / 4 * 2 + i % 2
        } else {
            i
        }
    };
    for lane in 0..32 {
        for value in 0..a.len() * per {
            let (row, i) = if volta {
                fragment::volta_a(mma.a_order, lane, value)
            } else {
                fragment::a(mma, lane, value)
            };
            left[(product(lane) * m + row) * k + order(i)] = element(mma.a, field(a, lane, value));
        }
        for value in 0..b.len() * per {
            let (i, column) = if volta {
                fragment::volta_b(mma.b_order, lane, value)
            } else {
                fragment::b(mma, lane, value)
            };
            right[(product(lane) * n + column) * k + order(i)] =
                element(mma.b, field(b, lane, value));
        }
    }
    let place = |kind: Accumulator, lane: usize, value: usize| {
        let (row, column) = if volta {
            fragment::volta_c(kind, lane, value)
        } else {
            fragment::c(lane, value)
        };
        (product(lane) * m + row) * n + column
    };
    let count = |kind: Accumulator, registers: usize| match kind {
        Accumulator::F16 => 2 * registers,
        _ => registers,
    };
    for lane in 0..32 {
        for value in 0..count(mma.c, c.len()) {
            start[place(mma.c, lane, value)] = match mma.c {
                Accumulator::F16 => from_half((c[value / 2][lane] >> (value % 2 * 16)) as u16),
                _ => from_single(c[value][lane]),
            };
        }
    }
    let results: Vec<u32> = start
        .iter()
        .enumerate()
        .map(|(i, &c)| {
            let (row, column) = (i / n, i / (m * n) * n + i % n);
            result(mma, &left[row * k..][..k], &right[column * k..][..k], c)
        })
        .collect();
    for (register, d) in d.iter_mut().enumerate() {
        *d = from_fn(|lane| match mma.d {
            Accumulator::F16 => {
                let at = |value| results[place(mma.d, lane, value)];
                at(2 * register) | at(2 * register + 1) << 16
            }
            _ => results[place(mma.d, lane, register)],
        });
    }
}

//! The floating-point products: `.f16`, `.bf16`, `.tf32`, `.e4m3`, `.e5m2`, and `.f64`.
//!
//! ```text
//!   a[row][k], b[k][column] as f64    acc[column] = c;  acc[column] += a[row][k] * b[k][column]    round acc once
//! ```
//!
//! Law: the law of [`super`] holds. The sum begins with C and adds the products in the order of k.
//! Either the exact products are summed in `f64` with one rounding at the end, or each step is one
//! fused multiply-add of `.f32`.

use super::super::matrix::Lanes;
use super::super::{bf16, float32, float64, fp8::Fp8, half, tf32};
use super::{Accumulator, Element, Mma, WideLanes, volta};
use std::array::from_fn;

/// Returns the elements of one register as numbers, the lowest first, and their count.
///
/// The match on the type of element is outside of the loop over lanes, so that each loop is plain
/// vector code.
#[inline(always)]
pub(super) fn decode(element: Element, lanes: &Lanes) -> ([[f32; 32]; 4], usize) {
    let halves = |convert: fn(u16) -> u32, lanes: &Lanes| {
        let low = from_fn(|l| f32::from_bits(convert(lanes[l] as u16)));
        let high = from_fn(|l| f32::from_bits(convert((lanes[l] >> 16) as u16)));
        [low, high, [0.0; 32], [0.0; 32]]
    };
    let bytes = |kind: Fp8, lanes: &Lanes| {
        from_fn(|e| from_fn(|l| f32::from_bits(kind.to_f32((lanes[l] >> (8 * e)) as u8))))
    };
    match element {
        Element::F16 => (halves(half::to_f32, lanes), 2),
        Element::Bf16 => (halves(bf16::to_f32, lanes), 2),
        Element::E4m3 => (bytes(Fp8::E4m3, lanes), 4),
        Element::E5m2 => (bytes(Fp8::E5m2, lanes), 4),
        _ => {
            let whole = from_fn(|l| f32::from_bits(tf32::operand(lanes[l])));
            ([whole, [0.0; 32], [0.0; 32], [0.0; 32]], 1)
        }
    }
}

/// Returns C as numbers.
#[inline(always)]
pub(super) fn starts(mma: &Mma, c: &[&Lanes]) -> [[f32; 8]; 16] {
    let mut start = [[0.0f32; 8]; 16];
    for value in 0..4 {
        for lane in 0..32 {
            let bits = match mma.c {
                Accumulator::F16 => half::to_f32((c[value / 2][lane] >> (16 * (value % 2))) as u16),
                _ => c[value][lane],
            };
            start[lane / 4 + 8 * (value / 2)][lane % 4 * 2 + value % 2] = f32::from_bits(bits);
        }
    }
    start
}

/// Computes the product of any float type except `.f64`; with `CHAIN` in steps of `.f32`.
#[inline(always)]
pub(super) fn execute<const CHAIN: bool>(
    mma: &Mma,
    a: &[&Lanes],
    b: &[&Lanes],
    c: &[&Lanes],
    d: &mut [Lanes],
) {
    if mma.is_volta() {
        return volta::execute(mma, a, b, c, d, element::<CHAIN>);
    }
    match mma.shape.k {
        4 => execute_k::<4, CHAIN>(mma, a, b, c, d),
        8 => execute_k::<8, CHAIN>(mma, a, b, c, d),
        16 => execute_k::<16, CHAIN>(mma, a, b, c, d),
        _ => execute_k::<32, CHAIN>(mma, a, b, c, d),
    }
}

/// Computes one element of `m8n8k4`.
fn element<const CHAIN: bool>(d: Accumulator, a: [f32; 4], b: [f32; 4], c: f32) -> u32 {
    let sum = if CHAIN {
        f64::from((0..4).fold(c, |sum, k| a[k].mul_add(b[k], sum)))
    } else {
        (0..4).fold(f64::from(c), |sum, k| {
            sum + f64::from(a[k]) * f64::from(b[k])
        })
    };
    rounded(d, sum)
}

/// Rounds a sum to D's type; `.f16` is in the lower half.
#[inline(always)]
fn rounded(d: Accumulator, sum: f64) -> u32 {
    match d {
        Accumulator::F16 => u32::from(half::from_f64_nearest(sum)),
        _ => float32::canonical((sum as f32).to_bits()),
    }
}

fn execute_k<const K: usize, const CHAIN: bool>(
    mma: &Mma,
    a: &[&Lanes],
    b: &[&Lanes],
    c: &[&Lanes],
    d: &mut [Lanes],
) {
    let mut left = [[0.0f32; K]; 16];
    for (register, lanes) in a.iter().enumerate() {
        let (values, count) = decode(mma.a, lanes);
        let (row, k) = (8 * (register % 2), register / 2 * 4 * count);
        for (e, values) in values[..count].iter().enumerate() {
            for (lane, &value) in values.iter().enumerate() {
                left[row + lane / 4][k + lane % 4 * count + e] = value;
            }
        }
    }
    let mut right = [[0.0f32; 8]; K];
    for (register, lanes) in b.iter().enumerate() {
        let (values, count) = decode(mma.b, lanes);
        let k = register * 4 * count;
        for (e, values) in values[..count].iter().enumerate() {
            for (lane, &value) in values.iter().enumerate() {
                right[k + lane % 4 * count + e][lane / 4] = value;
            }
        }
    }
    let start = starts(mma, c);
    let mut sums = [[0.0f64; 8]; 16];
    if CHAIN {
        for ((sums, left), start) in sums.iter_mut().zip(&left).zip(start) {
            let mut chain = start;
            for (&left, right) in left.iter().zip(&right) {
                for (sum, &right) in chain.iter_mut().zip(right) {
                    *sum = left.mul_add(right, *sum);
                }
            }
            *sums = chain.map(f64::from);
        }
    } else {
        for ((sums, left), start) in sums.iter_mut().zip(&left).zip(start) {
            *sums = start.map(f64::from);
            for (&left, right) in left.iter().zip(&right) {
                for (sum, &right) in sums.iter_mut().zip(right) {
                    *sum += f64::from(left) * f64::from(right);
                }
            }
        }
    }
    let sum = |lane: usize, value: usize| {
        rounded(
            mma.d,
            sums[lane / 4 + 8 * (value / 2)][lane % 4 * 2 + value % 2],
        )
    };
    for (register, d) in d.iter_mut().enumerate() {
        *d = from_fn(|lane| match mma.d {
            Accumulator::F16 => sum(lane, 2 * register) | sum(lane, 2 * register + 1) << 16,
            _ => sum(lane, register),
        });
    }
}

/// Computes the product of `.f64` with one fused multiply-add per step, in the order of k. If
/// several operands are NaN, the result is B's NaN first, then the sum's, then A's, made quiet, as
/// on an H200.
pub(super) fn execute_f64(
    mma: &Mma,
    a: &[WideLanes],
    b: &[WideLanes],
    c: &[WideLanes],
    d: &mut [WideLanes],
) {
    let halves = mma.shape.m / 8;
    for (value, d) in d.iter_mut().enumerate() {
        for lane in 0..32 {
            let (group, column) = (lane / 4, lane % 4 * 2 + value % 2);
            // Row `group + 8 * half` of A lies in the registers of that half of lanes 4 * group + k
            // % 4, column `column` of B in lanes 4 * column + k % 4.
            let half = value / 2;
            d[lane] = (0..mma.shape.k).fold(c[value][lane], |sum, k| {
                let left = a[k / 4 * halves + half][4 * group + k % 4];
                let right = b[k / 4][4 * column + k % 4];
                let result = float64::fma(left, right, sum, mma.rounding);
                if float64::is_nan(result) {
                    float64::propagate([right, sum, left])
                } else {
                    result
                }
            });
        }
    }
}

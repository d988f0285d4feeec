//! The floating-point products: `.f16`, `.bf16`, `.tf32`, `.e4m3`, `.e5m2`, and `.f64`.
//!
//! ```text
//!   a[row][k], b[k][column] as f64    acc[column] = c;  acc[column] += a[row][k] * b[k][column]    round acc once
//! ```
//!
//! Law: see [`super`]: exact products, summed in `f64` from C on in the order of k, one rounding.

use super::super::matrix::Lanes;
use super::super::{bf16, float64, fp8::Fp8, half, tf32};
use super::{Accumulator, Element, Mma, WideLanes};
use std::array::from_fn;

/// The elements of one register as numbers, the lowest first.
///
/// The type of element is a match outside of the loop over lanes, so that each loop is plain vector code.
#[inline(always)]
fn decode(element: Element, lanes: &Lanes) -> ([[f32; 32]; 4], usize) {
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

/// All float types but `.f64`, 16x8 results only (every float `mma` but those of `.f64` and `m8n8k4` has them).
#[inline(always)]
pub(super) fn execute(mma: &Mma, a: &[Lanes], b: &[Lanes], c: &[Lanes], d: &mut [Lanes]) {
    match mma.shape.k {
        4 => execute_k::<4>(mma, a, b, c, d),
        8 => execute_k::<8>(mma, a, b, c, d),
        16 => execute_k::<16>(mma, a, b, c, d),
        _ => execute_k::<32>(mma, a, b, c, d),
    }
}

fn execute_k<const K: usize>(mma: &Mma, a: &[Lanes], b: &[Lanes], c: &[Lanes], d: &mut [Lanes]) {
    let mut left = [[0.0f64; K]; 16];
    for (register, lanes) in a.iter().enumerate() {
        let (values, count) = decode(mma.a, lanes);
        let (row, k) = (8 * (register % 2), register / 2 * 4 * count);
        for (e, values) in values[..count].iter().enumerate() {
            for (lane, &value) in values.iter().enumerate() {
                left[row + lane / 4][k + lane % 4 * count + e] = value as f64;
            }
        }
    }
    let mut right = [[0.0f64; 8]; K];
    for (register, lanes) in b.iter().enumerate() {
        let (values, count) = decode(mma.b, lanes);
        let k = register * 4 * count;
        for (e, values) in values[..count].iter().enumerate() {
            for (lane, &value) in values.iter().enumerate() {
                right[k + lane % 4 * count + e][lane / 4] = value as f64;
            }
        }
    }
    let mut sums = [[0.0f64; 8]; 16];
    for value in 0..4 {
        for lane in 0..32 {
            let bits = match mma.c {
                Accumulator::F16 => half::to_f32((c[value / 2][lane] >> (16 * (value % 2))) as u16),
                _ => c[value][lane],
            };
            sums[lane / 4 + 8 * (value / 2)][lane % 4 * 2 + value % 2] =
                f32::from_bits(bits) as f64;
        }
    }
    for (sums, left) in sums.iter_mut().zip(&left) {
        for (&left, right) in left.iter().zip(&right) {
            for (sum, &right) in sums.iter_mut().zip(right) {
                *sum += left * right;
            }
        }
    }
    let sum =
        |lane: usize, value: usize| sums[lane / 4 + 8 * (value / 2)][lane % 4 * 2 + value % 2];
    match mma.d {
        Accumulator::F16 => {
            for (register, d) in d.iter_mut().enumerate() {
                *d = from_fn(|lane| {
                    let bits =
                        |value| half::from_f64_nearest(sum(lane, 2 * register + value)) as u32;
                    bits(0) | bits(1) << 16
                });
            }
        }
        _ => {
            for (value, d) in d.iter_mut().enumerate() {
                *d = from_fn(|lane| {
                    super::super::float32::canonical((sum(lane, value) as f32).to_bits())
                });
            }
        }
    }
}

/// `.f64`: one fused multiply-add a step, in the order of k.
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
            // Row `group + 8 * half` of A lies in the registers of that half of lanes 4 * group + k % 4, column
            // `column` of B in lanes 4 * column + k % 4.
            let half = value / 2;
            d[lane] = (0..mma.shape.k).fold(c[value][lane], |sum, k| {
                let left = a[k / 4 * halves + half][4 * group + k % 4];
                let right = b[k / 4][4 * column + k % 4];
                float64::fma(left, right, sum, mma.rounding)
            });
        }
    }
}

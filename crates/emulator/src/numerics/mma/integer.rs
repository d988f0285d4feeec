//! The integer products: `.s8`, `.u8`, `.s4`, `.u4`; and for `.b1` exclusive or, or and, followed
//! by a count of ones.
//!
//! ```text
//!   register of A and register of B that meet: the same chunk of k, lanes 4 * row + t and 4 * column + t
//! ```
//!
//! Law: the result is the exact sum of the products (or counts) and C, wrapped to 32 bits or, with
//! `.satfinite`, clamped. The sum of products never exceeds 32 bits (at most 64 products of 15 *
//! 15, 32 of 255 * 255, or 256 ones).

use super::super::matrix::Lanes;
use super::{Combine, Element, Mma};
use std::array::from_fn;

/// Returns the elements of one register, lowest first. Their number depends on their bits; the rest
/// of the array is zero.
#[inline(always)]
fn decode(element: Element, word: u32) -> [i32; 8] {
    match element {
        Element::S8 => from_fn(|e| {
            if e < 4 {
                (word >> (8 * e)) as i8 as i32
            } else {
                0
            }
        }),
        Element::U8 => from_fn(|e| {
            if e < 4 {
                (word >> (8 * e)) as u8 as i32
            } else {
                0
            }
        }),
        Element::S4 => from_fn(|e| ((word << (28 - 4 * e)) as i32) >> 28),
        _ => from_fn(|e| (word >> (4 * e) & 15) as i32),
    }
}

/// Computes the product for any integer type.
pub(super) fn execute(mma: &Mma, a: &[&Lanes], b: &[&Lanes], c: &[&Lanes], d: &mut [Lanes]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: `is_x86_feature_detected!` has just reported AVX2, the only feature that
        // `integer_vector::execute` enables.
        return unsafe { super::integer_vector::execute(mma, [a, b, c], d) };
    }
    execute_any(mma, a, b, c, d);
}

/// Computes the product without hand-written vector code.
pub(super) fn execute_any(mma: &Mma, a: &[&Lanes], b: &[&Lanes], c: &[&Lanes], d: &mut [Lanes]) {
    match mma.combine {
        Combine::Multiply => {
            // A has at most 4 registers, B at most 2.
            let mut left = [[[0i32; 8]; 32]; 4];
            let mut right = [[[0i32; 8]; 32]; 2];
            for (values, lanes) in left.iter_mut().zip(a) {
                *values = from_fn(|lane| decode(mma.a, lanes[lane]));
            }
            for (values, lanes) in right.iter_mut().zip(b) {
                *values = from_fn(|lane| decode(mma.b, lanes[lane]));
            }
            accumulate(mma, c, d, |ra, la, rb, lb| {
                let (x, y) = (&left[ra][la], &right[rb][lb]);
                (0..8).map(|e| x[e] * y[e]).sum()
            });
        }
        Combine::XorPopc => {
            accumulate(mma, c, d, |ra, la, rb, lb| {
                (a[ra][la] ^ b[rb][lb]).count_ones() as i32
            });
        }
        Combine::AndPopc => {
            accumulate(mma, c, d, |ra, la, rb, lb| {
                (a[ra][la] & b[rb][lb]).count_ones() as i32
            });
        }
    }
}

/// Adds `dot(register of A, lane, register of B, lane)`, over all of k, to C.
#[inline(always)]
fn accumulate(
    mma: &Mma,
    c: &[&Lanes],
    d: &mut [Lanes],
    dot: impl Fn(usize, usize, usize, usize) -> i32,
) {
    let halves = mma.shape.m / 8;
    let chunks = mma.registers().b;
    for (value, d) in d.iter_mut().enumerate() {
        for lane in 0..32 {
            let (group, column, half) = (lane / 4, lane % 4 * 2 + value % 2, value / 2);
            let mut sum = 0;
            for chunk in 0..chunks {
                for t in 0..4 {
                    sum += dot(chunk * halves + half, 4 * group + t, chunk, 4 * column + t);
                }
            }
            let c = c[value][lane] as i32;
            d[lane] = if mma.satfinite {
                c.saturating_add(sum)
            } else {
                c.wrapping_add(sum)
            } as u32;
        }
    }
}

//! `mma.m8n8k4` with `.f16`: four 8x8x4 products in one warp, each on eight lanes, in any order of
//! A and B.
//!
//! ```text
//!   product 0: lanes 0-3, 16-19     product 1: lanes 4-7, 20-23     product 2: 8-11, 24-27     product 3: 12-15, 28-31
//! ```
//!
//! Law: the law of [`super`] holds for each of the four products.

use super::super::half;
use super::super::matrix::Lanes;
use super::{Accumulator, Mma, fragment};

/// Computes D. `element` makes one element of D, with `.f16` in the lower half, from a row of A, a
/// column of B and an element of C.
pub(super) fn execute(
    mma: &Mma,
    a: &[&Lanes],
    b: &[&Lanes],
    c: &[&Lanes],
    d: &mut [Lanes],
    element: impl Fn(Accumulator, [f32; 4], [f32; 4], f32) -> u32,
) {
    let number = |registers: &[&Lanes], lane: usize, value: usize| {
        let bits = registers[value / 2][lane] >> (16 * (value % 2));
        f32::from_bits(half::to_f32(bits as u16))
    };
    let mut left = [[[0.0f32; 4]; 8]; 4];
    let mut right = [[[0.0f32; 4]; 8]; 4];
    let mut start = [[[0.0f32; 8]; 8]; 4];
    for lane in 0..32 {
        let product = fragment::volta_product(lane);
        for value in 0..4 {
            let (row, k) = fragment::volta_a(mma.a_order, lane, value);
            left[product][row][k] = number(a, lane, value);
            let (k, column) = fragment::volta_b(mma.b_order, lane, value);
            right[product][column][k] = number(b, lane, value);
        }
        for value in 0..8 {
            let (row, column) = fragment::volta_c(mma.c, lane, value);
            start[product][row][column] = match mma.c {
                Accumulator::F16 => number(c, lane, value),
                _ => f32::from_bits(c[value][lane]),
            };
        }
    }
    for lane in 0..32 {
        let product = fragment::volta_product(lane);
        let result = |value| {
            let (row, column) = fragment::volta_c(mma.d, lane, value);
            let c = start[product][row][column];
            element(mma.d, left[product][row], right[product][column], c)
        };
        for (register, d) in d.iter_mut().enumerate() {
            d[lane] = match mma.d {
                Accumulator::F16 => result(2 * register) | result(2 * register + 1) << 16,
                _ => result(register),
            };
        }
    }
}

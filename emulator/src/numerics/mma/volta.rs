//! `mma.m8n8k4` with `.f16`: four 8x8x4 products in one warp, each on eight lanes, in any order of A and B.
//!
//! ```text
//!   product 0: lanes 0-3, 16-19     product 1: lanes 4-7, 20-23     product 2: 8-11, 24-27     product 3: 12-15, 28-31
//! ```
//!
//! Law: as [`super`], for each product on its own.

use super::super::matrix::Lanes;
use super::super::{float32, half};
use super::{Accumulator, Mma, fragment};

pub(super) fn execute(mma: &Mma, a: &[Lanes], b: &[Lanes], c: &[Lanes], d: &mut [Lanes]) {
    let element = |registers: &[Lanes], lane: usize, value: usize| {
        let bits = registers[value / 2][lane] >> (16 * (value % 2));
        f32::from_bits(half::to_f32(bits as u16)) as f64
    };
    let mut left = [[[0.0f64; 4]; 8]; 4];
    let mut right = [[[0.0f64; 8]; 4]; 4];
    let mut sums = [[[0.0f64; 8]; 8]; 4];
    for lane in 0..32 {
        let product = fragment::volta_product(lane);
        for value in 0..4 {
            let (row, k) = fragment::volta_a(mma.a_order, lane, value);
            left[product][row][k] = element(a, lane, value);
            let (k, column) = fragment::volta_b(mma.b_order, lane, value);
            right[product][k][column] = element(b, lane, value);
        }
        for value in 0..8 {
            let (row, column) = fragment::volta_c(mma.c, lane, value);
            sums[product][row][column] = match mma.c {
                Accumulator::F16 => element(c, lane, value),
                _ => f32::from_bits(c[value][lane]) as f64,
            };
        }
    }
    for ((sums, left), right) in sums.iter_mut().zip(&left).zip(&right) {
        for (sums, left) in sums.iter_mut().zip(left) {
            for (&left, right) in left.iter().zip(right) {
                for (sum, &right) in sums.iter_mut().zip(right) {
                    *sum += left * right;
                }
            }
        }
    }
    for lane in 0..32 {
        let sum = |value| {
            let (row, column) = fragment::volta_c(mma.d, lane, value);
            sums[fragment::volta_product(lane)][row][column]
        };
        for (register, d) in d.iter_mut().enumerate() {
            d[lane] = match mma.d {
                Accumulator::F16 => {
                    let bits = |value| half::from_f64_nearest(sum(value)) as u32;
                    bits(2 * register) | bits(2 * register + 1) << 16
                }
                _ => float32::canonical((sum(register) as f32).to_bits()),
            };
        }
    }
}

//! Compares a matrix product on a warp's registers with a triple loop.
//!
//! ```text
//!   integers A, B, C --places--> registers --mma--> registers == --places-- C + A B
//! ```
//!
//! The numbers are small enough that every product and sum is exact, so that any order of summation
//! gives the same result.

use super::random::Random;
use emulator::numerics::mma::{Accumulator, Combine, Element, Mma};

impl Random {
    pub fn within(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() >> 32) as i64 % (high - low + 1)
    }
}

/// Returns the bits of the integer `n` as an element. For 8-bit floats, a search over all codes
/// finds the bits.
fn encode(element: Element, n: i64) -> u64 {
    let float8 = |exponent_bits: u32, fraction_bits: u32| {
        (0..256u64)
            .find(|&code| {
                let bias = (1 << (exponent_bits - 1)) - 1;
                let exponent = (code >> fraction_bits & ((1 << exponent_bits) - 1)) as i32;
                let fraction =
                    (code & ((1 << fraction_bits) - 1)) as f64 / (1 << fraction_bits) as f64;
                let magnitude = if exponent == 0 {
                    fraction * 2f64.powi(1 - bias)
                } else {
                    (1.0 + fraction) * 2f64.powi(exponent - bias)
                };
                let value = if code & 128 == 0 {
                    magnitude
                } else {
                    -magnitude
                };
                value == n as f64
            })
            .unwrap()
    };
    match element {
        Element::F16 => half::f16::from_f32(n as f32).to_bits() as u64,
        Element::Bf16 => half::bf16::from_f32(n as f32).to_bits() as u64,
        // The low 13 bits are not read, which the set bits check.
        Element::Tf32 => ((n as f32).to_bits() | 0x1abc) as u64,
        Element::F64 => (n as f64).to_bits(),
        Element::E4m3 => float8(4, 3),
        Element::E5m2 => float8(5, 2),
        Element::S8 | Element::U8 => n as u8 as u64,
        Element::S4 | Element::U4 => (n & 15) as u64,
        Element::B1 => (n & 1) as u64,
    }
}

/// Returns the range of integers that an element can hold and whose products and sums stay exact in
/// every accumulator.
fn range(element: Element) -> (i64, i64) {
    match element {
        Element::S8 => (-128, 127),
        Element::U8 => (0, 255),
        Element::S4 => (-8, 7),
        Element::U4 => (0, 15),
        Element::B1 => (0, 1),
        _ => (-4, 4),
    }
}

fn encode_sum(kind: Accumulator, n: i64) -> u64 {
    match kind {
        Accumulator::F16 => half::f16::from_f32(n as f32).to_bits() as u64,
        Accumulator::F32 => (n as f32).to_bits() as u64,
        Accumulator::F64 => (n as f64).to_bits(),
        Accumulator::S32 => n as i32 as u32 as u64,
    }
}

/// Packs a lane's values of `value_bits` bits into registers of `bits` bits, the lowest first.
fn registers(
    count: usize,
    bits: u32,
    value_bits: u32,
    value: impl Fn(usize, usize) -> u64,
) -> Vec<[u64; 32]> {
    let per = (bits / value_bits) as usize;
    (0..count)
        .map(|register| {
            std::array::from_fn(|lane| {
                (0..per).fold(0, |word, e| {
                    word | value(lane, register * per + e) << (e as u32 * value_bits)
                })
            })
        })
        .collect()
}

/// The place of a lane's value: (product, row, column).
pub type Place<'a> = &'a dyn Fn(usize, usize) -> (usize, usize, usize);

/// A function that computes D's registers from A's, B's and C's. A register is a row of 32 lanes.
pub type Execute<'a> = &'a dyn Fn(&Mma, &[[u64; 32]], &[[u64; 32]], &[[u64; 32]]) -> Vec<[u64; 32]>;

/// Draws random integer matrices, scatters them by `places`, and compares D with a triple loop in
/// integers.
pub fn check(mma: &Mma, places: [Place; 4], random: &mut Random, execute: Execute) {
    let (m, n, k) = (mma.shape.m, mma.shape.n, mma.shape.k);
    let ((low_a, high_a), (low_b, high_b)) = (range(mma.a), range(mma.b));
    let products = if mma.is_volta() { 4 } else { 1 };
    let mut draw = |size: usize, low, high| {
        (0..size)
            .map(|_| random.within(low, high))
            .collect::<Vec<i64>>()
    };
    let left = draw(products * m * k, low_a, high_a);
    let right = draw(products * k * n, low_b, high_b);
    // C is near the ends of 32 bits, so that wrapping and clamping occur.
    let (low_c, high_c) = match (mma.c, draw(1, 0, 3)[0]) {
        (Accumulator::S32, 0) => (i32::MAX as i64 - 1000, i32::MAX as i64),
        (Accumulator::S32, 1) => (i32::MIN as i64, i32::MIN as i64 + 1000),
        _ => (-64, 64),
    };
    let start = draw(products * m * n, low_c, high_c);

    let need = mma.registers();
    let a = registers(need.a, need.bits, mma.a.bits(), |lane, value| {
        let (product, row, column) = places[0](lane, value);
        encode(mma.a, left[(product * m + row) * k + column])
    });
    let b = registers(need.b, need.bits, mma.b.bits(), |lane, value| {
        let (product, row, column) = places[1](lane, value);
        encode(mma.b, right[(product * k + row) * n + column])
    });
    let c = registers(need.c, need.bits, mma.c.bits(), |lane, value| {
        let (product, row, column) = places[2](lane, value);
        encode_sum(mma.c, start[(product * m + row) * n + column])
    });
    let expected = registers(need.d, need.bits, mma.d.bits(), |lane, value| {
        let (product, row, column) = places[3](lane, value);
        let mut sum = start[(product * m + row) * n + column];
        for i in 0..k {
            let (x, y) = (
                left[(product * m + row) * k + i],
                right[(product * k + i) * n + column],
            );
            sum += match mma.combine {
                Combine::Multiply => x * y,
                Combine::XorPopc => x ^ y,
                Combine::AndPopc => x & y,
            };
        }
        if mma.satfinite {
            sum = sum.clamp(i32::MIN as i64, i32::MAX as i64);
        }
        encode_sum(mma.d, sum)
    });
    assert_eq!(execute(mma, &a, &b, &c), expected, "{mma}");
}

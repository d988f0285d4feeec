//! Compares each arithmetic of tensor cores with its definition, element by element.
//!
//! ```text
//!   terms (sign, significand, place) ─► cut at 2^(largest - kept) ─► i128 sum ─► rounded by comparing with every neighbour
//!   a, b, c in f32 ─► f32::mul_add, k times
//! ```

mod random;

use emulator::numerics::mma::{Accumulator, Arithmetic, Element, Mma, fragment};
use emulator::numerics::{bf16, fp8::Fp8, half};
use random::Random;

/// Returns the value of a float's bits.
fn value(element: Element, bits: u32) -> f32 {
    f32::from_bits(match element {
        Element::F16 => half::to_f32(bits as u16),
        Element::Bf16 => bf16::to_f32(bits as u16),
        Element::Tf32 => bits & !0x1fff,
        Element::E4m3 => Fp8::E4m3.to_f32(bits as u8),
        _ => Fp8::E5m2.to_f32(bits as u8),
    })
}

/// Returns `2^exponent`, even if it is not a normal `f64`.
fn power(exponent: i32) -> f64 {
    2.0f64.powi(exponent / 2) * 2.0f64.powi(exponent - exponent / 2)
}

/// Returns the exponent of a number in a format whose smallest normal number is `2^lowest`, or
/// `None` for zero.
fn place(value: f32, lowest: i32) -> Option<i32> {
    // Every `f32` except zero is a normal `f64`.
    let field = f64::from(value.abs()).to_bits() >> 52;
    (value != 0.0).then(|| (field as i32 - 1023).max(lowest))
}

/// Returns the largest number of the format that is not above `size`, and the next number, which
/// may be infinite.
fn neighbours(half: bool, size: f64) -> (f64, f64) {
    let number = |bits: u32| {
        let value = if half {
            half::to_f32(bits as u16)
        } else {
            bits
        };
        f64::from(f32::from_bits(value))
    };
    let (mut low, mut high) = (0, if half { 0x7c00 } else { 0x7f80_0000 });
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if number(middle) <= size {
            low = middle;
        } else {
            high = middle;
        }
    }
    (number(low), number(high))
}

/// Computes a core's result for one group by the definition, in `i128` and `f64`, which hold every
/// sum exactly.
fn group(arithmetic: Arithmetic, half: bool, lowest: i32, a: &[f32], b: &[f32], c: f32) -> f32 {
    let plain = a.iter().zip(b).fold(f64::from(c), |sum, (&a, &b)| {
        sum + f64::from(a) * f64::from(b)
    });
    if plain.is_nan() {
        return f32::from_bits(0x7fff_ffff);
    }
    if plain.is_infinite() {
        return plain as f32;
    }
    let smallest = if half { -14 } else { -126 };
    let (kept, floor) = match arithmetic {
        Arithmetic::Sm80 => (24, smallest - 6),
        _ => (25, smallest - 7),
    };
    let places: Vec<Option<i32>> = a
        .iter()
        .zip(b)
        .map(|(&a, &b)| Some(place(a, lowest)? + place(b, lowest)?))
        .chain([place(c, if half { -14 } else { -126 })])
        .collect();
    let largest = places.into_iter().flatten().fold(floor, i32::max);
    // The terms are products and C in units of the last kept bit; `as` cuts towards zero.
    let unit = power(kept - largest);
    let terms = a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b));
    let sum: i128 = terms
        .chain([f64::from(c)])
        .map(|term| (term * unit) as i128)
        .sum();
    let size = sum.unsigned_abs() as f64 * power(largest - kept);
    let (low, high) = neighbours(half, size);
    let rounded = if !half {
        // Above the largest number the result is infinite.
        if size >= power(128) {
            f64::INFINITY
        } else {
            low
        }
    } else {
        // For rounding, the number after the largest one is 65536.
        let middle = (low + if high.is_infinite() { 65536.0 } else { high }) / 2.0;
        let even = low / (high - low).min(32.0) % 2.0 == 0.0 && high.is_finite();
        if size < middle || size == middle && even {
            low
        } else {
            high
        }
    };
    if rounded == 0.0 {
        0.0
    } else if sum < 0 {
        -rounded as f32
    } else {
        rounded as f32
    }
}

/// Computes D's element by definition, and returns its bits.
fn defined(arithmetic: Arithmetic, mma: &Mma, a: &[u32], b: &[u32], c: u32) -> u32 {
    let half = mma.d == Accumulator::F16;
    let numbers = |element, bits: &[u32]| -> Vec<f32> {
        bits.iter().map(|&bits| value(element, bits)).collect()
    };
    let (a, b) = (numbers(mma.a, a), numbers(mma.b, b));
    let c = match mma.c {
        Accumulator::F16 => f32::from_bits(half::to_f32(c as u16)),
        _ => f32::from_bits(c),
    };
    let result = if arithmetic == Arithmetic::F32Chain {
        a.iter().zip(&b).fold(c, |sum, (&a, &b)| a.mul_add(b, sum))
    } else {
        let length = match (arithmetic, mma.a) {
            (Arithmetic::Sm80, Element::Tf32) => 4,
            (Arithmetic::Sm80, _) => 8,
            (_, Element::Tf32) => 8,
            _ => 16,
        };
        let lowest = if matches!(mma.a, Element::F16) {
            -14
        } else {
            -126
        };
        a.chunks(length)
            .zip(b.chunks(length))
            .fold(c, |sum, (a, b)| group(arithmetic, half, lowest, a, b, sum))
    };
    if half {
        half::from_f32_nearest(result.to_bits()).into()
    } else if result.is_nan() {
        0x7fff_ffff
    } else {
        result.to_bits()
    }
}

/// Draws bits of any kind of number: all of the format, or around one exponent, or special.
fn draw(random: &mut Random, bits: u32, kind: u64, center: u64) -> u32 {
    let word = random.next();
    let (exponent, fraction) = match bits {
        8 => (4, 3),
        16 if kind & 8 != 0 => (8, 7),
        16 => (5, 10),
        _ => (8, 23),
    };
    let any = (word >> 20) & ((1 << bits) - 1);
    let near = (center + word % 4) % ((1 << exponent) - 1);
    let placed = any & !(((1 << exponent) - 1) << fraction) | near << fraction;
    (match (kind & 7, word >> 8 & 15) {
        (0, _) => any,
        (1, 0) => any | ((1 << exponent) - 1) << fraction,
        (2, 0..=11) => any & 1 << (bits - 1),
        _ => placed,
    }) as u32
}

#[test]
fn elements_are_as_defined() {
    let mut random = Random(11);
    let names = [
        "m16n8k8.row.col.f16.f16.f16.f16",
        "m16n8k16.row.col.f16.f16.f16.f16",
        "m16n8k16.row.col.f32.f16.f16.f32",
        "m16n8k8.row.col.f32.bf16.bf16.f32",
        "m16n8k16.row.col.f32.bf16.bf16.f32",
        "m16n8k4.row.col.f32.tf32.tf32.f32",
        "m16n8k8.row.col.f32.tf32.tf32.f32",
        "m16n8k32.row.col.f32.e4m3.e5m2.f32",
    ];
    let mut seen = [0; 3];
    for name in names {
        let mma = Mma::parse(&format!("mma.sync.aligned.{name}")).unwrap();
        let need = mma.registers();
        let (per, bits) = (fragment::per_register(&mma), mma.a.bits());
        for tile in 0..12 {
            let wide: u64 = if mma.a == Element::Bf16 { 8 } else { 0 };
            let centers = [random.next() % 31, random.next() % 31, random.next() % 31];
            // With 8 bits of exponent, some operands have products at the ends of the range.
            let center = |i: usize| match (u64::from(bits) + wide, tile % 3) {
                (16, _) | (8, _) => centers[i],
                (_, 0) => 112 + centers[i] % 16,
                (_, 1) => [1 + centers[0] % 3, 90 + centers[1], centers[2] % 8][i],
                _ => [250, 125 + centers[1] % 8, 248][i],
            };
            let mut registers = |n: usize, bits: u32, i: usize, wide: u64| -> Vec<[u32; 32]> {
                let mut word = || {
                    (0..32 / bits).fold(0, |word, e| {
                        word | draw(&mut random, bits, (tile % 4) | wide, center(i)) << (e * bits)
                    })
                };
                (0..n).map(|_| std::array::from_fn(|_| word())).collect()
            };
            let a = registers(need.a, bits, 0, wide);
            let b = registers(need.b, bits, 1, wide);
            let c = registers(need.c, mma.c.bits(), 2, 0);
            let element = |registers: &[[u32; 32]], lane: usize, value: usize, bits: u32| {
                let per = 32 / bits as usize;
                let mask = u32::MAX >> (32 - bits);
                registers[value / per][lane] >> (value % per * bits as usize) & mask
            };
            let mut left = vec![vec![0; mma.shape.k]; 16];
            let mut right = vec![vec![0; mma.shape.k]; 8];
            for lane in 0..32 {
                for value in 0..need.a * per {
                    let (row, k) = fragment::a(&mma, lane, value);
                    left[row][k] = element(&a, lane, value, bits);
                }
                for value in 0..need.b * per {
                    let (k, column) = fragment::b(&mma, lane, value);
                    right[column][k] = element(&b, lane, value, bits);
                }
            }
            for arithmetic in [Arithmetic::F32Chain, Arithmetic::Sm80, Arithmetic::Sm90] {
                if bits == 8 && arithmetic != Arithmetic::F32Chain {
                    // These are sequences of instructions, which are compared with the device's
                    // record.
                    continue;
                }
                let mut d = vec![[0; 32]; need.d];
                mma.execute_in(arithmetic, &a, &b, &c, &mut d).unwrap();
                for lane in 0..32 {
                    for value in 0..4 {
                        let (row, column) = fragment::c(lane, value);
                        let c = element(&c, lane, value, mma.c.bits());
                        let (a, b) = (&left[row], &right[column]);
                        let defined = defined(arithmetic, &mma, a, b, c);
                        let found = element(&d, lane, value, mma.d.bits());
                        assert_eq!(
                            found, defined,
                            "{mma} as {arithmetic}: {a:x?} {b:x?} {c:x}, {found:x}, not {defined:x}"
                        );
                        let number = match mma.d {
                            Accumulator::F16 => half::to_f32(found as u16),
                            _ => found,
                        };
                        seen[match f32::from_bits(number) {
                            0.0 => 0,
                            number if number.is_finite() => 1,
                            _ => 2,
                        }] += 1;
                    }
                }
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 250), "{seen:?}");
}

#[test]
fn names_are_read_back() {
    for arithmetic in Arithmetic::ALL {
        assert_eq!(arithmetic.to_string().parse(), Ok(arithmetic));
    }
    assert!("sm70".parse::<Arithmetic>().is_err());
}

/// Checks that terms of `.f16` are cut at `2^-46` at the latest on sm_90, and at `2^-44` on sm_80.
#[test]
fn the_smallest_terms_of_halves_are_cut() {
    let mma = Mma::parse("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16").unwrap();
    for (arithmetic, last) in [(Arithmetic::Sm80, -44), (Arithmetic::Sm90, -46)] {
        for (small, up) in [(last, 1), (last - 1, 0)] {
            // The terms are 2^-25, the middle of 0 and the smallest number, and a little more.
            let (mut a, mut b, mut d) = ([[0; 32]; 2], [[0; 32]; 1], [[0; 32]; 2]);
            // 2^-14 * 2^-11, and 2^(small + 24) * 2^-24 with subnormal numbers.
            a[0][0] = 1 << 10 | 1 << (small + 48) << 16;
            b[0][0] = 4 << 10 | 1 << 16;
            mma.execute_in(arithmetic, &a, &b, &[[0; 32]; 2], &mut d)
                .unwrap();
            assert_eq!(d[0][0] & 0xffff, up, "{arithmetic}: 2^-25 + 2^{small}");
        }
    }
}

/// Checks that terms are cut at `2^-158` at the latest on sm_90, and at `2^-156` on sm_80, wherever
/// the largest exponent is.
#[test]
fn the_smallest_terms_are_cut() {
    let mma = Mma::parse("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32").unwrap();
    let power = |exponent: i32| ((exponent + 127) as u32) << 7;
    for (arithmetic, last) in [(Arithmetic::Sm80, -156), (Arithmetic::Sm90, -158)] {
        for (small, left) in [(last, 0), (last - 1, 1)] {
            // 2^-149, the smallest number of `.f32`, less a little: row 0, column 0, k of 0 and 1.
            let (mut a, mut b, mut d) = ([[0; 32]; 2], [[0; 32]; 1], [[0; 32]; 4]);
            a[0][0] = power(-100) | power(-100) << 16;
            b[0][0] = power(-49) | (power(small + 100) | 0x8000) << 16;
            mma.execute_in(arithmetic, &a, &b, &[[0; 32]; 4], &mut d)
                .unwrap();
            assert_eq!(d[0][0], left, "{arithmetic}: 2^-149 - 2^{small}");
        }
    }
}

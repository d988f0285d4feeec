//! The floating-point products as tensor cores compute them.
//!
//! ```text
//!   exact products and C ──► cut to 25 bits below the largest exponent ──► exact sum ──► .f32 towards zero
//!     1.01 * 2^3      1.01000000...                                                      .f16 to nearest
//!     1.11 * 2^-20    0.00000000...0000111|01   the digits after the bar are dropped
//! ```
//!
//! Law: the products of a group and C go into one sum ([`fused`]); the rounded result is the next
//! group's C. On sm_90 a group is 32 bytes of a row of A, which is the whole K of an instruction
//! there, and terms keep 25 bits. On sm_80 a group is 16 bytes, and terms keep 24 bits.
//!
//! For a product that is not an instruction of the device, the result is that of the code that
//! `ptxas` makes for sm_90:
//! - 8-bit floats become `.f16`, and two such products follow each other: first those of
//!   `k mod 4 < 2`, from 0 on, then the others; C is added last, by a separate addition;
//! - `m8n8k4` is arithmetic in `.f32`: for `.f32` a chain of fused multiply-adds from 0 on with C
//!   added last, for `.f16` `(C + (a0 b0 + a1 b1)) + (a2 b2 + a3 b3)` with one rounding at the end.
//!
//! Sm90 is equal to an H200 to the bit: see the table of measurements in the emulator's
//! documentation, and `tests/data/h200_mma.txt` and `tests/data/h200_mma_elements.txt`. Sm80 is
//! based on literature only and was not compared with a device.
//!
//! Source of the method: "MMA-Sim", arXiv 2511.10909, and its simulator (widths, groups, and the
//! place of zeros); Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores",
//! PeerJ CS 7:e330. Source of the sequences: SASS of `ptxas` 13.0.

use super::super::float32::canonical;
use super::super::half;
use super::super::half_math::{self, HalfKind, HalfMode};
use super::super::matrix::Lanes;
use super::float::{decode, starts};
use super::fused::{Core, Formats, Group, Terms};
use super::{Accumulator, Element, Mma, fragment};
use std::array::from_fn;

/// The core of compute capability 9.0.
pub(super) const SM90: Core = Core {
    kept: 25,
    below: 7,
    bytes: 32,
};
/// The core of compute capability 8.0.
pub(super) const SM80: Core = Core {
    kept: 24,
    below: 6,
    bytes: 16,
};

/// Computes the product of any float type except `.f64`.
pub(super) fn execute(
    core: Core,
    mma: &Mma,
    a: &[&Lanes],
    b: &[&Lanes],
    c: &[&Lanes],
    d: &mut [Lanes],
) {
    if mma.is_volta() {
        return super::volta::execute(mma, a, b, c, d, volta);
    }
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("f16c") {
        // SAFETY: `is_x86_feature_detected!` has just reported AVX2 and F16C, the only features
        // that `vector::execute` enables.
        if unsafe { super::vector::execute(core, mma, [a, b, c], d) } {
            return;
        }
    }
    execute_any(core, mma, a, b, c, d);
}

/// Computes the product of any float type except `.f64`, without vector code, for numbers of any
/// size. It does not handle `m8n8k4`.
pub(super) fn execute_any(
    core: Core,
    mma: &Mma,
    a: &[&Lanes],
    b: &[&Lanes],
    c: &[&Lanes],
    d: &mut [Lanes],
) {
    match mma.shape.k {
        4 => execute_k::<4>(core, mma, a, b, c, d),
        8 => execute_k::<8>(core, mma, a, b, c, d),
        16 => execute_k::<16>(core, mma, a, b, c, d),
        _ => execute_k::<32>(core, mma, a, b, c, d),
    }
}

/// Computes one element of `m8n8k4`.
fn volta(d: Accumulator, a: [f32; 4], b: [f32; 4], c: f32) -> u32 {
    if d == Accumulator::F16 {
        // Products of `.f16` are exact in `.f32`.
        let pair = |i: usize| a[i + 1].mul_add(b[i + 1], a[i] * b[i]);
        u32::from(half::from_f32_nearest((c + pair(0) + pair(2)).to_bits()))
    } else {
        let sum = (0..4).fold(0.0, |sum, i| a[i].mul_add(b[i], sum));
        canonical((sum + c).to_bits())
    }
}

/// Whether the device executes products of this type as products of `.f16`.
#[inline(always)]
pub(super) fn is_byte(element: Element) -> bool {
    matches!(element, Element::E4m3 | Element::E5m2)
}

/// Returns the number of products that go into one sum.
#[inline(always)]
pub(super) fn group_length(core: Core, mma: &Mma) -> usize {
    let (whole, bytes) = if is_byte(mma.a) {
        (mma.shape.k / 2, 2)
    } else {
        (mma.shape.k, mma.a.bits() as usize / 8)
    };
    whole.min(core.bytes / bytes)
}

/// Returns the exponent of the smallest normal number of the type that the device multiplies.
fn lowest(element: Element) -> i32 {
    match element {
        Element::Bf16 | Element::Tf32 => -126,
        _ => -14,
    }
}

fn execute_k<const K: usize>(
    core: Core,
    mma: &Mma,
    a: &[&Lanes],
    b: &[&Lanes],
    c: &[&Lanes],
    d: &mut [Lanes],
) {
    // The products that the device takes first come first.
    let order = |k: usize| {
        if is_byte(mma.a) {
            k % 4 / 2 * (K / 2) + k / 4 * 2 + k % 2
        } else {
            k
        }
    };
    let mut left = Terms::<16, K>::new();
    for (register, lanes) in a.iter().enumerate() {
        let (values, count) = decode(mma.a, lanes);
        let (row, k) = (8 * (register % 2), register / 2 * 4 * count);
        for (e, values) in values[..count].iter().enumerate() {
            left.put(values, lowest(mma.a), |lane| {
                (row + lane / 4, order(k + lane % 4 * count + e))
            });
        }
    }
    let mut right = Terms::<K, 8>::new();
    for (register, lanes) in b.iter().enumerate() {
        let (values, count) = decode(mma.b, lanes);
        let k = register * 4 * count;
        for (e, values) in values[..count].iter().enumerate() {
            right.put(values, lowest(mma.b), |lane| {
                (order(k + lane % 4 * count + e), lane / 4)
            });
        }
    }
    let half = mma.d == Accumulator::F16;
    let group = Group {
        core,
        formats: Formats::of(mma.d),
        a: &left,
        b: &right,
    };
    let start = starts(mma, c);
    let length = group_length(core, mma);
    let mut sums = if is_byte(mma.a) {
        [[0.0; 8]; 16]
    } else {
        start
    };
    for first in (0..K).step_by(length) {
        sums = group.sum(first..first + length, &sums);
    }
    if is_byte(mma.a) {
        for (sum, c) in sums.iter_mut().flatten().zip(start.iter().flatten()) {
            *sum = plus(half, *sum, *c);
        }
    }
    let sum = |lane: usize, value: usize| {
        let (row, column) = fragment::c(lane, value);
        sums[row][column].to_bits()
    };
    for (register, d) in d.iter_mut().enumerate() {
        *d = from_fn(|lane| {
            if half {
                let bits = |value| u32::from(half::from_f32_nearest(sum(lane, value)));
                bits(2 * register) | bits(2 * register + 1) << 16
            } else {
                sum(lane, register)
            }
        });
    }
}

/// Adds two numbers in a separate addition.
fn plus(half: bool, a: f32, b: f32) -> f32 {
    if half {
        let [a, b] = [a, b].map(|value| half::from_f32_nearest(value.to_bits()));
        let sum = half_math::add(HalfKind::F16, a, b, HalfMode::default());
        f32::from_bits(half::to_f32(sum))
    } else {
        f32::from_bits(canonical((a + b).to_bits()))
    }
}

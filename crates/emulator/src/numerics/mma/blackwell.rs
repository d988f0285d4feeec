//! The products of `tcgen05.mma`: a model, which no card has confirmed here.
//!
//! ```text
//!   .f16 .bf16 .tf32   what `mma.sync` gives on sm_90, with 32 bytes of k
//!   .e4m3 .e5m2        32 products and C, cut to 25 bits ──► sum ──► .f32 cut, .f16 to nearest
//! ```
//!
//! Law: sums of 8-bit floats are exact on terms cut towards zero, as those of 16 bits are. The
//! order of k within one instruction does not matter. Source: "MMA-Sim", arXiv 2511.10909, whose
//! authors had a B200.

use super::super::half;
use super::super::matrix::Lanes;
use super::float::{decode, starts};
use super::tensor_core::is_byte;
use super::{Accumulator, Arithmetic, Mma, fragment};
use std::array::from_fn;

/// Bits that a term keeps below the largest place.
const KEPT: i32 = 25;
/// The place of a zero of `.f32`.
const FLOOR: i32 = -126 - 7;
/// What there is of NaN.
const NAN: u32 = 0x7fff_ffff;

impl Mma {
    /// As [`Mma::execute_rows`] of a `tcgen05.mma` of these types: the 16 rows and 8 columns of a
    /// part of it.
    pub(crate) fn execute_blackwell(
        &self,
        arithmetic: Arithmetic,
        operands: [&[&Lanes]; 3],
        d: &mut [Lanes],
    ) {
        let native = matches!(arithmetic, Arithmetic::Sm80 | Arithmetic::Sm90);
        if native && is_byte(self.a) {
            bytes(self, operands, d);
        } else {
            // The registers are as many as the instruction has: all that can be refused.
            let done = self.execute_rows(arithmetic, operands, d);
            debug_assert!(done.is_ok(), "{done:?}");
        }
    }
}

/// A float's significand as a whole number, and the place of its unit.
fn split(value: f32, lowest: i32) -> Option<(i64, i32)> {
    if value == 0.0 || !value.is_finite() {
        return None;
    }
    let bits = value.to_bits();
    let field = (bits >> 23 & 0xff) as i32;
    let fraction = i64::from(bits & 0x7f_ffff);
    let (mut significand, mut place) = match field {
        0 => (fraction, -126),
        _ => (fraction | 0x80_0000, field - 127),
    };
    // A subnormal number of its own format has the smallest normal number's place.
    if place < lowest {
        significand >>= lowest - place;
        place = lowest;
    }
    Some((
        if bits >> 31 == 1 {
            -significand
        } else {
            significand
        },
        place,
    ))
}

/// `significand * 2^(place - digits)` in units of `2^(largest - KEPT)`, cut towards zero.
fn aligned(significand: i64, digits: i32, place: i32, largest: i32) -> i64 {
    let shift = KEPT + place - largest - digits;
    match shift {
        0.. => significand << shift.min(38),
        -62..0 => significand / (1 << -shift),
        _ => 0,
    }
}

/// One sum of 32 products and C.
fn sum(a: &[f32; 32], b: &[f32; 32], c: f32, lowest: [i32; 2], half: bool) -> u32 {
    let special = |x: f32| !x.is_finite();
    if special(c) || a.iter().chain(b).any(|&x| special(x)) {
        let all = a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b));
        let sum = all.sum::<f64>() + f64::from(c);
        return if sum.is_nan() {
            NAN
        } else {
            (sum as f32).to_bits()
        };
    }
    let terms: Vec<(i64, i32)> = a
        .iter()
        .zip(b)
        .filter_map(|(&a, &b)| {
            let ((a, p), (b, q)) = (split(a, lowest[0])?, split(b, lowest[1])?);
            Some((a * b, p + q))
        })
        .collect();
    let of_c = split(c, -126);
    let places = terms.iter().map(|term| term.1);
    let largest = places.chain(of_c.map(|c| c.1)).fold(FLOOR, i32::max);
    let mut total: i64 = terms
        .iter()
        .map(|&(product, place)| aligned(product, 46, place, largest))
        .sum();
    if let Some((significand, place)) = of_c {
        total += aligned(significand, 23, place, largest);
    }
    let value = total as f64 * f64::powi(2.0, largest - KEPT);
    if half {
        u32::from(half::from_f64_nearest(value))
    } else {
        cut(value)
    }
}

/// The `.f32` nearest to a number towards zero; a zero has no sign.
fn cut(value: f64) -> u32 {
    let near = value as f32;
    let over = f64::from(near).abs() > value.abs();
    let bits = near.to_bits() - u32::from(over);
    if bits << 1 == 0 { 0 } else { bits }
}

fn bytes(mma: &Mma, [a, b, c]: [&[&Lanes]; 3], d: &mut [Lanes]) {
    let mut left = [[0.0f32; 32]; 16];
    for (register, lanes) in a.iter().enumerate() {
        let (values, count) = decode(mma.a, lanes);
        let (row, k) = (8 * (register % 2), register / 2 * 4 * count);
        for (e, values) in values[..count].iter().enumerate() {
            for (lane, &value) in values.iter().enumerate() {
                left[row + lane / 4][k + lane % 4 * count + e] = value;
            }
        }
    }
    let mut right = [[0.0f32; 32]; 8];
    for (register, lanes) in b.iter().enumerate() {
        let (values, count) = decode(mma.b, lanes);
        for (e, values) in values[..count].iter().enumerate() {
            for (lane, &value) in values.iter().enumerate() {
                right[lane / 4][register * 4 * count + lane % 4 * count + e] = value;
            }
        }
    }
    let starts = starts(mma, c);
    let lowest = [mma.a, mma.b].map(super::warpgroup::lowest);
    let half = mma.d == Accumulator::F16;
    let element = |lane: usize, value: usize| {
        let (row, column) = fragment::c(lane, value);
        sum(
            &left[row],
            &right[column],
            starts[row][column],
            lowest,
            half,
        )
    };
    for (register, d) in d.iter_mut().enumerate() {
        *d = from_fn(|lane| match half {
            true => element(lane, 2 * register) | element(lane, 2 * register + 1) << 16,
            false => element(lane, register),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_bytes_keep_25_bits() {
        let mma = Mma::parse("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32").unwrap();
        // Ones: 32 products of 1, and C.
        let (one, zero) = ([0x3838_3838; 32], [0; 32]);
        let sum = |c: f32, b: &Lanes| {
            let c = [c.to_bits(); 32];
            let mut d = [[7; 32]; 4];
            mma.execute_blackwell(Arithmetic::Sm90, [&[&one; 4], &[b; 2], &[&c; 4]], &mut d);
            f32::from_bits(d[3][31])
        };
        assert_eq!(sum(0.0, &one), 32.0);
        assert_eq!(sum(1.0, &zero), 1.0);
        assert_eq!(sum(-1.5, &zero), -1.5);
        // Hopper keeps 13 bits here.
        assert_eq!(sum(2f32.powi(-14), &one), 32.0 + 2f32.powi(-14));
        assert_eq!(sum(2f32.powi(-26), &one), 32.0);
    }

    #[test]
    fn a_sum_is_cut_towards_zero() {
        assert_eq!(f32::from_bits(cut(1.0 + 2f64.powi(-24))), 1.0);
        assert_eq!(f32::from_bits(cut(-1.0 - 1.9 * 2f64.powi(-24))), -1.0);
        assert_eq!(cut(-0.0), 0);
    }
}

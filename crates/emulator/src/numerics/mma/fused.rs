//! A tensor core's sum of products and C, for all elements of a 16x8 result.
//!
//! ```text
//!   place of a product = place of a + place of b          largest = the largest place of the group, C's too, at least a zero's
//!
//!     1.01 * 2^3      1.01000000...
//!     1.11 * 2^-20    0.00000000...0000111|01   the digits after the bar, KEPT bits below the largest place, are dropped
//! ```
//!
//! Law: [`Group::sum`] is exact on the terms cut towards zero. The place of a number is its
//! exponent in its format; the place of a product is the sum of its factors' places. Neither is
//! brought to the form 1.x first (so subnormal numbers have the smallest normal number's place).
//! The place of a zero is `below` less than the smallest normal exponent of C's format, so that
//! nothing is kept below 2^-158 for `.f32` on sm_90, and below 2^-46 for `.f16`. A sum that is
//! zero, or is rounded to zero, is plus zero. For infinities and NaN the result is that of an IEEE
//! sum, with a single NaN, `0x7fffffff` or `0x7fff`.
//!
//! The computation is in `.f32` without rounding: significands of up to 11 bits are multiplied (22
//! bits), scaled by a power of two and cut to integers of at most 27 bits; the sum of 16 has 32
//! bits.

use super::super::half;
use super::Accumulator;
use std::ops::Range;

/// The only NaN that results have.
const NAN: u32 = 0x7fff_ffff;
/// The smallest normal `.f32`, `2^-126`.
const SMALLEST: f64 = f64::from_bits((1023 - 126) << 52);
/// A number that is less than any place, as is its double.
const NOTHING: i16 = -8192;
/// The number of terms, of at most 27 bits each, whose sum fits in 32 bits.
const SUMMED: usize = 16;

/// Floats as the core takes them: `significand * 2^place`. The significand is zero if the float is
/// infinite or NaN.
pub(super) struct Terms<const R: usize, const C: usize> {
    /// The numbers.
    pub value: [[f32; C]; R],
    /// The significands: less than 2, and at least 1 except for subnormal numbers.
    significand: [[f32; C]; R],
    place: [[i16; C]; R],
}

/// Returns significand and place of numbers of a format whose smallest normal number is `2^lowest`.
#[inline(always)]
pub(super) fn split<const N: usize>(values: &[f32; N], lowest: i32) -> ([f32; N], [i16; N]) {
    let up = f32::from_bits(((127 - lowest) as u32) << 23);
    let (mut significands, mut places) = ([0.0; N], [0; N]);
    for i in 0..N {
        let bits = values[i].to_bits();
        let field = (bits >> 23 & 0xff) as i32;
        let small = field - 127 < lowest;
        let (normal, scaled) = (bits & 0x807f_ffff | 0x3f80_0000, (values[i] * up).to_bits());
        let none = field == 255 || bits << 1 == 0;
        let significand = if small { scaled } else { normal };
        let place = if small { lowest } else { field - 127 };
        significands[i] = f32::from_bits(if none { 0 } else { significand });
        places[i] = if none { NOTHING } else { place as i16 };
    }
    (significands, places)
}

impl<const R: usize, const C: usize> Terms<R, C> {
    /// Creates zeros.
    pub fn new() -> Self {
        Self {
            value: [[0.0; C]; R],
            significand: [[0.0; C]; R],
            place: [[NOTHING; C]; R],
        }
    }

    /// Stores one value of every lane at the row and column that `at` returns.
    #[inline(always)]
    pub fn put(&mut self, values: &[f32; 32], lowest: i32, at: impl Fn(usize) -> (usize, usize)) {
        let (significands, places) = split(values, lowest);
        for lane in 0..32 {
            let (row, column) = at(lane);
            self.value[row][column] = values[lane];
            self.significand[row][column] = significands[lane];
            self.place[row][column] = places[lane];
        }
    }

    /// Stores values like [`Terms::put`], for numbers that have a power of two as factor.
    pub fn put_scaled(
        &mut self,
        values: &[f32; 32],
        lowest: i32,
        factor: i32,
        at: impl Fn(usize) -> (usize, usize),
    ) {
        self.put(values, lowest, &at);
        for k in 0..32 {
            let (row, column) = at(k);
            // Even with twice 127 added, `NOTHING` is less than any place.
            self.place[row][column] += factor as i16;
        }
    }

    fn has_specials(&self) -> bool {
        let mut specials = false;
        for row in &self.value {
            for value in row {
                specials |= !value.is_finite();
            }
        }
        specials
    }
}

/// The way in which a core aligns terms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Core {
    /// The number of bits that a term keeps below the largest place.
    pub kept: i32,
    /// The distance of a zero's place below the smallest normal exponent of the format of C and D.
    pub below: i16,
    /// The number of bytes of a row of A that go into one sum.
    pub bytes: usize,
}

/// The formats of C and D.
#[derive(Clone, Copy, Debug)]
pub(super) struct Formats {
    /// The exponent of the smallest normal number of C's and D's format.
    pub lowest: i32,
    /// Whether D is `.f16`; otherwise it is `.f32`.
    pub half: bool,
}

impl Formats {
    /// Returns the formats for D's type.
    pub fn of(d: Accumulator) -> Self {
        let half = d == Accumulator::F16;
        Formats {
            lowest: if half { -14 } else { -126 },
            half,
        }
    }
}

/// One sum for each element of D.
pub(super) struct Group<'a, const K: usize> {
    pub core: Core,
    pub formats: Formats,
    pub a: &'a Terms<16, K>,
    pub b: &'a Terms<K, 8>,
}

impl<const K: usize> Group<'_, K> {
    /// Returns D, as numbers, for `range` of k and C.
    pub fn sum(&self, range: Range<usize>, c: &[[f32; 8]; 16]) -> [[f32; 8]; 16] {
        let specials = self.b.has_specials() || self.a.has_specials();
        let mut d = [[0.0; 8]; 16];
        for (row, (d, c)) in d.iter_mut().zip(c).enumerate() {
            let (sums, largest) = self.row(row, range.clone(), c);
            *d = self.round(sums, largest);
            if specials || c.iter().any(|c| !c.is_finite()) {
                for j in 0..8 {
                    if let Some(special) = self.special(row, j, range.clone(), c[j]) {
                        d[j] = special;
                    }
                }
            }
        }
        d
    }

    /// Returns the sums of the cut terms of a row, in units of the last kept bit, and the largest
    /// places.
    #[inline(always)]
    fn row(&self, row: usize, range: Range<usize>, c: &[f32; 8]) -> ([f64; 8], [i16; 8]) {
        let (a, b) = (self.a, self.b);
        let (significands, places) = split(c, self.formats.lowest);
        let floor = self.formats.lowest as i16 - self.core.below;
        let mut largest = places;
        for k in range.clone() {
            for (largest, place) in largest.iter_mut().zip(&b.place[k]) {
                *largest = (*largest).max(a.place[row][k] + place);
            }
        }
        let largest = largest.map(|place| place.max(floor));
        // Converts a place to the exponent field of its scale, at most 25 + 127. A term whose scale
        // is below the fields' range is cut to 0.
        let to_field = largest.map(|place| self.core.kept as i16 + 127 - place);
        let scale = |place: i16| f32::from_bits(u32::from(place.max(0) as u16) << 23);
        let mut all = [0.0; 8];
        for j in 0..8 {
            let term = significands[j] * scale(places[j] + to_field[j]);
            // SAFETY: `split` returns a significand of less than 2 in size, never a NaN, and
            // `largest` is at least C's place, so the scale is at most 2^25.
            let c = unsafe { term.to_int_unchecked::<i32>() };
            all[j] = f64::from(c);
        }
        for first in range.clone().step_by(SUMMED) {
            let mut sums = [0i32; 8];
            for k in first..range.end.min(first + SUMMED) {
                let mut scales = [0.0f32; 8];
                for j in 0..8 {
                    scales[j] = scale(a.place[row][k] + b.place[k][j] + to_field[j]);
                }
                for j in 0..8 {
                    let term = a.significand[row][k] * b.significand[k][j] * scales[j];
                    // SAFETY: `split` made both significands less than 2 in size, never a NaN, and
                    // `largest` is at least the product's place, so the scale is at most 2^25 and
                    // the term is a number of less than 2^27; `SUMMED` of them have a sum of less
                    // than 2^31.
                    sums[j] += unsafe { term.to_int_unchecked::<i32>() };
                }
            }
            for j in 0..8 {
                all[j] += f64::from(sums[j]);
            }
        }
        (all, largest)
    }

    /// Rounds the sums of a row to D's format; a zero has no sign.
    #[inline(always)]
    fn round(&self, sums: [f64; 8], largest: [i16; 8]) -> [f32; 8] {
        let mut values = [0.0; 8];
        for j in 0..8 {
            let unit = i64::from(largest[j]) - i64::from(self.core.kept);
            values[j] = sums[j] * f64::from_bits(((unit + 1023) as u64) << 52);
        }
        if self.formats.half {
            values.map(|value| f32::from_bits(half::to_f32(half::from_f64_nearest(value))) + 0.0)
        } else if values
            .iter()
            .all(|value| value.abs() >= SMALLEST || *value == 0.0)
        {
            // Drops the digits that an `.f32` does not have; a number out of range becomes
            // infinite.
            values.map(|value| f64::from_bits(value.to_bits() & !0x1fff_ffff) as f32)
        } else {
            values.map(cut)
        }
    }

    /// Returns the result for infinities and NaN, or `None` if all terms are numbers.
    #[cold]
    fn special(&self, row: usize, column: usize, range: Range<usize>, c: f32) -> Option<f32> {
        // In `f64` a sum of finite numbers is finite.
        let sum = range.fold(f64::from(c), |sum, k| {
            sum + f64::from(self.a.value[row][k]) * f64::from(self.b.value[k][column])
        });
        if sum.is_nan() {
            Some(f32::from_bits(NAN))
        } else if sum.is_infinite() {
            Some(sum as f32)
        } else {
            None
        }
    }
}

/// Cuts a number to `.f32`; out of range it becomes infinite.
pub(super) fn cut(value: f64) -> f32 {
    if value.abs() >= SMALLEST {
        return f64::from_bits(value.to_bits() & !0x1fff_ffff) as f32;
    }
    // In units of 2^-149, the last place of subnormal numbers.
    let last = f64::from_bits((1023 + 149) << 52);
    let size = (value.abs() * last) as u32;
    let sign = u32::from(value < 0.0 && size != 0) << 31;
    f32::from_bits(sign | size)
}

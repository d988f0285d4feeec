//! A tile's operands in the registers of a warp.
//!
//! ```text
//!   A (row, k)  ─ fragment ─► register, lane, place in it      and B, C in the same way
//! ```
//!
//! Law: [`Maker::fill`] writes every word of the operands; the words depend only on the seed and
//! the tile number.

use super::Class;
use super::class::{Band, Profile, ends};
use crate::format::Format;
use emulator::numerics::mma::{Accumulator, Element, Mma, fragment};
use host::reference::Random;

/// The place of an element: its bits in the operand's registers, lane by lane within a register.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The element's index in its matrix.
    index: usize,
    /// The word, `register * 32 + lane`.
    word: usize,
    shift: u32,
}

/// Makes the operands of an instruction's tiles.
#[derive(Clone, Debug)]
pub struct Maker {
    mma: Mma,
    seed: u64,
    formats: [Format; 3],
    places: [Vec<Place>; 3],
    k: usize,
}

fn element_format(element: Element) -> Format {
    let name = format!("{element:?}").to_lowercase();
    Format::named(&name).expect("every element type has a format")
}

fn accumulator_format(accumulator: Accumulator) -> Format {
    let name = format!("{accumulator:?}").to_lowercase();
    Format::named(&name).expect("every accumulator type has a format")
}

impl Maker {
    /// Returns a maker of tiles for `mma`.
    #[must_use]
    pub fn new(mma: Mma, seed: u64) -> Self {
        let (m, n, k) = (mma.shape.m, mma.shape.n, mma.shape.k);
        let need = mma.registers();
        let volta = mma.is_volta();
        let places = |count: usize, bits: u32, at: &dyn Fn(usize, usize) -> usize| {
            let per = (need.bits / bits) as usize;
            let mut places = Vec::new();
            for lane in 0..32 {
                for value in 0..count * per {
                    places.push(Place {
                        index: at(lane, value),
                        word: value / per * 32 + lane,
                        shift: (value % per) as u32 * bits,
                    });
                }
            }
            places
        };
        let product = |lane| {
            if volta {
                fragment::volta_product(lane)
            } else {
                0
            }
        };
        let a = |lane, value| {
            let (row, i) = if volta {
                fragment::volta_a(mma.a_order, lane, value)
            } else {
                fragment::a(&mma, lane, value)
            };
            (product(lane) * m + row) * k + i
        };
        let b = |lane, value| {
            let (i, column) = if volta {
                fragment::volta_b(mma.b_order, lane, value)
            } else {
                fragment::b(&mma, lane, value)
            };
            (product(lane) * n + column) * k + i
        };
        let c = |lane, value| {
            let (row, column) = if volta {
                fragment::volta_c(mma.c, lane, value)
            } else {
                fragment::c(lane, value)
            };
            (product(lane) * m + row) * n + column
        };
        Self {
            mma,
            seed,
            formats: [
                element_format(mma.a),
                element_format(mma.b),
                accumulator_format(mma.c),
            ],
            places: [
                places(need.a, mma.a.bits(), &a),
                places(need.b, mma.b.bits(), &b),
                places(need.c, mma.c.bits(), &c),
            ],
            k,
        }
    }

    /// Returns the instruction.
    #[must_use]
    pub fn mma(&self) -> &Mma {
        &self.mma
    }

    /// Returns the numbers of words of A, B, C and D: 32 for each register.
    #[must_use]
    pub fn words(&self) -> [usize; 4] {
        let need = self.mma.registers();
        [need.a, need.b, need.c, need.d].map(|registers| registers * 32)
    }

    /// Returns the elements of tile number `tile`: A by rows, B by columns, C by rows. For
    /// `m8n8k4`, each has its four matrices in turn.
    #[must_use]
    pub fn elements(&self, tile: u64) -> [Vec<u64>; 3] {
        let mut random = Random::new(
            self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ tile.wrapping_mul(0x1_0000_0001),
        );
        let [a, b, c] = self.formats;
        let profile = if a.is_float() {
            Profile::draw(tile, [a, b], c, &mut random)
        } else {
            // For integers only the class of the profile is used.
            Profile::draw(
                tile,
                [Format::named("f16").expect("a format"); 2],
                Format::named("f32").expect("a format"),
                &mut random,
            )
        };
        let mut matrix = |operand: usize, band: Band, zeros: u64| -> Vec<u64> {
            let count = self.places[operand].len();
            let format = self.formats[operand];
            (0..count)
                .map(|_| profile.element(format, band, zeros, &mut random))
                .collect()
        };
        let mut left = matrix(0, profile.a, profile.zeros);
        let mut right = matrix(1, profile.b, profile.zeros);
        let mut start = matrix(2, profile.c, profile.zeros_c);
        if profile.cancel && a.is_float() {
            let (sign, half) = (1 << (a.width() - 1), self.k / 2);
            for row in left.chunks_mut(self.k) {
                for i in 0..half {
                    // One in sixteen keeps its own value, so that the sum is not always 0.
                    if random.below(16) != 0 {
                        row[i + half] = row[i] ^ sign;
                    }
                }
            }
            for column in right.chunks_mut(self.k) {
                for i in 0..half {
                    column[i + half] = column[i];
                }
            }
        }
        if profile.class == Class::Hair && a.is_float() {
            hair(
                self.formats,
                self.k,
                [&mut left, &mut right, &mut start],
                &mut random,
            );
        }
        [left, right, start]
    }

    /// Writes the registers of tile number `tile`: [`Maker::words`] words for each of A, B and C.
    pub fn fill(&self, tile: u64, a: &mut [u64], b: &mut [u64], c: &mut [u64]) {
        let elements = self.elements(tile);
        for ((places, values), out) in self.places.iter().zip(&elements).zip([a, b, c]) {
            out.fill(0);
            for place in places {
                out[place.word] |= values[place.index] << place.shift;
            }
        }
    }
}

/// Returns the bits of the power of two nearest to `2^exponent` that the format can represent, with
/// `digits` as the mantissa's digits below the leading one. Subnormal powers have no digits.
fn power(format: Format, exponent: i64, digits: u64, negative: bool) -> u64 {
    let Format::Float {
        mantissa, unread, ..
    } = format
    else {
        return 0;
    };
    let (bias, top) = ends(format);
    let field = (exponent + bias).clamp(1 - i64::from(mantissa), top - 1);
    let size = if field >= 1 {
        (field as u64) << mantissa | digits & ((1 << mantissa) - 1)
    } else {
        1 << (i64::from(mantissa) - 1 + field)
    };
    (size | u64::from(negative) << (format.width() - unread - 1)) << unread
}

/// Fills A's rows with terms whose sum lies close to a number or to the middle of two: a number,
/// half the last place of an 11-digit number, a small power of two, and two terms that cancel.
fn hair(formats: [Format; 3], k: usize, matrices: [&mut Vec<u64>; 3], random: &mut Random) {
    let [a, b, c] = formats;
    let [left, right, start] = matrices;
    if formats
        .iter()
        .all(|format| (format.width(), format.exponent()) == (16, 5))
        && random.below(2) == 0
    {
        return below(k, [left, right, start], random);
    }
    let (bias_a, _) = ends(a);
    let (bias_c, _) = ends(c);
    let mut pick = |first: i64, last: i64| first + random.below((last - first + 1) as u64) as i64;
    // Each column is a power of two times one of the rows' numbers.
    let wide = if bias_a > 15 { 60 } else { 6 };
    let ups: Vec<i64> = (0..k).map(|_| pick(-wide, wide / 2)).collect();
    for column in right.chunks_mut(k) {
        let up = pick(-5, 5);
        for (element, at) in column.iter_mut().zip(&ups) {
            *element = power(b, at + up, 0, false);
        }
    }
    for row in left.chunks_mut(k) {
        row.fill(0);
        let number = match pick(0, 3) {
            0 => pick(-bias_c - 12, -bias_c + 12),
            1 => pick(bias_c - 4, bias_c),
            _ => pick(-12, 12),
        };
        let digits = pick(0, 1 << 20) as u64;
        let apart = pick(8, 50);
        let above = number + pick(-2, 12);
        let negative = pick(0, 1) == 1;
        let half = pick(0, 3) != 0;
        let cancel = pick(0, 1) == 1;
        let mut terms = vec![
            (number, digits, negative),
            (number - apart, 0, pick(0, 1) == 1),
        ];
        if half {
            // A normal number has 11 digits; a number below the smallest normal one has fewer.
            terms.push(((number - 11).max(-bias_c - 10), 0, negative));
        }
        if cancel {
            terms.extend([(above, 0, false), (above, 0, true)]);
        }
        let first = pick(0, k as i64 - 1) as usize;
        for (i, (exponent, digits, negative)) in terms.into_iter().enumerate().take(k) {
            let at = (first + i * 3) % k;
            // A row of four columns cannot hold all terms.
            row[at] = power(a, exponent - ups[at], digits, negative);
        }
    }
    for element in start.iter_mut() {
        *element = match pick(0, 7) {
            0 => power(c, pick(-bias_c - 20, bias_c), 0, pick(0, 1) == 1),
            1 => power(c, pick(-30, 12), pick(0, 1 << 40) as u64, pick(0, 1) == 1),
            _ => 0,
        };
    }
}

/// Makes sums of `.f16` below the smallest normal number that lie close to the middle of two
/// numbers, in steps of the smallest product, `2^-48`.
fn below(k: usize, matrices: [&mut Vec<u64>; 3], random: &mut Random) {
    let [left, right, start] = matrices;
    start.fill(0);
    let first = random.below(k as u64) as usize;
    // The column of the i-th of four terms in a row.
    let at = |i: usize| (first + i) % k;
    for column in right.chunks_mut(k) {
        column.fill(0);
        // 2^-11 to 2^-13 for the first term, and the smallest subnormal numbers for the others.
        column[at(0)] = (4 - random.below(3)) << 10;
        for i in 1..4 {
            column[at(i)] = 1 << random.below(3);
        }
    }
    for row in left.chunks_mut(k) {
        row.fill(0);
        let sign = |random: &mut Random| random.below(2) << 15;
        // An odd number of up to 11 bits, times 2^-14.
        let size = random.below(11) as u32;
        let number = (1u64 << size | random.below(1 << size) | 1) as f32;
        let bits = number.to_bits() >> 13;
        row[at(0)] = (u64::from(bits) - ((112 + 14) << 10)) | sign(random);
        for i in 1..4 {
            let size = random.below(9);
            row[at(i)] = random.below(1 << size) | sign(random);
        }
    }
}

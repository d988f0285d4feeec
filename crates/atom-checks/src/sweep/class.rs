//! The kinds of numbers that a tile holds: bands of exponents for A, B and C, and further changes
//! to the numbers.
//!
//! ```text
//!   exponent field   0  1 ─ ─ ─ ─ bias ─ ─ ─ ─ top
//!   tiny             ████                            subnormals and the smallest normals
//!   moderate                  ████
//!   huge                                  ████       sums out of range
//! ```
//!
//! Law: [`Class::of`] assigns the classes to tiles in turn, so that among a thousand tiles each
//! class occurs at least 80 times.

use crate::format::Format;
use host::reference::Random;

/// A kind of tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Any bits; infinities and NaN are rarer than in uniformly random bits.
    Bits,
    /// Numbers around 1.
    Moderate,
    /// Subnormal and smallest numbers, with products near the smallest number of the sum's format.
    Tiny,
    /// Largest numbers, with sums near and beyond the largest number of the sum's format.
    Huge,
    /// Products that cancel except for a few, with C far below the products.
    Cancel,
    /// Products of very different size.
    Spread,
    /// Infinities, NaN of any payload and zeros among numbers around 1.
    Special,
    /// Few products that are not zero, and zeros of both signs.
    Sparse,
    /// C of any size.
    AnyC,
    /// Few digits, so that sums lie halfway between numbers of the result's format; C is near the
    /// last place of the products.
    Ties,
    /// Signed zeros and the smallest subnormals only.
    Zeros,
    /// Sums that differ from a number, or from the middle of two numbers, by one small power of
    /// two, and larger terms that cancel.
    Hair,
}

/// A range of exponent fields, from the first to the last, both included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band(pub i64, pub i64);

/// The distribution from which a tile's numbers are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Profile {
    pub class: Class,
    pub a: Band,
    pub b: Band,
    pub c: Band,
    /// The number of zeros among 256 elements of A or B, on average.
    pub zeros: u64,
    /// The number of infinities and NaN among 256 elements of A, B or C, on average.
    pub specials: u64,
    /// The number of zeros among 256 elements of C, on average.
    pub zeros_c: u64,
    /// Whether the second half of k is the negative of the first half.
    pub cancel: bool,
    /// The number of a mantissa's digits that may be ones.
    pub digits: u32,
}

impl Class {
    /// The number of classes.
    pub const COUNT: usize = 12;
    /// All classes.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Bits,
        Self::Moderate,
        Self::Tiny,
        Self::Huge,
        Self::Cancel,
        Self::Spread,
        Self::Special,
        Self::Sparse,
        Self::AnyC,
        Self::Ties,
        Self::Zeros,
        Self::Hair,
    ];

    /// Returns the class of a tile.
    ///
    /// ```
    /// use atom_checks::sweep::Class;
    /// assert_eq!(Class::of(0), Class::Bits);
    /// assert_eq!(Class::of(15), Class::Huge);
    /// ```
    #[must_use]
    pub fn of(tile: u64) -> Self {
        Self::ALL[(tile % Self::COUNT as u64) as usize]
    }
}

/// Returns the bias and the last field of a float's exponent.
pub(super) fn ends(format: Format) -> (i64, i64) {
    let fields = 1i64 << format.exponent();
    (fields / 2 - 1, fields - 1)
}

impl Profile {
    /// Draws the distribution of a tile's numbers. A and B have the formats `ab`, and C has the
    /// format `c`.
    pub(super) fn draw(tile: u64, ab: [Format; 2], c: Format, random: &mut Random) -> Self {
        let class = Class::of(tile);
        let ([(bias_a, top_a), (bias_b, top_b)], (bias_c, top_c)) = (ab.map(ends), ends(c));
        let mut pick =
            |first: i64, last: i64| first + random.below((last - first).max(0) as u64 + 1) as i64;
        let around = |center: i64, wide: i64, top: i64| {
            Band((center - wide).clamp(0, top), (center + wide).clamp(0, top))
        };
        let (moderate_a, moderate_b) = (Band(bias_a - 4, bias_a), Band(bias_b - 4, bias_b));
        let mut profile = Self {
            class,
            a: moderate_a,
            b: moderate_b,
            c: Band(bias_c - 4, bias_c + 1),
            zeros: 0,
            specials: 0,
            zeros_c: 16,
            cancel: false,
            digits: if pick(0, 3) == 0 { 3 } else { 64 },
        };
        match class {
            Class::Bits => {
                profile.a = Band(0, top_a);
                profile.b = Band(0, top_b);
                profile.c = Band(0, top_c);
                profile.digits = 64;
                profile.specials = [0, 0, 4][pick(0, 2) as usize];
            }
            Class::Moderate | Class::Zeros | Class::Hair => {}
            Class::Special => {
                profile.specials = [1, 4, 16, 64][pick(0, 3) as usize];
                profile.zeros = 24;
            }
            Class::Tiny => {
                // The products' exponent is near the smallest of C's format, and not below that of
                // the smallest normal numbers of A and B.
                let lowest = 1 - bias_a;
                let product = pick(-bias_c - 26, -bias_c + 12).max(lowest + 1 - bias_b);
                let a = pick(0, 4);
                let b = product - (a.max(1) - bias_a) + bias_b;
                profile.a = around(a, pick(0, 3), top_a - 1);
                profile.b = around(b.clamp(0, top_b - 1), pick(0, 4), top_b - 1);
                profile.c = Band(0, pick(0, 14));
                profile.zeros_c = [0, 64, 256][pick(0, 2) as usize];
                profile.zeros = [0, 32][pick(0, 1) as usize];
                if pick(0, 1) == 1 {
                    std::mem::swap(&mut profile.a, &mut profile.b);
                    profile.a = Band(profile.a.0.min(top_a - 1), profile.a.1.min(top_a - 1));
                    profile.b = Band(profile.b.0.min(top_b - 1), profile.b.1.min(top_b - 1));
                }
            }
            Class::Huge => {
                let product = pick(bias_c - 8, bias_c + 2).min(2 * bias_a.min(bias_b));
                let a = pick(top_a - 6, top_a - 1);
                let b = (product - (a - bias_a) + bias_b).clamp(1, top_b - 1);
                profile.a = around(a, pick(0, 2), top_a - 1);
                profile.b = around(b, pick(0, 2), top_b - 1);
                profile.c = Band(top_c - pick(1, 12), top_c - 1);
                profile.digits = 64;
            }
            Class::Cancel => {
                profile.cancel = true;
                let product = profile.a.0 - bias_a + profile.b.0 - bias_b;
                profile.c = around(product + bias_c - pick(0, 40), pick(0, 6), top_c - 1);
            }
            Class::Spread => {
                profile.a = around(pick(1, top_a - 1), pick(0, 16), top_a - 1);
                profile.b = around(pick(1, top_b - 1), pick(0, 16), top_b - 1);
                let product = (profile.a.1 - bias_a) + (profile.b.1 - bias_b);
                profile.c = around(
                    (product + bias_c + pick(-30, 8)).clamp(0, top_c - 1),
                    pick(0, 10),
                    top_c - 1,
                );
            }
            Class::Sparse => {
                profile.zeros = [128, 224, 248][pick(0, 2) as usize];
                profile.zeros_c = [64, 128, 256][pick(0, 2) as usize];
                match pick(0, 2) {
                    0 => {}
                    1 => {
                        profile.a = Band(0, 3);
                        profile.c = Band(0, 8);
                    }
                    _ => {
                        profile.a = Band(0, top_a - 1);
                        profile.b = Band(0, top_b - 1);
                        profile.c = Band(0, top_c - 1);
                    }
                }
            }
            Class::AnyC => profile.c = Band(0, top_c - 1),
            Class::Ties => {
                profile.digits = pick(1, 4) as u32;
                profile.a = around(bias_a + pick(-3, 3), pick(0, 2), top_a - 1);
                profile.b = around(bias_b + pick(-3, 3), pick(0, 2), top_b - 1);
                let last = (c.mantissa() as i64 + 2).min(bias_c - 4);
                let product = profile.a.0 - bias_a + profile.b.0 - bias_b;
                profile.c = around(product + bias_c + pick(-2, last), pick(0, 1), top_c - 1);
            }
        }
        if class == Class::Zeros {
            profile.a = Band(0, pick(0, 1));
            profile.b = Band(0, pick(0, 1));
            profile.c = Band(0, pick(0, 1));
            profile.digits = pick(1, 3) as u32;
            profile.zeros = [128, 240, 256][pick(0, 2) as usize];
            profile.zeros_c = [192, 256][pick(0, 1) as usize];
        }
        profile
    }

    /// Draws an element of A, B or C.
    pub(super) fn element(
        &self,
        format: Format,
        band: Band,
        zeros: u64,
        random: &mut Random,
    ) -> u64 {
        let bits = random.next_u64();
        let (dice, rest) = (bits & 0xff, bits >> 24);
        let Format::Float {
            exponent,
            mantissa,
            unread,
            infinities,
        } = format
        else {
            return integer(self.class, format, bits >> 8);
        };
        let sign = (bits >> 8 & 1) << (exponent + mantissa + unread);
        let below = rest & ((1 << unread) - 1);
        if dice < self.specials {
            let top = ((1u64 << exponent) - 1) << mantissa;
            let digits = (rest >> unread) & ((1 << mantissa) - 1);
            let digits = match bits >> 9 & 3 {
                _ if !infinities => (1 << mantissa) - 1,
                0 => digits,
                _ => 0,
            };
            return sign | (top | digits) << unread | below;
        }
        if 255 - dice < zeros {
            return sign | below;
        }
        let wide = (band.1 - band.0 + 1).max(1) as u64;
        let field = (band.0.max(0) as u64 + (((bits >> 9 & 0x7fff) * wide) >> 15)) << mantissa;
        let mut digits = (rest >> unread) & ((1 << mantissa) - 1);
        if self.digits < mantissa {
            // Keeps only the upper digits, or only the lower digits of a subnormal number.
            digits = if field == 0 {
                digits & ((1 << self.digits) - 1)
            } else {
                digits >> (mantissa - self.digits) << (mantissa - self.digits)
            };
        }
        sign | (field | digits) << unread | below
    }
}

/// Makes an integer from random bits. The class decides whether it is any integer, one at the ends
/// of its range, or one of a few.
fn integer(class: Class, format: Format, bits: u64) -> u64 {
    let mask = u64::MAX >> (64 - format.width());
    let (value, dice) = (bits & mask, bits >> 40 & 3);
    match class {
        Class::Huge | Class::Special => match format {
            Format::Signed(width) if dice != 0 => (1u64 << (width - 1)) - (dice & 1),
            _ if dice != 0 => mask,
            _ => value,
        },
        Class::Sparse | Class::Zeros if dice != 0 => 0,
        Class::Tiny => value & 3,
        // C is far inside its range, or near one of its ends.
        Class::Cancel | Class::Ties if format.width() == 32 => {
            (value >> 18).wrapping_add([1 << 31, 0x7fff_c000, 0, 0xffff_ff00][dice as usize]) & mask
        }
        _ => value,
    }
}

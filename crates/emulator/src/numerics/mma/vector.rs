//! Computes a tensor core's sums with vector code (AVX2, F16C): all 16 rows of a column of D
//! together.
//!
//! ```text
//!   register of A: lane 4g + t      a[k] = rows 0..16 of A's column k       two vectors
//!   register of B: lane 4g + t      b[k][n] = one number                    broadcast
//!   for each n:   largest place over k, its scale, sum over k of trunc(a[k] * b[k][n] * scale), rounded
//! ```
//!
//! Law: if [`execute`] returns true, it has computed the same bits as [`super::tensor_core`]. If it
//! returns false, some number lies outside of the range in which this code is exact, and D is
//! unchanged. The range: finite numbers; nonzero numbers of A and B from `2^-47` to below `2^48`;
//! and no largest place below [`LOWEST`] if C is not zero.
//!
//! A number times a power of two is exact in `.f32` as long as the result is normal, and so is a
//! product of two significands of at most 11 bits. A term that is not a normal number is less than
//! 1 and is truncated to zero. So a term is `a * b * 2^(kept - largest)` truncated towards zero,
//! for any exponents of the numbers.

use super::super::matrix::Lanes;
use super::super::tf32;
use super::fused::{Core, Formats};
use super::registers::{cast, columns, lanes};
use super::tensor_core::{group_length, is_byte};
use super::{Accumulator, Element, Mma};
use std::arch::x86_64::*;

/// Rows of one column of A, C or D.
type Rows = [f32; 16];

/// A number that is less than any place, as is its double.
const NOTHING: i32 = -8192;
/// The smallest place whose scale, `2^(kept - place)`, is an `.f32`.
const LOWEST: i16 = -95;
/// The places of A and B are at most this far from 0, so that the places of products are not below
/// [`LOWEST`].
const FARTHEST: i32 = 47;

/// Computes D = A * B + C for all float types except `.f64` and `m8n8k4`, if all numbers are in
/// range. Returns whether they are.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn execute(core: Core, mma: &Mma, [a, b, c]: [&[&Lanes]; 3], d: &mut [Lanes]) -> bool {
    match mma.shape.k {
        4 => execute_k::<4>(core, mma, [a, b, c], d),
        8 => execute_k::<8>(core, mma, [a, b, c], d),
        16 => execute_k::<16>(core, mma, [a, b, c], d),
        _ => execute_k::<32>(core, mma, [a, b, c], d),
    }
}

#[target_feature(enable = "avx2,f16c")]
fn execute_k<const K: usize>(
    core: Core,
    mma: &Mma,
    [a, b, c]: [&[&Lanes]; 3],
    d: &mut [Lanes],
) -> bool {
    let (mut left, mut right) = (Terms::<16, K>::new(), Terms::<8, K>::new());
    if !left.read(mma.a, a) || !right.read(mma.b, b) {
        return false;
    }
    let group = Group {
        core,
        formats: Formats::of(mma.d),
        a: &left,
        b: &right,
    };
    let bytes = is_byte(mma.a);
    let length = group_length(core, mma);
    let start = starts(mma, c);
    let mut sums = if bytes { [[0.0; 16]; 8] } else { start };
    for first in (0..K).step_by(length) {
        for (n, sums) in sums.iter_mut().enumerate() {
            if !group.sum(n, first, length, sums) {
                return false;
            }
        }
    }
    if bytes {
        for (sums, c) in sums.iter_mut().zip(&start) {
            let (rows, c): ([__m256; 2], [__m256; 2]) = (cast(*sums), cast(*c));
            let rows = [0, 1].map(|i| plus(group.formats.half, rows[i], c[i]));
            *sums = cast(rows);
        }
    }
    finish(mma, &sums, d);
    true
}

/// Numbers of A (`N` = 16) or B (`N` = 8) by k, and their places.
struct Terms<const N: usize, const K: usize> {
    numbers: [[f32; N]; K],
    places: [[i16; N]; K],
}

impl<const N: usize, const K: usize> Terms<N, K> {
    fn new() -> Self {
        Terms {
            numbers: [[0.0; N]; K],
            places: [[0; N]; K],
        }
    }

    /// Reads the numbers of an operand. Returns whether all are in range.
    #[target_feature(enable = "avx2,f16c")]
    fn read(&mut self, element: Element, registers: &[&Lanes]) -> bool {
        let mut outside = _mm256_setzero_si256();
        for (register, lanes) in registers.iter().enumerate() {
            let (chunk, first) = (register / (N / 8), register % (N / 8) * 8);
            for (t, words) in columns(lanes).into_iter().enumerate() {
                let four = chunk * 4 + t;
                match element {
                    Element::F16 => {
                        let range = (-14, FARTHEST);
                        let [low, high] =
                            split(words).map(|halves| _mm256_castps_si256(_mm256_cvtph_ps(halves)));
                        outside = self.put(2 * four, first, low, range, outside);
                        outside = self.put(2 * four + 1, first, high, range, outside);
                    }
                    Element::Bf16 => {
                        let low = _mm256_slli_epi32::<16>(words);
                        let high = _mm256_and_si256(words, _mm256_set1_epi32(!0xffff));
                        let range = (-126, FARTHEST);
                        outside = self.put(2 * four, first, low, range, outside);
                        outside = self.put(2 * four + 1, first, high, range, outside);
                    }
                    Element::E4m3 | Element::E5m2 => {
                        let scale = if element == Element::E4m3 { 256.0 } else { 1.0 };
                        for (odd, pairs) in bytes(element, words).into_iter().enumerate() {
                            for (high, halves) in split(pairs).into_iter().enumerate() {
                                // The products that the device adds first come first.
                                let k = high * (K / 2) + four * 2 + odd;
                                let numbers =
                                    _mm256_mul_ps(_mm256_cvtph_ps(halves), _mm256_set1_ps(scale));
                                let bits = _mm256_castps_si256(numbers);
                                outside = self.put(k, first, bits, (-14, FARTHEST), outside);
                            }
                        }
                    }
                    _ => {
                        let words = _mm256_and_si256(words, _mm256_set1_epi32(tf32::MASK as i32));
                        outside = self.put(four, first, words, (-126, FARTHEST), outside);
                    }
                }
            }
        }
        _mm256_testz_si256(outside, outside) == 1
    }

    /// Stores the bits of eight numbers and their places, whose smallest and largest are given. The
    /// result is `outside` with the bits set for numbers out of range.
    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    fn put(
        &mut self,
        k: usize,
        first: usize,
        bits: __m256i,
        (lowest, highest): (i32, i32),
        outside: __m256i,
    ) -> __m256i {
        let (place, zero) = places(bits, lowest);
        let far = _mm256_or_si256(
            _mm256_cmpgt_epi32(place, _mm256_set1_epi32(highest)),
            _mm256_andnot_si256(
                zero,
                _mm256_cmpgt_epi32(_mm256_set1_epi32(-FARTHEST), place),
            ),
        );
        self.numbers[k][first..first + 8].copy_from_slice(&cast::<_, [f32; 8]>(bits));
        let low = _mm256_castsi256_si128(place);
        let packed = _mm_packs_epi32(low, _mm256_extracti128_si256::<1>(place));
        self.places[k][first..first + 8].copy_from_slice(&cast::<_, [i16; 8]>(packed));
        _mm256_or_si256(outside, far)
    }
}

/// Returns the lower and the upper halves of words.
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn split(words: __m256i) -> [__m128i; 2] {
    let low = _mm256_and_si256(words, _mm256_set1_epi32(0xffff));
    let high = _mm256_srli_epi32::<16>(words);
    let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(low, high));
    [
        _mm256_castsi256_si128(packed),
        _mm256_extracti128_si256::<1>(packed),
    ]
}

/// Converts the 8-bit floats of words to `.f16`, those at even and those at odd positions; for
/// `.e4m3` the results are a 256th of the numbers.
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn bytes(element: Element, words: __m256i) -> [__m256i; 2] {
    let upper = |bytes| _mm256_slli_epi16::<8>(bytes);
    [
        upper(words),
        _mm256_andnot_si256(_mm256_set1_epi16(0xff), words),
    ]
    .map(|bytes| {
        if element == Element::E5m2 {
            return bytes;
        }
        let magnitude = _mm256_and_si256(bytes, _mm256_set1_epi16(0x7f00));
        let sign = _mm256_andnot_si256(_mm256_set1_epi16(0x7fff), bytes);
        // A NaN gets every bit of the exponent.
        let nan = _mm256_cmpeq_epi16(magnitude, _mm256_set1_epi16(0x7f00));
        let nan = _mm256_and_si256(nan, _mm256_set1_epi16(0x7fff));
        let half = _mm256_or_si256(_mm256_srli_epi16::<1>(magnitude), sign);
        _mm256_or_si256(half, nan)
    })
}

/// Returns the places of numbers of a format whose smallest normal number is `2^lowest`, with
/// [`NOTHING`] for zeros; and which numbers are zeros.
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn places(bits: __m256i, lowest: i32) -> (__m256i, __m256i) {
    let doubled = _mm256_slli_epi32::<1>(bits);
    let zero = _mm256_cmpeq_epi32(doubled, _mm256_setzero_si256());
    let exponent = _mm256_sub_epi32(_mm256_srli_epi32::<24>(doubled), _mm256_set1_epi32(127));
    let place = _mm256_max_epi32(exponent, _mm256_set1_epi32(lowest));
    let nothing = _mm256_set1_epi32(NOTHING);
    (_mm256_blendv_epi8(place, nothing, zero), zero)
}

/// One group of products and C.
struct Group<'a, const K: usize> {
    core: Core,
    formats: Formats,
    a: &'a Terms<16, K>,
    b: &'a Terms<8, K>,
}

impl<const K: usize> Group<'_, K> {
    /// Adds `length` products from `first` on to C of column `n`. Returns whether C is in range.
    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    fn sum(&self, n: usize, first: usize, length: usize, c: &mut Rows) -> bool {
        let (kept, lowest) = (self.core.kept, self.formats.lowest);
        let range = first..first + length;
        let [upper, lower]: [__m256; 2] = cast(*c);
        let place = |c| places(_mm256_castps_si256(c), lowest);
        let ((upper_place, upper_zero), (lower_place, lower_zero)) = (place(upper), place(lower));
        // The rows are in the order of `packs`: 0..4, 8..12, 4..8, 12..16.
        let interleaved = |rows: __m256i| _mm256_permute4x64_epi64::<0b11_01_10_00>(rows);
        let mut largest = interleaved(_mm256_packs_epi32(upper_place, lower_place));
        for (a, b) in self.a.places[range.clone()]
            .iter()
            .zip(&self.b.places[range.clone()])
        {
            let place = _mm256_add_epi16(cast(*a), _mm256_set1_epi16(b[n]));
            largest = _mm256_max_epi16(largest, place);
        }
        let zero = interleaved(_mm256_packs_epi32(upper_zero, lower_zero));
        let below = _mm256_cmpgt_epi16(_mm256_set1_epi16(LOWEST), largest);
        let outside = _mm256_or_si256(
            _mm256_cmpgt_epi16(largest, _mm256_set1_epi16(127)),
            _mm256_andnot_si256(zero, below),
        );
        if _mm256_testz_si256(outside, outside) == 0 {
            return false;
        }
        let floor = (lowest as i16 - self.core.below).max(LOWEST);
        let largest = _mm256_max_epi16(largest, _mm256_set1_epi16(floor));
        let largest = [
            _mm256_cvtepi16_epi32(_mm256_castsi256_si128(largest)),
            _mm256_cvtepi16_epi32(_mm256_extracti128_si256::<1>(largest)),
        ];
        // 2^(kept - largest): the field of its exponent is positive, since both are at most 127.
        let scale = |largest| {
            let field = _mm256_sub_epi32(_mm256_set1_epi32(kept + 127), largest);
            _mm256_castsi256_ps(_mm256_slli_epi32::<23>(field))
        };
        let scales = [scale(largest[0]), scale(largest[1])];
        // A term is less than 2^27 because `largest` is at least its place, so the sum of at most
        // 16 terms is less than 2^31.
        let mut sums = [_mm256_setzero_si256(); 2];
        for (a, b) in self.a.numbers[range.clone()]
            .iter()
            .zip(&self.b.numbers[range])
        {
            let a: [__m256; 2] = cast(*a);
            let b = _mm256_set1_ps(b[n]);
            for i in 0..2 {
                let term = _mm256_mul_ps(_mm256_mul_ps(a[i], b), scales[i]);
                sums[i] = _mm256_add_epi32(sums[i], _mm256_cvttps_epi32(term));
            }
        }
        let mut d = [[_mm_setzero_ps(); 2]; 2];
        for (i, c) in [upper, lower].into_iter().enumerate() {
            let c = _mm256_cvttps_epi32(_mm256_mul_ps(c, scales[i]));
            let parts = |rows| {
                [
                    _mm256_castsi256_si128(rows),
                    _mm256_extracti128_si256::<1>(rows),
                ]
            };
            let (sum, c, largest) = (parts(sums[i]), parts(c), parts(largest[i]));
            for j in 0..2 {
                d[i][j] = self.round(sum[j], c[j], largest[j]);
            }
        }
        *c = cast(d);
        true
    }

    /// Rounds the sums of products and C, in units of the last kept bit, to the format of D; a zero
    /// has no sign.
    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    fn round(&self, sum: __m128i, c: __m128i, largest: __m128i) -> __m128 {
        let exponent = _mm256_cvtepi32_epi64(largest);
        let field = _mm256_add_epi64(
            exponent,
            _mm256_set1_epi64x(1023 - i64::from(self.core.kept)),
        );
        let unit = _mm256_castsi256_pd(_mm256_slli_epi64::<52>(field));
        let sum = _mm256_add_pd(_mm256_cvtepi32_pd(sum), _mm256_cvtepi32_pd(c));
        let value = _mm256_castpd_si256(_mm256_mul_pd(sum, unit));
        // A value is zero or at least 2^(LOWEST - kept), so it is a normal `.f32` or exceeds all of
        // them.
        let digits = _mm256_set1_epi64x(0x1fff_ffff);
        let cut = _mm256_andnot_si256(digits, value);
        if !self.formats.half {
            return _mm256_cvtpd_ps(_mm256_castsi256_pd(cut));
        }
        // Rounds to odd, after which a second rounding is correct.
        let exact = _mm256_cmpeq_epi64(_mm256_and_si256(value, digits), _mm256_setzero_si256());
        let odd = _mm256_andnot_si256(exact, _mm256_set1_epi64x(1 << 29));
        let odd = _mm256_cvtpd_ps(_mm256_castsi256_pd(_mm256_or_si256(cut, odd)));
        let rounded = _mm_cvtph_ps(_mm_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(odd));
        // A zero has no sign.
        _mm_add_ps(rounded, _mm_setzero_ps())
    }
}

/// Adds numbers in a separate addition.
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn plus(half: bool, a: __m256, b: __m256) -> __m256 {
    let mut sum = _mm256_add_ps(a, b);
    if half {
        // The sum of two numbers of 11 digits may be rounded to 24 digits first.
        sum = _mm256_cvtph_ps(_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(sum));
    }
    let nan = _mm256_cmp_ps::<_CMP_UNORD_Q>(sum, sum);
    _mm256_blendv_ps(sum, _mm256_castsi256_ps(_mm256_set1_epi32(i32::MAX)), nan)
}

/// Returns C as numbers, column by column.
#[target_feature(enable = "avx2,f16c")]
fn starts(mma: &Mma, c: &[&Lanes]) -> [Rows; 8] {
    let mut all = [[0.0; 16]; 8];
    for (register, lanes) in c.iter().enumerate() {
        for (t, words) in columns(lanes).into_iter().enumerate() {
            if mma.c == Accumulator::F16 {
                // C may be infinite or NaN if it is added separately.
                let [low, high] = split(words);
                for (column, halves) in all[2 * t..2 * t + 2].iter_mut().zip([low, high]) {
                    let numbers: [f32; 8] = cast(_mm256_cvtph_ps(halves));
                    column[8 * register..8 * register + 8].copy_from_slice(&numbers);
                }
            } else {
                let first = 8 * (register / 2);
                let column = &mut all[2 * t + register % 2];
                column[first..first + 8].copy_from_slice(&cast::<_, [f32; 8]>(words));
            }
        }
    }
    all
}

/// Writes D's registers.
#[target_feature(enable = "avx2,f16c")]
fn finish(mma: &Mma, sums: &[Rows; 8], d: &mut [Lanes]) {
    let rows = |column: &Rows, half: usize| -> [f32; 8] {
        let [upper, lower]: [[f32; 8]; 2] = cast(*column);
        if half == 0 { upper } else { lower }
    };
    for (register, d) in d.iter_mut().enumerate() {
        let mut columns = [_mm256_setzero_si256(); 4];
        for (t, columns) in columns.iter_mut().enumerate() {
            *columns = if mma.d == Accumulator::F16 {
                let low = rows(&sums[2 * t], register);
                let high = rows(&sums[2 * t + 1], register);
                let bits = |sums| {
                    let rounded = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(cast(sums));
                    _mm256_cvtepu16_epi32(rounded)
                };
                let (low, high) = (bits(low), bits(high));
                _mm256_or_si256(low, _mm256_slli_epi32::<16>(high))
            } else {
                cast(rows(&sums[2 * t + register % 2], register / 2))
            };
        }
        *d = lanes(columns);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tensor_core::SM90;
    use super::*;

    /// Checks that numbers around 1 are in range, and that infinities and numbers far from 1 are
    /// not.
    #[test]
    fn what_is_in_range() {
        if !(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("f16c")) {
            return;
        }
        for (name, one, outside) in [
            ("m16n8k16.row.col.f32.f16.f16.f32", 0x3c00_3c00, 0x7c00_3c00),
            ("m16n8k16.row.col.f16.f16.f16.f16", 0x3c00_3c00, 0x3c00_fe00),
            (
                "m16n8k16.row.col.f32.bf16.bf16.f32",
                0x3f80_3f80,
                0x5f80_3f80,
            ),
            (
                "m16n8k8.row.col.f32.tf32.tf32.f32",
                0x3f80_0000,
                0x0080_0000,
            ),
            (
                "m16n8k32.row.col.f32.e4m3.e5m2.f32",
                0x3838_3838,
                0x3838_7f38,
            ),
            (
                "m16n8k32.row.col.f16.e5m2.e5m2.f16",
                0x3c3c_3c3c,
                0x7c3c_3c3c,
            ),
        ] {
            let mma = Mma::parse(&format!("mma.sync.aligned.{name}")).unwrap();
            let need = mma.registers();
            let taken = |number: u32| {
                let mut a = [[one; 32]; 4];
                a[need.a - 1][17] = number;
                let (b, c) = ([[one; 32]; 4], [[0; 32]; 4]);
                let [a, b, c] = [&a, &b, &c].map(|all| all.each_ref());
                let operands = [&a[..need.a], &b[..need.b], &c[..need.c]];
                let mut d = [[7; 32]; 4];
                // SAFETY: the test ends above where the CPU has not both features.
                let taken = unsafe { execute(SM90, &mma, operands, &mut d[..need.d]) };
                assert!(taken || d == [[7; 32]; 4], "{name}: D is as it was");
                taken
            };
            assert!(taken(one) && taken(0), "{name}");
            assert!(!taken(outside), "{name}");
        }
    }
}

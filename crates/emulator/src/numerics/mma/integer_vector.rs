//! Computes the integer products with vector code (AVX2): eight rows of a column of D together.
//!
//! ```text
//!   word of A  e3 e2 e1 e0      even: e2 . e0       two 16-bit numbers for one multiplication of pairs
//!   word of B  e3 e2 e1 e0      odd:  e3 . e1       (`.s4`, `.u4`: four such pairs per word)
//! ```
//!
//! Law: the results equal those of [`super::integer`] for all numbers. The words of A and B are
//! split in the same way, so that elements with equal k are multiplied.

use super::super::matrix::Lanes;
use super::registers::{cast, columns, lanes};
use super::{Combine, Element, Mma};
use std::arch::x86_64::*;

/// Computes D = A * B + C for all integer types.
#[target_feature(enable = "avx2")]
pub(super) fn execute(mma: &Mma, [a, b, c]: [&[&Lanes]; 3], d: &mut [Lanes]) {
    let halves = mma.shape.m / 8;
    // The rows of A, by register and position in the register.
    let mut left = [[_mm256_setzero_si256(); 4]; 4];
    for (words, lanes) in left.iter_mut().zip(a) {
        *words = columns(lanes);
    }
    // The columns of B, by register and position in the register.
    let mut right = [[[0u32; 8]; 4]; 2];
    for (words, lanes) in right.iter_mut().zip(b) {
        *words = columns(lanes).map(cast);
    }
    let mut sums = [[_mm256_setzero_si256(); 8]; 2];
    for (chunk, right) in right[..b.len()].iter().enumerate() {
        for half in 0..halves {
            for (words, right) in left[chunk * halves + half].iter().zip(right) {
                let sums = &mut sums[half];
                match mma.combine {
                    Combine::Multiply if matches!(mma.a, Element::S8 | Element::U8) => {
                        let pairs = bytes(mma.a, *words);
                        for (sum, &right) in sums.iter_mut().zip(right) {
                            let right = bytes(mma.b, _mm256_set1_epi32(right as i32));
                            for (a, b) in pairs.into_iter().zip(right) {
                                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(a, b));
                            }
                        }
                    }
                    Combine::Multiply => {
                        let pairs = nibbles(mma.a, *words);
                        for (sum, &right) in sums.iter_mut().zip(right) {
                            let right = nibbles(mma.b, _mm256_set1_epi32(right as i32));
                            for (a, b) in pairs.into_iter().zip(right) {
                                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(a, b));
                            }
                        }
                    }
                    Combine::XorPopc | Combine::AndPopc => {
                        for (sum, &right) in sums.iter_mut().zip(right) {
                            let right = _mm256_set1_epi32(right as i32);
                            let bits = if mma.combine == Combine::XorPopc {
                                _mm256_xor_si256(*words, right)
                            } else {
                                _mm256_and_si256(*words, right)
                            };
                            *sum = _mm256_add_epi32(*sum, ones(bits));
                        }
                    }
                }
            }
        }
    }
    for (value, (d, c)) in d.iter_mut().zip(c).enumerate() {
        let mut out = columns(c);
        for (t, words) in out.iter_mut().enumerate() {
            let sum = sums[value / 2][2 * t + value % 2];
            *words = if mma.satfinite {
                saturating_add(*words, sum)
            } else {
                _mm256_add_epi32(*words, sum)
            };
        }
        *d = lanes(out);
    }
}

/// Returns the bytes of words as pairs of 16-bit numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn bytes(element: Element, words: __m256i) -> [__m256i; 2] {
    if element == Element::S8 {
        let even = _mm256_slli_epi16::<8>(words);
        [_mm256_srai_epi16::<8>(even), _mm256_srai_epi16::<8>(words)]
    } else {
        [
            _mm256_and_si256(words, _mm256_set1_epi16(0xff)),
            _mm256_srli_epi16::<8>(words),
        ]
    }
}

/// Returns the 4-bit halves of the bytes of words, as pairs of 16-bit numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn nibbles(element: Element, words: __m256i) -> [__m256i; 4] {
    if element == Element::S4 {
        [
            _mm256_srai_epi16::<12>(_mm256_slli_epi16::<12>(words)),
            _mm256_srai_epi16::<12>(_mm256_slli_epi16::<8>(words)),
            _mm256_srai_epi16::<12>(_mm256_slli_epi16::<4>(words)),
            _mm256_srai_epi16::<12>(words),
        ]
    } else {
        let low = |words| _mm256_and_si256(words, _mm256_set1_epi16(0xf));
        [
            low(words),
            low(_mm256_srli_epi16::<4>(words)),
            low(_mm256_srli_epi16::<8>(words)),
            _mm256_srli_epi16::<12>(words),
        ]
    }
}

/// Returns the number of set bits in each word.
#[inline]
#[target_feature(enable = "avx2")]
fn ones(words: __m256i) -> __m256i {
    let table = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
    ));
    let nibble = _mm256_set1_epi8(0xf);
    let low = _mm256_shuffle_epi8(table, _mm256_and_si256(words, nibble));
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(words), nibble);
    let bytes = _mm256_add_epi8(low, _mm256_shuffle_epi8(table, high));
    let pairs = _mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1));
    _mm256_madd_epi16(pairs, _mm256_set1_epi16(1))
}

/// Adds words, and clamps the sums to 32 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn saturating_add(a: __m256i, b: __m256i) -> __m256i {
    let sum = _mm256_add_epi32(a, b);
    // The sum is out of range if both operands have the same sign and the sum has the other; then
    // the result is the end of the range on the operands' side.
    let over = _mm256_andnot_si256(_mm256_xor_si256(a, b), _mm256_xor_si256(a, sum));
    let end = _mm256_xor_si256(_mm256_srai_epi32::<31>(a), _mm256_set1_epi32(i32::MAX));
    _mm256_blendv_epi8(sum, end, _mm256_srai_epi32::<31>(over))
}

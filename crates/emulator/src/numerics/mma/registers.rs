//! A warp's register as four vectors of eight lanes: one for each position in a group of four.
//!
//! ```text
//!   lanes     0 1 2 3 | 4 5 6 7 | ... | 28 29 30 31          columns(lanes)[t] = lanes t, t + 4, ..., t + 28
//! ```
//!
//! Law: [`lanes`] is the inverse of [`columns`]. The lanes `t`, `t + 4`, ... hold the rows of one
//! column of A or C, or the columns of one row of B (see [`super::fragment`]).

use super::super::matrix::Lanes;
use bytemuck::NoUninit;
use std::arch::x86_64::*;

/// Reinterprets bytes as another type of the same size.
#[inline(always)]
pub(super) fn cast<T: NoUninit, U: bytemuck::AnyBitPattern>(value: T) -> U {
    bytemuck::cast(value)
}

/// Returns the lanes by their position in a group of four.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn columns(lanes: &Lanes) -> [__m256i; 4] {
    let [a, b, c, d]: [__m256i; 4] = cast(*lanes);
    transposed([
        _mm256_permute2x128_si256::<0x20>(a, c),
        _mm256_permute2x128_si256::<0x31>(a, c),
        _mm256_permute2x128_si256::<0x20>(b, d),
        _mm256_permute2x128_si256::<0x31>(b, d),
    ])
}

/// Returns the lanes in order: the inverse of [`columns`].
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn lanes(columns: [__m256i; 4]) -> Lanes {
    let [a, b, c, d] = transposed(columns);
    cast([
        _mm256_permute2x128_si256::<0x20>(a, b),
        _mm256_permute2x128_si256::<0x20>(c, d),
        _mm256_permute2x128_si256::<0x31>(a, b),
        _mm256_permute2x128_si256::<0x31>(c, d),
    ])
}

/// Transposes two 4x4 matrices of words, one in the lower and one in the upper halves.
#[inline]
#[target_feature(enable = "avx2")]
fn transposed([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let (ab, cd) = (_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d));
    let (ab_high, cd_high) = (_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));
    [
        _mm256_unpacklo_epi64(ab, cd),
        _mm256_unpackhi_epi64(ab, cd),
        _mm256_unpacklo_epi64(ab_high, cd_high),
        _mm256_unpackhi_epi64(ab_high, cd_high),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_by_their_place_in_four_and_back() {
        if !is_x86_feature_detected!("avx2") {
            return;
        }
        let all: Lanes = std::array::from_fn(|lane| lane as u32);
        // SAFETY: the test ends above where the CPU has no AVX2.
        let (by_place, back) = unsafe { (columns(&all), lanes(columns(&all))) };
        let third: [u32; 8] = cast(by_place[2]);
        assert_eq!(third, [2, 6, 10, 14, 18, 22, 26, 30]);
        assert_eq!(back, all);
    }
}

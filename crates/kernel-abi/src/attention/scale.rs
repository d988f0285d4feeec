//! The largest scale whose exponents f32 can represent with enough digits.
//!
//! ```text
//!   P = 2^fma(score, c, -round(maximum c))        c = scale log2(e)
//! ```
//!
//! The base is rounded to f32 once per row and key block, by up to `2^-24 E`, where `E` is the
//! largest exponent `maximum c`. This error multiplies all probabilities of the row by the same
//! factor. It multiplies the row's sum by the same factor, so the division of O by the sum removes
//! it. The factor must still fit the probabilities' type. For each key block after the one with the
//! maximum, the sums of a row are multiplied by a further such factor. Gradients compute P from the
//! log-sum-exp without a division, so there the factor remains.
//!
//! Law: within the range, a result differs from the float64 result by no more than the rounding of
//! its exponents explains. A problem's range assumes elements within [-1, 1], whose scores can
//! reach the head dimension. The kernels detect the effect of larger elements: a row whose largest
//! exponent is beyond the range, or whose sum is outside [`SUMS`], is NaN in O and in the
//! log-sum-exp, and gradients that depend on such a row are NaN.

use core::ops::RangeInclusive;

use super::problem::AttentionProblem;
use crate::ProblemError;

/// The largest exponent for probabilities in 16 bits: the factor is then at most `2^4`, which fits
/// f16.
pub const EXPONENTS_OF_HALF: f32 = (1 << 26) as f32;
/// The largest exponent for probabilities in e4m3, where the largest probability is `2^8` and the
/// largest number is 448: the factor is then at most `2^0.25`.
pub const EXPONENTS_OF_FP8: f32 = (1 << 22) as f32;
/// The largest exponent for gradients: P is then off by at most `2^-7`.
pub const EXPONENTS_OF_GRADIENTS: f32 = (1 << 16) as f32;
/// The range of a row's sum of probabilities. Each key block after the one with the maximum
/// multiplies the sum by a factor near 1, and the product of these factors stays within `2^64`;
/// with `2^31` keys the sum is at most `2^96`.
pub const SUMS: RangeInclusive<f32> = 1.0 / (1u128 << 64) as f32..=(1u128 << 96) as f32;
/// The largest sum of the exponents `E` of all key blocks, 64 times 2^24: the product of their
/// factors is then at most `2^64`, which fits f32.
const OF_ALL_BLOCKS: f32 = (1 << 30) as f32;
/// The smallest number of keys of a block.
const BLOCK: u32 = 32;

impl AttentionProblem {
    /// Returns the largest scale whose exponents are at most `most`.
    fn max_scale(&self, most: f32) -> f32 {
        let blocks = (self.keys / BLOCK + 1) as f32;
        let exponents = most.min(OF_ALL_BLOCKS / blocks);
        exponents / (core::f32::consts::LOG2_E * self.dim as f32)
    }

    /// Refuses a scale that is not within the range.
    pub(super) fn check_scale(&self, most: f32) -> Result<(), ProblemError> {
        let what = "the scale";
        if !(self.scale > 0.0 && self.scale.is_finite()) {
            let bits = self.scale.to_bits();
            return Err(ProblemError::NotPositive { what, bits });
        }
        let max = self.max_scale(most);
        if self.scale > max {
            return Err(ProblemError::BeyondDigits {
                what,
                bits: self.scale.to_bits(),
                max_bits: max.to_bits(),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AttentionMask, AttentionType};
    use super::*;

    fn problem(dim: u32, keys: u32, scale: f32) -> AttentionProblem {
        let extents = (1, 1, 33, dim);
        AttentionProblem::new(AttentionType::F16, extents, AttentionMask::Full, scale)
            .with_keys(keys, 1)
    }

    #[test]
    fn the_range_ends_where_a_factor_has_no_number() {
        for (dim, keys, most) in [(64, 65, 726_817.0), (256, 65, 181_704.25)] {
            assert_eq!(problem(dim, keys, most).check(), Ok(()));
            let beyond = problem(dim, keys, most * 1.001).check().unwrap_err();
            assert!(
                beyond.to_string().contains("it must be at most"),
                "{beyond}"
            );
        }
        for scale in [1e9, f32::MAX] {
            assert!(problem(64, 65, scale).check().is_err(), "{scale}");
        }
        for scale in [0.0, -0.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let said = problem(64, 65, scale).check().unwrap_err().to_string();
            assert!(said.contains("it must be above 0 and finite"), "{said}");
        }
        assert_eq!(problem(64, 65, f32::from_bits(1)).check(), Ok(()));
    }

    #[test]
    fn the_usual_scale_is_allowed_of_all_keys_that_there_can_be() {
        for dim in [64, 96, 128, 192, 256] {
            let scale = 1.0 / f64::from(dim).sqrt();
            let of = problem(dim, super::super::problem::MAX_ROWS, scale as f32);
            assert_eq!(of.check(), Ok(()), "{dim}");
        }
    }
}

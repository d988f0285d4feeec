//! How far a result is from the reference, and how far it may be.
//!
//! ```text
//!   relative Frobenius error  ‖D − C‖ / ‖C‖ = sqrt(Σ (d − c)²) / sqrt(Σ c²)     one number for the whole
//!   maximum absolute error    max |d − c|                                      finds the one that is wrong
//! ```
//!
//! Both are looked at: among 67 million elements one that is plainly wrong does not move the norm.

use super::element::Element;
use super::gemm::{ShapeError, check_shape};
use half::f16;
use rayon::prelude::*;

/// The distance of a result from its reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// ‖D − C‖ / ‖C‖. 0 where both are 0, infinite where only C is, NaN where D holds a NaN or C an infinity.
    pub relative: f64,
    /// max |d − c|; NaN where a difference is.
    pub max_absolute: f64,
    /// Where the maximum (or the first NaN) is, as an index into the slices.
    pub at: usize,
    /// Root of the mean of c².
    pub rms: f64,
    /// Elements compared.
    pub elements: usize,
}

/// The distance of `found` from `expected`, element by element.
///
/// ```
/// let difference = host::reference::difference(&[3.0_f32, 4.5], &[3.0, 4.0]).unwrap();
/// assert_eq!((difference.relative, difference.max_absolute, difference.at), (0.1, 0.5, 1));
/// ```
///
/// # Errors
/// [`ShapeError`] unless both have the same length.
pub fn difference<T: Element>(found: &[T], expected: &[f64]) -> Result<Difference, ShapeError> {
    check_shape("the result", found.len(), 1, expected.len())?;
    const PIECE: usize = 1 << 14;
    let parts: Vec<(f64, f64, f64, usize)> = found
        .par_chunks(PIECE)
        .zip(expected.par_chunks(PIECE))
        .enumerate()
        .map(|(piece, (found, expected))| {
            let (mut error, mut norm, mut max, mut at) = (0.0, 0.0, 0.0_f64, piece * PIECE);
            for (index, (d, c)) in found.iter().zip(expected).enumerate() {
                let distance = (d.to_f64() - c).abs();
                error += distance * distance;
                norm += c * c;
                if worse(distance, max) {
                    (max, at) = (distance, piece * PIECE + index);
                }
            }
            (error, norm, max, at)
        })
        .collect();
    // Added up in the order of the pieces, so that the result does not depend on the threads.
    let (mut error, mut norm, mut max, mut at) = (0.0, 0.0, 0.0, 0);
    for (piece_error, piece_norm, piece_max, piece_at) in parts {
        error += piece_error;
        norm += piece_norm;
        if worse(piece_max, max) {
            (max, at) = (piece_max, piece_at);
        }
    }
    let relative = if error == 0.0 {
        0.0
    } else {
        (error / norm).sqrt()
    };
    Ok(Difference {
        relative,
        max_absolute: max,
        at,
        rms: (norm / found.len().max(1) as f64).sqrt(),
        elements: found.len(),
    })
}

/// Whether `distance` takes the place of the maximum so far: a NaN beats every number and nothing beats it.
fn worse(distance: f64, max: f64) -> bool {
    !max.is_nan() && (distance.is_nan() || distance > max)
}

/// How far a GEMM over this crate's random data may be from the reference.
///
/// The inputs are uniform in [-1, 1), so a result has the standard deviation `s = sqrt(K) / 3`, and
/// so has a partial sum at most. A result is rounded once to the output type, by at most `u` of
/// its value. Before that, each of K steps of a float32 sum loses at most one unit in the last
/// place, `e = 2⁻²³`, of a partial sum (tensor cores truncate, so the losses need not cancel).
///
/// ```text
///   relative   ‖D − C‖ / ‖C‖  ≤  u + (K·e·s + h) / rms(C)      h: half the output's smallest subnormal
///   absolute   max |d − c|    ≤  8·u·s + 4·K·e·s + h
/// ```
///
/// The second is what finds a single wrong element: a wrong one is off by about `s`, that is
/// by far more as long as `K < 2²⁰`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GemmTolerance {
    /// The largest relative Frobenius error that passes.
    pub relative: f64,
    /// The largest absolute error of an element that passes.
    pub absolute: f64,
}

impl GemmTolerance {
    /// For outputs of type `T` that are sums of `k` products, and a reference of root mean square `rms`.
    #[must_use]
    pub fn new<T: Element>(k: usize, rms: f64) -> Self {
        let typical = (k as f64).sqrt() / 3.0;
        let sum = k as f64 * f64::from(f32::EPSILON) * typical;
        Self {
            relative: T::UNIT_ROUNDOFF + (sum + T::UNDERFLOW) / rms,
            absolute: 8.0 * T::UNIT_ROUNDOFF * typical + 4.0 * sum + T::UNDERFLOW,
        }
    }

    /// The same for sums that are rounded to f16 as they grow: `e = 2⁻¹¹` at each of `K / 8` steps, to nearest, so that losses
    /// cancel as the steps of a random walk do:
    ///
    /// ```text
    ///   relative  ≤  u + 2·e·sqrt(K / 8) + h / rms(C)      absolute  ≤  8·s·(u + 2·e·sqrt(K / 8)) + h
    /// ```
    #[must_use]
    pub fn f16_sums<T: Element>(k: usize, rms: f64) -> Self {
        let typical = (k as f64).sqrt() / 3.0;
        let walk = 2.0 * f16::UNIT_ROUNDOFF * (k as f64 / 8.0).sqrt();
        Self {
            relative: T::UNIT_ROUNDOFF + walk + T::UNDERFLOW / rms,
            absolute: 8.0 * typical * (T::UNIT_ROUNDOFF + walk) + T::UNDERFLOW,
        }
    }

    /// For results that are exact but for one rounding to type `T`.
    #[must_use]
    pub fn exact<T: Element>(rms: f64) -> Self {
        Self {
            relative: T::UNIT_ROUNDOFF,
            absolute: 64.0 * T::UNIT_ROUNDOFF * rms,
        }
    }

    /// The tolerance of a result that is `scale` times what this one is for.
    #[must_use]
    pub fn scaled(self, scale: f64) -> Self {
        Self {
            absolute: self.absolute * scale.abs(),
            ..self
        }
    }

    /// Whether a result passes. NaN never does.
    #[must_use]
    pub fn admits(&self, difference: &Difference) -> bool {
        difference.relative <= self.relative && difference.max_absolute <= self.absolute
    }
}

#[cfg(test)]
mod tests {
    use super::super::{fill, gemm};
    use super::*;

    #[test]
    fn equal_is_zero_and_different_is_not() {
        let expected = [1.0, -2.0, 2.0];
        let same = difference(&[1.0_f32, -2.0, 2.0], &expected).unwrap();
        assert_eq!((same.relative, same.max_absolute), (0.0, 0.0));
        let off = difference(&[1.0_f32, -2.0, 5.0], &expected).unwrap();
        assert_eq!((off.relative, off.max_absolute, off.at), (1.0, 3.0, 2));
        assert_eq!(difference(&[0.0_f32], &[0.0]).unwrap().relative, 0.0);
        assert_eq!(
            difference(&[1.0_f32], &[0.0]).unwrap().relative,
            f64::INFINITY
        );
        assert_eq!(difference::<f32>(&[], &[]).unwrap().elements, 0);
        assert!(difference(&[1.0_f32], &[]).is_err());
    }

    #[test]
    fn a_nan_is_found_wherever_it_is() {
        for at in [0, 20_000, 49_999] {
            let mut found = vec![1.0_f32; 50_000];
            found[at] = f32::NAN;
            let difference = difference(&found, &vec![1.5; 50_000]).unwrap();
            assert!(difference.relative.is_nan() && difference.max_absolute.is_nan());
            assert_eq!(difference.at, at);
            assert!(!GemmTolerance::new::<f32>(1 << 20, 1e9).admits(&difference));
        }
    }

    /// A float32 sum in order passes; the same with one element from elsewhere does not.
    #[test]
    fn the_tolerance_separates_right_from_wrong() {
        let (m, n, k) = (64, 96, 512);
        let (a, b): (Vec<f16>, Vec<f16>) = (fill(1, m * k), fill(2, n * k));
        let expected = gemm(&a, &b, m, n, k).unwrap();
        let mut found: Vec<f16> = (0..m * n)
            .map(|at| {
                let (a, b) = (&a[at / n * k..][..k], &b[at % n * k..][..k]);
                let sum = a
                    .iter()
                    .zip(b)
                    .fold(0.0_f32, |sum, (a, b)| sum + a.to_f32() * b.to_f32());
                f16::from_f32(sum)
            })
            .collect();
        let right = difference(&found, &expected).unwrap();
        let tolerance = GemmTolerance::new::<f16>(k, right.rms);
        assert!(tolerance.admits(&right), "{right:?} {tolerance:?}");
        let typical = right.rms;
        found[777] = f16::from_f64(found[777].to_f64() + typical);
        assert!(!tolerance.admits(&difference(&found, &expected).unwrap()));
    }
}

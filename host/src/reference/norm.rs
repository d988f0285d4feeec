//! The distance of a result from the reference, and the allowed distance.
//!
//! ```text
//!   relative Frobenius error  ‖D − C‖ / ‖C‖ = sqrt(Σ (d − c)²) / sqrt(Σ c²)     one number for the whole result
//!   maximum absolute error    max |d − c|                                      detects a single wrong element
//! ```
//!
//! A result must satisfy conditions on both distances, because a single wrong element among 67
//! million does not change the norm.

use super::element::Element;
use super::gemm::{ShapeError, check_shape};
use half::f16;
use rayon::prelude::*;

/// The distance of a result from its reference.
///
/// If an element's reference is NaN, infinite, or beyond the largest number of the result's type,
/// and the element is the same NaN or infinity, then its distance is 0 and it is excluded from both
/// norms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// ‖D − C‖ / ‖C‖. It is 0 if both norms are 0, infinite if only ‖C‖ is 0, and NaN if an element
    /// is NaN in only one of D and C.
    pub relative: f64,
    /// max |d − c|, or NaN if a difference is NaN.
    pub max_absolute: f64,
    /// The index of the element with the largest distance, or of the first element with a distance
    /// of NaN.
    pub at: usize,
    /// The root mean square of c.
    pub rms: f64,
    /// The number of elements compared.
    pub elements: usize,
    /// The number of elements that are NaN or infinite as expected.
    pub not_finite: usize,
}

/// Returns the distance of one element, and whether it is NaN or infinite like the reference.
pub(super) fn distance<T: Element>(found: T, expected: f64) -> (f64, bool) {
    let d = found.to_f64();
    if d.is_finite() {
        // An infinite reference has an infinite distance from every number. A reference of NaN has
        // the distance NaN.
        return ((d - expected).abs(), false);
    }
    let same = if d.is_nan() {
        expected.is_nan()
    } else {
        // The expected value may overflow in the result's type. The factor allows for one more
        // rounding before that.
        let beyond = T::from_f64(expected * (1.0 + 2.0 * T::UNIT_ROUNDOFF)).to_f64();
        beyond == d
    };
    if same {
        (0.0, true)
    } else {
        ((d - expected).abs(), false)
    }
}

/// Returns the distance of `found` from `expected`, element by element.
///
/// ```
/// use host::reference::difference;
/// let off = difference(&[3.0_f32, 4.5], &[3.0, 4.0]).unwrap();
/// assert_eq!((off.relative, off.max_absolute, off.at), (0.1, 0.5, 1));
/// let off = difference(&[3.0_f32, f32::NAN], &[3.0, f64::NAN]).unwrap();
/// assert_eq!((off.relative, off.max_absolute, off.not_finite), (0.0, 0.0, 1));
/// ```
///
/// # Errors
/// Returns a [`ShapeError`] unless both have the same length.
pub fn difference<T: Element>(found: &[T], expected: &[f64]) -> Result<Difference, ShapeError> {
    check_shape("the result", found.len(), 1, expected.len())?;
    const PIECE: usize = 1 << 14;
    let partials: Vec<PartialNorm> = found
        .par_chunks(PIECE)
        .zip(expected.par_chunks(PIECE))
        .enumerate()
        .map(|(piece, (found, expected))| T::compare(found, expected, piece * PIECE))
        .collect();
    // The pieces are added in their order, so that the result does not depend on the threads.
    let mut all = PartialNorm::default();
    for partial in partials {
        all.error += partial.error;
        all.norm += partial.norm;
        all.not_finite += partial.not_finite;
        all.farthest(partial.max, partial.at);
    }
    let relative = if all.error == 0.0 {
        0.0
    } else if all.max.is_infinite() {
        // One side is infinite: the quotient of two infinities would be meaningless.
        f64::INFINITY
    } else {
        (all.error / all.norm).sqrt()
    };
    let finite = found.len() - all.not_finite;
    Ok(Difference {
        relative,
        max_absolute: all.max,
        at: all.at,
        rms: (all.norm / finite.max(1) as f64).sqrt(),
        elements: found.len(),
        not_finite: all.not_finite,
    })
}

/// The sums of squares and the maximum over some of the elements.
#[derive(Default)]
pub struct PartialNorm {
    error: f64,
    norm: f64,
    max: f64,
    at: usize,
    not_finite: usize,
}

impl PartialNorm {
    /// Returns the partial norm of `found`, whose first element has index `first` in the whole
    /// result.
    pub(super) fn of<T: Element>(found: &[T], expected: &[f64], first: usize) -> Self {
        let mut partial = Self {
            at: first,
            ..Self::default()
        };
        for (index, (&d, &c)) in found.iter().zip(expected).enumerate() {
            let (distance, not_finite) = distance(d, c);
            if not_finite {
                partial.not_finite += 1;
                continue;
            }
            partial.error += distance * distance;
            partial.norm += c * c;
            partial.farthest(distance, first + index);
        }
        partial
    }

    fn farthest(&mut self, distance: f64, at: usize) {
        if worse(distance, self.max) {
            (self.max, self.at) = (distance, at);
        }
    }
}

/// Whether `distance` replaces the maximum so far. A NaN replaces every number, and no number
/// replaces a NaN.
fn worse(distance: f64, max: f64) -> bool {
    !max.is_nan() && (distance.is_nan() || distance > max)
}

/// The allowed distance from the reference of a GEMM on this crate's random data.
///
/// The inputs are uniform in [-1, 1), so a result has the standard deviation `s = sqrt(K) / 3`. The
/// partial sum is a random walk, with the standard deviation `sqrt(t) / 3` after `t` products. A
/// result is rounded once to the output type, by at most `u` of its value. For the errors before
/// that rounding, let `e = 2⁻²³` be a unit in the last place of 1:
///
/// - A tensor core adds `b` products to the accumulator at a time and truncates the sum. It does so
///   K / b times, and each time loses half a unit of the partial sum on average, always towards 0.
///   The mean over the walk is at most `e/2 · s · K / b`, with the signs of the partial
///   accumulators, so these losses do not cancel.
/// - An adder that rounds to nearest loses at most `e/2` of a partial sum at each of K products,
///   with random signs. The same holds for the bits that a tensor core cuts off the products
///   themselves. After a walk of K such losses the sum is off by at most `2·e·s·sqrt(K)`.
///
/// ```text
///   l = e·s·(K / 2b + 2·sqrt(K))                          the loss of the sum
///   relative   ‖D − C‖ / ‖C‖  ≤  u + (l + h) / rms(C)      h: half the output's smallest subnormal
///   absolute   max |d − c|    ≤  8·u·s + 4·l + h
/// ```
///
/// The absolute bound detects a single wrong element, which is off by about `s`: at `b = 8`, `s`
/// exceeds the bound up to K = 30,000,000.
///
/// Source for `b` and the cut: Fasi, Higham, Mikaitis, Pranesh, "Numerical Behavior of NVIDIA
/// Tensor Cores" (2021): 4 products at a time for TF32 on the A100, 8 for f16 and bf16; later GPUs
/// add more at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GemmTolerance {
    /// The largest relative Frobenius error that passes.
    pub relative: f64,
    /// The largest absolute error of an element that passes.
    pub absolute: f64,
}

impl GemmTolerance {
    /// The largest relative error for which a verdict is meaningful. From `1 / 8` on, a single
    /// wrong element, which is off by about the result's standard deviation `s`, would be within
    /// the absolute bound `8·s·relative`.
    pub const MOST_RELATIVE: f64 = 0.1;

    /// Whether the tolerance is narrow enough that a wrong element does not pass.
    #[must_use]
    pub fn judges(&self) -> bool {
        self.relative <= Self::MOST_RELATIVE
    }

    /// Returns the tolerance for outputs of type `T` that accumulate `k` products of any input
    /// type, and a reference with the root mean square `rms`. It assumes 4 products at a time.
    #[must_use]
    pub fn new<T: Element>(k: usize, rms: f64) -> Self {
        Self::f32_accumulator::<T>(k, 4, rms)
    }

    /// Returns the tolerance for outputs of type `T` that accumulate `k` products in f32, and a
    /// reference with the root mean square `rms`. At least `at_a_time` products (`b` above) are
    /// added to the accumulator at once.
    #[must_use]
    pub fn f32_accumulator<T: Element>(k: usize, at_a_time: usize, rms: f64) -> Self {
        let products = k as f64;
        let typical = products.sqrt() / 3.0;
        let cut = products / (2.0 * at_a_time.max(1) as f64);
        let sum = f64::from(f32::EPSILON) * (cut + 2.0 * products.sqrt()) * typical;
        Self {
            relative: T::UNIT_ROUNDOFF + (sum + T::UNDERFLOW) / rms,
            absolute: 8.0 * T::UNIT_ROUNDOFF * typical + 4.0 * sum + T::UNDERFLOW,
        }
    }

    /// Returns the tolerance for f16 accumulators, which are rounded to f16 as they grow:
    /// `e = 2⁻¹¹` at each of `K / 8` additions, to nearest, so that losses cancel as in a random
    /// walk. Beyond K = 83,000 [`judges`](Self::judges) is false:
    ///
    /// ```text
    ///   relative  ≤  u + 2·e·sqrt(K / 8) + h / rms(C)      absolute  ≤  8·s·(u + 2·e·sqrt(K / 8)) + h
    /// ```
    #[must_use]
    pub fn f16_accumulator<T: Element>(k: usize, rms: f64) -> Self {
        let typical = (k as f64).sqrt() / 3.0;
        let walk = 2.0 * f16::UNIT_ROUNDOFF * (k as f64 / 8.0).sqrt();
        Self {
            relative: T::UNIT_ROUNDOFF + walk + T::UNDERFLOW / rms,
            absolute: 8.0 * typical * (T::UNIT_ROUNDOFF + walk) + T::UNDERFLOW,
        }
    }

    /// Returns the tolerance for products of 8-bit floats that Hopper's tensor cores accumulate.
    /// They keep 13 bits after the point of the largest of 32 products and the accumulator, and
    /// truncate the rest. Truncations of products cancel as in a random walk, but truncations of
    /// the accumulator are all towards zero.
    ///
    /// ```text
    ///   w = 2⁻¹³·(sqrt(K) + K / 64)      relative  ≤  u + s·w / rms(C) + h / rms(C)      absolute  ≤  8·s·(u + w) + h
    /// ```
    #[must_use]
    pub fn fp8_accumulator<T: Element>(k: usize, rms: f64) -> Self {
        let products = k as f64;
        let typical = products.sqrt() / 3.0;
        let cut = 2_f64.powi(-13) * (products.sqrt() + products / 64.0);
        Self {
            relative: T::UNIT_ROUNDOFF + (typical * cut + T::UNDERFLOW) / rms,
            absolute: 8.0 * typical * (T::UNIT_ROUNDOFF + cut) + T::UNDERFLOW,
        }
    }

    /// Returns the tolerance for results that are exact except for one rounding to type `T`.
    #[must_use]
    pub fn exact<T: Element>(rms: f64) -> Self {
        Self {
            relative: T::UNIT_ROUNDOFF,
            absolute: 64.0 * T::UNIT_ROUNDOFF * rms,
        }
    }

    /// Returns the tolerance of a result that is `scale` times the result of this tolerance.
    #[must_use]
    pub fn scaled(self, scale: f64) -> Self {
        Self {
            absolute: self.absolute * scale.abs(),
            ..self
        }
    }

    /// Whether a result passes. A result with a NaN distance never passes.
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

    /// Checks that float32 sums in order pass, and that the same result with one element from
    /// another place does not.
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

    #[test]
    fn what_is_not_finite_is_compared_too() {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        // 65,520 rounds to infinity in f16, 1e39 in f32.
        let expected = [1.0, nan, inf, -inf, 65_520.0, -1e39];
        let f = |values: [f64; 6]| difference(&values.map(f16::from_f64), &expected).unwrap();
        let right = f([1.0, nan, inf, -inf, inf, -inf]);
        assert_eq!((right.relative, right.max_absolute), (0.0, 0.0));
        assert_eq!((right.elements, right.not_finite, right.rms), (6, 5, 1.0));
        assert!(GemmTolerance::new::<f16>(16, right.rms).admits(&right));
        for (at, wrong) in [
            (0, nan),
            (0, inf),
            (1, 1.0),
            (1, inf),
            (2, 65_504.0),
            (2, -inf),
            (2, nan),
            (4, -inf),
            (5, 1.0),
        ] {
            let mut values = [1.0, nan, inf, -inf, inf, -inf];
            values[at] = wrong;
            let off = f(values);
            assert!(
                !GemmTolerance::new::<f16>(1 << 20, 1e9).admits(&off),
                "{at} {wrong}: {off:?}"
            );
        }
        let off = difference(&[f32::INFINITY], &[3e38]).unwrap();
        assert_eq!(off.max_absolute, inf, "3e38 is a number in f32");
    }

    /// Checks the tolerance with accumulators as in a tensor core, where each addition is cut
    /// towards 0. The results are within the tolerance and use much of it: for every length of the
    /// sum, the bound is neither too small nor far too large.
    #[test]
    fn the_tolerance_is_sharp_for_long_products() {
        const AT_A_TIME: usize = 8;
        for k in [1 << 10, 1 << 16, 3_000_000] {
            let columns = (1 << 24) / k;
            let columns = columns.clamp(24, 256);
            let mut random = super::super::Random::new(k as u64);
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            for _ in 0..columns {
                let (mut cut, mut exact) = (0.0_f32, 0.0_f64);
                for _ in 0..k / AT_A_TIME {
                    let addend: f64 = (0..AT_A_TIME)
                        .map(|_| random.uniform() * random.uniform())
                        .sum();
                    exact += addend;
                    let sum = f64::from(cut) + addend;
                    let nearest = sum as f32;
                    cut = if f64::from(nearest).abs() > sum.abs() {
                        f32::from_bits(nearest.to_bits() - 1)
                    } else {
                        nearest
                    };
                }
                found.push(cut);
                expected.push(exact);
            }
            let off = difference(&found, &expected).unwrap();
            let allowed = GemmTolerance::f32_accumulator::<f32>(k, AT_A_TIME, off.rms);
            assert!(allowed.admits(&off), "{k}: {off:?} {allowed:?}");
            assert!(
                allowed.relative < 16.0 * off.relative,
                "{k}: {off:?} {allowed:?}"
            );
            // An element that is off by half of a typical element is detected.
            found[7] += off.rms as f32 / 2.0;
            let wrong = difference(&found, &expected).unwrap();
            assert!(!allowed.admits(&wrong), "{k}: {wrong:?} {allowed:?}");
        }
        let allowed = GemmTolerance::new::<f32>(3_000_000, 3e6_f64.sqrt() / 3.0);
        assert!(allowed.relative < 0.05, "{allowed:?}");
    }

    /// Checks that, if a result is judged, an element that is off by the result's standard
    /// deviation is detected.
    #[test]
    fn what_is_judged_is_told_from_what_is_wrong() {
        let mut judged = [0; 2];
        for k in (4..24).map(|power| 1_usize << power) {
            let deviation = (k as f64).sqrt() / 3.0;
            for tolerance in [
                GemmTolerance::f16_accumulator::<f16>(k, deviation),
                GemmTolerance::f16_accumulator::<f32>(k, deviation),
                GemmTolerance::f32_accumulator::<f32>(k, 8, deviation),
                GemmTolerance::f32_accumulator::<f16>(k, 4, deviation),
            ] {
                let wrong = Difference {
                    relative: 0.0,
                    max_absolute: deviation,
                    at: 0,
                    rms: deviation,
                    elements: 1 << 20,
                    not_finite: 0,
                };
                judged[usize::from(tolerance.judges())] += 1;
                assert!(
                    !tolerance.judges() || !tolerance.admits(&wrong),
                    "{k}: {tolerance:?}"
                );
            }
        }
        assert!(judged[0] > 0 && judged[1] > 40, "{judged:?}");
        let f16_accumulator =
            |k: usize| GemmTolerance::f16_accumulator::<f16>(k, (k as f64).sqrt() / 3.0);
        assert!(f16_accumulator(80_000).judges());
        for k in [90_000, 3_000_000] {
            let f32_accumulator =
                GemmTolerance::f32_accumulator::<f32>(k, 8, (k as f64).sqrt() / 3.0);
            assert!(
                !f16_accumulator(k).judges() && f32_accumulator.judges(),
                "{k}"
            );
        }
    }
}

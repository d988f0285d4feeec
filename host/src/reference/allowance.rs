//! The error that each element of a result may have, and the comparison of a result with it.
//!
//! ```text
//!   error analysis ──► bound      per element: no right result has a larger error
//!                      typical    per element: the root mean square error of roundings with random signs
//!   D, C ──► Agreement   largest  max |d − c| / (bound + rounding of c)              ≤ 1
//!                        norm     ‖d − c‖ / (5/4 ‖typical and rounding of c‖)        ≤ 1
//! ```
//!
//! A result must satisfy both conditions. The bound adds worst cases, so it does not detect a fault
//! that changes every element by little compared with the element's terms. The norm detects such a
//! fault. A single wrong element hardly changes the norm, and the bound detects it.
//!
//! The rounding of c is the final rounding to the result's type. It is at most `u |c| + h`, where
//! `u` is the type's unit roundoff and `h` is half the type's smallest subnormal.

use super::element::Element;
use super::gemm::{ShapeError, check_shape};

/// The allowed errors of a result's elements, before the elements are rounded to the result's type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Allowance {
    /// The bound that no right element exceeds.
    bound: Vec<f64>,
    /// The mean square of a right element's error.
    variance: Vec<f64>,
}

impl Allowance {
    /// The allowed quotient of a result's norm and the expected norm. It is above 1, because a norm
    /// covers only some elements, whose errors are not independent.
    const OF_NORM: f64 = 1.25;

    /// Returns an allowance of no error, for `elements` elements.
    #[must_use]
    pub fn none(elements: usize) -> Self {
        Self {
            bound: vec![0.0; elements],
            variance: vec![0.0; elements],
        }
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bound.len()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bound.is_empty()
    }

    /// Increases the allowed error of element `i`: the bound by `bound`, and the mean square by
    /// `variance`.
    pub fn add(&mut self, i: usize, bound: f64, variance: f64) {
        self.bound[i] += bound;
        self.variance[i] += variance;
    }

    /// Appends the elements of `other`.
    pub fn extend(&mut self, other: &Self) {
        self.bound.extend_from_slice(&other.bound);
        self.variance.extend_from_slice(&other.variance);
    }

    /// Returns only these elements.
    #[must_use]
    pub fn part(&self, of: std::ops::Range<usize>) -> Self {
        Self {
            bound: self.bound[of.clone()].to_vec(),
            variance: self.variance[of].to_vec(),
        }
    }

    /// Replaces the elements from `at` on by those of `other`.
    pub fn put(&mut self, at: usize, other: &Self) {
        let of = at..at + other.len();
        self.bound[of.clone()].copy_from_slice(&other.bound);
        self.variance[of].copy_from_slice(&other.variance);
    }

    /// Returns the allowance for `factor` times the result to which this allowance belongs.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        self.bound.iter_mut().for_each(|of| *of *= factor.abs());
        self.variance
            .iter_mut()
            .for_each(|of| *of *= factor * factor);
        self
    }
}

/// A result compared with its reference, in units of the allowed error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// The largest quotient of an element's `|d − c|` and its allowed value, or [`f64::MAX`] if a
    /// quotient is not finite. That is so for a NaN or an infinity that the reference does not
    /// have.
    pub largest: f64,
    /// `‖d − c‖` divided by its allowed value.
    pub norm: f64,
    /// The error `|d − c|` of the element with the [`largest`](Self::largest) quotient.
    pub off: f64,
    /// The allowed error of the element whose error is `off`.
    pub bound: f64,
    /// The allowed value of `‖d − c‖` divided by `‖c‖`, or 0 if `‖c‖` is 0.
    pub relative: f64,
}

impl Agreement {
    /// Compares `found` with `expected`, in units of `allowed`.
    ///
    /// ```
    /// use host::reference::{Agreement, Allowance};
    /// let mut allowed = Allowance::none(2);
    /// allowed.add(1, 0.5, 0.1);
    /// let of = |found: [f32; 2]| Agreement::of(&found, &[1.0, 2.0], &allowed).unwrap();
    /// assert!(of([1.0, 2.25]).holds());
    /// assert!(!of([1.25, 2.0]).holds() && !of([1.0, f32::NAN]).holds());
    /// ```
    ///
    /// # Errors
    /// Returns a [`ShapeError`] unless all three have the same length.
    pub fn of<T: Element>(
        found: &[T],
        expected: &[f64],
        allowed: &Allowance,
    ) -> Result<Self, ShapeError> {
        check_shape("the result", found.len(), 1, expected.len())?;
        check_shape("the allowance", allowed.len(), 1, expected.len())?;
        let mut agreement = Self {
            largest: 0.0,
            norm: 0.0,
            off: 0.0,
            bound: 0.0,
            relative: 0.0,
        };
        let [mut errors, mut may_be, mut squares] = [0.0; 3];
        for (i, (found, &expected)) in found.iter().zip(expected).enumerate() {
            let rounding = T::UNIT_ROUNDOFF * expected.abs() + T::UNDERFLOW;
            let bound = allowed.bound[i] + rounding;
            let (off, same) = super::norm::distance(*found, expected);
            if same {
                continue;
            }
            errors += off * off;
            may_be += allowed.variance[i] + rounding * rounding;
            squares += expected * expected;
            let part = ratio(off, bound);
            if part > agreement.largest || i == 0 {
                (agreement.largest, agreement.off, agreement.bound) = (part, off, bound);
            }
        }
        let may_be = Allowance::OF_NORM * f64::sqrt(may_be);
        agreement.norm = ratio(errors.sqrt(), may_be);
        if squares > 0.0 {
            agreement.relative = may_be / squares.sqrt();
        }
        Ok(agreement)
    }

    /// Whether the result is within the allowed errors.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.largest <= 1.0 && self.norm <= 1.0
    }
}

/// Returns `off / allowed`, or 0 if `off` is 0, or [`f64::MAX`] if the quotient is not a finite
/// number.
fn ratio(off: f64, allowed: f64) -> f64 {
    if off == 0.0 {
        return 0.0;
    }
    let ratio = off / allowed;
    if ratio.is_finite() { ratio } else { f64::MAX }
}

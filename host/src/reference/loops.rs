//! The references' loops over elements, compiled in this crate for each element type.
//!
//! ```text
//!   difference::<f16>, called in a test ──► wrapper, at the test's opt-level 0
//!                                             └──► <f16 as Loops>::compare ──► opt-level 3, here
//! ```
//!
//! A generic function is compiled in the crate that calls it. The loops over values are in
//! non-generic `impl`s of this crate, so that a test at opt-level 0 does not execute an unoptimised
//! conversion for each value.

use super::element::Element;
use super::norm::PartialNorm;
use super::random::Random;

/// Loops over many values of a type, implemented only for the [`Element`] types.
pub trait Loops: Sized {
    /// Writes `values` as float64 to every `stride`-th place of `to`, beginning with the first.
    fn widen(values: &[Self], to: &mut [f64], stride: usize);

    /// Fills `to` with random values, in order.
    fn draw(random: &mut Random, to: &mut [Self]);

    /// Compares `found` with `expected`, and returns the norms. Indices count from `first`.
    fn compare(found: &[Self], expected: &[f64], first: usize) -> PartialNorm;
}

/// Converts `values` to float64.
pub(super) fn to_f64s<T: Element>(values: &[T]) -> Vec<f64> {
    let mut wide = vec![0.0; values.len()];
    T::widen(values, &mut wide, 1);
    wide
}

macro_rules! loops {
    ($($ty:ty),*) => {
        $(impl Loops for $ty {
            fn widen(values: &[Self], to: &mut [f64], stride: usize) {
                for (to, value) in to.iter_mut().step_by(stride).zip(values) {
                    *to = value.to_f64();
                }
            }

            fn draw(random: &mut Random, to: &mut [Self]) {
                to.fill_with(|| random.element());
            }

            fn compare(found: &[Self], expected: &[f64], first: usize) -> PartialNorm {
                PartialNorm::of(found, expected, first)
            }
        })*
    };
}

loops!(
    half::f16,
    half::bf16,
    f32,
    f64,
    layout_types::atom::element::FloatE4M3,
    layout_types::atom::element::FloatE5M2,
    i8,
    i32
);

//! `reduce`: all elements to one value.
//!
//! ```text
//!   reduce(&row, 0.0, |sum, x| sum + x)        ((0 + t(0)) + t(1)) + ..
//! ```
//!
//! Law: the function is applied in the order of the elements, so the result is the same every time. It is one thread's;
//! between threads it goes on with shuffles (`cuda_std::warp`).
//!
//! Source: CuTe `fold` in `cute/algorithm/tuple_algorithms.hpp`, for tensors.

use super::Walk;
use crate::tensor::{Read, Tensor};
use crate::unroll::unroll_type;

/// `f(.. f(f(start, t(0)), t(1)) .., t(n - 1))`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::{algorithm::{fill, reduce}, tensor::Fragment};
/// let row = Fragment::<f32, layout!((4,2))>::new();
/// fill(&row.view(), 0.5);
/// row.set((2u32, 1), 3.0);
/// assert_eq!(reduce(&row.view(), 0.0, |sum, x| sum + x), 6.5);
/// assert_eq!(reduce(&row.view(), f32::MIN, f32::max), 3.0);
/// ```
#[inline(always)]
pub fn reduce<E: Read, L: Walk, A>(
    tensor: &Tensor<E, L>,
    start: A,
    f: impl Fn(A, E::Value) -> A,
) -> A {
    let mut sum = Some(start);
    unroll_type::<L::Count>(|i| {
        sum = sum.take().map(|sum| f(sum, tensor.get(i as u32)));
    });
    match sum {
        Some(sum) => sum,
        None => unreachable!("every step puts a value back"),
    }
}

//! `fill` and `clear`: every element the same.
//!
//! ```text
//!   fill(&accumulators, 1.0)        clear(&accumulators)
//! ```
//!
//! Law: `t(i) == value` for every `i` afterwards.
//!
//! Source: CuTe `cute/algorithm/fill.hpp`, `clear.hpp`.

use super::Walk;
use crate::tensor::{Store, Tensor};
use crate::unroll::unroll_type;

/// CuTe's `fill`: every element becomes `value`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::{algorithm::fill, tensor::Fragment};
/// let fragment = Fragment::<f32, layout!((2,3))>::new();
/// fill(&fragment.view(), 1.5);
/// assert_eq!(fragment.get((1u32, 2)), 1.5);
/// ```
#[inline(always)]
pub fn fill<E: Store, L: Walk>(tensor: &Tensor<E, L>, value: E::Value) {
    unroll_type::<L::Count>(|i| tensor.set(i as u32, value));
}

/// CuTe's `clear`: every element becomes zero.
#[inline(always)]
pub fn clear<E: Store<Value: Default>, L: Walk>(tensor: &Tensor<E, L>) {
    fill(tensor, E::Value::default());
}

//! `transform`: a function of each element.
//!
//! ```text
//!   transform(&sums, &halfs, f16::from_f32)         transform_with(&a, &b, &c, |x, y| x.max(y))
//! ```
//!
//! Law: `out(i) == f(in(i))` for every `i`. In and out may be one tensor.
//!
//! Source: CuTe `cute/algorithm/tensor_algorithms.hpp`.

use super::Walk;
use super::copy::SameCount;
use crate::layout::Size;
use crate::num::NatCmp;
use crate::tensor::{Read, Store, Tensor};
use crate::unroll::unroll_type;

/// CuTe's `transform(in, out, f)`: `out(i) = f(in(i))`. The element types may differ.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::{algorithm::transform, tensor::Fragment};
/// let sums = Fragment::<f32, layout!((2,3))>::new();
/// let bits = Fragment::<u32, layout!((2,3):(3,1))>::new();
/// sums.set((1u32, 2), 1.0);
/// transform(&sums.view(), &bits.view(), f32::to_bits);
/// assert_eq!(bits.get((1u32, 2)), 0x3f80_0000);
/// ```
#[inline(always)]
pub fn transform<E, L, F, M>(
    input: &Tensor<E, L>,
    output: &Tensor<F, M>,
    f: impl Fn(E::Value) -> F::Value,
) where
    E: Read,
    F: Store,
    L: Walk,
    M: Walk,
    <Size<L> as NatCmp>::Equals<Size<M>>: SameCount<Size<L>, Size<M>>,
{
    unroll_type::<L::Count>(|i| output.set(i as u32, f(input.get(i as u32))));
}

/// CuTe's `transform(tensor, f)`: `tensor(i) = f(tensor(i))`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::{algorithm::{fill, transform_in_place}, tensor::Fragment};
/// let row = Fragment::<f32, layout!((2,3))>::new();
/// fill(&row.view(), 1.5);
/// transform_in_place(&row.view(), |x| 2.0 * x);
/// assert_eq!(row.get((1u32, 2)), 3.0);
/// ```
#[inline(always)]
pub fn transform_in_place<E: Store, L: Walk>(
    tensor: &Tensor<E, L>,
    f: impl Fn(E::Value) -> E::Value,
) {
    unroll_type::<L::Count>(|i| tensor.set(i as u32, f(tensor.get(i as u32))));
}

/// CuTe's `transform(in1, in2, out, f)`: `out(i) = f(in1(i), in2(i))`.
#[inline(always)]
pub fn transform_with<E, L, F, M, G, N>(
    left: &Tensor<E, L>,
    right: &Tensor<F, M>,
    output: &Tensor<G, N>,
    f: impl Fn(E::Value, F::Value) -> G::Value,
) where
    E: Read,
    F: Read,
    G: Store,
    L: Walk,
    M: Walk,
    N: Walk,
    <Size<L> as NatCmp>::Equals<Size<M>>: SameCount<Size<L>, Size<M>>,
    <Size<L> as NatCmp>::Equals<Size<N>>: SameCount<Size<L>, Size<N>>,
{
    unroll_type::<L::Count>(|i| {
        output.set(i as u32, f(left.get(i as u32), right.get(i as u32)));
    });
}

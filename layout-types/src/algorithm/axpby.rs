//! `axpby`: a scaled sum of two tensors.
//!
//! ```text
//!   y = alpha x + beta y
//! ```
//!
//! Law: `y(i) == alpha * x(i) + beta * y(i)`, each operation rounded by itself; with `beta` zero `y` is not read, so that what
//! was in it (NaN too) does not matter.
//!
//! Source: CuTe `cute/algorithm/axpby.hpp`.

use super::Walk;
use super::copy::SameCount;
use crate::layout::Size;
use crate::num::NatCmp;
use crate::tensor::{Read, Store, Tensor};
use crate::unroll::unroll_type;
use core::ops::{Add, Mul};

/// CuTe's `axpby(alpha, x, beta, y)`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::{algorithm::{axpby, fill}, tensor::Fragment};
/// let (x, y) = (Fragment::<f32, layout!(4)>::new(), Fragment::<f32, layout!(4)>::new());
/// (fill(&x.view(), 3.0), fill(&y.view(), f32::NAN));
/// axpby(2.0, &x.view(), 0.0, &y.view());
/// assert_eq!(y.get(1u32), 6.0);
/// axpby(1.0, &x.view(), 0.5, &y.view());
/// assert_eq!(y.get(1u32), 6.0);
/// ```
#[inline(always)]
pub fn axpby<E, L, F, M, T>(alpha: T, x: &Tensor<E, L>, beta: T, y: &Tensor<F, M>)
where
    T: Copy + PartialEq + Default + Add<Output = T> + Mul<Output = T>,
    E: Read<Value = T>,
    F: Store<Value = T>,
    L: Walk,
    M: Walk,
    <Size<L> as NatCmp>::Equals<Size<M>>: SameCount<Size<L>, Size<M>>,
{
    let reads = beta != T::default();
    unroll_type::<L::Count>(|i| {
        let scaled = alpha * x.get(i as u32);
        y.set(
            i as u32,
            if reads {
                scaled + beta * y.get(i as u32)
            } else {
                scaled
            },
        );
    });
}

//! `convert_type`: a tensor's elements in another type, two at a time.
//!
//! ```text
//!   accumulators f32  a0 a1 a2 a3  ──convert_type──►  f16  [a0 a1] [a2 a3]      two conversions for four elements
//! ```
//!
//! Law: `out(i) == convert(in(i))` for every `i`.
//!
//! Source: FlashAttention `hopper/utils.h` (`convert_type`); CUTLASS `cutlass/numeric_conversion.h` (`NumericArrayConverter`).

use super::{SameCount, Walk};
use crate::atom::convert::{ConvertTo, convert, convert_pair};
use crate::layout::Size;
use crate::num::NatCmp;
use crate::tensor::{Read, Store, Tensor};
use crate::unroll::unroll_type;

/// Each element of `input` as an element of `output`'s type, by the GPU's instruction for two where it has one.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::{algorithm::{convert_type, fill}, tensor::Fragment};
/// use half::bf16;
/// let sums = Fragment::<f32, layout!((2,3))>::new();
/// fill(&sums.view(), 1.5);
/// let rounded = sums.make_fragment_like::<bf16>();
/// convert_type(&sums.view(), &rounded.view());
/// assert_eq!(rounded.get((1u32, 2)), bf16::from_f32(1.5));
/// ```
#[inline(always)]
pub fn convert_type<E, L, F, M>(input: &Tensor<E, L>, output: &Tensor<F, M>)
where
    E: Read,
    E::Value: ConvertTo<F::Value>,
    F: Store,
    L: Walk,
    M: Walk,
    <Size<L> as NatCmp>::Equals<Size<M>>: SameCount<Size<L>, Size<M>>,
{
    // Known at each step once the loop is unrolled.
    let mut first = None;
    unroll_type::<L::Count>(|i| {
        let (i, value) = (i as u32, input.get(i as u32));
        match first.take() {
            None => first = Some((i, value)),
            Some((before, other)) => {
                let pair = convert_pair([other, value]);
                output.set(before, pair[0]);
                output.set(i, pair[1]);
            }
        }
    });
    if let Some((last, value)) = first {
        output.set(last, convert(value));
    }
}

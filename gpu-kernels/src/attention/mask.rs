//! Masks: which keys a query sees, from the coordinates of its score.
//!
//! ```text
//!   identity tensor (M,N), partitioned as the scores are ─► (query, key) of each of a thread's scores
//!   seen   key < keys   and   lower <= key - query <= upper
//!
//!   the thread's first score at (i, j): its others are at (i, j) + thread 0's, which are constants
//! ```
//!
//! Law: a score that is not seen becomes -inf, so that its probability is 0.

use kernel_abi::attention::AttentionParams;
use layout_types::algorithm::{SameCount, Walk, transform_with};
use layout_types::layout::Size;
use layout_types::num::NatCmp;
use layout_types::tensor::{Coordinates, Registers, Tensor};
use layout_types::tiled::OperandC;

/// What is seen of a block of scores, counted from one of them on.
#[derive(Clone, Copy)]
pub struct Seen {
    /// Keys from there on.
    keys: i32,
    lower: i32,
    upper: i32,
}

impl Seen {
    /// The mask counted from the score at `(query, key)`.
    #[inline(always)]
    pub fn from(params: &AttentionParams, query: u32, key: u32) -> Self {
        let moved = query.wrapping_sub(key) as i32;
        Self {
            keys: params.keys.wrapping_sub(key) as i32,
            lower: params.lower.saturating_add(moved),
            upper: params.upper.saturating_add(moved),
        }
    }

    /// Whether the query sees the key.
    #[inline(always)]
    pub fn sees(self, [query, key]: [u32; 2]) -> bool {
        let (query, key) = (query as i32, key as i32);
        let end = self.upper.saturating_add(query).saturating_add(1);
        let end = if end < self.keys { end } else { self.keys };
        (key < end) & (key >= self.lower.saturating_add(query))
    }
}

/// Masks a thread's scores. `from_first` are their coordinates, counted from those of the thread's first score, and so are those of
/// `seen`.
#[inline(always)]
pub fn mask<L: Walk, M: Walk>(
    scores: &Tensor<Registers<'_, f32, OperandC>, L>,
    from_first: &Tensor<Coordinates<2>, M>,
    seen: Seen,
) where
    <Size<L> as NatCmp>::Equals<Size<M>>: SameCount<Size<L>, Size<M>>,
    <Size<L> as NatCmp>::Equals<Size<L>>: SameCount<Size<L>, Size<L>>,
{
    transform_with(scores, from_first, scores, |score, at| {
        if seen.sees(at) {
            score
        } else {
            f32::NEG_INFINITY
        }
    });
}

//! Masks decide from the coordinates of a score whether its query sees its key.
//!
//! ```text
//!   identity tensor (M,N), partitioned as the scores are ─► (query, key) of each of a thread's scores
//!   seen   key < keys   and   lower <= key - query <= upper
//!
//!   first score of a thread at (i, j): its other scores are at (i, j) + the coordinates of thread 0, which are constants
//! ```
//!
//! Law: a score that is not seen becomes -inf, so that its probability is 0.

use super::softmax::Half;
use kernel_abi::attention::AttentionParams;
use layout_types::algorithm::{SameCount, Walk, reduce, transform_with};
use layout_types::layout::Size;
use layout_types::num::NatCmp;
use layout_types::tensor::{Coordinates, Registers, Tensor};
use layout_types::tiled::OperandC;
use layout_types::typenum::Unsigned;

/// The mask of a block of scores, relative to one score of the block.
#[derive(Clone, Copy)]
pub struct Seen {
    /// The number of keys from that score's key on.
    keys: i32,
    lower: i32,
    upper: i32,
}

impl Seen {
    /// Returns the mask relative to the score at `(query, key)`.
    #[inline(always)]
    pub fn from(params: &AttentionParams, query: u32, key: u32) -> Self {
        let moved = query.wrapping_sub(key) as i32;
        Self {
            keys: params.keys.wrapping_sub(key) as i32,
            lower: params.lower.saturating_add(moved),
            upper: params.upper.saturating_add(moved),
        }
    }

    /// Whether the key is before the end of the keys that the query sees.
    #[inline(always)]
    fn is_before_end(self, [query, key]: [u32; 2]) -> bool {
        let end = (self.upper.saturating_add(query as i32)).saturating_add(1);
        let end = if end < self.keys { end } else { self.keys };
        (key as i32) < end
    }

    /// Whether the key is not before the first key that the query sees.
    #[inline(always)]
    fn is_from_begin(self, [query, key]: [u32; 2]) -> bool {
        key as i32 >= self.lower.saturating_add(query as i32)
    }

    /// Whether the query sees the key.
    #[inline(always)]
    pub fn sees(self, at: [u32; 2]) -> bool {
        self.is_before_end(at) & self.is_from_begin(at)
    }

    /// Returns whether the first `rows` queries see all, some or none of the `keys` keys from `key`
    /// on.
    #[inline(always)]
    pub fn part(self, rows: u32, key: u32, keys: u32) -> Part {
        if !self.is_before_end([rows - 1, key]) {
            Part::None
        } else if self.is_before_end([0, key + keys - 1]) & self.is_from_begin([rows - 1, key]) {
            Part::All
        } else {
            Part::Some
        }
    }
}

/// Whether queries see all, some or none of a block's keys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Each query sees each key.
    All,
    /// Some query may see some key.
    Some,
    /// All keys are after the keys that the queries see.
    None,
}

/// Masks a thread's scores. `from_first` has their coordinates relative to the thread's first
/// score, and `seen` is relative to that score, too.
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

/// Applies [`mask`] to one half of a thread's scores, in their order.
#[inline(always)]
pub fn mask_half<L: Walk<Count: Unsigned>, M: Walk>(
    scores: &Tensor<Registers<'_, f32, OperandC>, L>,
    from_first: &Tensor<Coordinates<2>, M>,
    seen: Seen,
    half: Half,
) {
    let unseen = |i: usize, sees: bool| {
        if !sees {
            scores.set(i as u32, f32::NEG_INFINITY);
        }
    };
    half.each::<L::Count>(|i| unseen(i, seen.is_before_end(from_first.get(i as u32))));
    // A causal mask has no lower bound, so half of the comparisons are not needed.
    let last = reduce(
        from_first,
        0,
        |last, [query, _]| {
            if query > last { query } else { last }
        },
    );
    if !seen.is_from_begin([last, 0]) {
        half.each::<L::Count>(|i| unseen(i, seen.is_from_begin(from_first.get(i as u32))));
    }
}

//! Computes which keys the rows of a tile see.
//!
//! ```text
//!   query = row / heads        end of a row: keys - (queries - 1 - query)      a causal mask with its corner at the bottom right
//!
//!   0 ──────────── least ─── end of a row ─── keys                             a block before `least` needs no mask
//! ```
//!
//! Law: the ends do not decrease along the rows, so the first row has the smallest end. In a
//! sequence with fewer keys than queries, a query whose end is 0 or less sees no key.

use super::super::super::value::ScoreCoordinates;
use super::config::{LatentAttention, TILE};
use crate::warp_group::thread_in_group;
use core::marker::PhantomData;
use gpu_kernels::attention::score::ScoreAt;
use gpu_kernels::gemm::tile_scheduler::divide;
use kernel_abi::attention::AttentionParams;
use layout_types::tensor::Fragment;
use layout_types::tiled::OperandC;

/// The keys that a tile's rows see.
pub struct Visibility<C> {
    /// The first row of the tile.
    row: u32,
    /// The number of heads, which is the number of rows of a query.
    heads: u32,
    /// The number of keys of the sequence.
    keys: u32,
    /// The end of the keys that query 0 sees, which is 0 or less if it sees no key.
    of_first_query: i32,
    /// The end of the keys that the tile's first row sees, at least 0.
    least: u32,
    of: PhantomData<C>,
}

impl<C: LatentAttention> Visibility<C> {
    /// Returns the visibility of a sequence's `keys` keys for the 64 rows from `row` on.
    #[inline(always)]
    pub fn of(params: &AttentionParams, row: u32, keys: u32) -> Self {
        let heads = params.heads_per_key;
        let queries = divide(params.queries, heads).0;
        let of_first_query = keys as i32 - (queries as i32 - 1);
        let least = of_first_query + divide(row, heads).0 as i32;
        Self {
            row,
            heads,
            keys,
            of_first_query,
            least: if least < 0 { 0 } else { least as u32 },
            of: PhantomData,
        }
    }

    /// Whether each row of the tile sees the whole block of keys from `key` on.
    #[inline(always)]
    pub fn sees_all(&self, key: u32) -> bool {
        key + TILE <= self.least
    }

    /// Sets the scores of hidden keys to -inf, in the block of keys from `key` on.
    #[inline(always)]
    pub fn mask(&self, scores: &Fragment<f32, C::Scores, OperandC>, key: u32) {
        let first = ScoreAt {
            query: self.row,
            key,
            ..ScoreAt::default()
        };
        C::Qk::change(scores, thread_in_group(), (first, 0), |score, at| {
            // The first `hidden` queries, and so their rows, do not see the key. Rows are compared
            // instead of queries, because the query of a row would need a division.
            let hidden = (at.key + 1) as i32 - self.of_first_query;
            let seen = (at.key < self.keys) & (hidden * self.heads as i32 <= at.query as i32);
            if seen { score } else { f32::NEG_INFINITY }
        });
    }
}

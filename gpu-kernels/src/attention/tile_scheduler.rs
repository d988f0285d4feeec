//! Chooses the tiles of queries that a CTA computes, their order, and the key blocks that each tile
//! sees.
//!
//! ```text
//!   section 0: heads 0 .. s     for all heads of the section, tiles from the last queries to the first, or the reverse, by the flags
//!   section 1: heads s .. 2 s   K and V of a section stay in L2 if they fit
//!
//!   round 0   CTA 0 1 2 .. n-1        the tiles of a causal mask shrink along the order: every other round goes back,
//!   round 1   CTA n-1 .. 2 1 0        so that no CTA has the longest tile of every round
//!
//!   0 ─── 192 ─── 384 ─ 448           448 queries in tiles of 192
//!   0 ─ 64 ─── 256 ─── 448            the short tile first, by a flag: under a causal mask it sees the fewest keys
//! ```
//!
//! Law: every tile of every head of every batch is computed once. A tile's key blocks are those
//! that at least one of its queries sees, and at least one block. Masked blocks come first.

use super::score::ScoreAt;
use crate::gemm::tile_scheduler::divide;
use cuda_std::thread::{block_idx_x, grid_dim_x};
use kernel_abi::attention::{AttentionParams, flags};
use layout_types::arch::mov::here;

/// The position in a CTA's tiles: the number of rounds so far. All other values are computed again
/// for each tile, so that no register holds them during the mainloop.
#[derive(Clone, Copy, Default)]
pub struct QueryTiles {
    round: u32,
}

/// A tile of queries: its first query, its head and batch and, if it does not have all keys, its
/// part of the keys.
#[derive(Clone, Copy)]
pub struct TileAt<Part = ()> {
    /// The first query.
    pub row: u32,
    /// The head of Q and O.
    pub head: u32,
    /// The head of K and V.
    pub key_head: u32,
    /// The batch.
    pub batch: u32,
    /// The part of the keys.
    pub part: Part,
}

impl<Part> TileAt<Part> {
    /// Returns the place of the score of the tile's first query and key `key`.
    #[inline(always)]
    pub fn score_at(&self, key: u32) -> ScoreAt {
        ScoreAt {
            query: self.row,
            key,
            head: self.head,
            batch: self.batch,
            distance: 0.0,
        }
    }

    /// Returns the number of elements of O before the tile's head.
    #[inline(always)]
    pub fn offset_of_o(&self, params: &AttentionParams) -> usize {
        (u64::from(self.batch) * params.batch_o + u64::from(self.head) * params.head_o) as usize
    }

    /// Returns the number of log-sum-exps before the tile's head.
    #[inline(always)]
    pub fn offset_of_lse(&self, params: &AttentionParams) -> usize {
        let head = u64::from(self.batch) * u64::from(params.heads) + u64::from(self.head);
        (head * u64::from(params.queries)) as usize
    }
}

impl QueryTiles {
    /// Returns the CTA's next tile, of `tile` queries.
    #[inline(always)]
    pub fn next(&mut self, params: &AttentionParams, tile: u32) -> Option<TileAt> {
        let rows = here(params.queries).div_ceil(tile);
        let all_heads = here(params.heads) * params.batches;
        let index = self.index();
        // If the last round goes backwards, its tiles belong to the last CTAs.
        if index >= rows * all_heads {
            return None;
        }
        self.round += 1;
        Some(place(params, tile, (index, rows, all_heads), divide))
    }

    /// Finds out whether there is another tile; [`locate`](Self::locate) then returns this tile.
    /// The two functions together do what [`next`](Self::next) does.
    #[inline(always)]
    pub fn find(&mut self, params: &AttentionParams, tile: u32) -> bool {
        let rows = here(params.queries).div_ceil(tile);
        let all_heads = here(params.heads) * params.batches;
        if self.index() >= rows * all_heads {
            return false;
        }
        self.round += 1;
        true
    }

    /// Returns the tile that [`find`](Self::find) found last. It has no branches, because `ptxas`
    /// serialises products that are in flight across a branch (C7511).
    #[inline(always)]
    pub fn locate(self, params: &AttentionParams, tile: u32) -> TileAt {
        let rows = here(params.queries).div_ceil(tile);
        let all_heads = here(params.heads) * params.batches;
        let found = Self {
            round: self.round.wrapping_sub(1),
        };
        let divide = |number: u32, by: u32| {
            let by = by.max(1);
            (number / by, number % by)
        };
        place(params, tile, (found.index(), rows, all_heads), divide)
    }

    /// Returns the index of the next tile in the order of all tiles.
    #[inline(always)]
    fn index(self) -> u32 {
        let (cta, ctas) = (here(block_idx_x()), grid_dim_x());
        let in_round = if self.round.is_multiple_of(2) {
            cta
        } else {
            ctas - 1 - cta
        };
        self.round * ctas + in_round
    }
}

/// Returns the tile with index `index`, where each head has `rows` tiles and all batches together
/// have `all_heads` heads. `divide` returns quotient and remainder.
#[inline(always)]
fn place(
    params: &AttentionParams,
    tile: u32,
    (index, rows, all_heads): (u32, u32, u32),
    divide: impl Fn(u32, u32) -> (u32, u32),
) -> TileAt {
    let (section, rest) = divide(index, rows * params.section);
    let first_head = section * params.section;
    let left = all_heads - first_head;
    let heads = if left < params.section {
        left
    } else {
        params.section
    };
    let (row, head) = divide(rest, heads);
    let (batch, head) = divide(first_head + head, params.heads);
    let row = if here(params.flags) & flags::FIRST_ROWS_FIRST != 0 {
        row
    } else {
        rows - 1 - row
    };
    let before_first = tile - rows_of_tile(params, 0, tile);
    TileAt {
        row: (row * tile).saturating_sub(before_first),
        head,
        key_head: divide(head, params.heads_per_key).0,
        batch,
        part: (),
    }
}

/// Whether the tile that begins at `row` is a short first tile, which exists if the flags make the
/// tiles end with the last query. Only tiles of 192 queries have it. Both conditions are always
/// computed: with two branches, LLVM's order of them would depend on what else it builds.
#[inline(always)]
fn is_short_tile(params: &AttentionParams, row: u32, tile: u32) -> bool {
    tile == 192 && (row == 0) & (here(params.flags) & flags::SHORT_TILE_FIRST != 0)
}

/// Returns the number of queries, at most `tile`, of the tile that begins at `row`. For the last
/// tile it includes rows after the last query.
#[inline(always)]
pub fn rows_of_tile(params: &AttentionParams, row: u32, tile: u32) -> u32 {
    if tile != 192 {
        return tile;
    }
    let short = here(params.queries).wrapping_sub(1) % tile + 1;
    if is_short_tile(params, row, tile) {
        short
    } else {
        tile
    }
}

/// Returns the end of the rows that are stored of the tile that begins at `row`: the number of
/// queries or, for a short first tile, the tile's own number of rows.
#[inline(always)]
pub fn stored_before(params: &AttentionParams, row: u32, tile: u32) -> u32 {
    let rows = rows_of_tile(params, row, tile);
    if is_short_tile(params, row, tile) {
        rows
    } else {
        params.queries
    }
}

/// The key blocks of a tile of queries, in the order in which they are multiplied.
///
/// ```text
///   begin      full_begin            full_end      end
///     ├ masked ──┼──── all seen ────────┼── masked ──┤        right masked blocks, left masked blocks, then the others, each backwards
/// ```
#[derive(Clone, Copy)]
pub struct KeyBlocks {
    full_begin: u32,
    full_end: u32,
    end: u32,
    /// The number of blocks in which some query does not see some key. They come first.
    pub masked: u32,
    /// The number of all blocks, at least 1.
    pub count: u32,
}

impl KeyBlocks {
    /// Returns the blocks of `block` keys that the queries of a tile see. The tile begins at `row`
    /// and has at most `tile` queries.
    #[inline(always)]
    pub fn of(params: &AttentionParams, row: u32, tile: u32, block: u32) -> Self {
        let last = row + rows_of_tile(params, row, tile) - 1;
        let (first, last) = (row as i32, last as i32);
        let keys = params.keys;
        // The number of keys before a query's bound, where the sum saturates. It has no branches,
        // because whether LLVM turns them into selects depends on what else it builds.
        let before = |query: i32, bound: i32, more: i32| -> u32 {
            let at = query.saturating_add(bound).saturating_add(more);
            (at.max(0) as u32).min(keys)
        };
        let (lower, upper) = (params.lower, params.upper);
        // The blocks have at least one key. `max(1)` comes before the division: after it, LLVM's
        // output depends on what else it builds.
        let end = before(last, upper, 1).max(1).div_ceil(block);
        let begin = before(first, lower, 0) / block;
        let begin = begin.min(end - 1);
        let clamp = |at: u32, low: u32, high: u32| at.max(low).min(high);
        let full_end = clamp(before(first, upper, 1) / block, begin, end);
        let full_begin = clamp(before(last, lower, 0).div_ceil(block), begin, full_end);
        Self {
            full_begin,
            full_end,
            end,
            masked: (end - full_end) + (full_begin - begin),
            count: end - begin,
        }
    }

    /// Returns the first key of block `i` in this order.
    #[inline(always)]
    pub fn key(&self, i: u32, block: u32) -> u32 {
        let right = self.end - self.full_end;
        let at = if i < right {
            self.end - 1 - i
        } else if i < self.masked {
            self.full_begin - 1 - (i - right)
        } else {
            self.full_end - 1 - (i - self.masked)
        };
        at * block
    }
}

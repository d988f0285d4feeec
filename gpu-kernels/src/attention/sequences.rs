//! Sequences: which rows of Q, K, V and O are of one sequence, all of one length or packed one
//! behind the other.
//!
//! ```text
//!   Uniform    every sequence is a batch, and has `queries` and `keys` rows
//!
//!   Packed     Q, O  ├ 0 ─────┼ 1 ─┼ 2 ──────────┤        sequence b has the rows starts[b] .. starts[b + 1]
//!              K, V  ├ 0 ──┼ 1 ───────┼ 2 ───┤             of all, and a head has `queries` and `keys` rows in all
//! ```
//!
//! Law: a tile is of one sequence, and what is computed of it is what attention of that sequence
//! alone is: masks count from its own first rows. Starts that decrease, or are beyond the rows that
//! there are, name no rows outside the tensors.

use super::tile_scheduler::{QueryTiles, TileAt};
use crate::gemm::tile_scheduler::divide;
use core::borrow::Borrow;
use cuda_std::thread::block_idx_x;
use kernel_abi::attention::{AttentionParams, flags};
use layout_types::arch::mov::here;

/// The rows of Q and of K before a sequence, and its batch: its coordinate along the fourth
/// dimension of Hopper's maps.
pub type Place = ([u32; 2], u32);

/// How tensors are made of sequences: maps a CTA to its tile and sequence, and to that sequence's
/// parameters. A tile's row is counted from its sequence's first row.
pub trait SequenceTiles: Copy + 'static {
    /// The parameters of one sequence.
    type Params<'a>: Borrow<AttentionParams>;

    /// The CTA's tile, of `tile` queries: none where the grid has more CTAs than there are tiles.
    fn tile_of_cta(self, params: &AttentionParams, tile: u32) -> Option<TileAt>;
    /// The parameters of the tile's sequence.
    fn params(self, params: &AttentionParams, tile: TileAt) -> Self::Params<'_>;
    /// The rows of Q and of K before the sequence, and its batch.
    fn place(self, params: &AttentionParams, tile: TileAt) -> Place;
    /// The elements of O before the sequence's head.
    fn offset_of_o(self, params: &AttentionParams, tile: TileAt) -> usize;
    /// The log-sum-exps before the sequence's head.
    fn offset_of_lse(self, params: &AttentionParams, tile: TileAt) -> usize;
}

/// Sequences of one length, a batch each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl SequenceTiles for Uniform {
    type Params<'a> = &'a AttentionParams;

    #[inline(always)]
    fn tile_of_cta(self, params: &AttentionParams, tile: u32) -> Option<TileAt> {
        QueryTiles::default().next(params, tile)
    }
    #[inline(always)]
    fn params(self, params: &AttentionParams, _: TileAt) -> &AttentionParams {
        params
    }
    #[inline(always)]
    fn place(self, _: &AttentionParams, tile: TileAt) -> Place {
        ([0; 2], tile.batch)
    }
    #[inline(always)]
    fn offset_of_o(self, params: &AttentionParams, tile: TileAt) -> usize {
        tile.offset_of_o(params)
    }
    #[inline(always)]
    fn offset_of_lse(self, params: &AttentionParams, tile: TileAt) -> usize {
        tile.offset_of_lse(params)
    }
}

/// Sequences one behind the other: the first rows of each in Q and in K, and behind them the end of
/// the last.
///
/// The parameters' `batches` is how many there are, `queries` and `keys` are the rows of all, and
/// the band is that of a sequence of as many queries as keys.
///
/// With `OR_UNIFORM` they are packed where the parameters' flags say so ([`flags::PACKED`]), and
/// else of one length, as [`Uniform`]'s: one kernel for both, which tests the flag once per tile
/// and once per masked block. Sequences of one length need no starts, and the kernel reads none.
#[derive(Clone, Copy)]
pub struct PackedSequences<const OR_UNIFORM: bool = false> {
    /// In Q and O.
    pub queries: *const u32,
    /// In K and V.
    pub keys: *const u32,
}

impl<const OR_UNIFORM: bool> PackedSequences<OR_UNIFORM> {
    /// Whether the sequences are of one length, a batch each.
    #[inline(always)]
    pub fn are_uniform(params: &AttentionParams) -> bool {
        OR_UNIFORM && here(params.flags) & flags::PACKED == 0
    }

    /// Where a sequence begins in Q and in K, and how many rows it has: within the tensors whatever
    /// the starts say. It is read anew for each use, so that no register holds it during the
    /// mainloop.
    #[inline(always)]
    pub fn of(self, params: &AttentionParams, sequence: u32) -> [(u32, u32); 2] {
        if Self::are_uniform(params) {
            return [(0, here(params.queries)), (0, here(params.keys))];
        }
        let least = |a: u32, b: u32| if a < b { a } else { b };
        let of = |starts: *const u32, rows: u32| {
            // SAFETY: tiles are of sequences below `batches`; the plan's launch has a start more,
            // by the contract of the kernel's `run`.
            let (begin, end) = unsafe {
                let at = here(starts).wrapping_add(sequence as usize);
                (*at, *at.wrapping_add(1))
            };
            let end = least(end, rows);
            let begin = least(begin, end);
            (begin, end - begin)
        };
        [
            of(self.queries, here(params.queries)),
            of(self.keys, here(params.keys)),
        ]
    }
}

/// Where a sequence's queries begin in Q, and how many there are, by the starts of packed ones: of
/// sequences of one length, as flags say, none and all of them.
#[inline(always)]
#[must_use]
pub fn queries_of(starts: *const u32, params: &AttentionParams, sequence: u32) -> (u32, u32) {
    let rows = here(params.queries);
    if PackedSequences::<true>::are_uniform(params) {
        return (0, rows);
    }
    let least = |a: u32, b: u32| if a < b { a } else { b };
    // SAFETY: tiles are of sequences below `batches`; the plan's launch has a start more, by the
    // contract of the kernel's `run`.
    let (begin, end) = unsafe {
        let at = here(starts).wrapping_add(sequence as usize);
        (*at, *at.wrapping_add(1))
    };
    let end = least(end, rows);
    let begin = least(begin, end);
    (begin, end - begin)
}

/// A bound of the band of as many queries as keys, of a sequence whose last query and last key lie
/// on one diagonal. No bound stays none.
#[inline(always)]
#[must_use]
pub fn moved_bound(bound: i32, own: i32) -> i32 {
    match bound {
        i32::MIN | i32::MAX => bound,
        bound => bound.saturating_add(own),
    }
}

/// Where tile `number` is of the `tiles` of a sequence's head, each of `tile` queries: the last
/// queries come first, or the first as flags say.
#[inline(always)]
pub fn tile_of_head(
    params: &AttentionParams,
    (sequence, head): (u32, u32),
    (number, tiles): (u32, u32),
    tile: u32,
) -> TileAt {
    let row = if here(params.flags) & flags::FIRST_ROWS_FIRST != 0 {
        number
    } else {
        tiles - 1 - number
    };
    TileAt {
        row: row * tile,
        head,
        key_head: divide(head, params.heads_per_key).0,
        batch: sequence,
        part: (),
    }
}

/// A CTA has one tile or none, by the starts alone, so that nobody goes through all sequences:
/// sequence b has the places from `starts[b] / tile + b` on, which are as many as its tiles at
/// least.
///
/// ```text
///   tiles of 4 queries     ├ 0: 6 rows ───┼ 1: 1 ┼ 2: 9 rows ────────┤      starts  0 6 7 16
///   places                  0   1           2      3   4   5   6             first places  0  1 + 1  1 + 2
///   tiles                   0:1 0:0         1:0    2:2 2:1 2:0 -             places  16 / 4 + 3 = 7
/// ```
///
/// Without a mask the places of one head come behind those of another; with one all heads of a
/// place come together, since their tiles are of one length.
impl<const OR_UNIFORM: bool> SequenceTiles for PackedSequences<OR_UNIFORM> {
    type Params<'a> = AttentionParams;

    #[inline(always)]
    fn tile_of_cta(self, params: &AttentionParams, tile: u32) -> Option<TileAt> {
        if Self::are_uniform(params) {
            return Uniform.tile_of_cta(params, tile);
        }
        let sequences = here(params.batches);
        let masked = params.lower != i32::MIN || params.upper != i32::MAX;
        let (place, head) = if masked {
            divide(here(block_idx_x()), here(params.heads))
        } else {
            let places = here(params.queries) / tile + sequences;
            let (head, place) = divide(here(block_idx_x()), places);
            (place, head)
        };
        let rows_of = |sequence: u32| {
            let [queries, _] = self.of(params, sequence);
            queries
        };
        let first_place = |sequence: u32| rows_of(sequence).0 / tile + sequence;
        // The last sequence whose places begin here or before: between `low` and `high`.
        let (mut low, mut high) = (0, sequences);
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            if first_place(middle) <= place {
                low = middle;
            } else {
                high = middle;
            }
        }
        let tiles = rows_of(low).1.div_ceil(tile);
        // Before the first sequence it wraps.
        let number = place.wrapping_sub(first_place(low));
        if number >= tiles {
            return None;
        }
        Some(tile_of_head(params, (low, head), (number, tiles), tile))
    }
    #[inline(always)]
    fn params(self, params: &AttentionParams, tile: TileAt) -> AttentionParams {
        let [(_, queries), (_, keys)] = self.of(params, here(tile.batch));
        // The last query and the last key lie on one diagonal, as the band says of sequences of one
        // length. No bound stays none.
        let own = if Self::are_uniform(params) {
            0
        } else {
            keys as i32 - queries as i32
        };
        let moved = |bound: i32| match bound {
            i32::MIN | i32::MAX => bound,
            bound => bound.saturating_add(own),
        };
        AttentionParams {
            queries,
            keys,
            lower: moved(params.lower),
            upper: moved(params.upper),
            ..*params
        }
    }
    #[inline(always)]
    fn place(self, params: &AttentionParams, tile: TileAt) -> Place {
        let [(query, _), (key, _)] = self.of(params, here(tile.batch));
        let batch = if Self::are_uniform(params) {
            tile.batch
        } else {
            0
        };
        ([query, key], batch)
    }
    #[inline(always)]
    fn offset_of_o(self, params: &AttentionParams, tile: TileAt) -> usize {
        let ([first, _], batch) = self.place(params, tile);
        let of_rows = u64::from(first) * params.row_o + u64::from(batch) * params.batch_o;
        (of_rows + u64::from(tile.head) * params.head_o) as usize
    }
    #[inline(always)]
    fn offset_of_lse(self, params: &AttentionParams, tile: TileAt) -> usize {
        let ([first, _], batch) = self.place(params, tile);
        let head = u64::from(batch) * u64::from(params.heads) + u64::from(tile.head);
        (head * u64::from(params.queries) + u64::from(first)) as usize
    }
}

//! Sequences: the rows of Q, K, V and O that belong to each sequence. All sequences have one
//! length, or sequences of any lengths are packed one after the other.
//!
//! ```text
//!   Uniform    every sequence is a batch and has `queries` and `keys` rows
//!
//!   Packed     Q, O  ├ 0 ─────┼ 1 ─┼ 2 ──────────┤        sequence b has the rows starts[b] .. starts[b + 1]
//!              K, V  ├ 0 ──┼ 1 ───────┼ 2 ───┤             of each head, which has `queries` and `keys` rows in total
//! ```
//!
//! Law: each tile belongs to one sequence, and its result is the attention of only that sequence;
//! masks count from the sequence's own first rows. Even starts that decrease or exceed the number
//! of rows never lead to rows outside the tensors.

use super::tile_scheduler::{QueryTiles, TileAt};
use crate::gemm::tile_scheduler::divide;
use core::borrow::Borrow;
use cuda_std::thread::block_idx_x;
use kernel_abi::attention::{AttentionParams, flags};
use layout_types::arch::mov::here;

/// The rows of Q and of K before a sequence, and its batch, which is its coordinate along the
/// fourth dimension of Hopper's maps.
pub type Place = ([u32; 2], u32);

/// Maps a CTA to its tile and sequence, and to that sequence's parameters. A tile's row is counted
/// from the first row of its sequence.
pub trait SequenceTiles: Copy + 'static {
    /// The parameters of one sequence.
    type Params<'a>: Borrow<AttentionParams>;

    /// Returns the CTA's tile, of `tile` queries, or `None` if the CTA has no tile because the grid
    /// has more CTAs than tiles.
    fn tile_of_cta(self, params: &AttentionParams, tile: u32) -> Option<TileAt>;
    /// Returns the parameters of the tile's sequence.
    fn params(self, params: &AttentionParams, tile: TileAt) -> Self::Params<'_>;
    /// Returns the rows of Q and of K before the sequence, and its batch.
    fn place(self, params: &AttentionParams, tile: TileAt) -> Place;
    /// Returns the number of elements of O before the sequence's head.
    fn offset_of_o(self, params: &AttentionParams, tile: TileAt) -> usize;
    /// Returns the number of log-sum-exps before the sequence's head.
    fn offset_of_lse(self, params: &AttentionParams, tile: TileAt) -> usize;
}

/// Sequences of one length, one per batch.
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

/// Packed sequences, one after the other: arrays of the first row of each sequence in Q and in K,
/// followed by the end of the last sequence.
///
/// In the parameters, `batches` is the number of sequences, `queries` and `keys` are the rows of
/// all sequences, and the band is the one for a sequence with equally many queries and keys.
///
/// With `OR_UNIFORM` the sequences are packed if the parameters' flags say so ([`flags::PACKED`]).
/// Otherwise they have one length, like those of [`Uniform`]. One kernel serves both: it tests the
/// flag once per tile and once per masked block. Sequences of one length need no starts, and the
/// kernel reads none.
#[derive(Clone, Copy)]
pub struct PackedSequences<const OR_UNIFORM: bool = false> {
    /// The starts in Q and O.
    pub queries: *const u32,
    /// The starts in K and V.
    pub keys: *const u32,
}

impl<const OR_UNIFORM: bool> PackedSequences<OR_UNIFORM> {
    /// Whether the sequences have one length, one per batch.
    #[inline(always)]
    pub fn are_uniform(params: &AttentionParams) -> bool {
        OR_UNIFORM && here(params.flags) & flags::PACKED == 0
    }

    /// Returns the first row and the number of rows of a sequence, in Q and in K. They are within
    /// the tensors, whatever the starts say. The starts are read again for each use, so that no
    /// register holds them during the mainloop.
    #[inline(always)]
    pub fn of(self, params: &AttentionParams, sequence: u32) -> [(u32, u32); 2] {
        if Self::are_uniform(params) {
            return [(0, here(params.queries)), (0, here(params.keys))];
        }
        let least = |a: u32, b: u32| if a < b { a } else { b };
        let of = |starts: *const u32, rows: u32| {
            // SAFETY: the tile's sequence is below `batches`, and the plan's launch has `batches` +
            // 1 starts, by the contract of the kernel's `run`.
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

/// Returns the first row in Q and the number of a sequence's queries, from the starts of packed
/// sequences. If the flags say that sequences have one length, returns 0 and all queries.
#[inline(always)]
#[must_use]
pub fn queries_of(starts: *const u32, params: &AttentionParams, sequence: u32) -> (u32, u32) {
    let rows = here(params.queries);
    if PackedSequences::<true>::are_uniform(params) {
        return (0, rows);
    }
    let least = |a: u32, b: u32| if a < b { a } else { b };
    // SAFETY: the tile's sequence is below `batches`, and the plan's launch has `batches` + 1
    // starts, by the contract of the kernel's `run`.
    let (begin, end) = unsafe {
        let at = here(starts).wrapping_add(sequence as usize);
        (*at, *at.wrapping_add(1))
    };
    let end = least(end, rows);
    let begin = least(begin, end);
    (begin, end - begin)
}

/// Moves a bound of the band for equally many queries and keys to a sequence whose last query and
/// last key lie on one diagonal. A bound that means "unbounded" is unchanged.
#[inline(always)]
#[must_use]
pub fn moved_bound(bound: i32, own: i32) -> i32 {
    match bound {
        i32::MIN | i32::MAX => bound,
        bound => bound.saturating_add(own),
    }
}

/// Returns the place of tile `number` of the `tiles` tiles of a sequence's head, each with `tile`
/// queries. The last queries come first, unless the flags say that the first come first.
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

/// Each CTA finds its tile, if it has one, from the starts, without going through all sequences.
/// Sequence b has the places from `starts[b] / tile + b` on; it has at least as many places as
/// tiles.
///
/// ```text
///   tiles of 4 queries     ├ 0: 6 rows ───┼ 1: 1 ┼ 2: 9 rows ────────┤      starts  0 6 7 16
///   places                  0   1           2      3   4   5   6             first places  0  1 + 1  1 + 2
///   tiles                   0:1 0:0         1:0    2:2 2:1 2:0 -             places  16 / 4 + 3 = 7
/// ```
///
/// Without a mask the places of one head follow those of another head. With a mask all heads of a
/// place follow each other, since their tiles have the same length.
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
        // Searches for the last sequence whose places begin here or before. Its index is at least
        // `low` and less than `high`.
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
        // The subtraction wraps if the place is before the first sequence.
        let number = place.wrapping_sub(first_place(low));
        if number >= tiles {
            return None;
        }
        Some(tile_of_head(params, (low, head), (number, tiles), tile))
    }
    #[inline(always)]
    fn params(self, params: &AttentionParams, tile: TileAt) -> AttentionParams {
        let [(_, queries), (_, keys)] = self.of(params, here(tile.batch));
        // The last query and the last key lie on one diagonal, as the band assumes for sequences of
        // one length. A bound that means "unbounded" is unchanged.
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

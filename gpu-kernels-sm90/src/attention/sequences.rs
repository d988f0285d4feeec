//! Sequences, and the tiles of sequences that a persistent CTA computes. They are the sequences of
//! [`gpu_kernels::attention::sequences`], loaded by TMA.
//!
//! ```text
//!   Uniform    batch b of the maps' fourth dimension
//!   Packed     rows from a sequence's first on, of batch 0          boxes have rows of the next sequence, too
//! ```
//!
//! Law: if a box has rows of the next sequence, these are masked as keys and not stored as queries.

use super::config::AttentionConfig;
use super::tile_scheduler::{QueryTiles, TileAt};
use super::tiles::{LoadK, LoadQ, LoadV, OperandTiles, Smem};
use core::borrow::Borrow;
use cuda_std::thread::{block_idx_x, grid_dim_x};
use gpu_kernels::attention::sequences::{SequenceTiles, tile_of_head};
use gpu_kernels::gemm::tile_scheduler::divide;
use kernel_abi::attention::AttentionParams;
use layout_types::arch::copy_sm90_tma::TensorMap;
use layout_types::arch::mov::here;

pub use super::composed::Packed;
pub use gpu_kernels::attention::sequences::{PackedSequences, Place, Uniform};

/// A tile of a configuration.
pub type TileOf<C> = TileAt<<<C as AttentionConfig>::Sequences as Sequences>::Part>;

/// The division of tensors into sequences, and the choice of the tiles that a CTA computes. A
/// tile's row is counted from the first row of its sequence, and so are keys.
pub trait Sequences: Copy + 'static {
    /// A thread's position in the CTA's tiles.
    type Scheduler: Copy + Default;
    /// The parameters of one sequence.
    type Params<'a>: Borrow<AttentionParams>;
    /// The part of the keys that a tile has, or `()` if every tile has all keys.
    type Part: Copy;
    /// Whether rows after a sequence's last row may hold any bits, also infinities and NaN. If so,
    /// these rows of V are cleared.
    const ANY_BEHIND: bool = false;
    /// Whether a load needs more than 40 registers per thread. If so, the producers have 56.
    const WIDE_LOADS: bool = false;
    /// Whether a tile sees all keys of its sequence.
    const ALL_KEYS: bool = false;

    /// Returns the CTA's next tile, of `tile` queries, or `None` if the CTA has no further tile.
    fn next(
        self,
        scheduler: &mut Self::Scheduler,
        params: &AttentionParams,
        tile: u32,
    ) -> Option<TileAt<Self::Part>>;
    /// Whether [`next`](Self::next) can be split into [`find`](Self::find) and
    /// [`locate`](Self::locate).
    const LOCATES: bool = false;
    /// Finds out whether there is a further tile. The tile's first scores need only this.
    #[inline(always)]
    fn find(self, _scheduler: &mut Self::Scheduler, _params: &AttentionParams, _tile: u32) -> bool {
        false
    }
    /// Returns the tile that [`find`](Self::find) found last, without a branch, or `None` if
    /// [`LOCATES`](Self::LOCATES) is false.
    #[inline(always)]
    fn locate(
        self,
        _scheduler: Self::Scheduler,
        _params: &AttentionParams,
        _tile: u32,
    ) -> Option<TileAt<Self::Part>> {
        None
    }
    /// Returns the parameters of the tile's sequence.
    fn params(self, params: &AttentionParams, tile: TileAt<Self::Part>) -> Self::Params<'_>;
    /// Returns the rows of Q and of K before the sequence, and the sequence's coordinate along the
    /// maps' fourth dimension.
    fn place(self, params: &AttentionParams, tile: TileAt<Self::Part>) -> Place;
    /// Returns the number of elements of O before the sequence's head.
    fn offset_of_o(self, params: &AttentionParams, tile: TileAt<Self::Part>) -> usize;
    /// Returns the number of log-sum-exps before the sequence's head.
    fn offset_of_lse(self, params: &AttentionParams, tile: TileAt<Self::Part>) -> usize;
    /// Returns the scale of the tile's scores times log2(e).
    #[inline(always)]
    fn scale_log2(self, params: &AttentionParams, _: TileAt<Self::Part>) -> f32 {
        params.scale_log2
    }
    /// Returns the factor of the tile's rows of O.
    #[inline(always)]
    fn output_scale(self, _: &AttentionParams, _: TileAt<Self::Part>) -> f32 {
        1.0
    }
    /// Returns where the tile's rows and log-sum-exps go, compact and in f32, if the tile lacks
    /// some keys of its sequence, or `None` if it has all keys.
    #[inline(always)]
    fn partial(self, _: &AttentionParams, _: TileAt<Self::Part>) -> Option<(*mut f32, *mut f32)> {
        None
    }

    /// Starts the copies of a tile of Q into a stage. The barrier `full` counts their bytes.
    ///
    /// # Safety
    /// The conditions are those of
    /// [`Sm90_TMA_LOAD::copy_4d`](layout_types::atom::copy::Sm90_TMA_LOAD::copy_4d), for the bytes
    /// of such a tile.
    #[inline(always)]
    unsafe fn load_q<C: OperandTiles>(
        self,
        map: &TensorMap,
        (tile, place): (TileAt<Self::Part>, Place),
        smem: &Smem<C>,
        (stage, full): (u32, u32),
    ) {
        let ([first, _], batch) = place;
        let (at, head) = ((first + tile.row, 0), (tile.head, batch));
        // SAFETY: map, stage and barrier are those of Q by the function's contract.
        unsafe { LoadQ::<C>::copy_4d(map, at, head, &smem.q, stage, full) };
    }
    /// Starts the copies of the block of K from `key` on into a stage. The barrier `full` counts
    /// their bytes.
    ///
    /// # Safety
    /// The conditions are those of [`load_q`](Self::load_q), for the bytes of such a block.
    #[inline(always)]
    unsafe fn load_k<C: OperandTiles>(
        self,
        map: &TensorMap,
        (tile, place, key): (TileAt<Self::Part>, Place, u32),
        smem: &Smem<C>,
        (stage, full): (u32, u32),
    ) {
        let ([_, first], batch) = place;
        let (at, head) = ((first + key, 0), (tile.key_head, batch));
        // SAFETY: map, stage and barrier are those of K by the function's contract.
        unsafe { LoadK::<C>::copy_4d(map, at, head, &smem.k, stage, full) };
    }
    /// Starts the copies of the block of V from `key` on.
    ///
    /// # Safety
    /// The conditions are those of [`load_k`](Self::load_k).
    #[inline(always)]
    unsafe fn load_v<C: OperandTiles>(
        self,
        map: &TensorMap,
        (tile, place, key): (TileAt<Self::Part>, Place, u32),
        smem: &Smem<C>,
        (stage, full): (u32, u32),
    ) {
        let ([_, first], batch) = place;
        let (at, head) = ((0, first + key), (tile.key_head, batch));
        // SAFETY: map, stage and barrier are those of V by the function's contract.
        unsafe { LoadV::<C>::copy_4d(map, at, head, &smem.v, stage, full) };
    }
}

impl Sequences for Uniform {
    type Scheduler = QueryTiles;
    type Params<'a> = &'a AttentionParams;
    type Part = ();
    const LOCATES: bool = true;

    #[inline(always)]
    fn next(
        self,
        scheduler: &mut QueryTiles,
        params: &AttentionParams,
        tile: u32,
    ) -> Option<TileAt> {
        scheduler.next(params, tile)
    }
    #[inline(always)]
    fn find(self, scheduler: &mut QueryTiles, params: &AttentionParams, tile: u32) -> bool {
        scheduler.find(params, tile)
    }
    #[inline(always)]
    fn locate(self, scheduler: QueryTiles, params: &AttentionParams, tile: u32) -> Option<TileAt> {
        Some(scheduler.locate(params, tile))
    }
    #[inline(always)]
    fn params(self, params: &AttentionParams, tile: TileAt) -> &AttentionParams {
        SequenceTiles::params(self, params, tile)
    }
    #[inline(always)]
    fn place(self, params: &AttentionParams, tile: TileAt) -> Place {
        SequenceTiles::place(self, params, tile)
    }
    #[inline(always)]
    fn offset_of_o(self, params: &AttentionParams, tile: TileAt) -> usize {
        SequenceTiles::offset_of_o(self, params, tile)
    }
    #[inline(always)]
    fn offset_of_lse(self, params: &AttentionParams, tile: TileAt) -> usize {
        SequenceTiles::offset_of_lse(self, params, tile)
    }
}

/// The tiles of a CTA. The tiles of a sequence are dealt out in chunks: one tile to each of as many
/// neighbouring CTAs as the chunk has tiles.
///
/// ```text
///   tiles    ├ sequence 0: its heads, one by one ┼ 1 ┼ 2 ..
///   masked   ├ sequence 0: its rows, each of all heads ┼ 1 ..
///   rows     the last first, or the first as flags say: the longest under a causal mask
///
///   CTAs     0 1 2 3 4 5 6 7       sequences of 11 tiles and of 4
///            a b c d e f g h       a chunk
///            k j i                 the next, backwards: the CTA with the longest tile of a chunk has the shortest of the next
///                  A B C D         the next, from where the previous one ended
/// ```
///
/// Law: every tile of every sequence belongs to one CTA, which computes its tiles in the order of
/// the chunks.
///
/// ```
/// use gpu_kernels_sm90::attention::sequences::PackedScheduler;
/// // The tiles of two sequences, (sequence, tile), of CTA 0 and of CTA 4 of 8.
/// let of = |cta: u32| {
///     let mut scheduler = PackedScheduler::default();
///     let mut found = Vec::new();
///     while let Some((sequence, tile)) = scheduler.deal((cta, 8), 2, |sequence| [11, 4][sequence as usize]) {
///         found.push((sequence, tile));
///     }
///     found
/// };
/// assert_eq!((of(0), of(4)), (vec![(0, 0), (0, 10)], vec![(0, 4), (1, 1)]));
/// let mut all: Vec<_> = (0..8).flat_map(of).collect();
/// all.sort();
/// assert_eq!(all, (0..15).map(|i| if i < 11 { (0, i) } else { (1, i - 11) }).collect::<Vec<_>>());
/// ```
#[derive(Clone, Copy, Default)]
pub struct PackedScheduler {
    sequence: u32,
    /// The number of tiles of the sequence before the next chunk.
    before: u32,
    /// Twice the CTA at which the next chunk begins, plus 1 if the chunk goes backwards. Both are
    /// in one number, which takes one register during the mainloop.
    first: u32,
}

impl PackedScheduler {
    /// Returns the next tile of CTA `cta` of `ctas`, as (sequence, tile), or `None` after the last.
    /// There are `sequences` sequences; `tiles` returns the number of tiles of a sequence.
    #[inline(always)]
    pub fn deal(
        &mut self,
        (cta, ctas): (u32, u32),
        sequences: u32,
        tiles: impl Fn(u32) -> u32,
    ) -> Option<(u32, u32)> {
        let wrap = |at: u32| if at < ctas { at } else { at - ctas };
        while self.sequence < sequences {
            let left = tiles(self.sequence) - self.before;
            if left == 0 {
                self.sequence += 1;
                self.before = 0;
                continue;
            }
            let length = if left < ctas { left } else { ctas };
            let (first, backwards) = (self.first / 2, self.first % 2);
            let place = wrap(cta + ctas - first);
            let at = if backwards == 0 {
                place
            } else {
                (length - 1).wrapping_sub(place)
            };
            let tile = self.before.wrapping_add(at);
            self.before += length;
            self.first = 2 * wrap(first + length) + 1 - backwards;
            if place < length {
                return Some((self.sequence, tile));
            }
        }
        None
    }
}

impl PackedScheduler {
    /// Returns the CTA's next tile, of `tile` queries, or `None` after the last. `queries` returns
    /// the number of queries of a sequence.
    #[inline(always)]
    pub fn next_tile(
        &mut self,
        params: &AttentionParams,
        tile: u32,
        queries: impl Fn(u32) -> u32,
    ) -> Option<TileAt> {
        let (heads, sequences) = (here(params.heads), here(params.batches));
        let rows_of = |sequence: u32| queries(sequence).div_ceil(tile);
        let ctas = (here(block_idx_x()), grid_dim_x());
        let (sequence, at) = self.deal(ctas, sequences, |of| rows_of(of) * heads)?;
        let of_head = rows_of(sequence);
        // With a mask, the tiles of all heads that have the same length follow one another.
        let masked = params.lower != i32::MIN || params.upper != i32::MAX;
        let (head, row) = if masked {
            let (row, head) = divide(at, heads);
            (head, row)
        } else {
            divide(at, of_head)
        };
        Some(tile_of_head(params, (sequence, head), (row, of_head), tile))
    }
}

impl<const OR_UNIFORM: bool> Sequences for PackedSequences<OR_UNIFORM> {
    type Scheduler = PackedScheduler;
    type Params<'a> = AttentionParams;
    type Part = ();

    #[inline(always)]
    fn next(
        self,
        scheduler: &mut PackedScheduler,
        params: &AttentionParams,
        tile: u32,
    ) -> Option<TileAt> {
        scheduler.next_tile(params, tile, |sequence| {
            let [(_, rows), _] = self.of(params, sequence);
            rows
        })
    }
    #[inline(always)]
    fn params(self, params: &AttentionParams, tile: TileAt) -> AttentionParams {
        SequenceTiles::params(self, params, tile)
    }
    #[inline(always)]
    fn place(self, params: &AttentionParams, tile: TileAt) -> Place {
        SequenceTiles::place(self, params, tile)
    }
    #[inline(always)]
    fn offset_of_o(self, params: &AttentionParams, tile: TileAt) -> usize {
        SequenceTiles::offset_of_o(self, params, tile)
    }
    #[inline(always)]
    fn offset_of_lse(self, params: &AttentionParams, tile: TileAt) -> usize {
        SequenceTiles::offset_of_lse(self, params, tile)
    }
}

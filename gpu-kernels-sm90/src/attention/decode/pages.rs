//! Sequences whose keys are in pages of a cache, and each CTA's share of their blocks.
//!
//! ```text
//!   page table of a sequence   7 2 9 ─►   keys 0 .. page of page 7, then of page 2, then of page 9
//!   a block of keys            ├ page ┼ page ┼ page ┤  several boxes, or a part of a page: one
//!
//!   blocks of all heads        begin of CTA i = i ⌈blocks / CTAs⌉
//! ```
//!
//! Law: each block of each head belongs to one CTA, whose parts of heads are in ascending order. A
//! length beyond the table's pages counts as the keys of these pages, and a page beyond the cache
//! has rows of zeros: no length and no page number leads outside the tensors.

use super::super::sequences::{Place, Sequences};
use super::super::smem_tile::SmemTile;
use super::super::tile_scheduler::TileAt;
use super::super::tiles::{OperandTiles, Smem};
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, grid_dim_x, sync_threads, thread_idx_x};
use cuda_std::warp::{
    WarpReductionOp, lane_id, warp_reduce, warp_shuffle_idx, warp_shuffle_up, warp_vote_ballot,
};
use gpu_kernels::gemm::tile_scheduler::divide;
use kernel_abi::attention::{AttentionParams, DecodeParams};
use layout_types::arch::barrier::fence_proxy_async_shared;
use layout_types::arch::copy_sm90_tma::{TensorMap, tma_load_4d};
use layout_types::arch::mov::here;
use layout_types::atom::smem_operand::TmaTile;
use layout_types::layout;
use layout_types::tensor::{Plain, Shared, Tensor};

/// Returns the smaller of two numbers.
pub(super) const fn least(a: u32, b: u32) -> u32 {
    if a < b { a } else { b }
}

/// The lengths of sequences, in blocks of `BLOCK` keys.
#[derive(Clone, Copy)]
pub struct Lengths<const BLOCK: u32> {
    /// The number of keys of each sequence.
    pub of: *const u32,
    /// The number of keys in a sequence's pages of the page table.
    pub most: u32,
}

impl<const BLOCK: u32> Lengths<BLOCK> {
    /// Returns the number of keys of a sequence, at most `most`.
    #[inline(always)]
    pub fn keys(self, sequence: u32) -> u32 {
        // SAFETY: callers name sequences below the parameters' `batches`, and the plan's launch has
        // a length for each of these.
        let keys = unsafe { *here(self.of).wrapping_add(sequence as usize) };
        least(keys, self.most)
    }

    /// Returns the number of blocks that a head of a sequence has.
    #[inline(always)]
    pub fn blocks(self, sequence: u32) -> u32 {
        self.keys(sequence).div_ceil(BLOCK)
    }

    /// Returns the number of blocks that one head has in the first `sequences` sequences together.
    ///
    /// # Safety
    /// The whole warp executes it, and the sequences exist.
    #[inline(always)]
    pub unsafe fn blocks_before(self, sequences: u32) -> u32 {
        let (mut sum, mut sequence) = (0, lane_id());
        while sequence < sequences {
            sum += self.blocks(sequence);
            sequence += 32;
        }
        // SAFETY: the whole warp is here, by the function's contract.
        unsafe { warp_reduce(u32::MAX, sum, WarpReductionOp::Add) }
    }

    /// Finds the sequence that has block number `block` of all blocks, where each sequence has
    /// `heads` heads. Returns the sequence, and the number of blocks before it.
    ///
    /// # Safety
    /// The whole warp executes it, with the same arguments.
    #[inline(always)]
    unsafe fn find(self, block: u32, (sequences, heads): (u32, u32)) -> (u32, u32) {
        let (mut chunk, mut before) = (0, 0);
        while chunk < sequences {
            let sequence = chunk + lane_id();
            let own = if sequence < sequences {
                self.blocks(sequence) * heads
            } else {
                0
            };
            let mut end = before + own;
            // SAFETY: the whole warp is here by the function's contract, because all its threads
            // have the same `before` and `chunk`.
            unsafe {
                let mut by = 1;
                while by < 32 {
                    let (other, is_below) = warp_shuffle_up(u32::MAX, end - before, by, 32);
                    end += if is_below { other } else { 0 };
                    by *= 2;
                }
                let has = warp_vote_ballot(u32::MAX, end > block);
                if has != 0 {
                    let first = has.trailing_zeros();
                    let begin = warp_shuffle_idx(u32::MAX, end - own, first, 32).0;
                    return (chunk + first, begin);
                }
                before = warp_shuffle_idx(u32::MAX, end, 31, 32).0;
            }
            chunk += 32;
        }
        (sequences, before)
    }
}

/// Returns the number of blocks per CTA if `ctas` CTAs divide `blocks` blocks. It is at least 1.
#[inline(always)]
pub fn share(blocks: u32, ctas: u32) -> u32 {
    let (share, rest) = divide(blocks, ctas);
    let share = share + u32::from(rest > 0);
    if share == 0 { 1 } else { share }
}

/// Returns the slot of a part of a head that CTA `cta` computes. The part is not the whole head. A
/// part with the head's first block is the CTA's last part, any other is its first part.
#[inline(always)]
pub fn slot(cta: u32, with_first_block: bool) -> u32 {
    2 * cta + u32::from(with_first_block)
}

/// Parts of O in f32, (slot, row, D), and their log-sum-exps, (slot, row).
pub type Partials = (*mut f32, *mut f32);

/// Sequences in pages, and this CTA's share of their blocks. In the parameters `heads` is the
/// number of key heads, `queries` is the number of query heads that share a key head, and O's
/// strides belong to key heads and to these query heads.
#[derive(Clone, Copy)]
pub struct PagedSequences<const BLOCK: u32> {
    lengths: Lengths<BLOCK>,
    table: *const u32,
    partials: Partials,
    of: DecodeParams,
    /// The sequence of the share's first block, and the number of blocks before that sequence.
    first: (u32, u32),
    begin: u32,
    end: u32,
}

impl<const BLOCK: u32> PagedSequences<BLOCK> {
    /// Returns the sequences with this CTA's share.
    ///
    /// # Safety
    /// The whole CTA executes it, before it uses its shared memory. The lengths and the page table
    /// are readable as the plan says, and the partial results are writable.
    #[inline(always)]
    pub unsafe fn of_cta(
        [lengths, table]: [*const u32; 2],
        partials: Partials,
        params: &AttentionParams,
        of: DecodeParams,
    ) -> Self {
        let lengths = Lengths {
            of: lengths,
            most: of.most_keys(),
        };
        let (sequences, heads) = (params.batches, params.heads);
        // SAFETY: the whole first warp is here, and only this warp writes. The barrier orders its
        // writes before all reads. The barrier of `kernel::run` and the fence order these reads
        // before the next writes to the place.
        unsafe {
            let found = Tensor::<Shared<u32>, layout!((4))>::shared(dynamic_shared_offset());
            if thread_idx_x() < 32 {
                let all = lengths.blocks_before(sequences) * heads;
                let share = share(all, grid_dim_x());
                let begin = block_idx_x() * share;
                let (sequence, before) = lengths.find(begin, (sequences, heads));
                if lane_id() == 0 {
                    found.set(0u32, begin);
                    found.set(1u32, least(begin + share, all));
                    found.set(2u32, sequence);
                    found.set(3u32, before);
                }
                fence_proxy_async_shared();
            }
            sync_threads();
            // The addresses are computed again, because the build cannot tell that those of the
            // branch are the same in all threads.
            let found = found.here();
            Self {
                lengths,
                table,
                partials,
                of,
                begin: found.get(0u32),
                end: found.get(1u32),
                first: (found.get(2u32), found.get(3u32)),
            }
        }
    }

    /// Returns the number of keys of a sequence.
    #[inline(always)]
    pub fn keys(self, sequence: u32) -> u32 {
        self.lengths.keys(sequence)
    }

    /// Returns where the tile's rows and log-sum-exps are among the partial results, and whether
    /// the tile uses these places, because it lacks some keys of its sequence. This is
    /// [`Sequences::partial`] without a branch.
    #[inline(always)]
    pub fn part(self, params: &AttentionParams, tile: TileAt<Part>) -> (Partials, bool) {
        let Part { block, count } = tile.part;
        let row = slot(block_idx_x(), block == 0) as usize * params.queries as usize;
        let (o, lse) = self.partials;
        let o = o.wrapping_add(row * self.of.dim as usize);
        let is_part = count != self.lengths.blocks(tile.batch);
        ((o, lse.wrapping_add(row)), is_part)
    }

    /// Returns the pages of the sequences' keys.
    #[inline(always)]
    pub fn pages(self) -> Pages<BLOCK> {
        Pages {
            lengths: self.lengths,
            table: self.table,
            page_log2: self.of.page_log2,
            table_pages: self.of.table_pages,
        }
    }
}

/// The pages of sequences' keys, which are loaded in blocks of `BLOCK` keys.
#[derive(Clone, Copy)]
pub struct Pages<const BLOCK: u32> {
    /// The lengths of the sequences.
    pub lengths: Lengths<BLOCK>,
    /// The pages of each sequence.
    pub table: *const u32,
    /// The binary logarithm of the number of keys in a page.
    pub page_log2: u32,
    /// The number of places that a sequence has in the table.
    pub table_pages: u32,
}

impl<const BLOCK: u32> Pages<BLOCK> {
    /// Starts to copy columns `from` to `end` of the block that begins at `key` into a stage of a
    /// tile. Each copy is a box with `columns` columns, in one page or in the part of a page that
    /// belongs to the block. `at` maps (key, column) to the coordinate in the tile.
    ///
    /// # Safety
    /// The conditions are those of [`Sequences::load_k`], for the tile's map.
    #[inline(always)]
    pub unsafe fn load<T: Plain, L: SmemTile, P>(
        self,
        map: &TensorMap,
        (tile, ([_, first], _), key): (TileAt<P>, Place, u32),
        (to, [from, end], columns): (&Tensor<Shared<T>, L>, [u32; 2], u32),
        (stage, full): (u32, u32),
        at: impl Fn(u32, u32) -> (u32, u32),
    ) {
        let first = first + key;
        let keys = self.lengths.keys(tile.batch);
        let log2 = self.page_log2;
        let rows = least(1 << log2, const { 1 << BLOCK.trailing_zeros() });
        let pages = self
            .table
            .wrapping_add(tile.batch as usize * self.table_pages as usize);
        let mut row = 0;
        while row < BLOCK {
            let key = first + row;
            // After the last key, the box is in a page beyond the cache: TMA writes zeros and reads
            // no byte.
            let page = if key < keys {
                // SAFETY: the key is below the sequence's length, so its page is in the table.
                unsafe { *pages.wrapping_add((key >> log2) as usize) }
            } else {
                u32::MAX
            };
            let in_page = key & ((1 << log2) - 1);
            let mut column = from;
            while column < end {
                let (m, n) = at(row, column);
                let shared = L::address(to, (m, n, stage));
                let coordinate = [column, in_page, tile.key_head, page].map(|of| of as i32);
                // SAFETY: the box is one of the block's boxes, so it fits the stage; map and
                // barrier are the tile's by the function's contract.
                unsafe { tma_load_4d(shared, map, coordinate, full) };
                column += columns;
            }
            row += rows;
        }
    }
}

/// Returns the number of columns in a box of K or V.
#[inline(always)]
pub const fn columns_of_box<C: OperandTiles>() -> u32 {
    const { TmaTile::<C::SmemK, C::Element>::BOX.extents[1] }
}

/// Consecutive blocks of a head.
#[derive(Clone, Copy)]
pub struct Part {
    /// The first block.
    pub block: u32,
    /// The number of blocks.
    pub count: u32,
}

/// A thread's position in its CTA's share: how many blocks are done, how many sequences after the
/// first, and how many blocks these sequences have.
#[derive(Clone, Copy, Default)]
pub struct PagedScheduler {
    done: u32,
    sequences: u32,
    before: u32,
}

impl<const BLOCK: u32> Sequences for PagedSequences<BLOCK> {
    type Scheduler = PagedScheduler;
    type Params<'a> = AttentionParams;
    type Part = Part;
    const ANY_BEHIND: bool = true;
    const ALL_KEYS: bool = true;

    #[inline(always)]
    fn next(
        self,
        scheduler: &mut PagedScheduler,
        params: &AttentionParams,
        _: u32,
    ) -> Option<TileAt<Part>> {
        let index = self.begin + scheduler.done;
        if index >= self.end {
            return None;
        }
        loop {
            let sequence = self.first.0 + scheduler.sequences;
            if sequence >= params.batches {
                return None;
            }
            let blocks = self.lengths.blocks(sequence);
            let left = index - (self.first.1 + scheduler.before);
            if left < blocks * params.heads {
                let (head, block) = divide(left, blocks);
                let count = least(blocks - block, self.end - index);
                scheduler.done += count;
                return Some(TileAt {
                    row: 0,
                    head,
                    key_head: head,
                    batch: sequence,
                    part: Part { block, count },
                });
            }
            scheduler.before += blocks * params.heads;
            scheduler.sequences += 1;
        }
    }
    #[inline(always)]
    fn params(self, params: &AttentionParams, tile: TileAt<Part>) -> AttentionParams {
        let Part { block, count } = tile.part;
        let keys = self.lengths.keys(tile.batch) - block * BLOCK;
        AttentionParams {
            keys: least(keys, count * BLOCK),
            ..*params
        }
    }
    #[inline(always)]
    fn place(self, _: &AttentionParams, tile: TileAt<Part>) -> Place {
        ([0, tile.part.block * BLOCK], tile.batch)
    }
    #[inline(always)]
    fn offset_of_o(self, params: &AttentionParams, tile: TileAt<Part>) -> usize {
        tile.offset_of_o(params)
    }
    #[inline(always)]
    fn offset_of_lse(self, params: &AttentionParams, tile: TileAt<Part>) -> usize {
        tile.offset_of_lse(params)
    }
    #[inline(always)]
    fn partial(self, params: &AttentionParams, tile: TileAt<Part>) -> Option<(*mut f32, *mut f32)> {
        let Part { block, count } = tile.part;
        if count == self.lengths.blocks(tile.batch) {
            return None;
        }
        let row = slot(block_idx_x(), block == 0) as usize * params.queries as usize;
        let (o, lse) = self.partials;
        Some((
            o.wrapping_add(row * self.of.dim as usize),
            lse.wrapping_add(row),
        ))
    }

    #[inline(always)]
    unsafe fn load_k<C: OperandTiles>(
        self,
        map: &TensorMap,
        block: (TileAt<Part>, Place, u32),
        smem: &Smem<C>,
        stage: (u32, u32),
    ) {
        // SAFETY: the map is K's, and the stage's barrier counts a block's bytes, by the function's
        // contract.
        unsafe {
            let to = (&smem.k, [0, C::DIM], columns_of_box::<C>());
            self.pages()
                .load(map, block, to, stage, |key, column| (key, column));
        }
    }
    #[inline(always)]
    unsafe fn load_v<C: OperandTiles>(
        self,
        map: &TensorMap,
        block: (TileAt<Part>, Place, u32),
        smem: &Smem<C>,
        stage: (u32, u32),
    ) {
        // SAFETY: the map is V's, and the stage's barrier counts a block's bytes, by the function's
        // contract.
        unsafe {
            let to = (&smem.v, [0, C::DIM], columns_of_box::<C>());
            self.pages()
                .load(map, block, to, stage, |key, column| (column, key));
        }
    }
}

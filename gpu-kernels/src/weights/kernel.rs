//! The kernel of few rows. Weights stream from global memory into registers. The warps of a CTA and
//! the CTAs of a cluster divide k among themselves.
//!
//! ```text
//!   warp w, unit u     ring of DEPTH units ─ decode ─► A ─┐
//!   X in shared memory ─ ldmatrix ──────────────────► B   ├ mma.sync ─► sums of a group ─ × scale ─► sums
//!   end of a tile      16 warps ─► shared memory ─ added ─► D, or ─► the cluster's sums ─► D
//! ```
//!
//! Law: D is the sum over k of X times the decoded weights, group by group. The tensor core adds
//! the products of a group; their sum is multiplied by the group's scale and added to the other
//! groups' sums in f32. If the group has a minimum, the minimum times the sum of the group's X,
//! which a product with ones computes, is subtracted. Then the warps' sums are added in the order
//! of k, then the CTAs' sums. Then the result is multiplied by the row's scale, if the row has one.
//! Every run gives the same bits.
//!
//! CTA i computes tiles i, i + CTAs, and so on. Weights are loaded before `griddepcontrol.wait`,
//! because no previous launch writes them.

use super::config::{
    Activation, BARRIER_BYTES, FewRows, KSlices, UNIT, code_bytes, loads, record_words,
    sums_buffers,
};
use super::epilogue::{Pointers, row_scale, store};
use super::format::{BlockCodes, Decode, WeightFormat, zeros_of};
use super::order::Activations;
use super::scaling::{GroupScaling, ends_group, group_of_block};
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, grid_dim_x, sync_threads, thread_idx_x};
use cuda_std::warp::sync_warp;
use kernel_abi::gemm::GemmParams;
use layout_types::arch::barrier::{
    fence_mbarrier_init, mbarrier_arrive_if, mbarrier_init, mbarrier_wait,
};
use layout_types::arch::copy::{
    load_global_b32, load_global_b64, load_global_b128, load_global_once_b128, load_shared_b32,
    store_shared_b32, store_shared_b128,
};
use layout_types::arch::copy_sm75::ldmatrix_x4;
use layout_types::arch::copy_sm80::{cp_async_cg_16_if, cp_async_fence, cp_async_wait};
use layout_types::arch::mma::fma_f32;
use layout_types::atom::MmaAtom;
use layout_types::atom::half_pair::HalfPair;
use layout_types::atom::mma::MmaOp;
use layout_types::layout::LayoutFn;
use layout_types::unroll::unroll;

/// The bytes of X for a unit of k and 8 tokens.
const X_UNIT: u32 = 8 * UNIT * 2;

/// A kernel's arguments.
#[derive(Clone, Copy)]
pub struct Arguments {
    /// The kernel's buffers.
    pub buffers: Pointers,
    /// The parameters of the product, made by the plan.
    pub params: GemmParams,
}
impl Arguments {
    /// Returns the number of tiles whose sums a CTA keeps until the cluster adds them: a multiple
    /// of 8, or all tiles.
    #[inline(always)]
    fn tiles_at_once(&self) -> u32 {
        self.params.raster_group
    }
}

/// A warp's position in the packed weights, at the unit that the warp loads next.
struct Cursor {
    /// The lane's first 16 bytes of codes.
    codes: *const u8,
    /// The lane's first record.
    groups: *const u8,
    /// The unit's index in the matrix: (row block) * `units` + (index of the unit along k).
    unit: u32,
    /// The number of units of the tile that the warp has not loaded yet, including this one.
    of_tile: u32,
    /// The number of units of all tiles that the warp has not loaded yet.
    left: u32,
    /// The number of units along k that the warp has in each tile.
    per_tile: u32,
    /// The number of units along all of k.
    units: u32,
    /// The number that is added to `unit` after a tile's last unit, to reach the first unit of the
    /// next tile.
    tile_step: u32,
}

/// The codes and records of a unit that a warp has loaded.
#[derive(Clone, Copy)]
struct Loaded<const LOADS: usize, const WORDS: usize, const ROW_BLOCKS: usize> {
    codes: [[[u32; 4]; LOADS]; ROW_BLOCKS],
    records: [[u32; WORDS]; ROW_BLOCKS],
}

impl Cursor {
    /// Loads the next unit, if there is one.
    ///
    /// # Safety
    /// The buffers have the codes and records of all row blocks of the warp's tiles, and nothing
    /// writes them during the call.
    #[inline(always)]
    unsafe fn load<C: FewRows, const LOADS: usize, const WORDS: usize, const ROW_BLOCKS: usize>(
        &mut self,
        into: &mut Loaded<LOADS, WORDS, ROW_BLOCKS>,
    ) {
        if self.left == 0 {
            return;
        }
        unroll::<4>(|row| {
            if row < ROW_BLOCKS {
                let unit = u64::from(self.unit + row as u32 * self.units);
                let codes = unit * u64::from(const { code_bytes::<C>() });
                let codes = self.codes.wrapping_add(codes as usize);
                let record = unit * u64::from(const { 8 * 4 * record_words::<C>() as u32 });
                // SAFETY: the buffers have this unit, by the function's contract.
                unsafe {
                    unroll::<4>(|i| {
                        if i < LOADS {
                            into.codes[row][i] = load_global_once_b128(codes.wrapping_add(512 * i));
                        }
                    });
                    into.records[row] = load_record(self.groups.wrapping_add(record as usize));
                }
            }
        });
        self.left -= 1;
        self.unit += 1;
        self.of_tile -= 1;
        if self.of_tile == 0 {
            self.of_tile = self.per_tile;
            self.unit = self.unit.wrapping_add(self.tile_step);
        }
    }
}

/// A warp's sums of a tile, and the addresses that sums are written to.
struct Sums<const ROW_BLOCKS: usize, const TOKEN_BLOCKS: usize> {
    of_warp: [[[f32; 4]; TOKEN_BLOCKS]; ROW_BLOCKS],
    /// The buffers of the warps' sums.
    buffers: u32,
    /// The address of the barriers: one per buffer for "full", then one per buffer for "free".
    barriers: u32,
    /// The address of the CTA's sums, which the cluster adds.
    of_cta: u32,
    /// The index of the tile among the CTA's tiles.
    tile: u32,
}

/// Loads the words of a thread's scales and zeros for a unit.
///
/// # Safety
/// `WORDS` words, where `WORDS` is 0, 1, 2, 4 or 8, are readable at `from`, which is aligned to
/// their size, or to 16 bytes if they are longer.
#[inline(always)]
pub unsafe fn load_record<const WORDS: usize>(from: *const u8) -> [u32; WORDS] {
    const {
        assert!(
            matches!(WORDS, 0 | 1 | 2 | 4 | 8),
            "a record is loaded as 0, 1, 2, 4 or 8 words"
        );
    }
    let mut words = [0; WORDS];
    // SAFETY: `WORDS` words are readable and aligned, by the function's contract.
    unsafe {
        match WORDS {
            0 => {}
            1 => words[0] = load_global_b32(from),
            2 => words.copy_from_slice(&load_global_b64(from)),
            4 => words.copy_from_slice(&load_global_b128(from)),
            _ => {
                words[..4].copy_from_slice(&load_global_b128(from));
                words[4..].copy_from_slice(&load_global_b128(from.add(16)));
            }
        }
    }
    words
}

/// Runs the kernel. `LOADS` is the result of [`loads`], `WORDS` that of [`record_words`].
///
/// # Safety
/// The launch is the plan's: it has the plan's threads per CTA, and shared memory for X, the warps'
/// sums and the cluster's sums. The buffers have the plan's lengths and alignments, and the weights
/// are packed for this format and group.
#[inline(always)]
pub unsafe fn run<
    C: FewRows,
    const LOADS: usize,
    const WORDS: usize,
    const DEPTH: usize,
    const ROW_BLOCKS: usize,
    const TOKEN_BLOCKS: usize,
>(
    of: &Arguments,
) {
    const {
        assert!(ROW_BLOCKS == C::ROW_BLOCKS && TOKEN_BLOCKS == C::TOKEN_BLOCKS);
        assert!(ROW_BLOCKS <= 4 && TOKEN_BLOCKS <= 4 && C::WARPS <= 16);
        assert!(
            8 % DEPTH == 0,
            "tiles are finished by eights: the ring has 1, 2, 4 or 8 units"
        );
        assert!(LOADS == loads::<C>() && WORDS == record_words::<C>());
    }
    let elements = const { elements::<C>() };
    let (thread, lane, warp) = (thread_idx_x(), thread_idx_x() % 32, thread_idx_x() / 32);
    let (rank, ctas) = slices_of::<C>();
    let (cluster, clusters) = (block_idx_x() / ctas, u32::max(grid_dim_x() / ctas, 1));
    let units = of.params.k.div_ceil(UNIT);
    // The warp's index along n, which gives its row blocks in a tile, and its index along k.
    let (along_n, along_k) = (warp % C::N_WARPS, warp / C::N_WARPS);
    // The CTA's units along k, then the warp's units among them.
    let cta_first = units * rank / ctas;
    let cta_units = units * (rank + 1) / ctas - cta_first;
    let first = cta_first + cta_units * along_k / C::K_WARPS;
    let per_tile = cta_first + cta_units * (along_k + 1) / C::K_WARPS - first;
    let tiles = of.params.n.div_ceil(16 * C::TILE_BLOCKS);
    let my_tiles = if cluster < tiles {
        (tiles - cluster).div_ceil(clusters)
    } else {
        0
    };

    let mut cursor = Cursor {
        codes: of.buffers.codes.wrapping_add(16 * lane as usize),
        groups: of
            .buffers
            .groups
            .wrapping_add((lane / 4 * const { 4 * record_words::<C>() as u32 }) as usize),
        unit: (cluster * C::TILE_BLOCKS + along_n * ROW_BLOCKS as u32) * units + first,
        of_tile: per_tile,
        left: my_tiles * per_tile,
        per_tile,
        units,
        tile_step: (clusters * C::TILE_BLOCKS * units).wrapping_sub(per_tile),
    };
    let mut ring = [Loaded::<LOADS, WORDS, ROW_BLOCKS> {
        codes: [[[0; 4]; LOADS]; ROW_BLOCKS],
        records: [[0; WORDS]; ROW_BLOCKS],
    }; DEPTH];
    // This does not use `unroll`: the compiler does not inline further into a closure that is
    // called several times.
    macro_rules! each_slot {
        (|$slot:ident| $body:expr) => {
            each_slot!(@ $slot, $body; 0 1 2 3 4 5 6 7)
        };
        (@ $slot:ident, $body:expr; $($i:literal)+) => {$(
            if const { $i < DEPTH } {
                let $slot: usize = $i;
                $body
            }
        )+};
    }
    each_slot!(|slot| {
        // SAFETY: the plan's buffers have the codes and records of all tiles, padded to whole
        // tiles, and nothing writes them.
        unsafe { cursor.load::<C, LOADS, WORDS, ROW_BLOCKS>(&mut ring[slot]) }
    });

    let shared = dynamic_shared_offset();
    let x_bytes = units.div_ceil(ctas) * (X_UNIT * TOKEN_BLOCKS as u32);
    let barriers = shared + x_bytes;
    let buffers = barriers + BARRIER_BYTES;
    if thread == 0 {
        // SAFETY: only thread 0 of the CTA comes here, once. The other threads use the barriers
        // after the CTA's barrier at the end of `load_x`.
        unsafe { init_barriers::<C>(barriers) };
    }
    C::Slices::wait_on_launch_ahead();
    // SAFETY: the plan gives the CTA shared memory for X, and X has the plan's rows.
    unsafe { load_x::<C, TOKEN_BLOCKS>(of, shared, cta_first, cta_units) };

    let mut sums = Sums::<ROW_BLOCKS, TOKEN_BLOCKS> {
        of_warp: [[[0.0; 4]; TOKEN_BLOCKS]; ROW_BLOCKS],
        buffers,
        barriers,
        of_cta: buffers + sums_buffers::<C>() * 4 * C::K_WARPS * elements,
        tile: 0,
    };
    let x_first = shared
        + (first - cta_first) * (X_UNIT * TOKEN_BLOCKS as u32)
        + 2 * Activations::at((lane % 8, lane / 8 * 8));
    let (mut in_tile, mut x) = (0, x_first);
    // The tiles are computed in phases, and the cluster adds the sums after each phase. In all
    // phases but the last, the number of units is a multiple of the ring's length.
    let mut first_tile = 0;
    while first_tile < my_tiles {
        let tiles = if const { C::Slices::MOST == 1 } {
            my_tiles
        } else {
            u32::min(of.tiles_at_once(), my_tiles - first_tile)
        };
        let total = tiles * per_tile;
        let mut done = 0;
        while done < total {
            each_slot!(|slot| if done < total {
                // SAFETY: whole warps come here, and X's unit is in shared memory. The plan's
                // buffers have the codes and records of all tiles. All threads of the CTA reach the
                // end of each tile.
                unsafe {
                    multiply::<C, LOADS, WORDS, ROW_BLOCKS, TOKEN_BLOCKS>(
                        &ring[slot],
                        x,
                        &mut sums.of_warp,
                    );
                    cursor.load::<C, LOADS, WORDS, ROW_BLOCKS>(&mut ring[slot]);
                    done += 1;
                    in_tile += 1;
                    x += X_UNIT * TOKEN_BLOCKS as u32;
                    if in_tile == per_tile {
                        in_tile = 0;
                        x = x_first;
                        sums.finish::<C>(of, thread);
                    }
                }
            });
        }
        // A warp without a unit has to arrive at the barriers too.
        if per_tile == 0 {
            let mut tile = 0;
            while tile < tiles {
                // SAFETY: all threads of the CTA reach the end of each tile.
                unsafe { sums.finish::<C>(of, thread) };
                tile += 1;
            }
        }
        if const { C::Slices::MOST > 1 } {
            // SAFETY: all CTAs of the cluster have the same tiles and call this for the same
            // phases.
            unsafe { add_slices::<C>(of, sums.of_cta, first_tile, tiles, elements) };
        }
        first_tile += tiles;
    }
}

/// Returns the number of elements of a tile.
const fn elements<C: FewRows>() -> u32 {
    C::TILE_BLOCKS * C::TOKEN_BLOCKS as u32 * 128
}

/// Returns the number of warps that add the sums of a tile: one thread per element, at most all
/// warps of the CTA.
const fn adding_warps<C: FewRows>() -> u32 {
    let warps = elements::<C>() / 32;
    if warps < C::WARPS { warps } else { C::WARPS }
}

/// Initialises the barriers of the buffers of the warps' sums.
///
/// # Safety
/// One thread of the CTA calls it, once, before a barrier of the CTA.
#[inline(always)]
unsafe fn init_barriers<C: FewRows>(barriers: u32) {
    let mut i = 0;
    while i < sums_buffers::<C>() {
        // SAFETY: the plan gives the CTA `BARRIER_BYTES` for the barriers.
        unsafe {
            mbarrier_init(barriers + 8 * i, C::WARPS);
            mbarrier_init(
                barriers + 8 * (i + sums_buffers::<C>()),
                adding_warps::<C>(),
            );
        }
        i += 1;
    }
    fence_mbarrier_init();
}

impl<const ROW_BLOCKS: usize, const TOKEN_BLOCKS: usize> Sums<ROW_BLOCKS, TOKEN_BLOCKS> {
    /// Stores the warp's sums of a tile to a buffer in shared memory and sets them to 0. If it is
    /// this warp's turn, adds the sums of all warps. Only the warps that add wait for the slowest
    /// warp.
    ///
    /// # Safety
    /// All warps of the CTA call it for each tile; `thread` is this thread's index.
    #[inline(always)]
    unsafe fn finish<C: FewRows>(&mut self, of: &Arguments, thread: u32) {
        let elements = const { elements::<C>() };
        let count = const { sums_buffers::<C>() };
        let adding = const { adding_warps::<C>() };
        let (lane, warp) = (thread % 32, thread / 32);
        let (which, phase) = (self.tile % count, self.tile / count % 2);
        let buffer = self.buffers + which * (4 * C::K_WARPS * elements);
        let (full, free) = (
            self.barriers + 8 * which,
            self.barriers + 8 * (count + which),
        );
        let first = warp % C::N_WARPS * (ROW_BLOCKS * TOKEN_BLOCKS) as u32;
        let place = buffer + 4 * (warp / C::N_WARPS) * elements + 512 * first + 16 * lane;
        // SAFETY: the barriers are initialised; a buffer's first use does not wait.
        unsafe { mbarrier_wait(free, phase ^ 1) };
        unroll::<4>(|row| {
            unroll::<4>(|token| {
                if row < ROW_BLOCKS && token < TOKEN_BLOCKS {
                    let fragment = (row * TOKEN_BLOCKS + token) as u32;
                    let bits = self.of_warp[row][token].map(f32::to_bits);
                    // SAFETY: only this thread writes the place, and nothing reads the buffer: it
                    // is free.
                    unsafe { store_shared_b128(place + 512 * fragment, bits) };
                    self.of_warp[row][token] = [0.0; 4];
                }
            });
        });
        // SAFETY: the warp is whole. Each warp arrives once, after the stores of its lanes.
        unsafe {
            sync_warp(u32::MAX);
            mbarrier_arrive_if(full, u32::from(lane == 0));
        }
        let turn = warp / adding;
        if turn == self.tile % const { C::WARPS / adding_warps::<C>() } {
            // SAFETY: the barrier is initialised.
            unsafe { mbarrier_wait(full, phase) };
            let mut at = thread % (32 * adding);
            while at < elements {
                let mut sum = 0.0;
                unroll::<16>(|warp| {
                    if (warp as u32) < C::K_WARPS {
                        let place = buffer + 4 * (warp as u32 * elements + at);
                        // SAFETY: every warp wrote its sums before it arrived, and writes this
                        // buffer again only when it is free.
                        sum += f32::from_bits(unsafe { load_shared_b32(place) });
                    }
                });
                if const { C::Slices::MOST == 1 } {
                    let tile = block_idx_x() + self.tile * grid_dim_x();
                    // SAFETY: the plan's D has `m` rows and `n` columns, and no other thread stores
                    // this element.
                    unsafe { store_at::<C>(of, tile, at, sum) };
                } else {
                    let place = self.of_cta
                        + 4 * (self.tile % u32::max(of.tiles_at_once(), 1) * elements + at);
                    // SAFETY: the plan gives the CTA shared memory for the sums of `tiles_at_once`
                    // tiles, and the cluster adds these before the CTA writes the sums of further
                    // tiles.
                    unsafe { store_shared_b32(place, sum.to_bits()) };
                }
                at += 32 * adding;
            }
            // SAFETY: the warp is whole. Each warp that adds arrives once, after the loads of its
            // lanes.
            unsafe {
                sync_warp(u32::MAX);
                mbarrier_arrive_if(free, u32::from(lane == 0));
            }
        }
        self.tile += 1;
    }
}

/// Returns the CTA's index among the CTAs that divide k, and their number, which is at least 1:
/// `max(1)` spares the divisions by this number a branch that panics.
#[inline(always)]
fn slices_of<C: FewRows>() -> (u32, u32) {
    let (rank, ctas) = C::Slices::of();
    (rank, u32::max(ctas, 1))
}

/// Adds the sums of a cluster's CTAs for the tiles of a phase and stores the results.
///
/// # Safety
/// All threads of the cluster call it with the same tiles, each warp as a whole; each CTA's sums of
/// the tiles are at `sums`.
#[inline(always)]
unsafe fn add_slices<C: FewRows>(of: &Arguments, sums: u32, first: u32, tiles: u32, elements: u32) {
    let (rank, ctas) = slices_of::<C>();
    let (cluster, clusters) = (block_idx_x() / ctas, grid_dim_x() / ctas);
    // SAFETY: all threads of the cluster come here, each warp as a whole.
    unsafe { C::Slices::sync() };
    // The four elements in one thread's registers are neighbours in the sums of a tile.
    let quads = tiles * elements / 4;
    let mut quad = rank * 32 * C::WARPS + thread_idx_x();
    while quad < quads {
        let mut sum = [0.0; 4];
        let mut other = 0;
        while other < ctas {
            // SAFETY: each CTA of the cluster wrote the sums of the tiles before the barrier. No
            // CTA writes them again or exits before the next barrier.
            let values = unsafe { C::Slices::load(sums + 16 * quad, other) };
            unroll::<4>(|i| sum[i] += values[i]);
            other += 1;
        }
        let (tile, at) = (first + 4 * quad / elements, 4 * quad % elements);
        // SAFETY: the plan's D has `m` rows and `n` columns, and no other thread stores these
        // elements.
        unroll::<4>(|i| unsafe {
            store_at::<C>(of, cluster + tile * clusters, at + i as u32, sum[i]);
        });
        quad += ctas * 32 * C::WARPS;
    }
    // SAFETY: all threads of the cluster come here, each warp as a whole.
    unsafe { C::Slices::sync() };
}

/// Loads the CTA's units of X into shared memory, as [`Activations`] for each block of 8 tokens and
/// each tile of 64 along k.
///
/// # Safety
/// All threads of the CTA call it; `shared` is large enough for `units` units.
#[inline(always)]
unsafe fn load_x<C: FewRows, const TOKEN_BLOCKS: usize>(
    of: &Arguments,
    shared: u32,
    first: u32,
    units: u32,
) {
    let thread = thread_idx_x();
    let pieces = units * (X_UNIT * TOKEN_BLOCKS as u32 / 16);
    let mut piece = thread;
    while piece < pieces {
        // (8 pieces of 8 along k, 8 tokens, blocks of tokens, tiles of 64)
        let (along, token) = (piece % 8, piece / 8 % 8);
        let (block, tile) = (
            piece / 64 % TOKEN_BLOCKS as u32,
            piece / (64 * TOKEN_BLOCKS as u32),
        );
        let to = 1024 * (piece / 64) + 2 * Activations::at((token, 8 * along));
        let token = 8 * block + token;
        let k = UNIT * first + 64 * tile + 8 * along;
        let inside = token < of.params.m && k < of.params.k;
        let offset = if inside {
            2 * (u64::from(token) * of.params.lda + u64::from(k))
        } else {
            0
        };
        // SAFETY: the destination is in the CTA's part of X in shared memory. If the piece is in
        // bounds, all its 16 bytes belong to X, because k and the stride of the rows are multiples
        // of 8.
        unsafe {
            let from = of.buffers.x.wrapping_add(offset as usize);
            cp_async_cg_16_if(shared + to, from, u32::from(inside));
        }
        piece += 32 * C::WARPS;
    }
    cp_async_fence();
    cp_async_wait::<0>();
    sync_threads();
}

/// Multiplies a unit and adds the products to `sums`.
///
/// # Safety
/// Whole warps call it; `x` is the address, for `ldmatrix`, of the lane's row in the unit of X.
#[inline(always)]
unsafe fn multiply<
    C: FewRows,
    const LOADS: usize,
    const WORDS: usize,
    const ROW_BLOCKS: usize,
    const TOKEN_BLOCKS: usize,
>(
    loaded: &Loaded<LOADS, WORDS, ROW_BLOCKS>,
    x: u32,
    sums: &mut [[[f32; 4]; TOKEN_BLOCKS]; ROW_BLOCKS],
) {
    let mut products = [[[0f32; 4]; TOKEN_BLOCKS]; ROW_BLOCKS];
    let mut of_x = [[0f32; 4]; TOKEN_BLOCKS];
    // The blocks of 16 along k are multiplied in pairs, because one load of X has two blocks.
    macro_rules! each_pair {
        ($($pair:literal)+) => {$({
            let mut b = [[0; 4]; TOKEN_BLOCKS];
            unroll::<4>(|token| {
                if token < TOKEN_BLOCKS {
                    // Loads four pieces of 8 along k. The next four pieces are 64 bytes further,
                    // swizzled.
                    let tile = x + (($pair / 2 * TOKEN_BLOCKS + token) * 1024) as u32;
                    // SAFETY: the warp is whole, and its 32 rows of 16 bytes lie in the unit of X,
                    // by the caller's contract.
                    b[token] = unsafe { ldmatrix_x4(tile ^ ($pair % 2 * 64)) };
                }
            });
            // SAFETY: whole warps are here, by the caller's contract.
            unsafe {
                multiply_block::<C, LOADS, WORDS, ROW_BLOCKS, TOKEN_BLOCKS, { 2 * $pair }>(
                    loaded, &b, &mut products, &mut of_x, sums,
                );
                multiply_block::<C, LOADS, WORDS, ROW_BLOCKS, TOKEN_BLOCKS, { 2 * $pair + 1 }>(
                    loaded, &b, &mut products, &mut of_x, sums,
                );
            }
        })+};
    }
    each_pair!(0 1 2 3);
}

/// Multiplies block `BLOCK` of 16 along k of a unit. After the last block of a group, adds the
/// group's products times its scale to the sums. If a row has one scale, the products are added to
/// the sums unscaled. If a group has a minimum, `of_x` has the sum of the group's X for each token,
/// the same in each row.
///
/// # Safety
/// Whole warps call it.
#[inline(always)]
unsafe fn multiply_block<
    C: FewRows,
    const LOADS: usize,
    const WORDS: usize,
    const ROW_BLOCKS: usize,
    const TOKEN_BLOCKS: usize,
    const BLOCK: usize,
>(
    loaded: &Loaded<LOADS, WORDS, ROW_BLOCKS>,
    b: &[[u32; 4]; TOKEN_BLOCKS],
    products: &mut [[[f32; 4]; TOKEN_BLOCKS]; ROW_BLOCKS],
    of_x: &mut [[f32; 4]; TOKEN_BLOCKS],
    sums: &mut [[[f32; 4]; TOKEN_BLOCKS]; ROW_BLOCKS],
) {
    type ScalingOf<C> = <<C as FewRows>::Format as WeightFormat>::Scaling;
    let group = group_of_block::<ScalingOf<C>>(BLOCK);
    let ends = const { ends_group::<ScalingOf<C>>(BLOCK) };
    let minima = const { ScalingOf::<C>::MINIMA };
    let b = |token: usize| [b[token][BLOCK % 2 * 2], b[token][BLOCK % 2 * 2 + 1]];
    if minima {
        let ones = [C::Element::splat(C::Element::round(1.0)); 4];
        unroll::<4>(|token| {
            if token < TOKEN_BLOCKS {
                // SAFETY: the warp is whole, by the caller's contract.
                unsafe {
                    <C::Element as Activation>::Atom::fma_assign(
                        &mut of_x[token],
                        &ones,
                        &b(token),
                    );
                }
            }
        });
    }
    unroll::<4>(|row| {
        if row < ROW_BLOCKS {
            let (codes, record) = (&loaded.codes[row], &loaded.records[row]);
            let of_tile = if const { LOADS == 2 } {
                [codes[BLOCK / 4], [0; 4]]
            } else {
                [codes[BLOCK / 4 * 2], codes[BLOCK / 4 * 2 + 1]]
            };
            let codes = <C::Format as WeightFormat>::Codes::take(&of_tile, BLOCK % 4);
            let a = C::Format::decode(codes, zeros_of::<C::Format, C::Element>(record, BLOCK));
            unroll::<4>(|token| {
                if token < TOKEN_BLOCKS {
                    let to = if const { ScalingOf::<C>::GROUP.is_none() } {
                        &mut sums[row][token]
                    } else {
                        &mut products[row][token]
                    };
                    // SAFETY: the warp is whole, by the caller's contract.
                    unsafe {
                        <C::Element as Activation>::Atom::fma_assign(to, &a, &b(token));
                    }
                }
            });
            if ends {
                let scales = ScalingOf::<C>::scales(record, group);
                let of_minima = ScalingOf::<C>::minima(record, group);
                unroll::<4>(|token| {
                    if token < TOKEN_BLOCKS {
                        unroll::<4>(|i| {
                            let (sum, product) =
                                (&mut sums[row][token][i], &mut products[row][token][i]);
                            *sum = fma_f32(*product, scales[i / 2], *sum);
                            if minima {
                                *sum = fma_f32(of_x[token][i], -of_minima[i / 2], *sum);
                            }
                            *product = 0.0;
                        });
                    }
                });
            }
        }
    });
    if ends && minima {
        *of_x = [[0.0; 4]; TOKEN_BLOCKS];
    }
}

/// Stores element `at` of a tile, counted in the order of the warps' registers, if it is in D's
/// bounds.
///
/// # Safety
/// The conditions are those of [`store`].
#[inline(always)]
unsafe fn store_at<C: FewRows>(of: &Arguments, tile: u32, at: u32, sum: f32) {
    type LayoutOf<C> = <<<C as FewRows>::Element as Activation>::Atom as MmaAtom>::CLayout;
    let (value, lane, fragment) = (at % 4, at / 4 % 32, at / 128);
    let (row, token) = (
        fragment / C::TOKEN_BLOCKS as u32,
        fragment % C::TOKEN_BLOCKS as u32,
    );
    // C's thread-value layout: row + 16 token.
    let place: u32 = LayoutOf::<C>::index(lane + 32 * value);
    let n = 16 * (tile * C::TILE_BLOCKS + row) + place % 16;
    let m = 8 * token + place / 16;
    // SAFETY: D, C and the bias have the plan's lengths, and no other thread stores this element,
    // by the function's contract. The rows of a tile are padded rows of W, which have scales.
    unsafe {
        let sum = sum * row_scale::<<C::Format as WeightFormat>::Scaling>(&of.buffers, n);
        store::<C::Element>(&of.buffers, &of.params, m, n, sum);
    }
}

//! Stream-K: CTAs divide the tiles that do not fill a wave of CTAs by k tiles.
//!
//! ```text
//!   7 tiles of 6 k tiles, 4 CTAs    CTA 0      CTA 1          CTA 2       CTA 3
//!   tiles 4, 5, 6 by k tiles        4:01234    4:5 5:0123     5:45 6:01   6:2345
//!   tiles 0 to 3                    0          1              2           3
//!   workspace                       a counter for each warp of a shared tile: saved k tiles      two partial tiles per CTA
//! ```
//!
//! A warp saves its rows of a partial tile and adds the number of their k tiles to its counter. The
//! warp that saves the last part adds all parts and stores the rows like those of any other tile.
//! No CTA waits for another.
//!
//! Law: every k tile of every tile is multiplied once. Parts are added in the order of k, so every
//! run gives the same bits.
//!
//! Source: Osama et al., *Stream-K* (2023), §4; CUTLASS's `tile_scheduler_sm90_stream_k.hpp`.

use super::cluster::{Place, Slice};
use super::cluster_reduction::GROUP;
use super::config::{AccumulatorPairs, CONSUMER_GROUPS, CollectiveConfig};
use super::tile_scheduler::{ClusterTiles, KTiles, TileAt, TileScheduler};
use cuda_std::atomic::intrinsics::atomic_fetch_add_acqrel_u32_device;
use cuda_std::thread::{block_idx_x, device_fence, grid_dim_x, thread_idx_x};
use cuda_std::warp::{sync_warp, warp_shuffle_idx};
use gpu_kernels::gemm::params::KernelPointers;
use gpu_kernels::gemm::tile_scheduler::{Shares, divide};
use kernel_abi::gemm::{GemmParams, MOST_PARTS, STREAM_K_WARPS, stream_k_counter_bytes};
use layout_types::arch::copy::{load_global_b128, store_global_b128};
use layout_types::arch::mov::here;
use layout_types::unroll::{unroll, unroll_type};

/// The mask of all lanes of a warp.
const WARP: u32 = u32::MAX;

/// The tiles of a grid of CTAs. If the plan says so, the CTAs divide the last wave by k tiles.
#[derive(Clone, Copy)]
pub struct StreamTiles {
    /// M, N and K from the kernel's parameters. Values that depend on them are computed again for
    /// each use, because a value that is kept would take a register from the mainloop.
    extents: [u32; 3],
    band: u32,
    batches: u32,
    /// The number of slices of k, or 0 if the CTAs divide the last wave.
    slices: u32,
    /// The tile that `seek` found last.
    tile: u32,
    /// The first k tile of `tile` that this CTA multiplies.
    first: u32,
    /// The number of k tiles of `tile` that this CTA multiplies.
    count: u32,
}

impl StreamTiles {
    /// Returns the scheduler of whole tiles.
    #[inline(always)]
    fn all<C: CollectiveConfig>(&self) -> ClusterTiles {
        let extents = self.extents.map(here);
        ClusterTiles::of::<C>(extents, [1; 2], self.band, self.batches, self.slices.max(1))
    }
}

/// The tiles that the CTAs divide, and each CTA's share of their k tiles.
#[derive(Clone, Copy)]
struct SharedTiles {
    /// The first shared tile; all tiles after it are shared too.
    first_tile: u32,
    /// K tiles of a tile.
    k_tiles: u32,
    /// The shares of k tiles, counted over the shared tiles.
    shares: Shares,
    /// The number of CTAs that share the tiles.
    ctas: u32,
}

impl SharedTiles {
    #[inline(always)]
    fn of<C: CollectiveConfig>(tiles: &StreamTiles) -> Self {
        let all = tiles.all::<C>();
        let (count, k_tiles, ctas) = (all.count(), all.k_tiles_of_tile(), grid_dim_x());
        let shared = if tiles.slices == 0 {
            divide(count, ctas).1
        } else {
            0
        };
        let sharers = ctas.min(MOST_PARTS * shared);
        Self {
            first_tile: count - shared,
            k_tiles,
            shares: Shares::of(shared * k_tiles, sharers),
            ctas: sharers,
        }
    }

    /// Returns the first k tile of a CTA, counted over the shared tiles.
    #[inline(always)]
    fn begin(&self, cta: u32) -> u32 {
        self.shares.begin(cta.min(self.ctas))
    }
}

impl TileScheduler for StreamTiles {
    const GROUPED: bool = false;
    const STREAM_K: bool = true;

    #[inline(always)]
    unsafe fn new<C: CollectiveConfig>(
        _pointers: &KernelPointers,
        params: &GemmParams,
        _place: &Place,
        batches: u32,
        slices: u32,
    ) -> Self {
        Self {
            extents: [params.m, params.n, params.k],
            band: params.raster_group,
            batches,
            slices,
            tile: 0,
            first: 0,
            count: 0,
        }
    }

    #[inline(always)]
    unsafe fn seek<C: CollectiveConfig>(&mut self, index: u32) -> bool {
        let shared = SharedTiles::of::<C>(self);
        let (cta, ctas) = (block_idx_x(), grid_dim_x());
        // The position of this tile, or part of a tile, among those of the CTA.
        let (unit, _) = divide(index, ctas);
        let (begin, end) = (shared.begin(cta), shared.begin(cta + 1));
        let (shared_tile, first) = divide(begin, shared.k_tiles);
        let in_first = (end - begin).min(shared.k_tiles - first);
        let parts = u32::from(end > begin) + u32::from(end - begin > in_first);
        if unit < parts {
            self.tile = shared.first_tile + shared_tile + unit;
            (self.first, self.count) = if unit == 0 {
                (first, in_first)
            } else {
                (0, end - begin - in_first)
            };
            return true;
        }
        self.tile = cta + (unit - parts) * ctas;
        (self.first, self.count) = (0, shared.k_tiles);
        self.tile < shared.first_tile
    }

    #[inline(always)]
    fn k_tiles<C: CollectiveConfig>(&self, index: u32, slice: Slice) -> KTiles {
        if self.slices > 1 {
            self.all::<C>().k_tiles::<C>(index, slice)
        } else {
            KTiles {
                first: self.first,
                count: self.count,
                step: 1,
            }
        }
    }

    #[inline(always)]
    fn operand_batch(&self, tile: &TileAt) -> u32 {
        if self.slices > 1 {
            divide(tile.batch, self.batches).1
        } else {
            tile.batch
        }
    }

    #[inline(always)]
    fn at<C: CollectiveConfig>(&self, _index: u32, place: &Place) -> TileAt {
        self.all::<C>().at::<C>(self.tile, place)
    }

    #[inline(always)]
    unsafe fn fix_up<C: CollectiveConfig, const ATOMS: usize>(
        &self,
        pointers: &KernelPointers,
        registers: &mut [C::Registers; ATOMS],
    ) -> bool {
        let shared = SharedTiles::of::<C>(self);
        if self.count == shared.k_tiles {
            return true;
        }
        let thread = here(thread_idx_x()) - GROUP;
        let k_tiles = shared.k_tiles;
        let shared_tile = self.tile - shared.first_tile;
        let begin = shared_tile * k_tiles;
        let quads = const { C::CHUNK_REGISTERS / 4 };
        // Registers 4 q .. 4 q + 4 of all threads of both groups are neighbours, 16 bytes per
        // thread.
        let place = |slot: u32, atom: usize, chunk: usize, quad: usize| {
            let quad = (atom * const { C::CHUNK_COUNT } + chunk) * quads + quad;
            let of_slot = u64::from(slot) * u64::from(4 * C::TILE[0] * C::TILE[1]);
            let in_slot = 16 * (quad as u32 * CONSUMER_GROUPS * GROUP + thread);
            let counters = stream_k_counter_bytes(self.all::<C>().count());
            let at = counters + of_slot + u64::from(in_slot);
            pointers.workspace.wrapping_add(at as usize)
        };
        // A CTA has one slot for the shared tile that its k tiles begin in, and one for the next
        // tile.
        let slot = |cta: u32| 2 * cta + u32::from(shared.begin(cta) < begin);
        let own = slot(block_idx_x());
        unroll_type::<C::Chunks>(|chunk| {
            unroll_type::<C::Atoms>(|atom| {
                unroll::<8>(|quad| {
                    if quad < quads {
                        let first = C::CHUNK_REGISTERS * chunk + 4 * quad;
                        let values = [0, 1, 2, 3].map(|i| registers[atom].bits(first + i));
                        // SAFETY: after the counters the plan's workspace holds two partial tiles
                        // for each CTA. Only this thread accesses these 16 bytes until the counter
                        // says that they are saved.
                        unsafe { store_global_b128(place(own, atom, chunk, quad), values) };
                    }
                });
            });
        });
        device_fence();
        // SAFETY: all lanes have the same tile and come here. The plan's workspace begins with a
        // counter for each warp of each tile, and only this function accesses the counters.
        let before = unsafe {
            sync_warp(WARP);
            let mut before = 0;
            if thread.is_multiple_of(32) {
                let counter = pointers
                    .workspace
                    .cast::<u32>()
                    .wrapping_add((STREAM_K_WARPS * shared_tile + thread / 32) as usize);
                before = atomic_fetch_add_acqrel_u32_device(counter, self.count);
                if before + self.count == k_tiles {
                    // Resets the counter for the next launch.
                    atomic_fetch_add_acqrel_u32_device(counter, 0u32.wrapping_sub(k_tiles));
                }
            }
            let before = warp_shuffle_idx(WARP, before, 0, 32).0;
            // This barrier passes what lane 0 acquired to the other lanes, because a shuffle does
            // not order memory.
            sync_warp(WARP);
            before
        };
        if before + self.count < k_tiles {
            return false;
        }
        device_fence();
        *registers = [C::Registers::ZERO; ATOMS];
        let (mut cta, last) = (
            shared.shares.cta_of(begin),
            shared.shares.cta_of(begin + k_tiles - 1),
        );
        while cta <= last {
            let from = slot(cta);
            unroll_type::<C::Chunks>(|chunk| {
                unroll_type::<C::Atoms>(|atom| {
                    unroll::<8>(|quad| {
                        if quad < quads {
                            let first = C::CHUNK_REGISTERS * chunk + 4 * quad;
                            // SAFETY: the counter says that the warp of that CTA has saved these
                            // values, and the fences make them visible here.
                            let values =
                                unsafe { load_global_b128(place(from, atom, chunk, quad)) };
                            unroll::<4>(|i| registers[atom].add(first + i, values[i]));
                        }
                    });
                });
            });
            cta += 1;
        }
        true
    }
}

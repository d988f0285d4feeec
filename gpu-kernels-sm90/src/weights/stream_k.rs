//! The tiles of a cluster: whole tiles, and before them its parts of the tiles that clusters share.
//!
//! ```text
//!   5 tiles of 12 units, 3 clusters     cluster 0      cluster 1                cluster 2
//!   first: parts of tiles 3 and 4       3: 0 .. 8      3: 8 .. 12, 4: 0 .. 4    4: 4 .. 12
//!   then whole tiles                    0              1                        2
//!   workspace     a counter for each multiplying warp of a shared tile │ two partial tiles for each CTA
//! ```
//!
//! A warp saves its rows of a partial tile and adds the number of their units to its counter. The
//! warp that saves the last part adds all parts in the order of k. No CTA waits for another.
//!
//! Law: every unit of every tile is multiplied once, and every run gives the same bits. The
//! counters are zero after the launch if they were zero before it.
//!
//! Source: Osama et al., *Stream-K* (2023), §4.

use super::many_rows::{CTAS, ManyRows, ROWS};
use crate::warp_group::{consumer_group, thread_in_group};
use core::marker::PhantomData;
use cuda_std::atomic::intrinsics::{
    atomic_fetch_add_acqrel_u32_device, atomic_store_relaxed_32_device,
};
use cuda_std::thread::{block_idx_x, grid_dim_x};
use cuda_std::warp::{sync_warp, warp_shuffle_idx};
use gpu_kernels::gemm::tile_scheduler::{Shares, divide};
use gpu_kernels::weights::config::UNIT;
use gpu_kernels::weights::kernel::Arguments;
use kernel_abi::weights::{MULTIPLYING_WARPS, shared_counter_bytes};
use layout_types::arch::cluster_sm90::block_rank_in_cluster;
use layout_types::arch::copy::{load_global_b128, store_global_b128};
use layout_types::typenum::Unsigned;
use layout_types::unroll::unroll;

/// The mask of all lanes of a warp.
const WARP: u32 = u32::MAX;

/// The units of a tile that a cluster multiplies.
#[derive(Clone, Copy)]
pub struct Part {
    /// The tile.
    pub tile: u32,
    /// The first unit along k.
    pub first: u32,
    /// The number of units, at least 1.
    pub count: u32,
}

/// The tiles of all clusters. Neighbouring tiles have the same rows of W.
pub struct Tiles<C> {
    /// The number of tiles along the tokens.
    along_m: u32,
    /// The number of units along k.
    units: u32,
    /// The rows of W, padded to whole tiles of a CTA.
    rows: u32,
    /// The first shared tile. All tiles after it are shared, too.
    first_shared: u32,
    /// The clusters' shares of units, counted over the shared tiles.
    shares: Shares,
    /// The number of clusters that have a share.
    sharers: u32,
    /// The CTA's cluster.
    cluster: u32,
    /// The CTA's rank in its cluster.
    rank: u32,
    _of: PhantomData<C>,
}

impl<C: ManyRows> Tiles<C> {
    /// Returns the tiles of a launch.
    #[inline(always)]
    pub fn of(of: &Arguments) -> Self {
        // `max(1)`, because a division that may panic is a call, and no `wgmma` may be in flight
        // across a call.
        let along_m = u32::max(of.params.m.div_ceil(<C::Tokens as Unsigned>::U32), 1);
        let all = along_m * of.params.n.div_ceil(CTAS * ROWS);
        let units = of.params.k.div_ceil(UNIT);
        let clusters = grid_dim_x() / CTAS;
        let sharers = of.params.raster_group.min(clusters);
        let shared = if sharers == 0 {
            0
        } else {
            divide(all, clusters).1
        };
        Self {
            along_m,
            units,
            rows: of.params.n.next_multiple_of(ROWS),
            first_shared: all - shared,
            shares: Shares::of(shared * units, sharers),
            sharers,
            cluster: block_idx_x() / CTAS,
            rank: block_rank_in_cluster(),
            _of: PhantomData,
        }
    }

    /// Returns the first unit of a cluster's share.
    #[inline(always)]
    fn begin(&self, cluster: u32) -> u32 {
        self.shares.begin(cluster.min(self.sharers))
    }

    /// Returns the cluster's part number `index`, or `None` after the last one.
    #[inline(always)]
    pub fn part(&self, index: u32) -> Option<Part> {
        let (begin, end) = (self.begin(self.cluster), self.begin(self.cluster + 1));
        let (tile, first) = divide(begin, self.units);
        let in_first = (end - begin).min(self.units - first);
        let parts = u32::from(end > begin) + u32::from(end - begin > in_first);
        if index < parts {
            let tile = self.first_shared + tile + index;
            return Some(if index == 0 {
                Part {
                    tile,
                    first,
                    count: in_first,
                }
            } else {
                Part {
                    tile,
                    first: 0,
                    count: end - begin - in_first,
                }
            });
        }
        let tile = self.cluster + (index - parts) * (grid_dim_x() / CTAS);
        (tile < self.first_shared).then_some(Part {
            tile,
            first: 0,
            count: self.units,
        })
    }

    /// Returns this CTA's first row of D and the first token for a tile.
    #[inline(always)]
    pub fn at(&self, tile: u32) -> (u32, u32) {
        let (down, along) = (tile / self.along_m, tile % self.along_m);
        (
            ROWS * (CTAS * down + self.rank),
            <C::Tokens as Unsigned>::U32 * along,
        )
    }

    /// Returns the first row of W that the CTA multiplies for the rows of D from `row` on. If `row`
    /// is after the last row, it is W's last tile, and its products are not stored.
    #[inline(always)]
    pub fn loaded(&self, row: u32) -> u32 {
        row.min(self.rows - ROWS)
    }

    /// Returns the CTA's rank in its cluster.
    #[inline(always)]
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// Completes a tile's accumulator. Returns whether `sums` is that of a whole tile: it is unless
    /// other clusters have not saved their parts of the tile yet.
    ///
    /// # Safety
    /// All threads of a consumer group call it with the same part. The workspace is the plan's:
    /// counters of [`shared_counter_bytes`], then two partial tiles for each CTA of a sharing
    /// cluster. No other launch accesses it at the same time.
    #[inline(always)]
    pub unsafe fn fix_up<const ACC: usize>(
        &self,
        workspace: *mut u8,
        part: &Part,
        sums: &mut [f32; ACC],
    ) -> bool {
        const { assert!(ACC.is_multiple_of(4)) }
        if part.count == self.units {
            return true;
        }
        let warp = 4 * consumer_group() + thread_in_group() / 32;
        let lane = thread_in_group() % 32;
        let begin = (part.tile - self.first_shared) * self.units;
        // The warp's registers 4 q to 4 q + 3 of all lanes are neighbours, 16 bytes per lane.
        let counters = shared_counter_bytes(self.sharers, CTAS);
        let place = |cluster: u32, quad: usize| {
            // A cluster has one slot for the tile in which its share begins, and one for the next
            // tile.
            let slot = 2 * cluster + u32::from(self.begin(cluster) < begin);
            let of_warp = (CTAS * slot + self.rank) * MULTIPLYING_WARPS + warp;
            let at = (of_warp * (ACC / 4) as u32 + quad as u32) * 32 + lane;
            workspace.wrapping_add((counters + 16 * u64::from(at)) as usize)
        };
        unroll::<16>(|quad| {
            if quad < const { ACC / 4 } {
                let values = [0, 1, 2, 3].map(|i| sums[4 * quad + i].to_bits());
                // SAFETY: the plan's workspace holds the slot. Only this lane accesses these 16
                // bytes until the counter says that they are saved.
                unsafe { store_global_b128(place(self.cluster, quad), values) };
            }
        });
        let first = self.shares.cta_of(begin);
        // SAFETY: all lanes have the same part and come here. The plan's workspace begins with the
        // counters, which only this function accesses. No two shared tiles have their first units
        // in the share of one cluster, since a share is shorter than a tile.
        let before = unsafe {
            // The barriers of the warp order the lanes' stores before lane 0's release, and lane
            // 0's acquire before the lanes' loads. Fences of the whole GPU by each lane would take
            // 4 us.
            sync_warp(WARP);
            let mut before = 0;
            if lane == 0 {
                let counter = (CTAS * first + self.rank) * MULTIPLYING_WARPS + warp;
                let counter = workspace.cast::<u32>().wrapping_add(counter as usize);
                before = atomic_fetch_add_acqrel_u32_device(counter, part.count);
                if before + part.count == self.units {
                    // Resets the counter for the next launch. No other warp accesses it any more.
                    atomic_store_relaxed_32_device(counter, 0);
                }
            }
            let before = warp_shuffle_idx(WARP, before, 0, 32).0;
            sync_warp(WARP);
            before
        };
        if before + part.count < self.units {
            return false;
        }
        let last = self.shares.cta_of(begin + self.units - 1);
        *sums = [0.0; ACC];
        let mut cluster = first;
        while cluster <= last {
            // Two parts are loaded at once, which halves the time of waiting for L2.
            let pair = [cluster, last.min(cluster + 1)].map(|cluster| {
                let mut part = [0.0; ACC];
                unroll::<16>(|quad| {
                    if quad < const { ACC / 4 } {
                        // SAFETY: the counter says that the warp of that cluster has saved these
                        // values.
                        let values = unsafe { load_global_b128(place(cluster, quad)) };
                        unroll::<4>(|i| part[4 * quad + i] = f32::from_bits(values[i]));
                    }
                });
                part
            });
            add(sums, &pair[0]);
            if cluster < last {
                add(sums, &pair[1]);
            }
            cluster += 2;
        }
        true
    }
}

/// Adds a part to a tile's accumulator.
#[inline(always)]
fn add<const ACC: usize>(sums: &mut [f32; ACC], part: &[f32; ACC]) {
    let mut i = 0;
    while i < ACC {
        sums[i] += part[i];
        i += 1;
    }
}

//! Which CTAs a cluster has, and which of them a CTA is.
//!
//! ```text
//!   2 x 2 tiles, k in 2 slices      slice 0   ranks 0 1   slice 1   ranks 4 5      along m ──►
//!                                             ranks 2 3             ranks 6 7      along n, downwards
//!
//!   CTA 5   corner (1, 0)   slice 1   loads with 4 and 5 a tile of B, with 5 and 7 one of A; adds with 1
//! ```
//!
//! Law: the CTAs of a slice share what they load, those of a corner add what they multiply. A rank
//! is `corner m + along m · corner n + tiles · slice`, where all extents but that of the slices are
//! powers of two. Where a configuration says what its clusters are, the extents are constants;
//! otherwise the launch's parameters say it.

use super::config::GemmConfig;
use cuda_std::thread::{block_idx_x, grid_dim_x, thread_idx_x};
use gpu_kernels::gemm::tile_scheduler::divide;
use kernel_abi::gemm::{GemmParams, flags};
use layout_types::arch::cluster_sm90::block_rank_in_cluster;

/// A CTA's slice of a tile's k tiles, and how many the tile has.
#[derive(Clone, Copy)]
pub struct Slice {
    /// The slice.
    pub index: u32,
    /// Slices of the tile.
    pub count: u32,
}

impl Slice {
    /// Whether the CTA adds and stores chunk `chunk` of `chunks`.
    #[inline(always)]
    pub fn owns(&self, chunk: usize, chunks: usize) -> bool {
        chunk as u32 * self.count / chunks as u32 == self.index
    }

    /// The slice `other` places behind this one, around the cluster.
    #[inline(always)]
    fn behind(&self, other: u32) -> u32 {
        let index = self.index + other;
        if index < self.count {
            index
        } else {
            index - self.count
        }
    }
}

/// A CTA's place in its cluster, and the cluster's among all.
#[derive(Clone, Copy)]
pub struct Place {
    /// Binary logarithms of the tiles of a cluster along the m and n of `wgmma`.
    log: [u32; 2],
    /// The CTA's tile among them.
    corner: [u32; 2],
    /// The CTA's slice of k.
    pub slice: Slice,
    /// The cluster.
    pub cluster: u32,
    /// From a cluster's tile to its next: clusters of the grid.
    pub clusters: u32,
}

impl Place {
    /// The place of the CTA that asks.
    #[inline(always)]
    pub fn of<C: GemmConfig>(params: &GemmParams) -> Self {
        let log = if const { C::ANY_CLUSTER } {
            let [m, n] = flags::cluster_logs(params.epilogue);
            if const { C::SWAPPED } { [n, m] } else { [m, n] }
        } else {
            const { [C::CLUSTER[0].ilog2(), C::CLUSTER[1].ilog2()] }
        };
        let splits = Self::splits::<C>(params);
        let count = if splits { params.k_slices } else { 1 };
        let ctas = 1 << (log[0] + log[1]);
        let alone = const { !C::ANY_CLUSTER && C::CTAS == 1 };
        let rank = if alone && !splits {
            0
        } else {
            block_rank_in_cluster()
        };
        let (cluster, clusters) = if splits {
            // There are as many clusters as tiles.
            (divide(block_idx_x(), ctas * count).0, grid_dim_x())
        } else {
            let log = log[0] + log[1];
            (block_idx_x() >> log, grid_dim_x() >> log)
        };
        let of_slice = rank & (ctas - 1);
        Self {
            log,
            corner: [of_slice & ((1 << log[0]) - 1), of_slice >> log[0]],
            slice: Slice {
                index: rank >> (log[0] + log[1]),
                count,
            },
            cluster,
            clusters,
        }
    }

    /// Whether the CTAs of the launch's clusters have slices of their tiles' k tiles.
    #[inline(always)]
    pub fn splits<C: GemmConfig>(params: &GemmParams) -> bool {
        let accepts = const { C::CLUSTER_SPLIT };
        accepts && params.epilogue & flags::CLUSTER_SPLIT != 0
    }

    /// Tiles of a cluster along m and n.
    #[inline(always)]
    pub fn tiles(&self) -> [u32; 2] {
        self.log.map(|log| 1 << log)
    }

    /// The CTA's tile among those of its cluster, along m and n.
    #[inline(always)]
    pub fn corner(&self) -> [u32; 2] {
        self.corner
    }

    /// The CTAs of a slice, which load tiles for each other.
    #[inline(always)]
    pub fn sharers(&self) -> u32 {
        1 << (self.log[0] + self.log[1])
    }

    /// The rank of the first CTA of a slice.
    #[inline(always)]
    fn first_of(&self, slice: u32) -> u32 {
        slice << (self.log[0] + self.log[1])
    }

    /// The rank of the CTA that has the same tile, and the slice `other` places behind.
    #[inline(always)]
    pub fn behind(&self, other: u32) -> u32 {
        let [m, n] = self.corner;
        self.first_of(self.slice.behind(other)) + (n << self.log[0]) + m
    }

    /// What the CTA loads of each tile of A, and for whom.
    #[inline(always)]
    pub fn share_of_a(&self) -> Share {
        let [m, n] = self.corner;
        let first = self.first_of(self.slice.index) + m;
        let mut ctas = 0u16;
        let mut i = 0;
        while i < 1 << self.log[1] {
            ctas |= 1 << (first + (i << self.log[0]));
            i += 1;
        }
        Share {
            part: n,
            log: self.log[1],
            ctas,
        }
    }

    /// What the CTA loads of each tile of B, and for whom.
    #[inline(always)]
    pub fn share_of_b(&self) -> Share {
        let [m, n] = self.corner;
        let first = self.first_of(self.slice.index) + (n << self.log[0]);
        Share {
            part: m,
            log: self.log[0],
            ctas: ((1 << (1u32 << self.log[0])) - 1) << first,
        }
    }

    /// The CTA that this lane of a consumer's warp tells that it has read a stage: one that loads
    /// for this CTA. [`NOBODY`] for lanes behind the last.
    #[inline(always)]
    pub fn told(&self) -> u32 {
        let lane = thread_idx_x() % 32;
        if lane < self.sharers() {
            self.first_of(self.slice.index) + lane
        } else {
            NOBODY
        }
    }
}

/// No rank of a CTA.
pub const NOBODY: u32 = u32::MAX;

/// A CTA's part of a tile that the CTAs of a slice have in common.
#[derive(Clone, Copy)]
pub struct Share {
    /// Which part, in the order of the tile's rows.
    part: u32,
    /// The binary logarithm of the parts.
    log: u32,
    /// Bits of the CTAs that have the tile, by their ranks.
    ctas: u16,
}

impl Share {
    /// Where the part begins in what has `whole` rows, or bytes.
    #[inline(always)]
    pub fn begin(&self, whole: u32) -> u32 {
        self.part * (whole >> self.log)
    }

    /// The CTAs that the part is for, where it is for others too.
    #[inline(always)]
    pub fn others(&self) -> Option<u16> {
        (self.log > 0).then_some(self.ctas)
    }
}

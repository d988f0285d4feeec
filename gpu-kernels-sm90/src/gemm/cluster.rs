//! The CTAs of a cluster, and the place of each among them.
//!
//! ```text
//!   2 x 2 tiles, k in 2 slices      slice 0   ranks 0 1   slice 1   ranks 4 5      along m ──►
//!                                             ranks 2 3             ranks 6 7      along n, downwards
//!
//!   CTA 5   corner (1, 0), slice 1    shares its tile of B with CTA 4, its tile of A with CTA 7;
//!                                     CTA 1 has the other slice of the same tile of D
//! ```
//!
//! Law: the CTAs of a slice share the tiles of A and B that they load. A corner is the coordinates
//! of a tile of D in its cluster; the CTAs with the same corner add their accumulators. A CTA's
//! rank is `corner m + along m · corner n + tiles · slice`. The numbers of tiles along m and along
//! n are powers of two; the number of slices may be any number. These extents are constants in a
//! configuration with fixed clusters. In a configuration for any cluster they are in the launch's
//! parameters.

use super::config::GemmConfig;
use cuda_std::thread::{block_idx_x, grid_dim_x, thread_idx_x};
use gpu_kernels::gemm::tile_scheduler::divide;
use kernel_abi::gemm::{GemmParams, flags};
use layout_types::arch::cluster_sm90::block_rank_in_cluster;

/// The index of the CTA's slice of a tile's k tiles, and the number of slices.
#[derive(Clone, Copy)]
pub struct Slice {
    /// The slice's index.
    pub index: u32,
    /// The number of slices of the tile.
    pub count: u32,
}

impl Slice {
    /// Whether the CTA adds and stores chunk `chunk` of `chunks`.
    #[inline(always)]
    pub fn owns(&self, chunk: usize, chunks: usize) -> bool {
        chunk as u32 * self.count / chunks as u32 == self.index
    }

    /// Returns the index of the slice that is `other` places after this one, modulo the number of
    /// slices.
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

/// A CTA's place in its cluster, and the cluster's place in the grid.
#[derive(Clone, Copy)]
pub struct Place {
    /// Binary logarithms of the tiles of a cluster along the m and n of `wgmma`.
    log: [u32; 2],
    /// The coordinates of the CTA's tile in its cluster, along m and n.
    corner: [u32; 2],
    /// The CTA's slice of k.
    pub slice: Slice,
    /// The cluster's index in the grid.
    pub cluster: u32,
    /// The index step from a cluster's tile to its next tile: the number of clusters. With slices a
    /// cluster has only one tile, and the step is any number that leads past the last tile.
    pub clusters: u32,
}

impl Place {
    /// Returns the place of the calling CTA.
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
            // Each cluster has exactly one cluster tile.
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

    /// Returns the place of the calling CTA in clusters of `2^log[0]` by `2^log[1]` tiles along m
    /// and n. Each CTA has all of k.
    #[inline(always)]
    pub fn in_clusters(log: [u32; 2]) -> Self {
        let of_cluster = log[0] + log[1];
        let rank = if of_cluster == 0 {
            0
        } else {
            block_rank_in_cluster()
        };
        Self {
            log,
            corner: [rank & ((1 << log[0]) - 1), rank >> log[0]],
            slice: Slice { index: 0, count: 1 },
            cluster: block_idx_x() >> of_cluster,
            clusters: grid_dim_x() >> of_cluster,
        }
    }

    /// Whether the launch splits k among the CTAs of a cluster.
    #[inline(always)]
    pub fn splits<C: GemmConfig>(params: &GemmParams) -> bool {
        let accepts = const { C::CLUSTER_SPLIT };
        accepts && params.epilogue & flags::CLUSTER_SPLIT != 0
    }

    /// Returns the numbers of tiles of a cluster along m and n.
    #[inline(always)]
    pub fn tiles(&self) -> [u32; 2] {
        self.log.map(|log| 1 << log)
    }

    /// Returns the coordinates of the CTA's tile in its cluster, along m and n.
    #[inline(always)]
    pub fn corner(&self) -> [u32; 2] {
        self.corner
    }

    /// Returns the number of CTAs of a slice. They load tiles for each other.
    #[inline(always)]
    pub fn sharers(&self) -> u32 {
        1 << (self.log[0] + self.log[1])
    }

    /// Returns the rank of the first CTA of a slice.
    #[inline(always)]
    fn first_of(&self, slice: u32) -> u32 {
        slice << (self.log[0] + self.log[1])
    }

    /// Returns the rank of the CTA that has the same tile and whose slice is `other` places after
    /// this CTA's slice.
    #[inline(always)]
    pub fn behind(&self, other: u32) -> u32 {
        let [m, n] = self.corner;
        self.first_of(self.slice.behind(other)) + (n << self.log[0]) + m
    }

    /// Returns the part of each tile of A that the CTA loads, and the CTAs that need the tile.
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

    /// Returns the part of each tile of B that the CTA loads, and the CTAs that need the tile.
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

    /// Returns the rank of the CTA at whose barrier this lane of a consumer warp arrives when the
    /// warp has read a stage. Lane i arrives at CTA i of the slice. Lanes past the last CTA get
    /// [`NOBODY`].
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

/// A value that is not the rank of a CTA.
pub const NOBODY: u32 = u32::MAX;

/// A CTA's part of a tile of A or B that several CTAs of a slice need.
#[derive(Clone, Copy)]
pub struct Share {
    /// The part's index, in the order of the tile's rows.
    part: u32,
    /// The binary logarithm of the number of parts.
    log: u32,
    /// The CTAs that need the tile: bit r for rank r.
    ctas: u16,
}

impl Share {
    /// Returns the part's first row in a tile of `whole` rows, or its first byte in a tile of
    /// `whole` bytes.
    #[inline(always)]
    pub fn begin(&self, whole: u32) -> u32 {
        self.part * (whole >> self.log)
    }

    /// Returns the multicast mask of the part, or `None` if only this CTA needs the tile.
    #[inline(always)]
    pub fn others(&self) -> Option<u16> {
        (self.log > 0).then_some(self.ctas)
    }
}

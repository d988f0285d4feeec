//! Which tiles of D a cluster computes, and in which order.
//!
//! ```text
//!   clusters of 2 CTAs along m       cluster i computes tiles i, i + clusters, ..  of the grid of cluster tiles
//!   ┌─────┐                          rasterization in bands of rows, as the Ampere collective's
//!   │ CTA 0                          batches one behind the other
//!   ├─────┤
//!   │ CTA 1
//!   └─────┘
//! ```
//!
//! Split-K: the slices of k come one behind the other, each with all batches; a slice's tiles are stored as those of a batch of its
//! own. Or each CTA of a cluster has a slice of the same tile.
//!
//! Law: every k tile of every tile of every batch is multiplied once. Where D has no whole cluster tiles, CTAs compute tiles outside
//! D, of which nothing is stored.

use super::config::GemmConfig;
use gpu_kernels::gemm::tile_scheduler::{divide, rasterize};
use kernel_abi::gemm::GemmParams;
use layout_types::arch::mov::here;

/// The grid of cluster tiles of all batches.
#[derive(Clone, Copy)]
pub struct ClusterTiles {
    rows: u32,
    columns: u32,
    band: u32,
    /// Batches of A, B and D.
    batches: u32,
    /// Slices of k that are stored each by itself.
    slices: u32,
    /// K tiles of a tile.
    k_tiles: u32,
    /// Cluster tiles of all batches and slices.
    pub count: u32,
}

/// The first row and column of a CTA's tile, and its batch.
#[derive(Clone, Copy)]
pub struct TileAt {
    /// The first row.
    pub row: u32,
    /// The first column.
    pub column: u32,
    /// The batch that is stored: slice `batch / batches` of batch `batch % batches`, where k is split.
    pub batch: u32,
}

/// The k tiles of a CTA's tile: `first`, `first + step`, ...
#[derive(Clone, Copy)]
pub struct KTiles {
    /// The first.
    pub first: u32,
    /// How many there are, at least 1.
    pub count: u32,
    /// From one to the next.
    pub step: u32,
}

/// Slice `index` of `count` of `k_tiles` k tiles: every `count`-th. The CTAs of a tile load neighbours at a time, so that what is read
/// of a row lies in one page of the memory.
#[inline(always)]
fn slice_of(k_tiles: u32, index: u32, count: u32) -> KTiles {
    let (each, residue) = divide(k_tiles, count);
    KTiles {
        first: index,
        count: each + u32::from(index < residue),
        step: count,
    }
}

impl ClusterTiles {
    /// The grid of a problem of `batches` batches, with so many slices of k that are stored each by itself.
    #[inline(always)]
    pub fn of<C: GemmConfig>(params: &GemmParams, batches: u32, slices: u32) -> Self {
        let [rows, columns] = [
            params.m.div_ceil(C::TILE[0] * C::CLUSTER[0]),
            params.n.div_ceil(C::TILE[1] * C::CLUSTER[1]),
        ];
        Self {
            rows,
            columns,
            band: params.raster_group,
            batches,
            slices,
            k_tiles: params.k.div_ceil(C::TILE[2]),
            count: rows * columns * batches * slices,
        }
    }

    /// The k tiles of cluster tile `index`, of which this CTA has slice `of_cluster`: the slice, and the number of slices.
    #[inline(always)]
    pub fn k_tiles(&self, index: u32, of_cluster: (u32, u32)) -> KTiles {
        let (slice, slices) = of_cluster;
        if slices > 1 {
            return slice_of(self.k_tiles, slice, slices);
        }
        if self.slices > 1 {
            let (slice, _) = divide(index, self.rows * self.columns * self.batches);
            return slice_of(self.k_tiles, slice, self.slices);
        }
        KTiles {
            first: 0,
            count: self.k_tiles,
            step: 1,
        }
    }

    /// The batch of A and B of a tile.
    #[inline(always)]
    pub fn operand_batch(&self, tile: &TileAt) -> u32 {
        if self.slices > 1 {
            divide(tile.batch, self.batches).1
        } else {
            tile.batch
        }
    }

    /// The tile of the CTA of rank `rank` in cluster tile `index`.
    #[inline(always)]
    pub fn at<C: GemmConfig>(&self, index: u32, rank: u32) -> TileAt {
        let (batch, tile) = divide(index, self.rows * self.columns);
        let (row, column) = rasterize(tile, (self.columns, self.rows), here(self.band));
        let [clusters_m, clusters_n] = C::CLUSTER;
        TileAt {
            row: (row * clusters_m + rank % clusters_m) * C::TILE[0],
            column: (column * clusters_n + rank / clusters_m) * C::TILE[1],
            batch,
        }
    }
}

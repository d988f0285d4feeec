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
//! Law: every tile of every batch is computed once. Where D has no whole cluster tiles, CTAs compute tiles outside D, of which
//! nothing is stored.

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
    /// Cluster tiles of all batches.
    pub count: u32,
}

/// The first row and column of a CTA's tile, and its batch.
#[derive(Clone, Copy)]
pub struct TileAt {
    /// The first row.
    pub row: u32,
    /// The first column.
    pub column: u32,
    /// The batch.
    pub batch: u32,
}

impl ClusterTiles {
    /// The grid of a problem of `batches` batches.
    #[inline(always)]
    pub fn of<C: GemmConfig>(params: &GemmParams, batches: u32) -> Self {
        let [rows, columns] = [
            params.m.div_ceil(C::TILE[0] * C::CLUSTER[0]),
            params.n.div_ceil(C::TILE[1] * C::CLUSTER[1]),
        ];
        Self {
            rows,
            columns,
            band: params.raster_group,
            count: rows * columns * batches,
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

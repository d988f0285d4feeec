//! The tile scheduler chooses the tiles of D and the k tiles that a CTA computes, and locates a
//! tile in D.
//!
//! ```text
//!   one tile per CTA    ├ tile 0 ┤├ tile 1 ┤..     stream-K, 3 CTAs for 4 tiles   ├──── 0 ────┼──── 1 ────┼──── 2 ────┤
//!   split-K by 2        ├ 0 ┼ 1 ┤├ 2 ┼ 3 ┤..                                      ├ tile 0 ┤├ tile 1 ┤├ tile 2 ┤├ tile 3 ┤
//!
//!   rasterization       0  8 16 ..        groups of eight rows of tiles: first down a column of a group, then across. A wave
//!                       1  9 17 ..        of CTAs covers a compact patch of D, so its tiles of A and B are few and hit the
//!                       .. .. ..          L2 cache
//!                       7 15 23 ..
//! ```
//!
//! Law: every k tile of every tile is assigned to one CTA. The rasterization is a bijection of tile
//! indices onto the grid of tiles. The last group has the remaining rows.

use super::config::GemmConfig;
use kernel_abi::gemm::GemmParams;

/// Consecutive k tiles that one CTA computes. After a tile's last k tile they continue with the
/// first k tile of the next tile.
#[derive(Clone, Copy)]
pub struct WorkUnit {
    /// The tile of D that the first k tile belongs to.
    pub tile: u32,
    /// The index of the first k tile in that tile.
    pub first: u32,
    /// The number of k tiles.
    pub k_tiles: u32,
}

/// Assigns k tiles to CTAs: one CTA per tile, split-K, stream-K, persistent.
#[derive(Clone, Copy)]
pub struct TileScheduler {
    /// The number of tiles of D.
    pub tiles: u32,
    /// The number of columns in D's grid of tiles.
    pub columns: u32,
    /// The number of rows in D's grid of tiles.
    pub rows: u32,
    /// The number of rows of tiles in a group of the rasterization.
    pub raster_group: u32,
    /// The number of k tiles in a tile.
    pub k_tiles: u32,
    /// The number of slices of k: 0 for stream-K, 1 for one CTA per tile and for persistent
    /// kernels, s for split-K in s slices.
    pub k_slices: u32,
}

impl TileScheduler {
    /// Returns the scheduler of a problem. `count` divides an extent by the tile's extent.
    #[inline(always)]
    pub fn of<C: GemmConfig>(params: &GemmParams, count: impl Fn(u32, u32) -> u32) -> Self {
        let [tile_m, tile_n, tile_k] = C::CONFIGURATION.tile;
        let (rows, columns) = (count(params.m, tile_m), count(params.n, tile_n));
        Self {
            tiles: rows * columns,
            rows,
            columns,
            raster_group: params.raster_group,
            k_tiles: count(params.k, tile_k),
            k_slices: params.k_slices,
        }
    }

    /// Returns the row and the column of a tile.
    #[inline(always)]
    pub fn coordinate(&self, tile: u32) -> (u32, u32) {
        rasterize(tile, (self.columns, self.rows), self.raster_group)
    }

    /// Returns the work of CTA `cta` of `ctas`.
    #[inline(always)]
    pub fn work(&self, cta: u32, ctas: u32) -> WorkUnit {
        if self.k_slices == 1 {
            return WorkUnit {
                tile: cta,
                first: 0,
                k_tiles: self.k_tiles,
            };
        }
        if self.k_slices == 0 {
            let shares = self.shares(ctas);
            let (begin, end) = (shares.begin(cta), shares.begin(cta + 1));
            let (tile, first) = divide(begin, self.k_tiles);
            return WorkUnit {
                tile,
                first,
                k_tiles: end - begin,
            };
        }
        let (tile, slice) = divide(cta, self.k_slices);
        let (each, residue) = divide(self.k_tiles, self.k_slices);
        WorkUnit {
            tile,
            first: slice * each + slice.min(residue),
            k_tiles: each + u32::from(slice < residue),
        }
    }

    /// Returns the shares of `ctas` CTAs in all k tiles, for stream-K.
    #[inline(always)]
    pub fn shares(&self, ctas: u32) -> Shares {
        Shares::of(self.tiles * self.k_tiles, ctas)
    }
}

/// The shares of CTAs in k tiles, counted over all tiles, for stream-K. The first `residue` CTAs
/// have `each + 1` k tiles, the others `each`.
#[derive(Clone, Copy)]
pub struct Shares {
    each: u32,
    residue: u32,
}

impl Shares {
    /// Returns the shares of `ctas` CTAs in `k_tiles` k tiles.
    #[inline(always)]
    pub fn of(k_tiles: u32, ctas: u32) -> Self {
        let (each, residue) = divide(k_tiles, ctas);
        Self { each, residue }
    }

    /// Returns the first k tile of a CTA.
    #[inline(always)]
    pub fn begin(&self, cta: u32) -> u32 {
        cta * self.each + cta.min(self.residue)
    }

    /// Returns the CTA that computes a k tile.
    #[inline(always)]
    pub fn cta_of(&self, k_tile: u32) -> u32 {
        let longer = self.residue * (self.each + 1);
        if k_tile < longer {
            divide(k_tile, self.each + 1).0
        } else {
            self.residue + divide(k_tile - longer, self.each).0
        }
    }
}

/// Returns the (row, column) of tile `tile` of a `(columns, rows)` grid of tiles, in groups of
/// `group` rows, at least 1.
///
/// Precondition: `tile < columns * rows < 2^31`.
#[inline(always)]
pub fn rasterize(tile: u32, (columns, rows): (u32, u32), group: u32) -> (u32, u32) {
    let group = group.min(rows);
    let (groups, in_group) = divide(tile, group * columns);
    let first = groups * group;
    let (column, row) = divide(in_group, (rows - first).min(group));
    (first + row, column)
}

/// Returns quotient and remainder, or 0 for both if the divisor is 0. A division that can panic
/// would leave a panic in the kernel.
#[inline(always)]
pub fn divide(number: u32, by: u32) -> (u32, u32) {
    match core::num::NonZeroU32::new(by) {
        Some(by) => (number / by, number % by),
        None => (0, 0),
    }
}

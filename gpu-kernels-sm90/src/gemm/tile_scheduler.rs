//! Chooses the tiles of D that a cluster computes, and their order.
//!
//! ```text
//!   clusters of 2 CTAs along m       cluster i computes tiles i, i + clusters, ..  of the grid of cluster tiles
//!   ┌─────┐                          rasterization in bands of rows, as the Ampere collective's
//!   │ CTA 0                          batches follow each other
//!   ├─────┤
//!   │ CTA 1
//!   └─────┘
//! ```
//!
//! Split-K: the slices of k follow each other, each with all batches, and a slice's tiles are
//! stored as those of a batch of its own. Alternatively each CTA of a cluster has a slice of the
//! same tile.
//!
//! Grouped products: groups of rows of A and D follow each other. Each group has a B of its own
//! and, if the list has three numbers per group, its own N and K.
//!
//! ```text
//!   rows of each group, on the device   [200, 0, 60]        rows of cluster tiles, each of 128 rows: 2 ┊ 0 ┊ 1
//!   A, D   rows 0 .. 200   rows 200 .. 260                  a tile ends with its group: TileAt::end, right, depth
//! ```
//!
//! Law: every k tile of every tile of every batch is multiplied once. If D is not a whole number of
//! cluster tiles, CTAs also compute tiles outside D, which are not stored.

use super::cluster::{Place, Slice};
use super::config::CollectiveConfig;
use gpu_kernels::gemm::params::KernelPointers;
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
    /// Slices of k that are stored separately.
    slices: u32,
    /// K tiles of a tile.
    k_tiles: u32,
    /// The number of cluster tiles of all batches and slices.
    count: u32,
    /// D's extents, and K.
    extents: [u32; 3],
}

impl ClusterTiles {
    /// Returns the cluster tiles of a product with the extents (M, N, K), in bands of `band` rows
    /// of tiles. A cluster has `together` tiles along m and n.
    #[inline(always)]
    pub(super) fn of<C: CollectiveConfig>(
        extents: [u32; 3],
        together: [u32; 2],
        band: u32,
        batches: u32,
        slices: u32,
    ) -> Self {
        let [m, n, k] = extents;
        let rows = m.div_ceil(C::TILE[0]).div_ceil(together[0]);
        let columns = n.div_ceil(C::TILE[1]).div_ceil(together[1]);
        Self {
            rows,
            columns,
            band,
            batches,
            slices,
            k_tiles: k.div_ceil(C::TILE[2]),
            count: rows * columns * batches * slices,
            extents,
        }
    }

    /// Returns the number of cluster tiles of all batches and slices.
    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Returns the number of k tiles of a tile.
    #[inline(always)]
    pub(super) fn k_tiles_of_tile(&self) -> u32 {
        self.k_tiles
    }
}

/// The tiles of a kernel, in the order in which a CTA's roles process them.
pub trait TileScheduler: Copy {
    /// Whether the rows of D form groups that have a B each.
    const GROUPED: bool;
    /// Whether a CTA may compute only a part of a tile, whose accumulator [`fix_up`](Self::fix_up)
    /// saves.
    const STREAM_K: bool = false;

    /// Returns the tiles of a problem with `batches` batches or groups and `slices` slices of k
    /// that are stored separately.
    ///
    /// # Safety
    /// The pointers and the parameters are the plan's.
    unsafe fn new<C: CollectiveConfig>(
        pointers: &KernelPointers,
        params: &GemmParams,
        place: &Place,
        batches: u32,
        slices: u32,
    ) -> Self;

    /// Whether cluster tile `index` exists. If so, the following calls of [`at`](Self::at) are for
    /// this tile. Indices ascend from call to call.
    ///
    /// # Safety
    /// The call follows
    /// [`wait_on_dependent_grids`](layout_types::arch::grid_dependency_control::wait_on_dependent_grids).
    unsafe fn seek<C: CollectiveConfig>(&mut self, index: u32) -> bool;

    /// Returns the k tiles of this CTA's `slice` of cluster tile `index`. The last call of
    /// [`seek`](Self::seek) was for this tile.
    fn k_tiles<C: CollectiveConfig>(&self, index: u32, slice: Slice) -> KTiles;

    /// Returns the batch of A and B for a tile.
    fn operand_batch(&self, tile: &TileAt) -> u32;

    /// Returns the tile of the CTA at `place` in cluster tile `index`.
    fn at<C: CollectiveConfig>(&self, index: u32, place: &Place) -> TileAt;

    /// Returns whether the accumulator is that of the whole tile that `seek` found last. The
    /// accumulator of a part is saved. For the last part that is saved, it becomes the sum of all
    /// parts, and the result is true.
    ///
    /// # Safety
    /// All lanes of a consumer warp call it, with their registers of the tile. The workspace is the
    /// plan's.
    #[inline(always)]
    unsafe fn fix_up<C: CollectiveConfig, const ATOMS: usize>(
        &self,
        _pointers: &KernelPointers,
        _registers: &mut [C::Registers; ATOMS],
    ) -> bool {
        true
    }
}

/// The first row and column of a CTA's tile, and its batch.
#[derive(Clone, Copy)]
pub struct TileAt {
    /// The first row.
    pub row: u32,
    /// The first column.
    pub column: u32,
    /// The batch that is stored. If k is split, it is slice `batch / batches` of batch `batch %
    /// batches`.
    pub batch: u32,
    /// The first row after the tile's matrix or group.
    pub end: u32,
    /// The first column after the tile's matrix or group.
    pub right: u32,
    /// The columns of A in the tile's matrix or group.
    pub depth: u32,
}

/// The k tiles of a CTA's tile: `first`, `first + step`, ...
#[derive(Clone, Copy)]
pub struct KTiles {
    /// The first k tile.
    pub first: u32,
    /// The number of k tiles, at least 1.
    pub count: u32,
    /// The step from one k tile to the next.
    pub step: u32,
}

/// Returns slice `index` of `count` slices of `k_tiles` k tiles: every `count`-th k tile. The CTAs
/// of a tile load neighbouring k tiles at the same time, so that their reads of a row lie in one
/// page of the memory.
#[inline(always)]
fn slice_of(k_tiles: u32, index: u32, count: u32) -> KTiles {
    let (each, residue) = divide(k_tiles, count);
    KTiles {
        first: index,
        count: each + u32::from(index < residue),
        step: count,
    }
}

impl TileScheduler for ClusterTiles {
    const GROUPED: bool = false;

    #[inline(always)]
    unsafe fn new<C: CollectiveConfig>(
        _pointers: &KernelPointers,
        params: &GemmParams,
        place: &Place,
        batches: u32,
        slices: u32,
    ) -> Self {
        let extents = [params.m, params.n, params.k];
        Self::of::<C>(extents, place.tiles(), params.raster_group, batches, slices)
    }

    #[inline(always)]
    unsafe fn seek<C: CollectiveConfig>(&mut self, index: u32) -> bool {
        index < self.count
    }

    #[inline(always)]
    fn k_tiles<C: CollectiveConfig>(&self, index: u32, slice: Slice) -> KTiles {
        if slice.count > 1 {
            return slice_of(self.k_tiles, slice.index, slice.count);
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

    #[inline(always)]
    fn operand_batch(&self, tile: &TileAt) -> u32 {
        if self.slices > 1 {
            divide(tile.batch, self.batches).1
        } else {
            tile.batch
        }
    }

    #[inline(always)]
    fn at<C: CollectiveConfig>(&self, index: u32, place: &Place) -> TileAt {
        let (batch, tile) = divide(index, self.rows * self.columns);
        let (row, column) = rasterize(tile, (self.columns, self.rows), here(self.band));
        let ([along_m, along_n], [m, n]) = (place.tiles(), place.corner());
        TileAt {
            row: (row * along_m + m) * C::TILE[0],
            column: (column * along_n + n) * C::TILE[1],
            batch,
            end: self.extents[0],
            right: self.extents[1],
            depth: self.extents[2],
        }
    }
}

/// The tiles of the groups of a grouped product. The list of groups takes the place of C.
#[derive(Clone, Copy)]
pub struct GroupTiles {
    /// Rows of each group, or M, N and K.
    list: *const u32,
    /// The list's numbers per group.
    numbers: u32,
    groups: u32,
    /// The extents of A, B and D. No group reaches beyond them, whatever the list says.
    most: [u32; 3],
    band: u32,
    /// N, and in `depth` K, of the group of the tile that `seek` found last.
    right: u32,
    depth: u32,
    /// Columns of cluster tiles of that group.
    columns: u32,
    /// The group of the tile that `seek` found last. Before the first call it is the one before
    /// group 0, `u32::MAX`.
    group: u32,
    /// The first cluster tile of the group.
    first_tile: u32,
    /// Rows of cluster tiles of the group.
    tiles_down: u32,
    /// The group's first row.
    begin: u32,
    /// The first row after the group.
    end: u32,
}

impl TileScheduler for GroupTiles {
    const GROUPED: bool = true;

    #[inline(always)]
    unsafe fn new<C: CollectiveConfig>(
        pointers: &KernelPointers,
        params: &GemmParams,
        _place: &Place,
        batches: u32,
        _slices: u32,
    ) -> Self {
        Self {
            list: pointers.c.cast(),
            numbers: params.batch_c as u32,
            groups: batches,
            most: [params.m, params.n, params.k],
            band: params.raster_group,
            right: 0,
            depth: 0,
            columns: 0,
            group: u32::MAX,
            first_tile: 0,
            tiles_down: 0,
            begin: 0,
            end: 0,
        }
    }

    #[inline(always)]
    unsafe fn seek<C: CollectiveConfig>(&mut self, index: u32) -> bool {
        while index >= self.first_tile + self.tiles_down * self.columns {
            self.first_tile += self.tiles_down * self.columns;
            self.group = self.group.wrapping_add(1);
            if self.group >= self.groups {
                // The tile does not exist, nor do the following ones, since indices ascend.
                self.tiles_down = 0;
                self.group = self.groups;
                return false;
            }
            let [rows, n, k] = self.most;
            self.begin = self.end;
            // SAFETY: the list has `numbers` numbers for each of `groups` groups, by the plan.
            unsafe {
                let of_group = self.list.add((self.group * self.numbers) as usize);
                self.end = self.begin + (*of_group).min(rows - self.begin);
                (self.right, self.depth) = if self.numbers == 1 {
                    (n, k)
                } else {
                    (n.min(*of_group.add(1)), k.min(*of_group.add(2)))
                };
            }
            self.columns = if self.depth == 0 {
                0
            } else {
                self.right.div_ceil(C::TILE[1] * C::CLUSTER[1])
            };
            self.tiles_down = (self.end - self.begin).div_ceil(C::TILE[0] * C::CLUSTER[0]);
        }
        true
    }

    #[inline(always)]
    fn k_tiles<C: CollectiveConfig>(&self, _index: u32, _slice: Slice) -> KTiles {
        KTiles {
            first: 0,
            count: self.depth.div_ceil(C::TILE[2]),
            step: 1,
        }
    }

    #[inline(always)]
    fn operand_batch(&self, _tile: &TileAt) -> u32 {
        self.group
    }

    #[inline(always)]
    fn at<C: CollectiveConfig>(&self, index: u32, place: &Place) -> TileAt {
        let tile = index - self.first_tile;
        let (row, column) = rasterize(tile, (self.columns, self.tiles_down), here(self.band));
        let ([along_m, along_n], [m, n]) = (place.tiles(), place.corner());
        TileAt {
            row: self.begin + (row * along_m + m) * C::TILE[0],
            column: (column * along_n + n) * C::TILE[1],
            batch: 0,
            end: self.end,
            right: self.right,
            depth: self.depth,
        }
    }
}

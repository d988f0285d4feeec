//! The driver's loader, which loads the k tiles of a CTA's tiles one after the other.

use super::driver::MAINLOOP;
use crate::gemm::config::GemmKernel;
use crate::gemm::epilogue::staged::StagedTile;
use crate::gemm::mainloop::{KTileLoader, Loader, OperandLoader};
use crate::gemm::params::{OperandsOf, stages};
use crate::gemm::tile_scheduler::TileScheduler;
use cuda_std::thread::grid_dim_x;
use layout_types::arch::mov::thread_here;

/// Loads the k tiles of all of a CTA's tiles. If the pipeline continues from tile to tile, it also
/// stores a staged tile while the MMAs run. If not `PREDICATED`, all tiles are in bounds.
pub(super) struct TileLoader<'a, C: GemmKernel, const PREDICATED: bool, const OVERLAP: u8> {
    pub a: Loader<C::A>,
    pub b: Loader<C::B>,
    pub operands: OperandsOf<C>,
    pub scheduler: TileScheduler,
    /// The tile whose k tiles are copied. `at` is its coordinate, `before` that of the previous
    /// tile.
    pub tile: u32,
    pub at: (u32, u32),
    pub before: (u32, u32),
    /// The next k tile. `last` is the last k tile that is copied: the last of the work unit or, if
    /// `PREDICATED` and the work unit has fewer k tiles than there are stages, a later one with
    /// zeros. The last iteration of a mainloop loads fragments of the next stage, so each stage
    /// must be written once.
    pub next: u32,
    pub last: u32,
    /// The tile that is stored while the MMAs run, if the pipeline continues from tile to tile.
    pub staged: Option<StagedTile<'a>>,
}

impl<C: GemmKernel, const PREDICATED: bool, const OVERLAP: u8>
    TileLoader<'_, C, PREDICATED, OVERLAP>
{
    /// Continues with the first k tile of tile `tile`.
    #[inline(always)]
    pub fn restart(&mut self, tile: u32) {
        (self.tile, self.next, self.at) = (tile, 0, self.scheduler.coordinate(tile));
        let (thread, (s_a, s_b)) = (thread_here(), stages::<C>());
        self.a = Loader::<C::A>::new(self.operands.0, &s_a, (self.at.0, 0), thread);
        self.b = Loader::<C::B>::new(self.operands.1, &s_b, (self.at.1, 0), thread);
    }
}

impl<C: GemmKernel, const PREDICATED: bool, const OVERLAP: u8> KTileLoader
    for TileLoader<'_, C, PREDICATED, OVERLAP>
{
    #[inline(always)]
    unsafe fn begin_load(&mut self, stage: u32, prologue: bool) {
        let wanted = if const { OVERLAP == MAINLOOP } {
            if self.next == self.scheduler.k_tiles {
                self.before = self.at;
                let tile = self.tile + grid_dim_x();
                if tile < self.scheduler.tiles {
                    self.restart(tile);
                }
            }
            // After the last tile's last k tile the predicates are false, and nothing is read.
            PREDICATED || self.next < self.scheduler.k_tiles
        } else {
            (PREDICATED && prologue) || self.next <= self.last
        };
        if wanted {
            // SAFETY: the mainloop leaves `stage` to this copy until its next barrier. If not
            // `PREDICATED`, the driver's k tiles are in bounds.
            unsafe {
                if PREDICATED {
                    self.a.begin_load(self.next, stage);
                    self.b.begin_load(self.next, stage);
                } else {
                    self.a.begin_load_unpredicated(self.next, stage);
                    self.b.begin_load_unpredicated(self.next, stage);
                }
            }
        }
        self.a.advance();
        self.b.advance();
        self.next += 1;
    }
    #[inline(always)]
    unsafe fn finish_load(&mut self, stage: u32) {
        // SAFETY: the mainloop leaves `stage`, the stage of `begin_load`, to this copy until its
        // next barrier.
        unsafe {
            self.a.finish_load(stage);
            self.b.finish_load(stage);
        }
    }
    #[inline(always)]
    fn overlap(&mut self, k_block: u32) {
        // The constant comes first: otherwise the compiler would not unroll k blocks, because it
        // only later finds that this code is dead.
        if const { OVERLAP == MAINLOOP }
            && (k_block == 1 || k_block == 2)
            && let Some(staged) = &mut self.staged
        {
            // SAFETY: the driver passes a barrier after it stages a tile. If not `PREDICATED`, all
            // tiles are in bounds.
            unsafe { staged.store_next::<C, PREDICATED>() };
        }
    }
}

//! A tile in the staging buffer, which is stored column by column: at once, or during the next
//! tile's mainloop.
//!
//! ```text
//!   stage ─► all chunks ─ store_next ─► column 0, 1, .. of D
//! ```
//!
//! Law: the law of the [identity epilogue](super::identity) holds here too.

use super::{OutputTile, identity::IdentityEpilogue};
use crate::gemm::config::GemmKernel;
use layout_types::unroll::unroll_type;
use typenum::Unsigned;

/// A staged tile that is stored column by column.
pub struct StagedTile<'a> {
    /// The tile's staging buffer and its place in D.
    pub tile: OutputTile<'a>,
    /// The number of columns of chunks that were stored. If there is no tile, this is the number of
    /// all columns.
    pub stored: u32,
}

impl StagedTile<'_> {
    /// Whether some columns were not stored yet.
    #[inline(always)]
    pub fn is_left<C: GemmKernel>(&self) -> bool {
        self.stored < C::StagingColumns::U32
    }

    /// Stores the next column, if a column is left.
    ///
    /// # Safety
    /// A barrier has passed since the tile was staged. If not `PREDICATED`, the tile is in bounds
    /// of D.
    #[inline(always)]
    pub unsafe fn store_next<C: GemmKernel, const PREDICATED: bool>(&mut self) {
        if self.is_left::<C>() {
            // SAFETY: the caller passed a barrier after `stage`. By the tile scheduler only this
            // CTA stores its tiles.
            unsafe { C::Identity::store_column::<PREDICATED>(&self.tile, self.stored) };
            self.stored += 1;
        }
    }

    /// Stores all columns that are left.
    ///
    /// # Safety
    /// The conditions are those of [`store_next`](Self::store_next).
    #[inline(always)]
    pub unsafe fn store_rest<C: GemmKernel, const PREDICATED: bool>(&mut self) {
        while self.is_left::<C>() {
            // SAFETY: the caller passed a barrier after `stage`. By the loop's condition column
            // `stored` is a column of the tile.
            unsafe { self.store_next::<C, PREDICATED>() };
        }
    }

    /// Stores all columns, without a loop.
    ///
    /// # Safety
    /// The conditions are those of [`store_next`](Self::store_next).
    #[inline(always)]
    pub unsafe fn store_all<C: GemmKernel, const PREDICATED: bool>(&self) {
        // SAFETY: the caller passed a barrier after `stage`. All `StagingColumns` columns are
        // columns of the tile.
        unroll_type::<C::StagingColumns>(|column| unsafe {
            C::Identity::store_column::<PREDICATED>(&self.tile, column as u32);
        });
    }
}

//! A tile in the staging buffer, stored column by column: at once, or beside the next tile's
//! mainloop.
//!
//! ```text
//!   stage ─► all chunks ─ store_next ─► column 0, 1, .. of D
//! ```
//!
//! Law: that of the [identity epilogue](super::identity).

use super::{OutputTile, identity::IdentityEpilogue};
use crate::gemm::config::GemmKernel;
use layout_types::unroll::unroll_type;
use typenum::Unsigned;

/// A staged tile, stored column by column.
pub struct StagedTile<'a> {
    /// Where it goes, from the staging buffer.
    pub tile: OutputTile<'a>,
    /// The columns of chunks that were stored; all of them, if there is no tile.
    pub stored: u32,
}

impl StagedTile<'_> {
    /// Whether there are columns that were not stored.
    #[inline(always)]
    pub fn is_left<C: GemmKernel>(&self) -> bool {
        self.stored < C::StagingColumns::U32
    }

    /// Stores the next column, if there is one left.
    ///
    /// # Safety
    /// A barrier has passed since the tile was staged; without predicates it is in bounds of D.
    #[inline(always)]
    pub unsafe fn store_next<C: GemmKernel, const PREDICATED: bool>(&mut self) {
        if self.is_left::<C>() {
            // SAFETY: the caller passed a barrier behind `stage`; this CTA alone stores its tiles,
            // by the tile scheduler.
            unsafe { C::Identity::store_column::<PREDICATED>(&self.tile, self.stored) };
            self.stored += 1;
        }
    }

    /// Stores all columns that are left.
    ///
    /// # Safety
    /// As [`store_next`](Self::store_next).
    #[inline(always)]
    pub unsafe fn store_rest<C: GemmKernel, const PREDICATED: bool>(&mut self) {
        while self.is_left::<C>() {
            // SAFETY: the caller passed a barrier behind `stage`; column `stored` is one of the
            // tile's, by the loop's condition.
            unsafe { self.store_next::<C, PREDICATED>() };
        }
    }

    /// Stores all columns, without a loop.
    ///
    /// # Safety
    /// As [`store_next`](Self::store_next).
    #[inline(always)]
    pub unsafe fn store_all<C: GemmKernel, const PREDICATED: bool>(&self) {
        // SAFETY: the caller passed a barrier behind `stage`; the columns are the tile's, by their
        // number.
        unroll_type::<C::StagingColumns>(|column| unsafe {
            C::Identity::store_column::<PREDICATED>(&self.tile, column as u32);
        });
    }
}

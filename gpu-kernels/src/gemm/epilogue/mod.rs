//! The epilogue: from the accumulator to D.
//!
//! ```text
//!   element   conversions between the accumulator's elements, f32 and D's
//!   op        operations on its values
//!   reads     whether an operation reads C and the bias
//!   store     any operation and any D, by way of shared memory, chunk after chunk
//!   identity  no operation, into a D of 16-bit elements: the accumulator is rounded ahead of shared memory
//!   staged    a tile that the identity epilogue left in shared memory, and that is stored beside the next tile's mainloop
//! ```

pub mod element;
pub mod identity;
pub mod op;
pub mod reads;
pub mod staged;
pub mod store;

use super::config::{GemmKernel, TileOf};
use super::params::EpiloguePointers;
use kernel_abi::gemm::{GemmParams, flags};
use layout_types::algorithm::chunks::{MatrixTiler, RowMajor};
use layout_types::prelude::*;
use layout_types::tensor::{Plain, ReadOnly, ReadWrite};
use op::EpilogueOp;

/// Where a CTA stores a tile, and by way of which shared memory.
#[derive(Clone, Copy)]
pub struct OutputTile<'a> {
    /// D, C and the bias.
    pub pointers: EpiloguePointers,
    /// Their extents and leading dimensions.
    pub params: &'a GemmParams,
    /// The tile's row and column.
    pub at: (u32, u32),
    /// Where the shared memory begins.
    pub shared: u32,
}
impl OutputTile<'_> {
    /// Returns the tile of D, of elements `T`.
    ///
    /// # Safety
    /// D is writable within its extents, its elements have the size of `T`, and no other CTA stores
    /// the tile.
    #[inline(always)]
    pub unsafe fn d<C: GemmKernel, T: Plain>(&self) -> RowMajor<T, ReadWrite, TileOf<C>> {
        let (extents, d) = ([self.params.m, self.params.n], self.pointers.d.cast::<T>());
        // Leading dimensions are at most 2^31: a distance in 32 bits is multiplied in one
        // instruction.
        let strides = (u64::from(self.params.ldd as u32), Int::<1>);
        // SAFETY: the caller keeps D writable within the extents, and the tile to this CTA.
        C::Tile::tile(&unsafe { Tensor::global_mut(d, extents, strides) }, self.at)
    }
    /// Returns the tile of C, or of the bias as the one row that all rows share, from `pointer` on.
    ///
    /// # Safety
    /// The tensor is readable within the extents, and its elements have the size of `T`, or no
    /// element is read.
    #[inline(always)]
    pub unsafe fn c<C: GemmKernel, T: Plain>(
        &self,
        pointer: *const u8,
        row: u64,
    ) -> RowMajor<T, ReadOnly, TileOf<C>> {
        let (extents, strides) = ([self.params.m, self.params.n], (row, Int::<1>));
        // SAFETY: the caller keeps the tensor readable within the extents.
        C::Tile::tile(
            &unsafe { Tensor::global(pointer.cast::<T>(), extents, strides) },
            self.at,
        )
    }
}

/// Whether the epilogue is the identity into a D of the inputs' type, whose rows can be stored by
/// vectors.
#[inline(always)]
pub fn is_identity<Op: EpilogueOp>(params: &GemmParams) -> bool {
    params.epilogue & flags::WIDE == 0
        && Op::is_identity(params)
        && params.epilogue & flags::VECTORS != 0
}

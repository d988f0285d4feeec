//! The epilogue stores the accumulator to D.
//!
//! ```text
//!   element   conversions between the accumulator's elements, f32 and D's
//!   op        operations on the accumulator's values
//!   reads     whether an operation reads C and the bias
//!   store     any operation and any D, through shared memory, chunk after chunk
//!   identity  no operation, to a D of 16-bit elements: the accumulator is rounded before shared memory
//!   staged    a tile of the identity epilogue in shared memory, stored during the next tile's mainloop
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

/// The place to which a CTA stores a tile, and the shared memory that it uses.
#[derive(Clone, Copy)]
pub struct OutputTile<'a> {
    /// D, C and the bias.
    pub pointers: EpiloguePointers,
    /// The extents and leading dimensions of D and C.
    pub params: &'a GemmParams,
    /// The tile's row and column.
    pub at: (u32, u32),
    /// The address of the shared memory.
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
        // Leading dimensions are at most 2^31, and a stride in 32 bits is multiplied in one
        // instruction.
        let strides = (u64::from(self.params.ldd as u32), Int::<1>);
        // SAFETY: the caller keeps D writable within the extents, and the tile to this CTA.
        C::Tile::tile(&unsafe { Tensor::global_mut(d, extents, strides) }, self.at)
    }
    /// Returns the tile of a tensor at `pointer` with row stride `row`: C, or the bias with stride
    /// 0 as a row that all rows share.
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

/// Whether the epilogue is the identity and D has the inputs' type and rows that can be stored by
/// vectors.
#[inline(always)]
pub fn is_identity<Op: EpilogueOp>(params: &GemmParams) -> bool {
    params.epilogue & flags::WIDE == 0
        && Op::is_identity(params)
        && params.epilogue & flags::VECTORS != 0
}

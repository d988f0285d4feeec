//! An operand's matrix in global memory, as a thread walks it along k.
//!
//! ```text
//!   pointer ─ from_part ─► this thread's first element ─ advance ─► the same of the next k tile ─ advance ─► ..
//! ```
//!
//! Law: element `(i, j)` of [`offset_by`](GlobalMatrix::offset_by)`([r, c])` is element `(r + i, c + j)`, and in bounds where that is.

use super::tile_load::{MatrixTensor, PartitionTile};
use crate::arch::mov::here;
use crate::ragged::RaggedIdentity;
use crate::tensor::{Assume, Plain, Tensor};
use typenum::U2;

/// A matrix `(rows, k)` in global memory, from one of its elements on.
///
/// A thread holds the matrix from the first element that it copies on, and advances that along k: this takes one address, not
/// one for each of its rows.
#[derive(Clone, Copy)]
pub struct GlobalMatrix<T> {
    /// The address of the first element.
    pub pointer: *const T,
    /// Rows, and k.
    pub extents: [u32; 2],
    /// The distance of rows, and of elements along k: one of them is 1.
    pub strides: [u64; 2],
}

impl<T: Plain> GlobalMatrix<T> {
    /// Returns the matrix from element `by` on.
    ///
    /// ```
    /// use layout_types::algorithm::global_matrix::GlobalMatrix;
    /// let memory = [0u16; 60];
    /// let matrix = GlobalMatrix { pointer: memory.as_ptr(), extents: [6, 10], strides: [10, 1] };
    /// let part = matrix.offset_by([2, 3]);
    /// assert_eq!((part.pointer, part.extents), (&raw const memory[23], [4, 7]));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn offset_by(mut self, by: [u32; 2]) -> Self {
        let mut mode = 0;
        while mode < 2 {
            let offset = u64::from(by[mode]).wrapping_mul(self.strides[mode]);
            self.pointer = self.pointer.wrapping_add(offset as usize);
            self.extents[mode] = self.extents[mode].saturating_sub(by[mode]);
            mode += 1;
        }
        self
    }

    /// Returns the matrix from thread `thread`'s first element of the tile at `at` on, by the tiled copy `Copy`.
    #[inline(always)]
    #[must_use]
    pub fn from_part<Copy: PartitionTile<T, Tile>, Tile>(
        self,
        at: (u32, u32),
        thread: u32,
    ) -> Self {
        // SAFETY: only a coordinate of the tensor is taken, no element is read.
        let part = Copy::partition_tile(&unsafe { self.tensor::<Copy, Tile>() }, at, thread);
        self.offset_by(part.engine().coordinate())
    }

    /// Goes on to the next tile along k.
    #[inline(always)]
    pub fn advance<Copy: PartitionTile<T, Tile>, Tile>(&mut self) {
        // SAFETY: only a coordinate of the tensor is taken, no element is read.
        let next = Copy::coordinate_of_tile(&unsafe { self.tensor::<Copy, Tile>() }, (0, 1));
        *self = self.offset_by(next);
    }

    /// Returns the matrix with strides that the compiler cannot hoist: it would keep each row's distance in two registers. They
    /// are at most 2^31, so that a distance in 32 bits is multiplied in one instruction.
    #[inline(always)]
    #[must_use]
    pub fn with_opaque_strides(mut self) -> Self {
        self.strides = self.strides.map(|stride| u64::from(here(stride as u32)));
        self
    }

    /// Returns the matrix from row `rows` on, by one addition to the address: the compiler would multiply for each row, and
    /// ptxas' 64-bit products hold up the tensor cores by 2.5 % (`docs/benchmarks.md`).
    #[inline(always)]
    #[must_use]
    pub fn skip_rows(mut self, rows: u32) -> Self {
        let offset = u64::from(rows).wrapping_mul(self.strides[0]);
        self.pointer = here(self.pointer.wrapping_add(offset as usize));
        self
    }

    /// Returns the matrix as a tensor `(rows, k)`, whose type says that the mode of the copy's vectors has stride 1.
    ///
    /// # Safety
    /// The elements within the extents are readable, and nobody writes them while the kernel runs. Where `Copy` moves several elements
    /// at once, the stride of their mode is 1, and pointer and other stride are multiples of a load.
    #[inline(always)]
    #[must_use]
    pub unsafe fn tensor<Copy: PartitionTile<T, Tile>, Tile>(
        &self,
    ) -> MatrixTensor<T, RaggedIdentity<U2>, Copy::Strides> {
        // SAFETY: the caller keeps the elements within the extents readable, nobody writes them while the kernel runs, and the strides
        // are as it says.
        unsafe {
            Tensor::global(
                self.pointer,
                self.extents,
                Assume::<Copy::Strides, 2>::new(self.strides),
            )
        }
    }
}

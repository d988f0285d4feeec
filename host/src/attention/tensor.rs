//! Tensors of heads, in a part of a buffer. A tensor has the extents (batches, heads, rows,
//! columns), and the elements of a row are contiguous.
//!
//! ```text
//!   HeadTensor::new(&buffer, Heads { batches, heads, rows, columns })                     compact, one head after the other
//!   .strides(AttentionStrides { row, head, batch })                                       any other order of rows, heads and batches
//! ```

use crate::buffer::{Buffer, View, ViewMut};
use bytemuck::Pod;
use kernel_abi::attention::AttentionStrides;

/// The extents of a tensor of heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    /// The number of batches.
    pub batches: u32,
    /// The number of heads of a batch.
    pub heads: u32,
    /// The number of rows of a head: queries or keys.
    pub rows: u32,
    /// The number of columns: the head dimension.
    pub columns: u32,
}

impl Heads {
    /// Returns the same extents with `columns` columns.
    #[must_use]
    pub const fn of_columns(self, columns: u32) -> Self {
        Self { columns, ..self }
    }

    /// Returns the strides of a compact tensor with these extents.
    #[must_use]
    pub const fn compact(&self) -> AttentionStrides {
        AttentionStrides::compact(self.heads, self.rows, self.columns)
    }

    /// Returns the strides of a tensor (batches, rows, heads, columns), as a projection produces
    /// it.
    #[must_use]
    pub const fn interleaved(&self) -> AttentionStrides {
        let row = self.columns as u64 * self.heads as u64;
        AttentionStrides {
            row,
            head: self.columns as u64,
            batch: row * self.rows as u64,
        }
    }

    /// Returns the number of elements from the tensor's first to its last, both included.
    pub(super) fn reach(&self, strides: &AttentionStrides) -> u64 {
        strides.reach(self.batches, self.heads, self.rows, self.columns)
    }
}

/// A tensor that a kernel reads: Q, K or V.
#[derive(Debug)]
pub struct HeadTensor<'a, T: Pod> {
    pub(super) view: View<'a, T>,
    pub(super) extents: Heads,
    pub(super) strides: AttentionStrides,
}

/// A tensor that a kernel writes: O.
#[derive(Debug)]
pub struct HeadTensorMut<'a, T: Pod> {
    pub(super) view: ViewMut<'a, T>,
    pub(super) extents: Heads,
    pub(super) strides: AttentionStrides,
}

impl<'a, T: Pod> HeadTensor<'a, T> {
    /// Returns a compact tensor at the start of a buffer.
    #[must_use]
    pub fn new(buffer: &'a Buffer<T>, extents: Heads) -> Self {
        Self::of_view(buffer.all(), extents)
    }

    /// Returns a compact tensor at the start of a part of a buffer.
    #[must_use]
    pub fn of_view(view: View<'a, T>, extents: Heads) -> Self {
        Self {
            view,
            strides: extents.compact(),
            extents,
        }
    }

    /// Sets other strides, in elements.
    #[must_use]
    pub fn strides(self, strides: AttentionStrides) -> Self {
        Self { strides, ..self }
    }

    /// Returns the first `columns` columns of the same rows. In latent attention this is V, which
    /// is a part of K.
    #[must_use]
    pub fn first_columns(&self, columns: u32) -> Self {
        Self {
            view: self.view,
            extents: self.extents.of_columns(columns),
            strides: self.strides,
        }
    }
}

impl<'a, T: Pod> HeadTensorMut<'a, T> {
    /// Returns a compact tensor at the start of a buffer.
    #[must_use]
    pub fn new(buffer: &'a mut Buffer<T>, extents: Heads) -> Self {
        Self::of_view(buffer.all_mut(), extents)
    }

    /// Returns a compact tensor at the start of a part of a buffer.
    #[must_use]
    pub fn of_view(view: ViewMut<'a, T>, extents: Heads) -> Self {
        Self {
            view,
            strides: extents.compact(),
            extents,
        }
    }

    /// Sets other strides, in elements.
    #[must_use]
    pub fn strides(self, strides: AttentionStrides) -> Self {
        Self { strides, ..self }
    }
}

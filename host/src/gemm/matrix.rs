//! A matrix in a device's memory. Its elements are checked to lie in a buffer before anything is
//! launched.
//!
//! ```text
//!   row-major      element (i, j) of batch z at   z·batch_stride + i·leading + j        leading ≥ columns
//!   column-major                                  z·batch_stride + j·leading + i        leading ≥ rows
//! ```
//!
//! Law: a [`Placement`] that [`check`](Placement::check) accepts contains only elements of its
//! buffer. If it is for writing, it contains no element twice.

use crate::buffer::{Buffer, View, ViewMut};
use bytemuck::Pod;
use kernel_abi::gemm::Order;
use thiserror::Error;

/// The extents and strides of a matrix, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// The order of the elements, which says whether rows or columns are contiguous.
    pub order: Order,
    /// The number of elements between the starts of neighbouring rows, or of neighbouring columns.
    pub leading: usize,
    /// The number of matrices, or `None` for one matrix that all batches share.
    pub batches: Option<usize>,
    /// The number of elements between the starts of neighbouring matrices.
    pub batch_stride: usize,
}

/// Why elements do not form a matrix in a buffer.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// An extent is 0.
    #[error("{name} is {rows} by {columns}{}: every extent must be at least 1", batched(*batches))]
    Empty {
        /// The name of the matrix.
        name: &'static str,
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
        /// Its batches.
        batches: Option<usize>,
    },
    /// A leading dimension is smaller than a row or a column.
    #[error(
        "{name} is {order} with a leading dimension of {given}; its {rows} by {columns} elements need {least}"
    )]
    Leading {
        /// The name of the matrix.
        name: &'static str,
        /// Its order.
        order: Order,
        /// The leading dimension.
        given: usize,
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
        /// The smallest leading dimension allowed.
        least: usize,
    },
    /// The buffer ends before the matrix does.
    #[error("{name} reaches over {needed} elements; its buffer has {given}")]
    TooShort {
        /// The name of the matrix.
        name: &'static str,
        /// The number of elements of the buffer.
        given: usize,
        /// The number of elements from the matrix's first to its last, both included.
        needed: u128,
    },
    /// The batches of a written matrix overlap.
    #[error(
        "{name} is written, and its {batches} batches of {span} elements lie {given} apart: they overlap"
    )]
    Overlap {
        /// The name of the matrix.
        name: &'static str,
        /// Its batches.
        batches: usize,
        /// The number of elements from a matrix's first to its last, both included.
        span: u128,
        /// The batch stride.
        given: usize,
    },
}

/// Same as `Display`: a test that ends with this error prints its sentence.
impl std::fmt::Debug for PlacementError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

fn batched(batches: Option<usize>) -> String {
    batches.map_or_else(String::new, |count| format!(", {count} batches"))
}

impl Placement {
    /// Returns the placement of a packed matrix.
    #[must_use]
    pub fn packed(rows: usize, columns: usize, order: Order) -> Self {
        let leading = match order {
            Order::Rows => columns,
            Order::Columns => rows,
        };
        Self {
            rows,
            columns,
            order,
            leading,
            batches: None,
            batch_stride: 0,
        }
    }

    /// Returns the number of elements from a matrix's first to its last, both included.
    fn span(&self) -> u128 {
        let [rows, columns, leading] = [self.rows, self.columns, self.leading].map(|x| x as u128);
        match self.order {
            Order::Rows => (rows - 1) * leading + columns,
            Order::Columns => (columns - 1) * leading + rows,
        }
    }

    /// Checks that the matrix lies in a buffer of `elements` elements and, if it is `written`,
    /// contains no element twice.
    ///
    /// # Errors
    /// Returns a [`PlacementError`] with the values.
    pub fn check(
        &self,
        name: &'static str,
        elements: usize,
        written: bool,
    ) -> Result<(), PlacementError> {
        let &Self {
            rows,
            columns,
            order,
            leading: given,
            batches,
            batch_stride,
        } = self;
        let count = batches.unwrap_or(1);
        if rows == 0 || columns == 0 || count == 0 {
            return Err(PlacementError::Empty {
                name,
                rows,
                columns,
                batches,
            });
        }
        let (along, across) = match order {
            Order::Rows => (columns, rows),
            Order::Columns => (rows, columns),
        };
        if given < along && across > 1 {
            return Err(PlacementError::Leading {
                name,
                order,
                given,
                rows,
                columns,
                least: along,
            });
        }
        let span = self.span();
        let needed = (count as u128 - 1) * batch_stride as u128 + span;
        if needed > elements as u128 {
            return Err(PlacementError::TooShort {
                name,
                given: elements,
                needed,
            });
        }
        // Matrices do not overlap if they follow each other, or if the gap between two rows of a
        // matrix has space for the same row of all other matrices.
        let apart = batch_stride as u128 >= span
            || (batch_stride >= along
                && given as u128 >= (count as u128 - 1) * batch_stride as u128 + along as u128);
        if written && count > 1 && !apart {
            return Err(PlacementError::Overlap {
                name,
                batches: count,
                span,
                given: batch_stride,
            });
        }
        Ok(())
    }
}

/// A matrix that a kernel reads.
///
/// ```
/// use host::{Device, gemm::{Matrix, Order}};
/// let device = Device::emulator();
/// let buffer = device.upload(&[0.0_f32; 1000])?;
/// // 3 matrices of 10 rows and 8 columns, each row 12 elements after the one before.
/// let matrix = Matrix::new(&buffer, 10, 8).leading(12).batched(3, 120);
/// assert!(matrix.placement().check("A", buffer.len(), false).is_ok());
/// assert_eq!(Matrix::new(&buffer, 10, 8).order(Order::Columns).placement().leading, 10);
/// # Ok::<(), host::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, T: Pod> {
    pub(super) view: View<'a, T>,
    placement: Placement,
}

/// A matrix that a kernel writes. The kernel also reads it if the matrix is both C and D.
#[derive(Debug)]
pub struct MatrixMut<'a, T: Pod> {
    pub(super) view: ViewMut<'a, T>,
    placement: Placement,
}

impl<'a, T: Pod> Matrix<'a, T> {
    /// Returns the first `rows · columns` elements of a buffer as a row-major matrix.
    #[must_use]
    pub fn new(buffer: &'a Buffer<T>, rows: usize, columns: usize) -> Self {
        Self::of(buffer.all(), rows, columns)
    }

    /// Returns the first `rows · columns` elements of a view as a row-major matrix.
    #[must_use]
    pub fn of(view: View<'a, T>, rows: usize, columns: usize) -> Self {
        Self {
            view,
            placement: Placement::packed(rows, columns, Order::Rows),
        }
    }
}

impl<'a, T: Pod> MatrixMut<'a, T> {
    /// Returns the first `rows · columns` elements of a buffer as a row-major matrix.
    #[must_use]
    pub fn new(buffer: &'a mut Buffer<T>, rows: usize, columns: usize) -> Self {
        Self::of(buffer.all_mut(), rows, columns)
    }

    /// Returns the first `rows · columns` elements of a view as a row-major matrix.
    #[must_use]
    pub fn of(view: ViewMut<'a, T>, rows: usize, columns: usize) -> Self {
        Self {
            view,
            placement: Placement::packed(rows, columns, Order::Rows),
        }
    }
}

impl<T: Pod> MatrixMut<'_, T> {
    /// Reborrows the matrix for a shorter lifetime.
    #[must_use]
    pub fn reborrow(&mut self) -> MatrixMut<'_, T> {
        MatrixMut {
            view: self.view.reborrow(),
            placement: self.placement,
        }
    }
}

macro_rules! placed {
    ($name:ident) => {
        impl<T: Pod> $name<'_, T> {
            /// Sets the order, and makes the matrix packed.
            #[must_use]
            pub fn order(mut self, order: Order) -> Self {
                self.placement = Placement {
                    batches: self.placement.batches,
                    batch_stride: self.placement.batch_stride,
                    ..Placement::packed(self.placement.rows, self.placement.columns, order)
                };
                self
            }

            /// Sets the leading dimension: the number of elements between the starts of
            /// neighbouring rows, or of neighbouring columns.
            #[must_use]
            pub fn leading(mut self, elements: usize) -> Self {
                self.placement.leading = elements;
                self
            }

            /// Sets the number of matrices and the batch stride, in elements.
            #[must_use]
            pub fn batched(mut self, count: usize, stride: usize) -> Self {
                self.placement.batches = Some(count);
                self.placement.batch_stride = stride;
                self
            }

            /// Returns the extents and strides.
            #[must_use]
            pub fn placement(&self) -> &Placement {
                &self.placement
            }
        }
    };
}
placed!(Matrix);
placed!(MatrixMut);

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Returns the positions of a matrix's elements in the buffer, computed one by one from the
    /// definition.
    fn elements(placement: &Placement) -> Vec<usize> {
        let mut all = Vec::new();
        for batch in 0..placement.batches.unwrap_or(1) {
            for row in 0..placement.rows {
                for column in 0..placement.columns {
                    let (across, along) = match placement.order {
                        Order::Rows => (row, column),
                        Order::Columns => (column, row),
                    };
                    all.push(batch * placement.batch_stride + across * placement.leading + along);
                }
            }
        }
        all
    }

    #[test]
    fn what_is_accepted_lies_inside_and_apart() {
        let mut accepted = [0; 2];
        for order in [Order::Rows, Order::Columns] {
            for (rows, columns) in [(1, 1), (1, 3), (3, 1), (2, 3), (3, 2)] {
                for leading in 0..9 {
                    for batches in [None, Some(1), Some(2), Some(3)] {
                        for batch_stride in 0..11 {
                            let placement = Placement {
                                rows,
                                columns,
                                order,
                                leading,
                                batches,
                                batch_stride,
                            };
                            let all = elements(&placement);
                            let last = all.iter().max().unwrap() + 1;
                            for written in [false, true] {
                                let short = placement.check("D", last - 1, written);
                                assert!(short.is_err(), "{placement:?}");
                                if placement.check("D", last, written).is_ok() {
                                    accepted[usize::from(written)] += 1;
                                    let different: HashSet<_> = all.iter().collect();
                                    let apart = different.len() == all.len();
                                    assert!(apart || !written, "{placement:?}");
                                }
                            }
                        }
                    }
                }
            }
        }
        assert!(
            accepted[0] > accepted[1] && accepted[1] > 500,
            "{accepted:?}"
        );
    }

    #[test]
    fn refusals_say_what_is_there_and_what_should_be() {
        let matrix = Placement::packed(10, 8, Order::Rows);
        let said = |placement: Placement| placement.check("A", 80, true).unwrap_err().to_string();
        assert_eq!(
            said(Placement {
                leading: 7,
                ..matrix
            }),
            "A is row-major with a leading dimension of 7; its 10 by 8 elements need 8"
        );
        assert_eq!(
            said(Placement {
                leading: 9,
                ..matrix
            }),
            "A reaches over 89 elements; its buffer has 80"
        );
        assert_eq!(
            said(Placement {
                batches: Some(2),
                ..matrix
            }),
            "A is written, and its 2 batches of 80 elements lie 0 apart: they overlap"
        );
        assert_eq!(
            said(Placement { rows: 0, ..matrix }),
            "A is 0 by 8: every extent must be at least 1"
        );
    }
}

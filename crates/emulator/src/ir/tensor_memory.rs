//! Operands of `tcgen05`: Blackwell's operations on tensor memory.

mod product;

use super::{Address, NamedRow, values};
pub(crate) use product::{Elements, ProductKind, ProductShape, ScaleFields};

/// A `tcgen05` instruction. An address of tensor memory is a 32-bit number of lane and column.
/// `pair` means `.cta_group::2`: two blocks work together.
#[derive(Debug)]
pub(crate) enum Tcgen05 {
    /// Allocates columns and writes their address to shared memory.
    Allocate {
        to: Address,
        columns: u32,
        pair: bool,
    },
    Deallocate {
        address: u32,
        columns: u32,
        pair: bool,
    },
    Relinquish {
        pair: bool,
    },
    Load(TensorAccess),
    Store(TensorAccess),
    /// `wait::ld`, `wait::st`.
    WaitLoads,
    WaitStores,
    /// `fence::before_thread_sync`, `fence::after_thread_sync`.
    FenceBefore,
    FenceAfter,
    Multiply(Box<TensorProduct>),
    Copy(TensorCopy),
    /// Arrives at an mbarrier object once the thread's products and copies so far are complete.
    Commit {
        object: Address,
        pair: bool,
        /// The row of a mask of ranks: the instruction arrives at the object at the same place in
        /// each block of the mask. `None` means the one object at `object`.
        ranks: Option<u32>,
    },
}

/// `tcgen05.ld`, `tcgen05.st`.
#[derive(Debug)]
pub(crate) struct TensorAccess {
    pub shape: TensorShape,
    pub address: Address,
    /// The distance in columns from the first half to the second half of `16x32bx2`.
    pub second: u32,
    /// Whether a register has the low halves of two columns (`.pack::16b`, `.unpack::16b`).
    pub packs: bool,
    pub registers: Vec<u32>,
}

/// The lanes and columns that a thread's registers hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TensorShape {
    L32x32b,
    L16x64b,
    L16x128b,
    L16x256b,
    L16x32bx2,
}

/// `tcgen05.mma`.
#[derive(Debug)]
pub(crate) struct TensorProduct {
    pub pair: bool,
    pub kind: ProductKind,
    pub d: Address,
    pub left: ProductLeft,
    /// The row of B's descriptor. `instruction` is the row of the instruction's descriptor, and
    /// `accumulates` the row of the predicate that decides whether D is added.
    pub right: u32,
    pub instruction: u32,
    pub accumulates: u32,
    /// Rows of the mask of D's lanes that are not written; empty without a mask.
    pub mask: Vec<u32>,
    pub scales: Option<ProductScales>,
}

/// The source of A.
#[derive(Debug)]
pub(crate) enum ProductLeft {
    /// The row of A's descriptor.
    Shared(u32),
    Tensor(Address),
}

/// The places of the scale factors of A and B, in tensor memory.
#[derive(Debug)]
pub(crate) struct ProductScales {
    pub a: Address,
    pub b: Address,
    /// The number of factors per row of A and per column of B: `.scale_vec::1X`, `2X`, `4X`.
    pub factors: usize,
}

/// `tcgen05.cp`: copies rows of shared memory to tensor memory.
#[derive(Debug)]
pub(crate) struct TensorCopy {
    pub pair: bool,
    pub shape: CopyShape,
    /// The bits of an element, if 16 elements lie in 16 bytes and each is expanded to a byte.
    pub unpacks: Option<usize>,
    pub to: Address,
    /// The row of the descriptor.
    pub from: u32,
}

/// The number and bytes of the rows of a copy, and the lanes to which they go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CopyShape {
    L128x256b,
    L4x256b,
    L128x128b,
    /// Quarters 0 and 2 receive the first half, 1 and 3 the other half.
    L64x128b02And13,
    /// Quarters 0 and 1 receive the first half, 2 and 3 the other half.
    L64x128b01And23,
    /// Each quarter receives all rows.
    L32x128b,
}

impl CopyShape {
    /// Returns the number of rows that are copied.
    pub fn rows(self) -> usize {
        match self {
            Self::L128x256b | Self::L128x128b => 128,
            Self::L64x128b02And13 | Self::L64x128b01And23 => 64,
            Self::L32x128b => 32,
            Self::L4x256b => 4,
        }
    }

    /// Returns the number of 16-byte units per row.
    pub fn units(self) -> usize {
        match self {
            Self::L128x256b | Self::L4x256b => 2,
            _ => 1,
        }
    }

    /// Returns the lanes to which a row goes, relative to the address's lane.
    ///
    /// Source: CUTLASS, `Copy_Traits` of `SM100_UTCCP_*`.
    pub fn lanes(self, row: usize) -> impl Iterator<Item = usize> {
        let (first, apart, times) = match self {
            Self::L128x256b | Self::L128x128b => (row, 0, 1),
            Self::L4x256b => (32 * row, 0, 1),
            Self::L64x128b02And13 => (row, 64, 2),
            Self::L64x128b01And23 => (row / 32 * 64 + row % 32, 32, 2),
            Self::L32x128b => (row, 32, 4),
        };
        (0..times).map(move |i| first + i * apart)
    }
}

impl Tcgen05 {
    /// Calls `f` with every row that the operation names; tensor memory has no provenance.
    pub fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        match self {
            Self::Relinquish { .. }
            | Self::WaitLoads
            | Self::WaitStores
            | Self::FenceBefore
            | Self::FenceAfter => {}
            Self::Allocate { to, columns, .. } => {
                f(NamedRow::AnyAddress(to));
                f(NamedRow::Value(columns));
            }
            Self::Deallocate {
                address, columns, ..
            } => values([address, columns], f),
            Self::Load(access) | Self::Store(access) => {
                f(NamedRow::AnyAddress(&mut access.address));
                values(&mut access.registers, f);
            }
            Self::Multiply(product) => {
                f(NamedRow::AnyAddress(&mut product.d));
                match &mut product.left {
                    ProductLeft::Shared(row) => f(NamedRow::Value(row)),
                    ProductLeft::Tensor(address) => f(NamedRow::AnyAddress(address)),
                }
                let TensorProduct {
                    right,
                    instruction,
                    accumulates,
                    mask,
                    scales,
                    ..
                } = &mut **product;
                values([right, instruction, accumulates], f);
                values(mask, f);
                if let Some(ProductScales { a, b, .. }) = scales {
                    f(NamedRow::AnyAddress(a));
                    f(NamedRow::AnyAddress(b));
                }
            }
            Self::Copy(TensorCopy { to, from, .. }) => {
                f(NamedRow::AnyAddress(to));
                f(NamedRow::Value(from));
            }
            Self::Commit { object, ranks, .. } => {
                f(NamedRow::AnyAddress(object));
                values(ranks, f);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which quarter has which half, and that no lane has two rows.
    #[test]
    fn a_copy_fills_the_lanes_of_its_shape() {
        for (shape, filled) in [
            (CopyShape::L128x256b, 128),
            (CopyShape::L4x256b, 4),
            (CopyShape::L128x128b, 128),
            (CopyShape::L64x128b02And13, 128),
            (CopyShape::L64x128b01And23, 128),
            (CopyShape::L32x128b, 128),
        ] {
            let mut lanes: Vec<_> = (0..shape.rows()).flat_map(|row| shape.lanes(row)).collect();
            lanes.sort_unstable();
            lanes.dedup();
            assert_eq!(lanes.len(), filled, "{shape:?}");
        }
        let lanes = |shape: CopyShape, row| shape.lanes(row).collect::<Vec<_>>();
        assert_eq!(lanes(CopyShape::L64x128b02And13, 33), [33, 97]);
        assert_eq!(lanes(CopyShape::L64x128b01And23, 33), [65, 97]);
        assert_eq!(lanes(CopyShape::L32x128b, 5), [5, 37, 69, 101]);
        assert_eq!(lanes(CopyShape::L4x256b, 3), [96]);
    }
}

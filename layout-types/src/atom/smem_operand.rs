//! Operands of `wgmma` and boxes of the tensor memory accelerator, derived from the type of the
//! tile in shared memory.
//!
//! ```text
//!   type SmemA = TileToShape<LayoutKSw128Atom<f16>, shape!((128,64,4))>;      (M, K, stages)
//!     Operand<SmemA, f16, MajorK, U64>     descriptor(base, (m block, k block), stage)
//!     TmaTile<SmemA, f16>                  box (64, 128), 16384 bytes, 128-byte swizzle
//! ```
//!
//! Law: the operand and the boxes are derived from the same type, so the copy writes the bytes that
//! the product reads. A tile that the product or the copy cannot use does not compile.
//! [`GmmaLayout`] and [`TmaBox`] state how this is proved.

use super::Element;
use super::mma::{Major, SmemDesc};
use crate::check::{GmmaLayout, Reflect, TmaBox};
use crate::coord::TreeOffset;
use crate::layout::LayoutFn;
use crate::num::{Bool, Nat};
use core::fmt;
use core::marker::PhantomData;
use typenum::Unsigned;

/// CuTe's `GmmaDescriptor`: the 64 bits with which `wgmma` reads an operand of `Rows` rows of
/// elements `T`.
///
/// The type names the operand's element, major and rows, so that no other instruction accepts it.
pub struct GmmaDescriptor<T, Tnsp, Rows>(u64, PhantomData<(T, Tnsp, Rows)>);
impl<T, Tnsp, Rows> Clone for GmmaDescriptor<T, Tnsp, Rows> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, Tnsp, Rows> Copy for GmmaDescriptor<T, Tnsp, Rows> {}
impl<T, Tnsp, Rows> GmmaDescriptor<T, Tnsp, Rows> {
    /// Makes the descriptor of these bits.
    #[inline(always)]
    pub(crate) const fn of(bits: u64) -> Self {
        Self(bits, PhantomData)
    }

    /// Returns the bits.
    #[inline(always)]
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns the descriptor of the operand that begins `bytes` bytes later. The bytes are added
    /// to the start address, as in CuTe's `DescriptorIterator`.
    ///
    /// Precondition: `bytes` is a multiple of 16, the operand there belongs to the same tile, and
    /// both operands begin in the same row of the swizzle's pattern: they are blocks along K, or
    /// stages.
    ///
    /// ```
    /// use layout_types::atom::{gmma::LayoutKSw128Atom, mma::MajorK, smem_operand::Operand};
    /// use layout_types::prelude::*;
    /// type A = Operand<TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64,4))>, half::f16, MajorK, typenum::U64>;
    /// let first = A::descriptor(2048, (1, 0), 0);
    /// let further = first.advance(A::offset((0, 3), 2));
    /// assert_eq!(further.bits(), A::descriptor(2048, (1, 3), 2).bits());
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn advance(self, bytes: u32) -> Self {
        let low = (self.0 as u32).wrapping_add(bytes >> 4);
        Self::of(self.0 & !(u32::MAX as u64) | low as u64)
    }
}
impl<T, Tnsp, Rows> fmt::Debug for GmmaDescriptor<T, Tnsp, Rows> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GmmaDescriptor({:#018x})", self.0)
    }
}

/// Returns the number of elements before element 0 of block (row, column, stage), without the
/// swizzle.
#[inline(always)]
fn affine<Tile: LayoutFn>(rows: u32, row: u32, columns: u32, column: u32, stage: u32) -> u32 {
    let index = row + rows * (column + columns * stage);
    <Tile::Modes as TreeOffset>::offset(index, &())
}

/// A tile (M or N, K) or (M or N, K, stages) of elements `T` in shared memory as operands of
/// `wgmma` of `Rows` rows each.
///
/// ```
/// use layout_types::atom::{gmma::LayoutKSw128Atom, mma::MajorK, smem_operand::Operand};
/// use layout_types::{prelude::*, typenum::U64};
/// type SmemA = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64,4))>;
/// type A = Operand<SmemA, half::f16, MajorK, U64>;
/// assert_eq!((A::LAYOUT.stride, A::LAYOUT.blocks), (1024, (2, 4)));
/// // Two steps along K are 64 bytes, four units of 16: the descriptor's start address.
/// assert_eq!(A::descriptor(0, (0, 2), 0).bits() - A::descriptor(0, (0, 0), 0).bits(), 4);
/// assert_eq!(A::descriptor(0, (1, 0), 2).bits() & 0x3fff, (64 * 128 + 2 * 16384) >> 4);
/// ```
pub struct Operand<Tile, T, Tnsp, Rows>(PhantomData<(Tile, T, Tnsp, Rows)>);
impl<Tile, T, Tnsp, Rows> Operand<Tile, T, Tnsp, Rows>
where
    Tile: LayoutFn + Reflect,
    T: Element,
    Tnsp: Major,
    Rows: Nat,
    SmemDesc<Tnsp>: super::mma::FrgType,
{
    /// The descriptor's fields. A tile with no such fields does not compile.
    pub const LAYOUT: GmmaLayout =
        match GmmaLayout::derive(&Tile::VALUE, T::Bits::I64, Tnsp::IsK::VALUE, Rows::I64) {
            Ok(layout) => layout,
            Err(text) => panic!("{}", text.as_str()),
        };

    /// Returns the descriptor of block `(i, j)` along (M or N, K) of a stage, for a tile at `base`
    /// in the block's shared window.
    ///
    /// Precondition: `base` is a multiple of the swizzle's period, which is 1024 for 128-byte
    /// lines; `(i, j)` is below [`LAYOUT`](Self::LAYOUT)`.blocks`, and `stage` is below the tile's
    /// number of stages.
    #[inline(always)]
    #[must_use]
    #[doc(alias = "make_gmma_desc")]
    pub fn descriptor(base: u32, block: (u32, u32), stage: u32) -> GmmaDescriptor<T, Tnsp, Rows> {
        let bits = const { Self::LAYOUT }.descriptor(base + Self::offset(block, stage));
        GmmaDescriptor::of(bits)
    }

    /// Returns the number of bytes from the tile's base to block `(i, j)` of a stage, as in
    /// [`descriptor`](Self::descriptor).
    #[inline(always)]
    #[must_use]
    pub fn offset((i, j): (u32, u32), stage: u32) -> u32 {
        block_offset::<Tile, T, Rows>(const { Self::LAYOUT.blocks }, (i, j), stage)
    }
}

/// Returns the number of bytes from a tile's base to block `(i, j)` of a stage. A block has `Rows`
/// rows and 256 bits along K.
#[inline(always)]
pub(super) fn block_offset<Tile: LayoutFn, T: Element, Rows: Nat>(
    blocks: (u32, u32),
    (i, j): (u32, u32),
    stage: u32,
) -> u32 {
    let columns = const { 256 / T::Bits::U32 };
    let elements = affine::<Tile>(
        blocks.0 * Rows::U32,
        i * Rows::U32,
        blocks.1 * columns,
        j * columns,
        stage,
    );
    elements * T::Bits::U32 / 8
}

/// A tile (M or N, K) or (M or N, K, stages) of elements `T` in shared memory as boxes that the
/// tensor memory accelerator copies.
///
/// ```
/// use layout_types::atom::{gmma::LayoutKSw64Atom, smem_operand::TmaTile};
/// use layout_types::prelude::*;
/// type Tile = TmaTile<TileToShape<LayoutKSw64Atom<f32>, shape!((128,32,2))>, f32>;
/// assert_eq!((Tile::BOX.extents, Tile::BOX.boxes, Tile::BYTES), ([128, 16], [1, 2], 16384));
/// assert_eq!(Tile::offset((0, 1), 1), 8192 + 16384);
/// ```
#[doc(alias = "make_tma_copy")]
pub struct TmaTile<Tile, T>(PhantomData<(Tile, T)>);
impl<Tile: LayoutFn + Reflect, T: Element> TmaTile<Tile, T> {
    /// The box. A tile that no box fills does not compile.
    pub const BOX: TmaBox = match TmaBox::derive(&Tile::VALUE, T::Bits::I64) {
        Ok(tma) => tma,
        Err(text) => panic!("{}", text.as_str()),
    };
    /// The number of bytes of a stage, which a barrier expects.
    pub const BYTES: u32 = Self::BOX.tile_bytes();

    /// Returns the number of bytes from the tile's base to box `(i, j)` of a stage.
    #[inline(always)]
    #[must_use]
    pub fn offset(index: (u32, u32), stage: u32) -> u32 {
        let [rows, columns] = const { Self::BOX.extents };
        let [down, across] = const { Self::BOX.boxes };
        let (i, j) = index;
        affine::<Tile>(rows * down, i * rows, columns * across, j * columns, stage)
            * const { T::Bits::U32 / 8 }
    }

    /// Returns the coordinate of box `(i, j)` in the tensor map of a matrix, contiguous dimension
    /// first, for the tile whose first element is at `(row, column)`.
    #[inline(always)]
    #[must_use]
    pub fn coordinate(index: (u32, u32), row: u32, column: u32) -> [i32; 2] {
        let [rows, columns] = const { Self::BOX.extents };
        let at = [
            (row + index.0 * rows) as i32,
            (column + index.1 * columns) as i32,
        ];
        if const { Self::BOX.inner } == 0 {
            at
        } else {
            [at[1], at[0]]
        }
    }
}

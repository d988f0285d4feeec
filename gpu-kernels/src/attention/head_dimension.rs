//! What follows from a head dimension D, a multiple of 16: how rows of D lie in shared memory, and
//! how they are copied there.
//!
//! ```text
//!   D a multiple of 64    lines of 64    Sw<3,3,3> o (8,64):(64,1)      each covers all banks
//!   else of 32            lines of 32    Sw<3,3,3> o (16,32):(32,1)
//!   else of 16            lines of 16    Sw<3,3,3> o (32,16):(16,1)
//! ```
//!
//! Law: eight neighbouring rows of 16 bytes each, what a matrix of `ldmatrix` is, are in eight
//! different 16-byte banks.

use super::layouts::{Rows16By128, Rows16By128Narrow, Rows128By128, Rows256By128};
use crate::gemm::layouts::{Rows32By128, Rows64By128};
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::typenum::{B0, B1, U1, U2, U3, U4, U8, UInt};

/// A head dimension: a multiple of 16 up to 256, or 512.
#[diagnostic::on_unimplemented(
    message = "attention by mma.sync has no head dimension of `{Self}`",
    label = "a head dimension is a multiple of 16 up to 256, or 512"
)]
pub trait HeadDimension: Nat {
    /// Lines of shared memory, whole rows of D side by side: (rows, columns).
    type Lines;
    /// The same bytes as (columns, rows).
    type Columns;
    /// The tiled copy, by 128 threads, of tiles whose rows are a multiple of its own.
    type Copy;
    /// The tiled copy of tiles of 32 rows, or of an odd multiple of them.
    type CopyOf32;
    /// Bytes of a load by `CopyOf32`.
    const BYTES_OF_32: u32;
}

/// `2 N + 1`, and `2 N` below: a multiple of 16 is four zeros behind it.
type Odd<N> = UInt<N, B1>;
type Twice<N> = UInt<N, B0>;
type Times16<N> = Twice<Twice<Twice<Twice<N>>>>;

impl<N> HeadDimension for Times16<Odd<N>>
where
    Self: Nat,
{
    type Lines = Composition<Swizzle<3, 3, 3>, layout!((32,16):(16,1))>;
    type Columns = Composition<Swizzle<3, 3, 3>, layout!((16,32):(1,16))>;
    type Copy = Rows16By128;
    type CopyOf32 = Rows16By128Narrow;
    const BYTES_OF_32: u32 = 8;
}
impl<N> HeadDimension for Times16<Twice<Odd<N>>>
where
    Self: Nat,
{
    type Lines = Composition<Swizzle<3, 3, 3>, layout!((16,32):(32,1))>;
    type Columns = Composition<Swizzle<3, 3, 3>, layout!((32,16):(1,32))>;
    type Copy = Rows32By128;
    type CopyOf32 = Rows32By128;
    const BYTES_OF_32: u32 = 16;
}
impl<N> HeadDimension for Times16<Twice<Twice<N>>>
where
    Self: Nat,
    N: Lines64,
{
    type Lines = Composition<Swizzle<3, 3, 3>, layout!((8,64):(64,1))>;
    type Columns = Composition<Swizzle<3, 3, 3>, layout!((64,8):(1,64))>;
    type Copy = N::Copy;
    type CopyOf32 = N::Copy;
    const BYTES_OF_32: u32 = 16;
}

/// How many lines of 64 a row is.
#[diagnostic::on_unimplemented(
    message = "attention by mma.sync has no head dimension of 64 times `{Self}`",
    label = "a head dimension is at most 256, or 512"
)]
pub trait Lines64 {
    /// The tiled copy: of whole rows where they are a power of two.
    type Copy;
}
impl Lines64 for U1 {
    type Copy = Rows64By128;
}
impl Lines64 for U2 {
    type Copy = Rows128By128;
}
impl Lines64 for U3 {
    type Copy = Rows64By128;
}
impl Lines64 for U4 {
    type Copy = Rows256By128;
}
impl Lines64 for U8 {
    // Half a row at a time.
    type Copy = Rows256By128;
}

/// The rows of a tile, a multiple of 16.
#[diagnostic::on_unimplemented(
    message = "attention by mma.sync has no tile of `{Self}` rows",
    label = "a tile's rows are a multiple of 16"
)]
pub trait TileRows: Nat {
    /// The tiled copy of rows of `D`.
    type Copy<D: HeadDimension>;
    /// Whether it is the one of 32 rows.
    const IS_OF_32: bool;
}
impl<N> TileRows for Times16<Odd<N>>
where
    Self: Nat,
{
    type Copy<D: HeadDimension> = D::Copy;
    const IS_OF_32: bool = false;
}
impl<N> TileRows for Times16<Twice<Odd<N>>>
where
    Self: Nat,
{
    type Copy<D: HeadDimension> = D::CopyOf32;
    const IS_OF_32: bool = true;
}
impl<N> TileRows for Times16<Twice<Twice<N>>>
where
    Self: Nat,
{
    type Copy<D: HeadDimension> = D::Copy;
    const IS_OF_32: bool = false;
}

/// Bytes of a load of a tile of `Rows` rows of `D`.
#[must_use]
pub const fn load_bytes<Rows: TileRows, D: HeadDimension>() -> u32 {
    if Rows::IS_OF_32 { D::BYTES_OF_32 } else { 16 }
}

/// Stages (rows,D,stage) of 16-bit elements.
///
/// ```
/// use gpu_kernels::attention::head_dimension::{ColumnsOfD, RowsOfD};
/// use layout_types::prelude::*;
/// // The same bytes, as (rows,D,stage) and as (D,rows,stage): in lines of 64, of 32 and of 16.
/// for (row, d, stage) in (0..64u32 * 80 * 2).map(|i| (i % 64, i / 64 % 80, i / (64 * 80))) {
///     let of_192 = RowsOfD::<int!(192), int!(64), int!(2)>::at((row, 2 * d, stage));
///     assert_eq!(of_192, ColumnsOfD::<int!(192), int!(64), int!(2)>::at((2 * d, row, stage)));
///     let of_96 = RowsOfD::<int!(96), int!(64), int!(2)>::at((row, d, stage));
///     assert_eq!(of_96, ColumnsOfD::<int!(96), int!(64), int!(2)>::at((d, row, stage)));
///     let of_80 = RowsOfD::<int!(80), int!(64), int!(2)>::at((row, d, stage));
///     assert_eq!(of_80, ColumnsOfD::<int!(80), int!(64), int!(2)>::at((d, row, stage)));
/// }
/// ```
pub type RowsOfD<D, Rows, Stages> =
    TileToShape<<D as HeadDimension>::Lines, shape!((Rows, D, Stages))>;
/// The same bytes as (D,rows,stage).
pub type ColumnsOfD<D, Rows, Stages> =
    TileToShape<<D as HeadDimension>::Columns, shape!((D, Rows, Stages)), shape!((2, 1, 3))>;
/// The tiled copy of tiles (rows,D).
pub type CopyOfD<D, Rows> = <Rows as TileRows>::Copy<D>;

//! The types that follow from a head dimension D, a multiple of 16: the layout of rows of D in
//! shared memory, and the tiled copy to it.
//!
//! ```text
//!   D a multiple of 64    lines of 64    Sw<3,3,3> o (8,64):(64,1)      each layout covers all banks
//!   else a multiple of 32 lines of 32    Sw<3,3,3> o (16,32):(32,1)
//!   else a multiple of 16 lines of 16    Sw<3,3,3> o (32,16):(16,1)
//! ```
//!
//! Law: a matrix of `ldmatrix`, which is eight neighbouring rows of 16 bytes, lies in eight
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
    /// The layout of lines of shared memory: (rows, columns). A row of D is one or more lines.
    type Lines;
    /// The same bytes as (columns, rows).
    type Columns;
    /// The tiled copy, by 128 threads, for tiles whose number of rows is a multiple of the copy's
    /// rows.
    type Copy;
    /// The tiled copy for tiles whose number of rows is an odd multiple of 32.
    type CopyOf32;
    /// Bytes of a load by `CopyOf32`.
    const BYTES_OF_32: u32;
}

/// `2 N + 1`. `Twice` is `2 N`, and `Times16` appends four binary zeros.
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

/// A row of D as a number of lines of 64.
#[diagnostic::on_unimplemented(
    message = "attention by mma.sync has no head dimension of 64 times `{Self}`",
    label = "a head dimension is at most 256, or 512"
)]
pub trait Lines64 {
    /// The tiled copy. It copies whole rows if the number of lines is a power of two up to 4.
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
    // The copy takes half a row at a time.
    type Copy = Rows256By128;
}

/// The rows of a tile, a multiple of 16.
#[diagnostic::on_unimplemented(
    message = "attention by mma.sync has no tile of `{Self}` rows",
    label = "a tile's rows are a multiple of 16"
)]
pub trait TileRows: Nat {
    /// The tiled copy for rows of `D`.
    type Copy<D: HeadDimension>;
    /// Whether the tiled copy is [`CopyOf32`](HeadDimension::CopyOf32).
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

/// Returns the bytes of one load instruction for a tile of `Rows` rows of `D`.
#[must_use]
pub const fn load_bytes<Rows: TileRows, D: HeadDimension>() -> u32 {
    if Rows::IS_OF_32 { D::BYTES_OF_32 } else { 16 }
}

/// The layout of stages of 16-bit elements: (rows,D,stage).
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
/// The tiled copy for tiles (rows,D).
pub type CopyOfD<D, Rows> = <Rows as TileRows>::Copy<D>;

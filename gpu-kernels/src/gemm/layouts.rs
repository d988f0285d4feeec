//! Layouts, tiled copies and tiled MMAs for configurations. A configuration can also use your own.
//!
//! ```text
//!   K-major     Sw<3,3,3> o (8,32):(32,1)     rows of k         ldmatrix
//!   MN-major    Sw<3,3,3> o (64,8):(1,64)     columns of m, n   ldmatrix.trans
//! ```

use layout_types::atom::copy::{
    Sm75_U16x8_LDSM_T, Sm75_U32x4_LDSM_N, Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL, UniversalCopy,
};
use layout_types::prelude::*;
use layout_types::tiled::{MakeTiledCopy, MakeTiledCopyA, MakeTiledCopyB, TiledMma};

/// K-major stages `(rows, 32, stage)` of 16-bit elements.
pub type K32<Rows, Stages> =
    TileToShape<Composition<Swizzle<3, 3, 3>, layout!((8,32):(32,1))>, shape!((Rows, 32, Stages))>;
/// K-major stages `(rows, 64, stage)` of 16-bit elements: each row covers all banks.
pub type K64<Rows, Stages> =
    TileToShape<Composition<Swizzle<3, 3, 3>, layout!((8,64):(64,1))>, shape!((Rows, 64, Stages))>;
/// MN-major stages `(rows, 64, stage)` of 16-bit elements, in columns of 64 rows.
pub type Mn64<Rows, Stages> =
    TileToShape<Composition<Swizzle<3, 3, 3>, layout!((64,8):(1,64))>, shape!((Rows, 64, Stages))>;

/// cp.async of 16 bytes. It writes zeros if its predicate is false.
pub type Async16 = Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL<u128>;
/// A tiled copy by 128 threads, four per row of 32 elements of 16 bits, 16 bytes each.
pub type Rows32By128 = MakeTiledCopy<Async16, u16, layout!((32,4):(4,1)), layout!((1, 8))>;
/// A tiled copy by 128 threads, eight per row of 64 elements of 16 bits.
pub type Rows64By128 = MakeTiledCopy<Async16, u16, layout!((16,8):(8,1)), layout!((1, 8))>;
/// A tiled copy by 256 threads, eight per row of 64 elements of 16 bits.
pub type Rows64By256 = MakeTiledCopy<Async16, u16, layout!((32,8):(8,1)), layout!((1, 8))>;
/// A tiled copy by 128 threads, eight per column of 64 elements of 16 bits.
pub type Columns64By128 = MakeTiledCopy<Async16, u16, layout!((8,16):(1,8)), layout!((8, 1))>;
/// A tiled copy that loads element by element. A thread stores two neighbouring elements to shared
/// memory at once.
pub type ElementWiseU16<Op> =
    MakeTiledCopy<UniversalCopy<Op>, u16, layout!((8,16):(16,1)), layout!((1, 2))>;

/// A tiled MMA of four warps, two by two.
pub type Warps22<Atom> = TiledMma<Atom, layout!((2, 2, 1)), tile!(32, 32, 16)>;
/// A tiled MMA of eight warps, two by four.
pub type Warps24<Atom> = TiledMma<Atom, layout!((2, 4, 1)), tile!(32, 64, 16)>;
/// The tiled copy of A's fragments from K-major stages by ldmatrix.
pub type RowsA<Mma, Bits = u16> = MakeTiledCopyA<Sm75_U32x4_LDSM_N, Bits, Mma>;
/// The tiled copy of B's fragments from K-major stages by ldmatrix.
pub type RowsB<Mma, Bits = u16> = MakeTiledCopyB<Sm75_U32x4_LDSM_N, Bits, Mma>;
/// The tiled copy of A's fragments from MN-major stages by ldmatrix.trans.
pub type ColumnsA<Mma> = MakeTiledCopyA<Sm75_U16x8_LDSM_T, u16, Mma>;
/// The tiled copy of B's fragments from MN-major stages by ldmatrix.trans.
pub type ColumnsB<Mma> = MakeTiledCopyB<Sm75_U16x8_LDSM_T, u16, Mma>;

//! Layouts, tiled copies and tiled MMAs that configurations are made of.
//!
//! ```text
//!   K-major     Sw<3,3,3> o (8,64):(64,1)     rows of D         Q and K, ldmatrix; V as it comes
//!   MN-major    Sw<3,3,3> o (64,8):(1,64)     the same bytes    V, (D,N), ldmatrix.trans
//! ```

use crate::gemm::layouts::Async16;
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::tiled::{MakeTiledCopy, TiledMma};
use layout_types::typenum::{U4, U8};

/// Stages (rows,D,stage) of 16-bit elements, in lines of 64: each covers all banks.
pub type RowsOfD<Rows, D, Stages> =
    TileToShape<Composition<Swizzle<3, 3, 3>, layout!((8,64):(64,1))>, shape!((Rows, D, Stages))>;
/// The same bytes as (D,rows,stage).
///
/// ```
/// use gpu_kernels::attention::layouts::{ColumnsOfD, RowsOfD, ShortColumnsOfD, ShortRowsOfD};
/// use layout_types::prelude::*;
/// for (row, d, stage) in (0..64u32 * 96 * 2).map(|i| (i % 64, i / 64 % 96, i / (64 * 96))) {
///     type Rows = RowsOfD<int!(64), int!(192), int!(2)>;
///     type Columns = ColumnsOfD<int!(64), int!(192), int!(2)>;
///     assert_eq!(Rows::at((row, 2 * d, stage)), Columns::at((2 * d, row, stage)));
///     type Short = ShortRowsOfD<int!(64), int!(96), int!(2)>;
///     type ShortColumns = ShortColumnsOfD<int!(64), int!(96), int!(2)>;
///     assert_eq!(Short::at((row, d, stage)), ShortColumns::at((d, row, stage)));
/// }
/// ```
pub type ColumnsOfD<Rows, D, Stages> = TileToShape<
    Composition<Swizzle<3, 3, 3>, layout!((64,8):(1,64))>,
    shape!((D, Rows, Stages)),
    shape!((2, 1, 3)),
>;
/// Stages (rows,D,stage) in lines of 32, where D is no multiple of 64.
pub type ShortRowsOfD<Rows, D, Stages> =
    TileToShape<Composition<Swizzle<3, 3, 3>, layout!((16,32):(32,1))>, shape!((Rows, D, Stages))>;
/// The same bytes as (D,rows,stage).
pub type ShortColumnsOfD<Rows, D, Stages> = TileToShape<
    Composition<Swizzle<3, 3, 3>, layout!((32,16):(1,32))>,
    shape!((D, Rows, Stages)),
    shape!((2, 1, 3)),
>;
/// 128 threads, sixteen per row of 128 elements of 16 bits.
pub type Rows128By128 = MakeTiledCopy<Async16, u16, layout!((8,16):(16,1)), layout!((1, 8))>;
/// 128 threads, 32 per row of 256 elements of 16 bits.
pub type Rows256By128 = MakeTiledCopy<Async16, u16, layout!((4,32):(32,1)), layout!((1, 8))>;
/// Warps one below the other: each has rows of queries of its own, and all keys.
pub type Warps4<Atom> = TiledMma<Atom, layout!((4, 1, 1)), tile!(64, 16, 16)>;
/// Eight of them.
pub type Warps8<Atom> = TiledMma<Atom, layout!((8, 1, 1)), tile!(128, 16, 16)>;
/// A thread's scores, C ((2,2),M,2 K) of a tiled MMA, in the order of operand A, ((2,2,2),M,K): two neighbouring atoms along N are one
/// along K. FlashAttention's `convert_layout_acc_Aregs`.
///
/// Law: value `i` of C, so composed, is of the place of value `i` of A, for each thread.
///
/// ```
/// use gpu_kernels::attention::layouts::{CToA, Warps4};
/// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
/// use layout_types::prelude::*;
/// use layout_types::tensor::{GetSlice, identity_tensor};
/// type Mma = Warps4<Sm80_16x8x16_F32F16F16F32_TN>;
/// let tile = identity_tensor::<layout!((128,64):(1@0,1@1)), 2>();
/// for thread in 0..128 {
///     let (c, a) = (Mma::get_slice(thread).partition_c(&tile), Mma::get_slice(thread).partition_a(&tile));
///     let c = c.compose::<CToA<int!(2), int!(4)>>();
///     assert!((0..64u32).all(|i| c.get(i) == a.get(i)));
/// }
/// ```
pub type CToA<M, K> = Layout<
    shape!(((2, 2, 2), M, K)),
    shape!(((1, 2, <U4 as Nat>::Times<M>), 4, <U8 as Nat>::Times<M>)),
>;

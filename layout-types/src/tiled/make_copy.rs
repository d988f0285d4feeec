//! Tiled copies made: from threads and values, and for the operands of a tiled MMA.
//!
//! ```text
//!   MakeTiledCopy<Op, T, (16,8):(8,1), (1,8)>     threads in rows of 8, each 8 values along N: tile (16,64)
//!   MakeTiledCopyA<Op, T, Mma>                    the threads and values of the MMA's A, tile (TileM,TileK)
//!   MakeTiledCopyCAtom<Op, T, Mma>                the smallest copy of C that the atom can do
//! ```
//!
//! Law: the thread-value layout of a copy made for an operand is the operand's, so that its fragments are the MMA's, retiled.
//!
//! Step by step: `docs/walkthroughs/make-tiled-copy.md`, `cp-async.md` and `tiled-copy-c.md`.
//!
//! Source: CuTe `make_tiled_copy`, `make_tiled_copy_A`, `_B`, `_C`, `make_tiled_copy_C_atom` in `cute/atom/copy_atom.hpp`.

use super::copy::TiledCopy;
use super::mma::TiledMmaTraits;
use super::operand::{LayoutTv, OperandA, OperandB, OperandC, Pair};
use crate::algebra::common_vectors::WithShape;
use crate::algebra::composition::Compose;
use crate::algebra::flatten::Filter;
use crate::algebra::inverse::{LeftInvertible, RightInverse};
use crate::algebra::product::RakedProduct;
use crate::atom::CopyValues;
use crate::layout::{Layout, LayoutFn, ShapeOf, Size};
use crate::num::{One, Zero};
use crate::shape::{LayoutLeft, ShapeTree};
use crate::tree::{ModeList, ModeTree, phantom};

/// CuTe's `make_tiled_copy(Copy_Atom<Op, T>, thr_layout, val_layout)`: each thread of `Thr` takes the values of `Val`, which
/// lie together.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::atom::copy::Sm80_CP_ASYNC_CACHEGLOBAL;
/// use layout_types::tiled::{MakeTiledCopy, TiledCopyTraits};
/// type G2s = MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, half::f16, layout!((32,4):(4,1)), layout!((1,8))>;
/// assert_eq!(<G2s as TiledCopyTraits>::LayoutTv::default().to_string(), "((4,32),8):((256,1),32)");
/// assert_eq!(<G2s as TiledCopyTraits>::TilerMn::default().to_string(), "(32,32)");
/// ```
///
/// Too few values for the instruction are refused:
///
/// ```compile_fail
/// use layout_types::prelude::*;
/// use layout_types::atom::copy::Sm80_CP_ASYNC_CACHEGLOBAL;
/// use layout_types::tiled::{MakeTiledCopy, TiledCopyTraits};
/// type G2s = MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, half::f16, layout!((32,4):(4,1)), layout!((1,4))>;
/// let _ = <G2s as TiledCopyTraits>::LayoutTv::default();
/// ```
#[doc(alias = "make_tiled_copy")]
pub type MakeTiledCopy<Op, T, Thr, Val> = TiledCopy<
    Op,
    T,
    WithShape<RightInverse<RakedProduct<Thr, Val>>, Pair<Size<Thr>, Size<Val>>>,
    <ShapeOf<RakedProduct<Thr, Val>> as ShapeTree>::Sizes,
>;

/// CuTe's `make_tiled_copy_A`: the threads and values of the operand A of `Mma`.
#[doc(alias = "make_tiled_copy_A")]
pub type MakeTiledCopyA<Op, T, Mma> = TiledCopy<
    Op,
    T,
    LayoutTv<Mma, OperandA>,
    Pair<<Mma as TiledMmaTraits>::TileM, <Mma as TiledMmaTraits>::TileK>,
    OperandA,
>;
/// CuTe's `make_tiled_copy_B`: the threads and values of the operand B of `Mma`.
#[doc(alias = "make_tiled_copy_B")]
pub type MakeTiledCopyB<Op, T, Mma> = TiledCopy<
    Op,
    T,
    LayoutTv<Mma, OperandB>,
    Pair<<Mma as TiledMmaTraits>::TileN, <Mma as TiledMmaTraits>::TileK>,
    OperandB,
>;
/// CuTe's `make_tiled_copy_C`: the threads and values of the accumulator of `Mma`.
#[doc(alias = "make_tiled_copy_C")]
pub type MakeTiledCopyC<Op, T, Mma> =
    TiledCopy<Op, T, LayoutTv<Mma, OperandC>, TileMn<Mma>, OperandC>;

/// `(TileM,TileN)`.
type TileMn<Mma> = Pair<<Mma as TiledMmaTraits>::TileM, <Mma as TiledMmaTraits>::TileN>;
type Size0<L> =
    <<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First as ModeTree>::Size;
/// CuTe's `make_tiled_copy_C_atom`: the smallest tiled copy that can retile the accumulator of `Mma`, for an epilogue that
/// stores in parts.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::atom::{copy::UniversalCopy, mma::Sm80_16x8x16_F32F16F16F32_TN};
/// use layout_types::tiled::{MakeTiledCopyCAtom, TiledCopyTraits, TiledMma};
/// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
/// type Copy = MakeTiledCopyCAtom<UniversalCopy<u32>, half::f16, Mma>;
/// assert_eq!(<Copy as TiledCopyTraits>::LayoutTv::default().to_string(), "((4,8,2,2),2):((16,1,8,64),128)");
/// ```
#[doc(alias = "make_tiled_copy_C_atom")]
pub type MakeTiledCopyCAtom<Op, T, Mma> = <CAtom<Op, T> as FromTv<
    LayoutTv<Mma, OperandC>,
    LayoutLeft<Pair<Size0<LayoutTv<Mma, OperandC>>, <Op as CopyValues<T>>::NumValSrc>>,
    TileMn<Mma>,
>>::Copy;

// Step by step, each result the next step's parameter: an alias would be written out at each place where it is used, and each
// of these results is used twice in the next.
phantom! {
    /// The smallest copy of an accumulator, being made.
    CAtom<Op, T>
}
/// From the thread-value layout of C, `Values` of it and the tile: the values first, as many as the atom's source has.
pub trait FromTv<Tv, Values, Tile> {
    /// The tiled copy.
    type Copy;
}
impl<Op, T, Tv, Values, Tile> FromTv<Tv, Values, Tile> for CAtom<Op, T>
where
    Tv: Compose<Values>,
    Self: FromFirst<<Tv as Compose<Values>>::Output, Tile>,
{
    type Copy = <Self as FromFirst<<Tv as Compose<Values>>::Output, Tile>>::Copy;
}
/// The coordinates along M that these values have, and those along N.
pub trait FromFirst<First, Tile> {
    /// The tiled copy.
    type Copy;
}
type Along<Tile, D, First> = <Layout<Tile, D> as Compose<First>>::Output;
type Active<Tile, First> =
    Pair<Filter<Along<Tile, Pair<One, Zero>, First>>, Filter<Along<Tile, Pair<Zero, One>, First>>>;
impl<Op, T, First, Tile> FromFirst<First, Tile> for CAtom<Op, T>
where
    Tile: ShapeTree,
    Layout<Tile, Pair<One, Zero>>: Compose<First>,
    Layout<Tile, Pair<Zero, One>>: Compose<First>,
    Self: FromActive<First, Active<Tile, First>, LayoutLeft<Tile>>,
{
    type Copy = <Self as FromActive<First, Active<Tile, First>, LayoutLeft<Tile>>>::Copy;
}
/// The tile by these coordinates.
pub trait FromActive<First, Active, Tile> {
    /// The tiled copy.
    type Copy;
}
impl<Op, T, First, Active, Tile> FromActive<First, Active, Tile> for CAtom<Op, T>
where
    Tile: Compose<Active>,
    Self: FromInTile<First, Active, <Tile as Compose<Active>>::Output>,
{
    type Copy = <Self as FromInTile<First, Active, <Tile as Compose<Active>>::Output>>::Copy;
}
/// From a place in the tile back to the first values.
pub trait FromInTile<First, Active, InTile> {
    /// The tiled copy.
    type Copy;
}
impl<Op, T, First, Active, InTile> FromInTile<First, Active, InTile> for CAtom<Op, T>
where
    InTile: LeftInvertible,
    InTile::Output: Compose<First>,
{
    type Copy = TiledCopy<Op, T, <InTile::Output as Compose<First>>::Output, Active, OperandC>;
}

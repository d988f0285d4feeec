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
use crate::algebra::common::WithShape;
use crate::algebra::composition::Composition;
use crate::algebra::flatten::Filter;
use crate::algebra::inverse::{LeftInverse, RightInverse};
use crate::algebra::product::RakedProduct;
use crate::atom::CopyValues;
use crate::layout::{Layout, LayoutFn, ShapeOf, Size};
use crate::num::{One, Zero};
use crate::shape::{LayoutLeft, ShapeTree};
use crate::tree::{ModeList, ModeTree};

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
pub type MakeTiledCopy<Op, T, Thr, Val> = TiledCopy<
    Op,
    T,
    WithShape<RightInverse<RakedProduct<Thr, Val>>, Pair<Size<Thr>, Size<Val>>>,
    <ShapeOf<RakedProduct<Thr, Val>> as ShapeTree>::Sizes,
>;

/// CuTe's `make_tiled_copy_A`: the threads and values of the operand A of `Mma`.
pub type MakeTiledCopyA<Op, T, Mma> = TiledCopy<
    Op,
    T,
    LayoutTv<Mma, OperandA>,
    Pair<<Mma as TiledMmaTraits>::TileM, <Mma as TiledMmaTraits>::TileK>,
>;
/// CuTe's `make_tiled_copy_B`: the threads and values of the operand B of `Mma`.
pub type MakeTiledCopyB<Op, T, Mma> = TiledCopy<
    Op,
    T,
    LayoutTv<Mma, OperandB>,
    Pair<<Mma as TiledMmaTraits>::TileN, <Mma as TiledMmaTraits>::TileK>,
>;
/// CuTe's `make_tiled_copy_C`: the threads and values of the accumulator of `Mma`.
pub type MakeTiledCopyC<Op, T, Mma> = TiledCopy<Op, T, LayoutTv<Mma, OperandC>, TileMn<Mma>>;

/// `(TileM,TileN)`.
type TileMn<Mma> = Pair<<Mma as TiledMmaTraits>::TileM, <Mma as TiledMmaTraits>::TileN>;
type Size0<L> =
    <<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First as ModeTree>::Size;
/// The thread-value layout of C with the first values only, as many as the atom's source has.
type FirstValues<Op, T, Mma> = Composition<
    LayoutTv<Mma, OperandC>,
    LayoutLeft<Pair<Size0<LayoutTv<Mma, OperandC>>, <Op as CopyValues<T>>::NumValSrc>>,
>;
/// The coordinates along M that these values have, and those along N.
type ActiveM<Op, T, Mma> =
    Filter<Composition<Layout<TileMn<Mma>, Pair<One, Zero>>, FirstValues<Op, T, Mma>>>;
type ActiveN<Op, T, Mma> =
    Filter<Composition<Layout<TileMn<Mma>, Pair<Zero, One>>, FirstValues<Op, T, Mma>>>;
type Active<Op, T, Mma> = Pair<ActiveM<Op, T, Mma>, ActiveN<Op, T, Mma>>;

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
pub type MakeTiledCopyCAtom<Op, T, Mma> = TiledCopy<
    Op,
    T,
    Composition<
        LeftInverse<Composition<LayoutLeft<TileMn<Mma>>, Active<Op, T, Mma>>>,
        FirstValues<Op, T, Mma>,
    >,
    Active<Op, T, Mma>,
>;

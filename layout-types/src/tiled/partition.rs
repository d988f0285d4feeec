//! Partitions of a tensor among the threads of a tiled MMA. Also tensors that a tile divides
//! exactly, and fragments that are regrouped for a copy.
//!
//! ```text
//!   (M,K)  ─ partition ─►  (FrgV,RestM,RestK)  ─ retile ─►  ((values of the copy atom, atoms),RestM,RestK)
//! ```
//!
//! Law: each result is a composition with a bijection, so it has the same elements at other
//! coordinates.

use super::copy::{NumValOf, TiledCopyTraits};
use super::mma::TiledMmaTraits;
use super::mma::{MmaOperand, OperandA, OperandB, OperandC, Pair, PlaceOf};
use crate::algebra::cast::UpcastBy;
use crate::algebra::composition::Compose;
use crate::algebra::divide::{LogicalDivideBy, ZippedDivideBy};
use crate::algebra::inverse::RightInvertible;
use crate::algebra::make::FragmentLike;
use crate::algebra::product::LogicalProductBy;
use crate::coord::{Idx, TreeOffset};
use crate::decimal::Decimal;
use crate::layout::{Layout, LayoutFn, ShapeOf, StaticLayout, Unzip};
use crate::num::{False, Nat, NatDiv, One, QuotRem, True};
use crate::shape::ShapeTree;
use crate::tree::{Cons, ModeList, ModeTree, Nil, Underscore};

// -- Exact tiles ----------------------------------------------------------------------------------
//
// Tensors that a tile divides exactly.
//
// ```text
//   tensor (96,32)     tile of the copy (64,32)      96 = 64 + 32: refused, a partition would continue past the tensor
//   tensor (128,32)                                  2 tiles along M, 1 along N
// ```
//
// Law: the extent of each mode that the tile has is a multiple of the tile's extent, so that the
// parts of all threads together are exactly the tensor's elements, each once. CuTe rounds up, and
// so do the types that partition as CuTe does ([`CopyPartitionOf`](super::CopyPartitionOf),
// [`PartitionOf`](super::PartitionOf)).
//
// Source: the division with remainder in CuTe's `zipped_divide`, `cute/layout.hpp`.

/// Requires that the modes `Self` of a tensor, from mode `Mode` on, are multiples of the tile's
/// `Sizes`.
#[doc(hidden)]
pub trait WholeTiles<By, Sizes, Mode> {}
impl<T, By, Mode> WholeTiles<By, Nil, Mode> for T {}
impl<By, H, T, N, Ns, Mode> WholeTiles<By, Cons<N, Ns>, Mode> for Cons<H, T>
where
    H: ModeTree,
    N: Nat,
    Mode: Nat,
    <<H::Size as NatDiv>::DivRem<N> as QuotRem>::Exact: LeavesNoRest<By, Mode, H::Size, N>,
    T: WholeTiles<By, Ns, Mode::Plus<One>>,
{
}

/// Implemented for `True`.
#[doc(hidden)]
pub trait LeavesNoRest<By, Mode, Extent, Tile> {}
impl<By, I, E, T> LeavesNoRest<By, I, E, T> for True {}
impl<By, I: Decimal, E: Decimal, T: Decimal> LeavesNoRest<By, I, E, T> for False where
    By: DividesMode<I::Text, E::Text, T::Text>
{
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "mode {Mode} of the tensor has {Extent} elements, no multiple of the {Tile} that the tile of the `{Self}` has there",
    label = "a partition divides the tensor exactly: cut the tensor into tiles that the threads and values fill",
    note = "a residue tile: `partition_s_predicated`, `_d_`, `_a_`, `_b_` and `_c_predicated` go on behind the tensor, for accesses by a predicate"
)]
#[doc(hidden)]
pub trait DividesMode<Mode, Extent, Tile> {}
/// Names a tiled copy in a diagnostic.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct tiled_copy;
/// Names a tiled MMA in a diagnostic.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct tiled_mma;

// -- Partitions -----------------------------------------------------------------------------------
//
// Partitions of a tensor among the threads of a tiled MMA.
//
// ```text
//   (M,K)   permuted      ((PermM,RestM),(PermK,RestK))
//           by atoms      ((AtomM,AtomK),(RestM,RestK))
//           thread-value  ((ThrV,FrgV),(RestM,RestK))
//           by threads    ((ThrV,(ThrM,ThrK)),(FrgV,(RestM,RestK)))          thrfrg
//           one thread    (FrgV,RestM,RestK)                                 partition
// ```
//
// Law: `thrfrg` is a composition of the tensor with a bijection, so it has the tensor's elements;
// the partitions of different threads do not overlap unless the operand is shared.
//
// Source: CuTe `TiledMMA::thrfrg_A`, `thrfrg_B`, `thrfrg_C`, `ThrMMA::partition_A`, .. in
// `cute/atom/mma_atom.hpp`.

/// `thrfrg_a`, `_b` or `_c` of the tensor `L`: `((ThrV,(ThrM,ThrK)),(FrgV,(RestM,RestK,..)))`.
pub type ThrFrgOf<Mma, X, L> = <Mma as ThrFrg<X, L>>::Output;

/// Tensors `L` that can be divided into atoms and threads as operand `X`.
#[diagnostic::on_unimplemented(
    message = "this tensor cannot be partitioned by the tiled MMA",
    label = "a step of permutation, atoms, thread-value layout or threads is not admissible"
)]
#[doc(hidden)]
pub trait ThrFrg<X, L>: TiledMmaTraits {
    /// [`ThrFrgOf`].
    type Output: LayoutFn;
}

type Permuted<Mma, X, L> = <L as LogicalDivideBy<<X as MmaOperand<Mma>>::PermutationTile>>::Output;
type ByAtoms<Mma, X, L> =
    <Permuted<Mma, X, L> as ZippedDivideBy<<X as MmaOperand<Mma>>::AtomTile>>::Output;
type ByValues<Mma, X, L> =
    <ByAtoms<Mma, X, L> as Compose<Pair<<X as MmaOperand<Mma>>::AtomTv, Underscore>>>::Output;
type ByThreads<Mma, X, L> =
    <ByValues<Mma, X, L> as ZippedDivideBy<<X as MmaOperand<Mma>>::ThreadTile>>::Output;

impl<Mma, X, L> ThrFrg<X, L> for Mma
where
    Mma: TiledMmaTraits,
    X: MmaOperand<Mma>,
    L: LogicalDivideBy<X::PermutationTile>,
    Permuted<Mma, X, L>: ZippedDivideBy<X::AtomTile>,
    ByAtoms<Mma, X, L>: Compose<Pair<X::AtomTv, Underscore>>,
    ByValues<Mma, X, L>: ZippedDivideBy<X::ThreadTile>,
{
    type Output = ByThreads<Mma, X, L>;
}

/// One thread's part of the tensor `L`: `(FrgV,RestM,RestK,..)`, CuTe's `partition_a`, `_b`, `_c`.
pub type PartitionOf<Mma, X, L> = <Mma as PartitionMma<X, L>>::Partition;
/// The layout that maps a thread's index to the offset of its part.
pub type ThreadOf<Mma, X, L> = <Mma as PartitionMma<X, L>>::Thread;
/// The shape of a part, CuTe's `partition_shape_A`, `_B`, `_C` of a tensor's layout.
pub type PartitionShape<Mma, X, L> = ShapeOf<PartitionOf<Mma, X, L>>;

/// Tensors `L` that can be partitioned as operand `X`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
/// use layout_types::tiled::{OperandA, PartitionOf, ThreadOf, TiledMma, thread_offset};
/// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1))>;
/// type A = layout!((128,32):(32,1));
/// assert_eq!(PartitionOf::<Mma, OperandA, A>::default().to_string(), "((2,2,2),4,2):((1,256,8),1024,16)");
/// // Thread 37 is thread 5 of warp 1: row 5 / 4 of the second atom along M, columns from 2 (5 % 4) on.
/// assert_eq!(thread_offset::<ThreadOf<Mma, OperandA, A>, u32>(37), (16 + 1) * 32 + 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "this tensor cannot be partitioned by the tiled MMA",
    label = "a step of permutation, atoms, thread-value layout or threads is not admissible"
)]
#[doc(hidden)]
pub trait PartitionMma<X, L>: TiledMmaTraits {
    /// [`PartitionOf`].
    type Partition: LayoutFn;
    /// [`ThreadOf`].
    type Thread: LayoutFn;
}

/// Mode 0 of `thrfrg` (the threads) and mode 1 (the fragment).
type ThreadMode<L> = <<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First;
type FragmentMode<L> =
    <<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest as ModeList>::First;
type Parts<L> = <FragmentMode<L> as ModeTree>::Modes;
/// `(FrgV,RestM,RestK,..)`.
type Flat<L> = Cons<
    <Parts<L> as ModeList>::First,
    <<<Parts<L> as ModeList>::Rest as ModeList>::First as ModeTree>::Modes,
>;
type Threads<Mma, X, L> =
    <ThrFrgOf<Mma, X, L> as Compose<<X as MmaOperand<Mma>>::ThreadsOf>>::Output;
type ByIndex<Mma, X, L> = <Threads<Mma, X, L> as Compose<Pair<PlaceOf<Mma>, Underscore>>>::Output;

impl<Mma, X, L> PartitionMma<X, L> for Mma
where
    Mma: ThrFrg<X, L>,
    X: MmaOperand<Mma>,
    L: LayoutFn,
    ThrFrgOf<Mma, X, L>: Compose<X::ThreadsOf>,
    Threads<Mma, X, L>: Compose<Pair<PlaceOf<Mma>, Underscore>>,
{
    type Partition = L::With<Flat<ThrFrgOf<Mma, X, L>>>;
    type Thread = L::With<ThreadMode<ByIndex<Mma, X, L>>>;
}

/// Returns the offset of thread `thread`'s part, before any swizzle. `T` is [`ThreadOf`], or the
/// thread mode of a tiled copy.
///
/// The tensor's swizzle is applied after the sum: element `i` of the part is at
/// `L::swizzled(offset + part(i))`, where both terms are unswizzled.
#[inline(always)]
pub fn thread_offset<T: LayoutFn, I: Idx>(thread: I) -> I {
    const { crate::coord::holds_offsets::<I, T::Modes>() }
    <T::Modes as TreeOffset>::offset(thread, &())
}

/// The layout of the registers for one thread's part of the tensor `L`: CuTe's
/// `partition_fragment_a`, `_b`, `_c`.
///
/// For A and B, this is [`MakeFragmentLike`](crate::MakeFragmentLike) of the part. For C, this is
/// column-major.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
/// use layout_types::tiled::{OperandB, OperandC, PartitionFragmentOf, TiledMma};
/// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1))>;
/// type B = PartitionFragmentOf<Mma, OperandB, layout!((128,32):(32,1))>;
/// assert_eq!(B::default().to_string(), "((2,2),8,2):((1,2),8,4)");
/// type C = PartitionFragmentOf<Mma, OperandC, layout!((128,128):(128,1))>;
/// assert_eq!(C::default().to_string(), "((2,2),4,8):((1,2),4,16)");
/// ```
pub type PartitionFragmentOf<Mma, X, L> = <X as FragmentOf<PartitionOf<Mma, X, L>>>::Fragment;

/// Makes an operand's fragment from its part.
#[doc(hidden)]
pub trait FragmentOf<P> {
    /// The registers' layout.
    type Fragment: StaticLayout;
}
impl<P: FragmentLike> FragmentOf<P> for OperandA {
    type Fragment = P::Output;
}
impl<P: FragmentLike> FragmentOf<P> for OperandB {
    type Fragment = P::Output;
}
impl<P: LayoutFn> FragmentOf<P> for OperandC {
    type Fragment = Unzip<<ShapeOf<P> as ShapeTree>::Left<One>>;
}

// -- Retiling -------------------------------------------------------------------------------------
//
// A fragment of the MMA, regrouped for a copy.
//
// ```text
//   fragment ((2,2,2),4,2):((1,2,4),16,8)      8 values an instruction, 4 along M, 2 along K
//   ldmatrix.x4 of f16 gets 8                  ((8,1),4,2):((1,0),16,8)
//   ldmatrix.x1 of f16 gets 2                  ((2,4),4,2):((1,2),16,8)
// ```
//
// Law: a retiled fragment has the same registers. Mode 0 of the retiled fragment is
// `(values of the copy atom, number of atoms)`, in the order in which the tiled copy moves them.
// The original fragment's mode 0 holds the first of the thread's values in `TiledLayout_TV`.
//
// Step by step: `docs/walkthroughs/retile.md`.
//
// Source: CuTe `TiledCopy::retile`, `ThrCopy::retile_S`, `retile_D` in `cute/atom/copy_atom.hpp`.

/// CuTe's `retile_S` and `retile_D`, which are the same here: both take the fragment, which is the
/// reference of the atom.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::atom::{copy::Sm75_U32x4_LDSM_N, mma::Sm80_16x8x16_F32F16F16F32_TN};
/// use layout_types::tiled::{MakeTiledCopyA, RetileOf, TiledMma};
/// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
/// type Copy = MakeTiledCopyA<Sm75_U32x4_LDSM_N, half::f16, Mma>;
/// type View = RetileOf<Copy, layout!(((2,2,2),4,2):((1,2,4),16,8))>;
/// assert_eq!(View::default().to_string(), "((8,1),4,2):((1,0),16,8)");
/// ```
pub type RetileOf<C, L> = <C as Retile<L>>::Output;

/// Fragments `L` that can be retiled for the tiled copy.
#[diagnostic::on_unimplemented(
    message = "this fragment cannot be retiled for the tiled copy",
    label = "it is not a fragment of the MMA that the tiled copy was made for"
)]
#[doc(hidden)]
pub trait Retile<L>: TiledCopyTraits {
    /// [`RetileOf`].
    type Output: LayoutFn;
}

type Values<L> =
    <<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First as ModeTree>::Size;
type TileLeft<C> = <C as TiledCopyTraits>::Tile;
type Inverse<C> = <<C as TiledCopyTraits>::LayoutTv as RightInvertible>::Output;
type InTile<C> = <Inverse<C> as Compose<TileLeft<C>>>::Output;
type Unit<C, L> = <<C as TiledCopyTraits>::NumThr as Nat>::Times<Values<L>>;
/// Maps `(m,n)` to the index of the `V` values within a thread's values.
type FrgMn<C, L> = <InTile<C> as UpcastBy<Unit<C, L>>>::Output;
type FromFrgMn<C, L> = <FrgMn<C, L> as RightInvertible>::Output;
type ValuesLayout<L> = Layout<Values<L>, One>;
type Product<C, L> = <ValuesLayout<L> as LogicalProductBy<FromFrgMn<C, L>>>::Output;
/// Maps `(atom_vals,rest_vals)` to `(v,m,n)`.
type FrgV<C, L> = <Product<C, L> as ZippedDivideBy<NumValOf<C>>>::Output;
type FrgTile<C, L> =
    Cons<Values<L>, <<<FrgMn<C, L> as LayoutFn>::Modes as ModeTree>::Shape as ShapeTree>::Sizes>;
type ByTiles<C, L> = <L as ZippedDivideBy<FrgTile<C, L>>>::Output;
type ByCopyValues<C, L> = <ByTiles<C, L> as Compose<Pair<FrgV<C, L>, Underscore>>>::Output;
type Tile<L> = <<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First;
type Rests<L> = <<<<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest as ModeList>::First as ModeTree>::Modes as ModeList>::Rest;

impl<C, L> Retile<L> for C
where
    C: TiledCopyTraits,
    L: LayoutFn + ZippedDivideBy<FrgTile<C, L>>,
    C::LayoutTv: RightInvertible,
    Inverse<C>: Compose<TileLeft<C>>,
    InTile<C>: UpcastBy<Unit<C, L>>,
    FrgMn<C, L>: RightInvertible,
    ValuesLayout<L>: LogicalProductBy<FromFrgMn<C, L>>,
    Product<C, L>: ZippedDivideBy<NumValOf<C>>,
    ByTiles<C, L>: Compose<Pair<FrgV<C, L>, Underscore>>,
{
    type Output = L::With<Cons<Tile<ByCopyValues<C, L>>, Rests<ByCopyValues<C, L>>>>;
}

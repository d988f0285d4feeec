//! A tensor cut among the threads of a tiled MMA.
//!
//! ```text
//!   (M,K)   permuted      ((PermM,RestM),(PermK,RestK))
//!           by atoms      ((AtomM,AtomK),(RestM,RestK))
//!           thread-value  ((ThrV,FrgV),(RestM,RestK))
//!           by threads    ((ThrV,(ThrM,ThrK)),(FrgV,(RestM,RestK)))          thrfrg
//!           one thread    (FrgV,RestM,RestK)                                 partition
//! ```
//!
//! Law: `thrfrg` is a composition of the tensor with a bijection, so its function is the tensor's; partitions of different
//! places do not overlap unless the operand is shared.
//!
//! Source: CuTe `TiledMMA::thrfrg_A`, `thrfrg_B`, `thrfrg_C`, `ThrMMA::partition_A`, .. in `cute/atom/mma_atom.hpp`.

use super::mma::TiledMmaTraits;
use super::operand::{MmaOperand, OperandA, OperandB, OperandC, Pair, PlaceOf};
use crate::algebra::composition::Compose;
use crate::algebra::divide::{LogicalDivideBy, ZippedDivideBy};
use crate::algebra::make::FragmentLike;
use crate::coord::{Idx, TreeOffset};
use crate::layout::{LayoutFn, ShapeOf, StaticLayout, Unzip};
use crate::num::One;
use crate::shape::ShapeTree;
use crate::tree::{Cons, ModeList, ModeTree, Underscore};

/// `thrfrg_a`, `_b` or `_c` of the tensor `L`: `((ThrV,(ThrM,ThrK)),(FrgV,(RestM,RestK,..)))`.
pub type ThrFrgOf<Mma, X, L> = <Mma as ThrFrg<X, L>>::Output;

/// The tensor `L` can be cut into atoms and threads as operand `X`.
#[diagnostic::on_unimplemented(
    message = "this tensor cannot be partitioned by the tiled MMA",
    label = "a step of permutation, atoms, thread-value layout or threads is not admissible"
)]
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
/// The layout from a thread's index to the offset of its part.
pub type ThreadOf<Mma, X, L> = <Mma as PartitionMma<X, L>>::Thread;
/// The shape of a part, CuTe's `partition_shape_A`, `_B`, `_C` of a tensor's layout.
pub type PartitionShape<Mma, X, L> = ShapeOf<PartitionOf<Mma, X, L>>;

/// The tensor `L` can be partitioned as operand `X`.
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
pub trait PartitionMma<X, L>: TiledMmaTraits {
    /// [`PartitionOf`].
    type Partition: LayoutFn;
    /// [`ThreadOf`].
    type Thread: LayoutFn;
}

/// Mode 0 of `thrfrg`, the threads, and mode 1, the fragment.
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

/// The offset of thread `thread`'s part, before any swizzle: `T` is [`ThreadOf`] or the thread mode of a tiled copy.
///
/// The tensor's swizzle comes after the sum: element `i` of the part is at `L::swizzled(offset + part(i))`, both unswizzled.
#[inline(always)]
pub fn thread_offset<T: LayoutFn, I: Idx>(thread: I) -> I {
    const { crate::coord::holds_offsets::<I, T::Modes>() }
    <T::Modes as TreeOffset>::offset(thread, &())
}

/// The layout of the registers for one thread's part of the tensor `L`: CuTe's `partition_fragment_a`, `_b`, `_c`.
///
/// Of A and B it is [`MakeFragmentLike`](crate::MakeFragmentLike) the part, of C column-major.
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

/// How an operand's fragment is made.
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

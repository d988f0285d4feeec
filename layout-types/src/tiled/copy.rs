//! A tiled copy: a copy atom repeated over threads and values. It divides a tensor among the
//! threads.
//!
//! ```text
//!   Tiler_MN (16,64), LayoutCopy_TV ((8,16),(2,4)):((2,64),(1,16))       thread t, value v at the tile's index TV(t, v)
//!
//!   (M,N)   by the tiler             ((TileM,TileN),(RestM,RestN))
//!           thread-value of the side ((thread,(atom_val,rest_val)),(RestM,RestN))
//!           tidfrg                   (thread,(atom_val,rest_val),(RestM,RestN))
//!           one thread               ((atom_val,rest_val),RestM,RestN)            partition
//! ```
//!
//! Law: `LayoutCopy_TV` places the (thread, value) pairs of the fragment, which is the atom's
//! reference. The atom's layouts map the reference to source and destination, so the element that a
//! thread reads is the element that arrives.
//!
//! Step by step: `docs/walkthroughs/tidfrg.md`, and `ldmatrix.md`, where the two sides differ.
//!
//! Source: CuTe `TiledCopy` and `ThrCopy` in `cute/atom/copy_atom.hpp`.

use super::mma::{AnyRole, Pair};
use crate::algebra::coalesce::CoalescedTree;
use crate::algebra::composition::{Compose, Tiler};
use crate::algebra::divide::ZippedDivideBy;
use crate::algebra::flatten::nonzero;
use crate::algebra::inverse::RightInvertible;
use crate::algebra::message::Refusal;
use crate::algebra::spans::{Spans, SpansOf};
use crate::atom::copy::MovesElement;
use crate::atom::{CopyValues, Element};
use crate::decimal::Decimal;
use crate::layout::{Layout, LayoutFn, StaticLayout, Unzip};
use crate::num::{Bool, False, Nat, NatCmp, NatDiv, One, QuotRem, True};
use crate::shape::ShapeTree;
use crate::tree::{Cons, ModeList, ModeTree, Nil, Underscore, Zip, phantom};
use typenum::{B0, B1, UInt};

phantom! {
    /// CuTe's `TiledCopy<Copy_Atom<Op, T>, LayoutCopy_TV, ShapeTiler_MN>`.
    ///
    /// It is usually made by [`MakeTiledCopy`](super::MakeTiledCopy),
    /// [`MakeTiledCopyA`](super::MakeTiledCopyA), ...
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::atom::copy::UniversalCopy;
    /// use layout_types::tiled::{CopyPartitionOf, CopyThreadOf, MakeTiledCopy, Source, thread_offset};
    /// // One element an instruction, thread layout (16,8):(8,1), four values along N: thread 9, value 2 at (1,6).
    /// type Copy = MakeTiledCopy<UniversalCopy<u32>, f32, layout!((16,8):(8,1)), layout!((1,4))>;
    /// type Id = layout!((16,32):(1@0,1@1));
    /// assert_eq!(CopyPartitionOf::<Copy, Source, Id>::default().to_string(), "((1,4),1,1):((0,1@1),0,0)");
    /// assert_eq!(<CopyThreadOf<Copy, Source, Id>>::coordinate::<u32, _, 2>(9u32), [1, 4]);
    /// ```
    ///
    /// `Role` is the operand of a tiled MMA that the copy was made for. The copy moves only that
    /// operand's fragments.
    TiledCopy<Op, T, LayoutTv, TilerMn, Role = AnyRole>
}

/// The parts of a tiled copy.
#[diagnostic::on_unimplemented(
    message = "not a tiled copy that its atom can do",
    label = "the threads and the values of the tiled copy must each be a multiple of the atom's"
)]
pub trait TiledCopyTraits: Copy + Default + Send + Sync + 'static {
    /// The operand of a tiled MMA that the copy was made for, or [`AnyRole`].
    type Role;
    /// The type of the elements.
    type Element: Element;
    /// The instruction.
    type Op: CopyValues<Self::Element>;
    /// CuTe's `TiledLayout_TV`: the layout that maps (thread, value) of the fragment to the
    /// column-major index in the tile.
    type LayoutTv: StaticLayout;
    /// CuTe's `Tiler_MN`: the elements of the tensor that form the tile.
    type TilerMn: TileShape;
    /// The column-major layout of the tile.
    type Tile: StaticLayout;
    /// The number of threads, as a type.
    type NumThr: Nat;
    /// The number of values of a thread.
    type NumVal: Nat;
    /// The number of threads, CuTe's `size(copy)`.
    const THREADS: usize = <Self::NumThr as typenum::Unsigned>::USIZE;
}

/// The sizes of modes 0 and 1 of a layout.
type Size0<L> =
    <<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First as ModeTree>::Size;
type Size1<L> =
    <<<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest as ModeList>::First as ModeTree>::Size;

impl<Op, T, Tv, Tiler, R> TiledCopyTraits for TiledCopy<Op, T, Tv, Tiler, R>
where
    Self: Copy + Default + Send + Sync + 'static,
    T: Element,
    Op: CopyValues<T>,
    Tv: StaticLayout,
    Tiler: TileShape,
    <<Size0<Tv> as NatDiv>::DivRem<Op::NumThr> as QuotRem>::Exact:
        EnoughThreads<Op, Size0<Tv>, Op::NumThr>,
    <<Size1<Tv> as NatDiv>::DivRem<Op::NumVal> as QuotRem>::Exact:
        EnoughValues<Op, Size1<Tv>, Op::NumVal>,
    CoversTile<Tv, <Tiler::Shape as ShapeTree>::Size>:
        Covering<Tv, <Tiler::Shape as ShapeTree>::Size>,
{
    type Role = R;
    type Element = T;
    type Op = Op;
    type LayoutTv = Tv;
    type TilerMn = Tiler;
    type Tile = Unzip<<Tiler::Shape as ShapeTree>::Left<One>>;
    type NumThr = Size0<Tv>;
    type NumVal = Size1<Tv>;
}

/// Whether the thread-value layout covers a tile of `Cells` exactly once. Threads of stride 0 read
/// the same values, as the threads of an MMA's operand do, and count as one.
pub type CoversTile<Tv, Cells> = <<Owners<Tv> as Spans>::Compact as Bool>::And<
    <<Owners<Tv> as Spans>::Total as NatCmp>::Equals<Cells>,
>;
type Owners<Tv> = <SpansOf<nonzero<First<<Tv as LayoutFn>::Modes>>> as Spans>::Merge<
    SpansOf<Second<<Tv as LayoutFn>::Modes>>,
>;
/// Implemented for `True`: the thread-value layout covers its tile.
#[doc(hidden)]
pub trait Covering<Tv, Cells> {}
impl<Tv, Cells> Covering<Tv, Cells> for True {}
impl<Tv: StaticLayout, Cells: Decimal> Covering<Tv, Cells> for False
where
    Tv::Shape: Decimal,
    Tv::Stride: Decimal,
    Refusal: OwnsEachCell<<Tv::Shape as Decimal>::Text, <Tv::Stride as Decimal>::Text, Cells::Text>,
{
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "the thread-value layout {S}:{D} does not cover the tile of {Cells} cells exactly once",
    label = "some cell has two owners, or none",
    note = "`assert_covers!(copy C)` names the cell and its owners"
)]
#[doc(hidden)]
pub trait OwnsEachCell<S, D, Cells> {}
/// The layouts with which a tiled copy of whole elements was written, whether it covers its tile or
/// not. [`assert_covers!`](crate::assert_covers) checks them.
#[doc(hidden)]
pub trait WrittenCopy {
    /// The thread-value layout.
    type LayoutTv: StaticLayout;
    /// The tile.
    type Tile: StaticLayout;
}
impl<Op: MovesElement<T>, T, Tv: StaticLayout, Tiler: TileShape, R> WrittenCopy
    for TiledCopy<Op, T, Tv, Tiler, R>
{
    type LayoutTv = Tv;
    type Tile = Unzip<<Tiler::Shape as ShapeTree>::Left<One>>;
}

/// Implemented for `True`: the number of threads `Have` is a multiple of the instruction's `Need`.
#[doc(hidden)]
pub trait EnoughThreads<Op, Have, Need> {}
impl<Op, H, N> EnoughThreads<Op, H, N> for True {}
impl<Op, H: Decimal, N: Decimal> EnoughThreads<Op, H, N> for False where
    Op: HasThreads<H::Text, N::Text>
{
}
/// Implemented for `True`: the number of a thread's values `Have` is a multiple of the
/// instruction's `Need`.
#[doc(hidden)]
pub trait EnoughValues<Op, Have, Need> {}
impl<Op, H, N> EnoughValues<Op, H, N> for True {}
impl<Op, H: Decimal, N: Decimal> EnoughValues<Op, H, N> for False where
    Op: HasValues<H::Text, N::Text>
{
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "the tiled copy has {Have} threads, but `{Self}` is done by {Need} together",
    label = "the number of threads must be a multiple of the instruction's"
)]
pub trait HasThreads<Have, Need> {}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "the tiled copy gives a thread {Have} values, but `{Self}` moves {Need} at a time",
    label = "the number of values must be a multiple of what the instruction moves for a thread"
)]
pub trait HasValues<Have, Need> {}

/// A tiler with its shape: numbers, layouts and tuples of these.
#[doc(hidden)]
pub trait TileShape: Tiler + Copy + Default + Send + Sync + 'static {
    /// The shape of the tile.
    type Shape: ShapeTree;
}
macro_rules! number {
    ($b:ty) => {
        impl<U: Nat> TileShape for UInt<U, $b> {
            type Shape = Self;
        }
    };
}
number!(B0);
number!(B1);
impl<S, D> TileShape for Layout<S, D>
where
    S: Zip<D> + ShapeTree,
    Self: StaticLayout + Tiler,
{
    type Shape = S;
}
impl TileShape for Nil {
    type Shape = Nil;
}
impl<H, T> TileShape for Cons<H, T>
where
    H: TileShape,
    T: TileShape,
    Self: Tiler + Copy + Default + Send + Sync + 'static,
    Cons<H::Shape, T::Shape>: ShapeTree,
{
    type Shape = Cons<H::Shape, T::Shape>;
}

/// The side that the copy reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Source;
/// The side that the copy writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Destination;

/// A side of a copy.
pub trait CopySide<C: TiledCopyTraits> {
    /// The layout of (thread, value) of the atom on this side.
    type ValLayout: StaticLayout;
}
impl<C: TiledCopyTraits> CopySide<C> for Source {
    type ValLayout = <C::Op as CopyValues<C::Element>>::ValLayoutSrc;
}
impl<C: TiledCopyTraits> CopySide<C> for Destination {
    type ValLayout = <C::Op as CopyValues<C::Element>>::ValLayoutDst;
}

/// Maps a side's (thread, value) of the atom to the (thread, value) of the fragment.
#[doc(hidden)]
pub trait SideToReference<Side>: TiledCopyTraits {
    /// The layout.
    type Output: LayoutFn;
}
impl<C, Side> SideToReference<Side> for C
where
    C: TiledCopyTraits,
    Side: CopySide<C>,
    Reference<C>: RightInvertible,
    FromReference<C>: Compose<Side::ValLayout>,
{
    type Output = <FromReference<C> as Compose<Side::ValLayout>>::Output;
}

/// Maps a side's (thread, (atom_val, rest_val)) to the index in the tile.
#[doc(hidden)]
pub trait ThrValToTile<Side>: TiledCopyTraits {
    /// The layout.
    type Output: StaticLayout;
}
type Reference<C> =
    <<C as TiledCopyTraits>::Op as CopyValues<<C as TiledCopyTraits>::Element>>::ValLayoutRef;
type FromReference<C> = <Reference<C> as RightInvertible>::Output;
type NumThrOf<C> =
    <<C as TiledCopyTraits>::Op as CopyValues<<C as TiledCopyTraits>::Element>>::NumThr;
pub(super) type NumValOf<C> =
    <<C as TiledCopyTraits>::Op as CopyValues<<C as TiledCopyTraits>::Element>>::NumVal;
/// The layout `((atom_tid,atom_val),(rest_tid,rest_val))` of the fragment.
type ByAtoms<C> =
    <<C as TiledCopyTraits>::LayoutTv as ZippedDivideBy<Pair<NumThrOf<C>, NumValOf<C>>>>::Output;
/// The layout `((atom_tid,atom_val),(rest_tid,rest_val))` of the side.
type BySide<C, Side> =
    <ByAtoms<C> as Compose<Pair<<C as SideToReference<Side>>::Output, Underscore>>>::Output;
type AtomMode<L> = <<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First;
type RestMode<L> =
    <<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest as ModeList>::First;
type First<T> = <<T as ModeTree>::Modes as ModeList>::First;
type Second<T> = <<<T as ModeTree>::Modes as ModeList>::Rest as ModeList>::First;
/// The layout, zipped and coalesced by the profile `(1,(1,1))`.
type Zipped<L> = Unzip<
    Pair<
        CoalescedTree<Pair<First<AtomMode<L>>, First<RestMode<L>>>>,
        Pair<CoalescedTree<Second<AtomMode<L>>>, CoalescedTree<Second<RestMode<L>>>>,
    >,
>;
// The trait is implemented for this type only: a blanket impl would be tried for every tiled copy
// whose bounds name a layout that is not yet known.
impl<Op, T, Tv, Tiler, R, Side> ThrValToTile<Side> for TiledCopy<Op, T, Tv, Tiler, R>
where
    Self: SideToReference<Side>,
    <Self as TiledCopyTraits>::LayoutTv: ZippedDivideBy<Pair<NumThrOf<Self>, NumValOf<Self>>>,
    ByAtoms<Self>: Compose<Pair<<Self as SideToReference<Side>>::Output, Underscore>>,
{
    type Output = Zipped<BySide<Self, Side>>;
}

/// CuTe's `get_layoutS_TV` and `get_layoutD_TV`: the layout that maps a side's (thread, value) to
/// the column-major index in the tile.
pub type CopyLayoutTv<C, Side> = <C as CopyTvOf<Side>>::Output;
/// Implemented if a side has a thread-value layout.
#[doc(hidden)]
pub trait CopyTvOf<Side>: TiledCopyTraits {
    /// [`CopyLayoutTv`].
    type Output: LayoutFn;
}
impl<C, Side> CopyTvOf<Side> for C
where
    C: ThrValToTile<Side>,
    C::Tile: Compose<<C as ThrValToTile<Side>>::Output>,
{
    type Output = <C::Tile as Compose<<C as ThrValToTile<Side>>::Output>>::Output;
}

/// CuTe's `tidfrg_S` and `tidfrg_D`: `(thread,(atom_val,rest_val),(RestM,RestN,..))`.
pub type TidFrgOf<C, Side, L> = <C as TidFrg<Side, L>>::Output;

/// Implemented if the tiled copy can divide the tensor `L` among its threads.
#[diagnostic::on_unimplemented(
    message = "this tensor cannot be partitioned by the tiled copy",
    label = "the tiler does not divide it, or a thread-value layout is not admissible"
)]
#[doc(hidden)]
pub trait TidFrg<Side, L>: TiledCopyTraits {
    /// [`TidFrgOf`].
    type Output: LayoutFn;
    /// [`CopyPartitionOf`].
    type Partition: LayoutFn;
    /// [`CopyThreadOf`].
    type Thread: LayoutFn;
}
/// One thread's part: `((atom_val,rest_val),RestM,RestN,..)`, CuTe's `partition_S` and
/// `partition_D`.
pub type CopyPartitionOf<C, Side, L> = <C as TidFrg<Side, L>>::Partition;
/// The layout that maps a thread's index to the offset of its part; see
/// [`thread_offset`](super::thread_offset).
pub type CopyThreadOf<C, Side, L> = <C as TidFrg<Side, L>>::Thread;

type Tiles<C, L> = <L as ZippedDivideBy<<C as TiledCopyTraits>::TilerMn>>::Output;
type ByThreads<C, Side, L> =
    <Tiles<C, L> as Compose<Pair<<C as ThrValToTile<Side>>::Output, Underscore>>>::Output;

impl<C, Side, L> TidFrg<Side, L> for C
where
    C: ThrValToTile<Side>,
    L: ZippedDivideBy<C::TilerMn>,
    Tiles<C, L>: Compose<Pair<<C as ThrValToTile<Side>>::Output, Underscore>>,
{
    type Output = L::With<
        Cons<
            First<AtomMode<ByThreads<C, Side, L>>>,
            Pair<Second<AtomMode<ByThreads<C, Side, L>>>, RestMode<ByThreads<C, Side, L>>>,
        >,
    >;
    type Partition = L::With<
        Cons<
            Second<AtomMode<ByThreads<C, Side, L>>>,
            <RestMode<ByThreads<C, Side, L>> as ModeTree>::Spliced,
        >,
    >;
    type Thread = L::With<First<AtomMode<ByThreads<C, Side, L>>>>;
}

//! A tiled MMA, and its operands.
//!
//! ```text
//!   atom × (2,2,1) of them   ─►   TiledMma of 128 threads   ─►   (thread, value) of A, of B, of C
//! ```
//!
//! Law: the threads together hold each operand's tile. They hold every element as often as the
//! atoms need it.

use super::partition::ThrFrg;
use crate::algebra::complement::{Complementable, complement_of};
use crate::algebra::compose_list::Digits;
use crate::algebra::composition::{Compose, Tiler};
use crate::algebra::inverse::RightInvertible;
use crate::algebra::message::Refusal;
use crate::algebra::outcome::{Done, Refused};
use crate::algebra::product::LogicalProductBy;
use crate::atom::MmaAtom;
use crate::atom::mma::{AtomK, AtomM, AtomN};
use crate::decimal::Decimal;
use crate::layout::{Layout, LayoutFn, ShapeOf, Size, StaticLayout, StrideOf, Unzip};
use crate::num::{Bool, False, Nat, NatCmp, NatDiv, One, QuotRem, True, Zero};
use crate::shape::ShapeTree;
use crate::tree::{Cons, M, ModeList, ModeTree, Nil, Underscore, Zip, phantom};
use typenum::{B0, B1, UInt};

// -- Operands -------------------------------------------------------------------------------------
//
// The operands of a tiled MMA: which modes of the tile each has, and its thread-value layout.
//
// ```text
//   A (M,K)      B (N,K)      C (M,N)          threads along the mode that an operand lacks share its elements
// ```
//
// Law: `LayoutTv<Mma, X>` maps (thread, value) to the column-major index in the tile of `X`. The
// right inverse of `ThrLayoutVmnk` maps a thread's index to its place; the complement fills the
// holes of `ThrLayoutVmnk`.
//
// Step by step: `docs/walkthroughs/thread-value-layouts.md`.
//
// Source: CuTe `TiledMMA::get_layoutA_TV`, `get_layoutB_TV`, `get_layoutC_TV`.

/// The operand A, (M,K).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperandA;
/// The operand B, (N,K).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperandB;
/// The accumulator, (M,N).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperandC;

/// The role of a fragment or a tiled copy that was made for no operand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnyRole;

/// Implemented if a tiled copy made for the operand `X` can move a fragment of the role `Self`.
///
/// A copy that was made for no operand moves every fragment, and every copy moves a fragment that
/// is no operand.
#[diagnostic::on_unimplemented(
    message = "a fragment of `{Self}` is given to a tiled copy that was made for `{X}`",
    label = "the threads and values of the copy are another operand's",
    note = "`MakeTiledCopyA`, `MakeTiledCopyB` and `MakeTiledCopyC` make the copies of A, B and C"
)]
#[doc(hidden)]
pub trait MadeFor<X> {}
impl<X> MadeFor<X> for AnyRole {}
impl MadeFor<AnyRole> for OperandA {}
impl MadeFor<AnyRole> for OperandB {}
impl MadeFor<AnyRole> for OperandC {}
impl MadeFor<OperandA> for OperandA {}
impl MadeFor<OperandB> for OperandB {}
impl MadeFor<OperandC> for OperandC {}

/// A tuple of two elements.
pub(super) type Pair<A, B> = Cons<A, Cons<B, Nil>>;
/// `(N,R):(1,0)`: the coordinate along a mode of `N`, for a thread with a further coordinate in `R`
/// that does not matter.
type KeepFirst<N, R> = Unzip<Pair<Step<N, One>, Step<R, Zero>>>;
/// `(R,N):(0,1)`: the coordinate along a mode of `N`, which is the second coordinate here.
type KeepSecond<R, N> = Unzip<Pair<Step<R, Zero>, Step<N, One>>>;
type Step<N, D> = M<N, <<N as NatCmp>::IsOne as Bool>::PickNat<Zero, D>>;

/// The modes and layouts of a tiled MMA that belong to an operand.
pub trait MmaOperand<Mma: TiledMmaTraits> {
    /// The layout that maps (thread, value) to the operand's tile in the atom.
    type AtomTv: StaticLayout;
    /// The permutations of the operand's two modes.
    type PermutationTile: Tiler;
    /// The atom's size along the operand's two modes.
    type AtomTile: Tiler;
    /// The number of atoms along the operand's two modes.
    type ThreadTile: Tiler;
    /// The tiler from `(ThrM,ThrN,ThrK)` to the operand's two thread modes.
    type ThreadsOf: Tiler;
    /// The tiler of [`ThreadsOf`](Self::ThreadsOf) in the form that CuTe uses for the thread-value
    /// layout. For C, this form puts the threads along K at the mode's end.
    type CuteThreadsOf: Tiler;
    /// The column-major layout of the operand's tile.
    type Tile: StaticLayout;
    /// The number of the tile's elements along its two modes.
    type TileSizes;
}

/// The column-major layout `(M,N)`.
type ColumnMajor<A, B> = Unzip<<Pair<A, B> as ShapeTree>::Left<One>>;

impl<Mma: TiledMmaTraits> MmaOperand<Mma> for OperandA {
    type AtomTv = <Mma::Atom as MmaAtom>::ALayout;
    type PermutationTile = Pair<Mma::PermutationM, Mma::PermutationK>;
    type AtomTile = Pair<AtomM<Mma::Atom>, AtomK<Mma::Atom>>;
    type ThreadTile = Pair<Underscore, Pair<Mma::ThrM, Mma::ThrK>>;
    type ThreadsOf =
        Pair<Pair<Underscore, Pair<KeepFirst<Mma::ThrM, Mma::ThrN>, Underscore>>, Underscore>;
    type CuteThreadsOf = Self::ThreadsOf;
    type Tile = ColumnMajor<Mma::TileM, Mma::TileK>;
    type TileSizes = Pair<Mma::TileM, Mma::TileK>;
}
impl<Mma: TiledMmaTraits> MmaOperand<Mma> for OperandB {
    type AtomTv = <Mma::Atom as MmaAtom>::BLayout;
    type PermutationTile = Pair<Mma::PermutationN, Mma::PermutationK>;
    type AtomTile = Pair<AtomN<Mma::Atom>, AtomK<Mma::Atom>>;
    type ThreadTile = Pair<Underscore, Pair<Mma::ThrN, Mma::ThrK>>;
    type ThreadsOf =
        Pair<Pair<Underscore, Pair<KeepSecond<Mma::ThrM, Mma::ThrN>, Underscore>>, Underscore>;
    type CuteThreadsOf = Self::ThreadsOf;
    type Tile = ColumnMajor<Mma::TileN, Mma::TileK>;
    type TileSizes = Pair<Mma::TileN, Mma::TileK>;
}
impl<Mma: TiledMmaTraits> MmaOperand<Mma> for OperandC {
    type AtomTv = <Mma::Atom as MmaAtom>::CLayout;
    type PermutationTile = Pair<Mma::PermutationM, Mma::PermutationN>;
    type AtomTile = Pair<AtomM<Mma::Atom>, AtomN<Mma::Atom>>;
    type ThreadTile = Pair<Underscore, Pair<Mma::ThrM, Mma::ThrN>>;
    type ThreadsOf =
        Pair<Pair<Underscore, Pair<Underscore, KeepFirst<Mma::ThrN, Mma::ThrK>>>, Underscore>;
    type CuteThreadsOf = Pair<Underscore, Underscore>;
    type Tile = ColumnMajor<Mma::TileM, Mma::TileN>;
    type TileSizes = Pair<Mma::TileM, Mma::TileN>;
}

/// The layout that maps a thread's index to its place.
pub(super) type PlaceOf<Mma> = <<Mma as TiledMmaTraits>::ThrLayoutVmnk as ThreadPlaces>::Place;

/// The thread-value layout of an operand's tile: CuTe's `get_layoutA_TV`, `get_layoutB_TV`,
/// `get_layoutC_TV`.
pub type LayoutTv<Mma, X> = <Mma as TvOf<X>>::Output;

/// Implemented if an operand has a thread-value layout.
#[doc(hidden)]
pub trait TvOf<X>: TiledMmaTraits {
    /// [`LayoutTv`].
    type Output: StaticLayout;
}
/// The `ThrFrg` of the operand's own tile.
type TileFrg<Mma, X> = <Mma as ThrFrg<X, <X as MmaOperand<Mma>>::Tile>>::Output;
type Threads<Mma, X> = <TileFrg<Mma, X> as Compose<<X as MmaOperand<Mma>>::CuteThreadsOf>>::Output;
impl<Mma, X> TvOf<X> for Mma
where
    Mma: TiledMmaTraits + ThrFrg<X, <X as MmaOperand<Mma>>::Tile>,
    X: MmaOperand<Mma>,
    TileFrg<Mma, X>: Compose<X::CuteThreadsOf>,
    Threads<Mma, X>: Compose<Pair<PlaceOf<Mma>, Underscore>, Output: StaticLayout>,
{
    type Output = <Threads<Mma, X> as Compose<Pair<PlaceOf<Mma>, Underscore>>>::Output;
}

// -- The tiled MMA --------------------------------------------------------------------------------
//
// A tiled MMA: an atom laid over threads, and the order of the tile's coordinates.
//
// ```text
//   Sm80_16x8x16, atoms (2,2,1), permutation (32,32,16)
//
//        N: 32 = 8 x 2 atoms x 2 values           thr_layout_vmnk = (32,2,2,1):(1,32,64,0)
//   M    warp 0  warp 2 | warp 0  warp 2          128 threads: thread in the atom, then atom along M, N, K
//   32   warp 1  warp 3 | warp 1  warp 3
// ```
//
// Law: the tile has `size(permutation)` coordinates along each of M, N and K. A permutation that is
// a layout gives the order of the coordinates; `_` means the number of coordinates that the atoms
// hold. A permutation holds a whole number of the atoms laid along it.
//
// Step by step: `docs/walkthroughs/permutation.md`.
//
// Source: CuTe `TiledMMA` in `cute/atom/mma_atom.hpp`.

phantom! {
    /// CuTe's `TiledMMA<Atom, AtomLayoutMNK, PermutationMNK>`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
    /// use layout_types::tiled::{LayoutTv, OperandC, TiledMma, TiledMmaTraits};
    /// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
    /// assert_eq!(<Mma as TiledMmaTraits>::ThrLayoutVmnk::default().to_string(), "(32,2,2,1):(1,32,64,0)");
    /// assert_eq!(
    ///     LayoutTv::<Mma, OperandC>::default().to_string(),
    ///     "((4,8,2,2),((2,2),(1,2))):((64,1,16,256),((32,8),(0,512)))"
    /// );
    /// ```
    ///
    /// A permutation smaller than the atoms it must hold is refused:
    ///
    /// ```compile_fail
    /// use layout_types::prelude::*;
    /// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
    /// use layout_types::tiled::{TiledMma, TiledMmaTraits};
    /// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(16, 32, 16)>;
    /// let _ = <Mma as TiledMmaTraits>::ThrLayoutVmnk::default();
    /// ```
    #[doc(alias = "make_tiled_mma")]
    TiledMma<Atom, AtomLayoutMnk, PermutationMnk = Cons<Underscore, Cons<Underscore, Cons<Underscore, Nil>>>>
}

/// The parts of a tiled MMA.
#[diagnostic::on_unimplemented(
    message = "not a tiled MMA",
    label = "a tiled MMA is `TiledMma<Atom, AtomLayoutMNK, PermutationMNK>` with three modes each"
)]
pub trait TiledMmaTraits: Copy + Default + Send + Sync + 'static {
    /// The atom.
    type Atom: MmaAtom;
    /// The layout of a thread's place (v, m, n, k): its thread in the atom, and its atom along M, N
    /// and K.
    type ThrLayoutVmnk: ThreadPlaces;
    /// The number of atoms along M.
    type ThrM: Nat;
    /// The number of atoms along N.
    type ThrN: Nat;
    /// The number of atoms along K.
    type ThrK: Nat;
    /// The order of the tile's coordinates along M.
    type PermutationM: Tiler;
    /// The order of the tile's coordinates along N.
    type PermutationN: Tiler;
    /// The order of the tile's coordinates along K.
    type PermutationK: Tiler;
    /// The size of the tile along M, CuTe's `tile_size<0>`.
    type TileM: Nat;
    /// The size of the tile along N, CuTe's `tile_size<1>`.
    type TileN: Nat;
    /// The size of the tile along K, CuTe's `tile_size<2>`.
    type TileK: Nat;
    /// The number of threads, CuTe's `size(mma)`.
    const THREADS: usize = <Self::ThrLayoutVmnk as LayoutFn>::SIZE;
}

/// The modes of the repeats of `LogicalProduct<ThrID, AtomLayout>`.
type Repeats<Thr, Atoms> = <<<<<Thr as LogicalProductBy<Atoms>>::Output as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest as ModeList>::First;
/// CuTe's `tiled_product(ThrID, AtomLayout)`.
type ThrLayout<Thr, Atoms> =
    Unzip<Cons<<Thr as LayoutFn>::Modes, <Repeats<Thr, Atoms> as ModeTree>::Modes>>;
/// The sizes of the first three modes of a layout.
type Size0<L> =
    <<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First as ModeTree>::Size;
type Rest1<L> = <<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest;
type Size1<L> = <<Rest1<L> as ModeList>::First as ModeTree>::Size;
type Size2<L> = <<<Rest1<L> as ModeList>::Rest as ModeList>::First as ModeTree>::Size;

impl<Atom, Atoms, PM, PN, PK> TiledMmaTraits
    for TiledMma<Atom, Atoms, Cons<PM, Cons<PN, Cons<PK, Nil>>>>
where
    Self: Copy + Default + Send + Sync + 'static,
    Atom: MmaAtom,
    Atoms: StaticLayout,
    Atom::ThrId: LogicalProductBy<Atoms>,
    PM: Permutation<<AtomM<Atom> as Nat>::Times<Size0<Atoms>>>,
    PN: Permutation<<AtomN<Atom> as Nat>::Times<Size1<Atoms>>>,
    PK: Permutation<<AtomK<Atom> as Nat>::Times<Size2<Atoms>>>,
    complement_of<Atoms::Modes, One>: GivesPlaces<Atoms, ThrLayout<Atom::ThrId, Atoms>>,
{
    type Atom = Atom;
    type ThrLayoutVmnk = <complement_of<Atoms::Modes, One> as GivesPlaces<
        Atoms,
        ThrLayout<Atom::ThrId, Atoms>,
    >>::Threads;
    type ThrM = Size0<Atoms>;
    type ThrN = Size1<Atoms>;
    type ThrK = Size2<Atoms>;
    type PermutationM = PM::Tiler;
    type PermutationN = PN::Tiler;
    type PermutationK = PK::Tiler;
    type TileM = PM::Size;
    type TileN = PN::Size;
    type TileK = PK::Size;
}

/// Selects the threads of the layout `Atoms` by whether it has a complement. If it has none, its
/// atoms lie apart.
pub trait GivesPlaces<Atoms, Threads> {
    /// The threads.
    type Threads: ThreadPlaces;
}
impl<A, Threads: ThreadPlaces, T: ModeTree, X: Digits> GivesPlaces<A, Threads> for Done<T, X> {
    type Threads = Threads;
}
impl<A, Threads, Why, S, D, P> GivesPlaces<A, Threads> for Refused<Why, S, D, P>
where
    A: LayoutFn,
    ShapeOf<A>: Decimal,
    StrideOf<A>: Decimal,
    Refusal: OwnsOneAtom<<ShapeOf<A> as Decimal>::Text, <StrideOf<A> as Decimal>::Text>,
{
    // An arbitrary layout, so that the refusal is the only message.
    type Threads = Layout<One, Zero>;
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "the atoms of the tiled MMA, laid out {S}:{D}, are not one for each warp (or group of threads of the atom)",
    label = "two of them are the same threads, or there are threads between them that have none: `(2,2,1)` alone is column-major"
)]
pub trait OwnsOneAtom<S, D> {}

/// A layout of threads, which maps a thread's place to its index and back.
#[doc(hidden)]
pub trait ThreadPlaces: StaticLayout {
    /// The layout that maps a thread's index to its place: the right inverse of the layout and its
    /// complement, so that an index without a thread of the atom maps past all places.
    type Place: LayoutFn;
}
impl<L> ThreadPlaces for L
where
    L: StaticLayout + Complementable<One>,
    Filled<L>: RightInvertible,
{
    type Place = <Filled<L> as RightInvertible>::Output;
}
/// A layout and its complement.
type Filled<L> =
    Unzip<Pair<<L as LayoutFn>::Modes, <<L as Complementable<One>>::Output as LayoutFn>::Modes>>;

/// An element of `PermutationMNK`: `_`, a number, or a layout. `Atoms` is the number of coordinates
/// that the atoms along the mode hold.
#[diagnostic::on_unimplemented(
    message = "the permutation does not hold a whole number of the tiled MMA's atoms",
    label = "a permutation is `_`, a number or a layout, its size a multiple of the atom's size times the atoms laid along it"
)]
pub trait Permutation<Atoms> {
    /// The tiler that divides tensors.
    type Tiler: Tiler;
    /// The size of the tile.
    type Size: Nat;
}
impl<N: Nat> Permutation<N> for Underscore {
    type Tiler = N;
    type Size = N;
}
macro_rules! number {
    ($b:ty) => {
        impl<U: Nat, N: Nat> Permutation<N> for UInt<U, $b>
        where
            <<Self as NatDiv>::DivRem<N> as QuotRem>::Exact: HoldsAtoms<Self, N>,
        {
            type Tiler = Self;
            type Size = Self;
        }
    };
}
number!(B0);
number!(B1);
impl<S, D, N: Nat> Permutation<N> for Layout<S, D>
where
    S: Zip<D>,
    Self: LayoutFn + Tiler,
    <<Size<Self> as NatDiv>::DivRem<N> as QuotRem>::Exact: HoldsAtoms<Size<Self>, N>,
{
    type Tiler = Self;
    type Size = Size<Self>;
}

/// Implemented for `True`.
#[doc(hidden)]
pub trait HoldsAtoms<Permutation, Atoms> {}
impl<P, A> HoldsAtoms<P, A> for True {}
impl<P: Decimal, A: Decimal> HoldsAtoms<P, A> for False where
    PermutationTile: Holds<P::Text, A::Text>
{
}
/// Names a mode of the permutation in a diagnostic.
#[derive(Clone, Copy, Debug, Default)]
pub struct PermutationTile;
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "a permutation of {Permutation} does not hold a whole number of the tiled MMA's atoms, which cover {Atoms}",
    label = "the size of the permutation must be a multiple of the atom's size times the atoms laid along the mode"
)]
pub trait Holds<Permutation, Atoms> {}

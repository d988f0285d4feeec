//! The operands of a tiled MMA: which modes of the tile each has, and its thread-value layout.
//!
//! ```text
//!   A (M,K)      B (N,K)      C (M,N)          threads along the mode that an operand lacks share its elements
//! ```
//!
//! Law: `LayoutTv<Mma, X>` maps (thread, value) to the column-major index in the tile of `X`; a thread's place comes from
//! its index by the right inverse of `ThrLayoutVmnk`, holes filled by its complement.
//!
//! Step by step: `docs/walkthroughs/thread-value-layouts.md`.
//!
//! Source: CuTe `TiledMMA::get_layoutA_TV`, `get_layoutB_TV`, `get_layoutC_TV`.

use super::mma::{ThreadPlaces, TiledMmaTraits};
use super::partition::ThrFrg;
use crate::algebra::composition::{Compose, Tiler};
use crate::atom::MmaAtom;
use crate::atom::mma::{AtomK, AtomM, AtomN};
use crate::layout::{StaticLayout, Unzip};
use crate::num::{Bool, NatCmp, One, Zero};
use crate::shape::ShapeTree;
use crate::tree::{Cons, M, Nil, Underscore};

/// The operand A, (M,K).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperandA;
/// The operand B, (N,K).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperandB;
/// The accumulator, (M,N).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperandC;

/// No operand: what a fragment or a tiled copy is that was made for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnyRole;

/// A fragment of the role `Self` is what a tiled copy made for the operand `X` moves.
///
/// A copy that was made for no operand moves every fragment; a fragment that is no operand, every copy moves.
#[diagnostic::on_unimplemented(
    message = "a fragment of `{Self}` is given to a tiled copy that was made for `{X}`",
    label = "the threads and values of the copy are another operand's",
    note = "`MakeTiledCopyA`, `MakeTiledCopyB` and `MakeTiledCopyC` make the copies of A, B and C"
)]
pub trait MadeFor<X> {}
impl<X> MadeFor<X> for AnyRole {}
impl MadeFor<AnyRole> for OperandA {}
impl MadeFor<AnyRole> for OperandB {}
impl MadeFor<AnyRole> for OperandC {}
impl MadeFor<OperandA> for OperandA {}
impl MadeFor<OperandB> for OperandB {}
impl MadeFor<OperandC> for OperandC {}

/// A tuple of two.
pub(super) type Pair<A, B> = Cons<A, Cons<B, Nil>>;
/// `(N,R):(1,0)`: the coordinate along a mode of `N`, for a thread with a further coordinate in `R` that does not matter.
type KeepFirst<N, R> = Unzip<Pair<Step<N, One>, Step<R, Zero>>>;
/// `(R,N):(0,1)`.
type KeepSecond<R, N> = Unzip<Pair<Step<R, Zero>, Step<N, One>>>;
type Step<N, D> = M<N, <<N as NatCmp>::IsOne as Bool>::PickNat<Zero, D>>;

/// What an operand takes of a tiled MMA.
pub trait MmaOperand<Mma: TiledMmaTraits> {
    /// (thread, value) to the operand's tile in the atom.
    type AtomTv: StaticLayout;
    /// The permutations of its two modes.
    type PermutationTile: Tiler;
    /// The atom's size along its two modes.
    type AtomTile: Tiler;
    /// The atoms along its two modes.
    type ThreadTile: Tiler;
    /// From `(ThrM,ThrN,ThrK)` to the operand's two thread modes.
    type ThreadsOf: Tiler;
    /// The same as CuTe has it for the thread-value layout; for C it leaves the threads along K to the mode's end.
    type CuteThreadsOf: Tiler;
    /// The column-major layout of the operand's tile.
    type Tile: StaticLayout;
    /// The tile's elements along its two modes.
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

/// From a thread's index to its place.
pub(super) type PlaceOf<Mma> = <<Mma as TiledMmaTraits>::ThrLayoutVmnk as ThreadPlaces>::Place;

/// The thread-value layout of an operand's tile: CuTe's `get_layoutA_TV`, `get_layoutB_TV`, `get_layoutC_TV`.
pub type LayoutTv<Mma, X> = <Mma as TvOf<X>>::Output;

/// An operand has a thread-value layout.
pub trait TvOf<X>: TiledMmaTraits {
    /// [`LayoutTv`].
    type Output: StaticLayout;
}
/// `ThrFrg` of the operand's own tile.
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

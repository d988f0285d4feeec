//! A tiled MMA: an atom laid over threads, and the order of the tile's coordinates.
//!
//! ```text
//!   Sm80_16x8x16, atoms (2,2,1), permutation (32,32,16)
//!
//!        N: 32 = 8 x 2 atoms x 2 values           thr_layout_vmnk = (32,2,2,1):(1,32,64,0)
//!   M    warp 0  warp 2 | warp 0  warp 2          128 threads: thread in the atom, then atom along M, N, K
//!   32   warp 1  warp 3 | warp 1  warp 3
//! ```
//!
//! Law: the tile has `size(permutation)` coordinates along each of M, N and K; a permutation that is a layout says which
//! coordinate comes where, `_` means as many as the atoms hold. A permutation holds a whole number of the atoms laid along it.
//!
//! Step by step: `docs/walkthroughs/permutation.md`.
//!
//! Source: CuTe `TiledMMA` in `cute/atom/mma_atom.hpp`.

use super::operand::Pair;
use crate::algebra::complement::{ComplementOf, Complementable};
use crate::algebra::compose_list::Digits;
use crate::algebra::composition::Tiler;
use crate::algebra::inverse::RightInvertible;
use crate::algebra::message::Refusal;
use crate::algebra::outcome::{Done, Refused};
use crate::algebra::product::LogicalProductBy;
use crate::atom::MmaAtom;
use crate::atom::mma::{AtomK, AtomM, AtomN};
use crate::decimal::Decimal;
use crate::layout::{Layout, LayoutFn, ShapeOf, Size, StaticLayout, StrideOf, Unzip};
use crate::num::{False, Nat, NatDiv, One, QuotRem, True, Zero};
use crate::tree::{Cons, ModeList, ModeTree, Nil, Underscore, Zip, phantom};
use typenum::{B0, B1, UInt};

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

/// What a tiled MMA is made of.
#[diagnostic::on_unimplemented(
    message = "not a tiled MMA",
    label = "a tiled MMA is `TiledMma<Atom, AtomLayoutMNK, PermutationMNK>` with three modes each"
)]
pub trait TiledMmaTraits: Copy + Default + Send + Sync + 'static {
    /// The atom.
    type Atom: MmaAtom;
    /// The place (v, m, n, k) of a thread: thread in the atom, atom along M, N and K.
    type ThrLayoutVmnk: ThreadPlaces;
    /// Atoms along M.
    type ThrM: Nat;
    /// Atoms along N.
    type ThrN: Nat;
    /// Atoms along K.
    type ThrK: Nat;
    /// The order of the tile's coordinates along M.
    type PermutationM: Tiler;
    /// The order of the tile's coordinates along N.
    type PermutationN: Tiler;
    /// The order of the tile's coordinates along K.
    type PermutationK: Tiler;
    /// CuTe's `tile_size<0>`.
    type TileM: Nat;
    /// CuTe's `tile_size<1>`.
    type TileN: Nat;
    /// CuTe's `tile_size<2>`.
    type TileK: Nat;
    /// The number of threads, CuTe's `size(mma)`.
    const THREADS: usize = <Self::ThrLayoutVmnk as LayoutFn>::SIZE;
}

/// The modes of `LogicalProduct<ThrID, AtomLayout>`'s repeats.
type Repeats<Thr, Atoms> = <<<<<Thr as LogicalProductBy<Atoms>>::Output as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest as ModeList>::First;
/// CuTe's `tiled_product(ThrID, AtomLayout)`.
type ThrLayout<Thr, Atoms> =
    Unzip<Cons<<Thr as LayoutFn>::Modes, <Repeats<Thr, Atoms> as ModeTree>::Modes>>;
/// The size of a mode of a layout.
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
    ComplementOf<Atoms::Modes, One>: GivesPlaces<Atoms, ThrLayout<Atom::ThrId, Atoms>>,
{
    type Atom = Atom;
    type ThrLayoutVmnk = <ComplementOf<Atoms::Modes, One> as GivesPlaces<
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

/// The threads of the layout `Atoms`, by whether it has a complement: then its atoms lie apart.
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
    // Any: the refusal is the one message.
    type Threads = Layout<One, Zero>;
}
/// Holds for nothing: its message is the refusal.
#[diagnostic::on_unimplemented(
    message = "the atoms of the tiled MMA, laid out {S}:{D}, are not one for each warp (or group of threads of the atom)",
    label = "two of them are the same threads, or there are threads between them that have none: `(2,2,1)` alone is column-major"
)]
pub trait OwnsOneAtom<S, D> {}

/// A layout of threads: from a thread's place to its index, and back.
pub trait ThreadPlaces: StaticLayout {
    /// From a thread's index to its place: the right inverse of the layout and its complement, so that indices that no
    /// thread of the atom has come to lie behind all places.
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

/// An element of `PermutationMNK`: `_`, a number, or a layout; `Atoms` is what the atoms along the mode hold.
#[diagnostic::on_unimplemented(
    message = "the permutation does not hold a whole number of the tiled MMA's atoms",
    label = "a permutation is `_`, a number or a layout, its size a multiple of the atom's size times the atoms laid along it"
)]
pub trait Permutation<Atoms> {
    /// What tensors are divided by.
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

/// Holds for true.
pub trait HoldsAtoms<Permutation, Atoms> {}
impl<P, A> HoldsAtoms<P, A> for True {}
impl<P: Decimal, A: Decimal> HoldsAtoms<P, A> for False where
    PermutationTile: Holds<P::Text, A::Text>
{
}
/// A mode of the permutation.
#[derive(Clone, Copy, Debug, Default)]
pub struct PermutationTile;
/// Holds for nothing: its message is the refusal.
#[diagnostic::on_unimplemented(
    message = "a permutation of {Permutation} does not hold a whole number of the tiled MMA's atoms, which cover {Atoms}",
    label = "the size of the permutation must be a multiple of the atom's size times the atoms laid along the mode"
)]
pub trait Holds<Permutation, Atoms> {}

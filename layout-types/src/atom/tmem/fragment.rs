//! The layouts of accumulators of `tcgen05.mma` in tensor memory, and of A in tensor memory.
//!
//! ```text
//!   rows of a CTA                      lane + 128 column                 lanes
//!    64, one CTA     ((16,4),N):((1,32),128)         m % 16 + 32 (m / 16): the lower half of each quarter
//!   128              (128,N):(1,128)                 m
//!    64, of a pair   (64,(N/2,2)):(1,(128,64))       m, the second half of the columns 64 lanes further
//! ```
//!
//! Law: the layout of `((M,N),MMA_M,MMA_N,..)` is an atom above, repeated by `tiled_product`, first
//! over the free lanes and then over the columns, and composed with the strides of lanes and
//! columns. No two elements have the same place. An element takes the bits of its storage: f16
//! accumulators with 32-bit storage take one column each.
//!
//! Source: CuTe `UMMA::tmem_frg`, `UMMA::TmemAllocMode` in `cute/atom/mma_traits_sm100_frag.hpp`;
//! PTX ISA, *tcgen05: Data path layout organization*.

use super::LaneStride;
use crate::algebra::compose::Compose;
use crate::algebra::product::TiledProductBy;
use crate::atom::Element;
use crate::decimal::Decimal;
use crate::layout;
use crate::layout::{StaticLayout, Unzip};
use crate::num::{Bool, False, Nat, NatCmp, One, True, Two};
use crate::shape::ShapeTree;
use crate::tree::{Cons, Nil, phantom};
use core::fmt;
use typenum::{U2, U64, U128};

/// One CTA multiplies by itself: `.cta_group::1`, CuTe's `1SM`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OneSm;
/// A pair of CTAs multiplies together: `.cta_group::2`, CuTe's `2SM`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TwoSm;

/// The CTAs that execute a `tcgen05` instruction together: [`OneSm`] or [`TwoSm`].
pub trait CtaGroup: Copy + Default + fmt::Debug + Send + Sync + 'static {
    /// The number of CTAs.
    type Size: Nat;
    /// Whether the group is a pair.
    type IsPair: Bool;
    /// CuTe's `ThrID` of an atom, whose threads are the group's CTAs.
    type ThrId: StaticLayout;
    /// The largest number of rows of a product.
    type MostRows: Nat;
    /// The layout that maps (CTA, value) to (R, C): each CTA has its share of the `R` rows, and all
    /// `C` columns.
    type Shares<R: Nat, C: Nat>: StaticLayout;
}
impl CtaGroup for OneSm {
    type Size = One;
    type IsPair = False;
    type ThrId = layout!(1:0);
    type MostRows = U128;
    type Shares<R: Nat, C: Nat> = layout!((1,(R,C)):(0,(1,R)));
}
impl CtaGroup for TwoSm {
    type Size = Two;
    type IsPair = True;
    type ThrId = layout!(2:1);
    type MostRows = <U128 as Nat>::Twice;
    type Shares<R: Nat, C: Nat> =
        layout!((2,(<R as Nat>::Over<U2>,C)):(<R as Nat>::Over<U2>,(1,R)));
}

/// The number of the `R` rows that belong to one CTA of the group `G`.
pub type Share<G, R> = <R as Nat>::Over<<G as CtaGroup>::Size>;

/// The allocation of a fragment, CuTe's `UMMA::TmemAllocMode`.
pub trait AllocMode: Copy + Default + fmt::Debug + Send + Sync + 'static {}
macro_rules! modes {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;
        impl AllocMode for $name {}
    )*};
}
modes! {
    /// A tile of 64 rows takes 16 lanes of each quarter, and the next tile the other 16.
    Interleaved
    /// Every tile of 64 rows takes the lower 16 lanes of each quarter. A product with A in tensor
    /// memory needs this: A and the accumulator have the same lanes.
    NonInterleaved
    /// The mode for A of a pair, 64 rows per CTA: two copies, in lanes 0 to 63 and in lanes 64 to
    /// 127.
    Duplicated
}

/// The lanes of `Self` rows of one CTA of the group `G`, allocated by `Mode`.
#[diagnostic::on_unimplemented(
    message = "tensor memory has no fragment of these rows in this mode",
    label = "a CTA by itself has 64 or 128 rows, one of a pair 64 or 128; only a pair duplicates A"
)]
pub trait LaneMap<G, Mode>: Nat {
    /// The layout that maps (row, column) to lane + 128 column.
    type Lanes<N: Nat>: StaticLayout;
    /// The distance from one tile to the next, in tiles. A distance of 2 skips the upper 16 lanes
    /// of the quarters.
    type TileStride: Nat;
}
/// Puts row `m` into lane `m`.
type Plain<N> = layout!((128,N):(1,128));
/// Puts row `m` into lane `m % 16 + 32 (m / 16)`.
type LowerHalves<N> = layout!(((16,4),N):((1,32),128));
/// Puts row `m` into lane `m`; the second half of the columns lies 64 lanes further.
type TwoByTwo<N> = layout!((64,(<N as Nat>::Over<U2>,2)):(1,(128,64)));
macro_rules! lanes {
    ($($rows:ident $group:ident $mode:ident $map:ident $stride:ident;)*) => {$(
        impl LaneMap<$group, $mode> for $rows {
            type Lanes<N: Nat> = $map<N>;
            type TileStride = $stride;
        }
    )*};
}
lanes! {
    U64  OneSm Interleaved    LowerHalves One;
    U64  OneSm NonInterleaved LowerHalves Two;
    U128 OneSm Interleaved    Plain One;
    U128 OneSm NonInterleaved Plain One;
    U64  TwoSm Interleaved    TwoByTwo One;
    U64  TwoSm Duplicated     Plain One;
    U128 TwoSm Interleaved    Plain One;
    U128 TwoSm Duplicated     Plain One;
}

phantom! {
    /// A fragment of elements `T` in tensor memory, each in the bits of a `Storage`: CuTe's
    /// `UMMA::tmem_frg<T, Storage, N_SM, Mode>`.
    TmemFrg<T, Storage, G, Mode>
}
impl<T: Element, S: Element, G: CtaGroup, Mode: AllocMode> fmt::Debug for TmemFrg<T, S, G, Mode> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (group, mode) = (G::default(), Mode::default());
        write!(f, "TmemFrg<{}, {}, {group:?}, {mode:?}>", T::NAME, S::NAME)
    }
}
/// A fragment for one CTA: CuTe's `UMMA::tmem_frg_1sm`.
pub type TmemFrg1Sm<T, Storage = u32, Mode = Interleaved> = TmemFrg<T, Storage, OneSm, Mode>;
/// A fragment for a pair of CTAs: CuTe's `UMMA::tmem_frg_2sm`.
pub type TmemFrg2Sm<T, Storage = u32, Mode = Interleaved> = TmemFrg<T, Storage, TwoSm, Mode>;

/// The layout of a fragment `Frg` of the shape `((M,N),MMA_M,MMA_N,..)`, where M is the number of
/// rows of one CTA: CuTe's `make_tensor<Frg>(shape)`.
///
/// ```
/// use layout_types::atom::tmem::fragment::{MakeTmemFrg, TmemFrg1Sm, TmemFrg2Sm};
/// use layout_types::prelude::*;
/// // Two accumulators of 128 x 256: all 512 columns.
/// type Two = MakeTmemFrg<TmemFrg1Sm<f32>, shape!(((128,256),1,2))>;
/// assert_eq!(Two::default().to_string(), "((128,256),1,2):((65536,1),0,256)");
/// // Of two accumulators of 64 rows the second takes the upper 16 lanes of each quarter.
/// type Halves = MakeTmemFrg<TmemFrg1Sm<f32>, shape!(((64,256),1,2))>;
/// assert_eq!(Halves::default().to_string(), "(((16,4),256),1,2):(((65536,2097152),1),0,1048576)");
/// // A CTA has 64 of a pair's 128 rows; each half of the columns has its own half of the lanes.
/// type Pair = MakeTmemFrg<TmemFrg2Sm<f32>, shape!(((64,256),1,1))>;
/// assert_eq!(Pair::default().to_string(), "((64,(128,2)),1,1):((65536,(1,4194304)),0,0)");
/// ```
pub type MakeTmemFrg<Frg, Shape> = <Frg as TmemFragment<Shape>>::Layout;

/// Fragments `Self` with a layout for the shape `Shape`.
#[doc(hidden)]
pub trait TmemFragment<Shape> {
    /// [`MakeTmemFrg`].
    type Layout: StaticLayout;
}
/// Maps lane + 128 column to the offset in elements of `T`.
type Restride<T, Storage> = layout!((128,16384):(LaneStride<T>,<<Storage as Element>::Bits as Nat>::Over<<T as Element>::Bits>));
/// The layout of a fragment's tiles.
type Tiles<Rest, Stride> = Unzip<<Rest as ShapeTree>::Left<Stride>>;

impl<T, Storage, G, Mode, Rows, N, Rest> TmemFragment<Cons<Cons<Rows, Cons<N, Nil>>, Rest>>
    for TmemFrg<T, Storage, G, Mode>
where
    T: Element,
    Storage: Element,
    G: CtaGroup,
    N: Nat,
    Rows: LaneMap<G, Mode>,
    Rest: ShapeTree,
    <Storage::Bits as NatCmp>::AtLeast<T::Bits>: HoldsElement<T::Bits, Storage::Bits>,
    Rows::Lanes<N>:
        TiledProductBy<Tiles<Rest, Rows::TileStride>, Output: Restrided<Restride<T, Storage>>>,
{
    type Layout =
        <<Rows::Lanes<N> as TiledProductBy<Tiles<Rest, Rows::TileStride>>>::Output as Restrided<
            Restride<T, Storage>,
        >>::Output;
}

/// A layout that maps to lane + 128 column, composed with the strides `By` of lanes and columns.
#[doc(hidden)]
pub trait Restrided<By> {
    /// The resulting layout, which maps to offsets.
    type Output: StaticLayout;
}
impl<L, By: Compose<L, Output: StaticLayout>> Restrided<By> for L {
    type Output = By::Output;
}

/// Implemented for `True`: an element fits its storage.
#[doc(hidden)]
pub trait HoldsElement<T, Storage> {}
impl<T, Storage> HoldsElement<T, Storage> for True {}
impl<T: Decimal, Storage: Decimal> HoldsElement<T, Storage> for False where
    TmemStorage: FitsIn<T::Text, Storage::Text>
{
}
/// Names the storage of a fragment in tensor memory in a diagnostic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TmemStorage;
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "elements of {T} bits do not fit a storage of {Storage} bits",
    label = "a fragment in tensor memory has a storage at least as wide as its elements"
)]
#[doc(hidden)]
pub trait FitsIn<T, Storage> {}

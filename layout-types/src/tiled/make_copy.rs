//! Makes tiled copies from an atom, threads and values; from a tiled MMA; or from addresses.
//!
//! ```text
//!   make_tiled_copy(atom, threads, values)     make_tiled_copy_A(atom, mma)     make_cotiled_copy(atom, tv, addresses)
//! ```
//!
//! Law: the result covers its tile, and one thread owns each element.

use super::copy::TiledCopy;
use super::mma::TiledMmaTraits;
use super::mma::{LayoutTv, OperandA, OperandB, OperandC, Pair};
use crate::algebra::coalesce::CoalescedTree;
use crate::algebra::common_vectors::WithShape;
use crate::algebra::composition::{Compose, Composition};
use crate::algebra::flatten::Filter;
use crate::algebra::inverse::{LeftInverse, LeftInvertible, RightInverse};
use crate::algebra::product::RakedProduct;
use crate::atom::CopyValues;
use crate::decimal::Decimal;
use crate::layout::{Layout, LayoutFn, ShapeOf, Size, StaticLayout, Unzip};
use crate::num::{Bool, False, Nat, NatCmp, One, StrideLeaf, True, Zero};
use crate::shape::{LayoutLeft, ShapeTree};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil, phantom};
use typenum::{B0, B1, UInt};

// -- By threads and values ------------------------------------------------------------------------
//
// Makes tiled copies from threads and values, and for the operands of a tiled MMA.
//
// ```text
//   MakeTiledCopy<Op, T, (16,8):(8,1), (1,8)>     threads in rows of 8, each 8 values along N: tile (16,64)
//   MakeTiledCopyA<Op, T, Mma>                    the threads and values of the MMA's A, tile (TileM,TileK)
//   MakeTiledCopyCAtom<Op, T, Mma>                the smallest copy of C that the atom can do
// ```
//
// Law: a copy made for an operand has the operand's thread-value layout, so that the copy's
// fragments are the MMA's fragments, retiled.
//
// Step by step: `docs/walkthroughs/make-tiled-copy.md`, `cp-async.md` and `tiled-copy-c.md`.
//
// Source: CuTe `make_tiled_copy`, `make_tiled_copy_A`, `_B`, `_C`, `make_tiled_copy_C_atom` in
// `cute/atom/copy_atom.hpp`.

/// The tiled copy in which each thread of `Thr` takes the values of `Val`, which are contiguous:
/// CuTe's `make_tiled_copy(Copy_Atom<Op, T>, thr_layout, val_layout)`.
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

/// The tiled copy with the threads and values of the operand A of `Mma`: CuTe's
/// `make_tiled_copy_A`.
#[doc(alias = "make_tiled_copy_A")]
pub type MakeTiledCopyA<Op, T, Mma> = TiledCopy<
    Op,
    T,
    LayoutTv<Mma, OperandA>,
    Pair<<Mma as TiledMmaTraits>::TileM, <Mma as TiledMmaTraits>::TileK>,
    OperandA,
>;
/// The tiled copy with the threads and values of the operand B of `Mma`: CuTe's
/// `make_tiled_copy_B`.
#[doc(alias = "make_tiled_copy_B")]
pub type MakeTiledCopyB<Op, T, Mma> = TiledCopy<
    Op,
    T,
    LayoutTv<Mma, OperandB>,
    Pair<<Mma as TiledMmaTraits>::TileN, <Mma as TiledMmaTraits>::TileK>,
    OperandB,
>;
/// The tiled copy with the threads and values of the accumulator of `Mma`: CuTe's
/// `make_tiled_copy_C`.
#[doc(alias = "make_tiled_copy_C")]
pub type MakeTiledCopyC<Op, T, Mma> =
    TiledCopy<Op, T, LayoutTv<Mma, OperandC>, TileMn<Mma>, OperandC>;

/// The tile `(TileM,TileN)`.
type TileMn<Mma> = Pair<<Mma as TiledMmaTraits>::TileM, <Mma as TiledMmaTraits>::TileN>;
type Size0<L> =
    <<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First as ModeTree>::Size;
/// CuTe's `make_tiled_copy_C_atom`: the smallest tiled copy that can retile the accumulator of
/// `Mma`, for an epilogue that stores in parts.
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

// The copy is made step by step, and each result is a parameter of the next step. An alias would be
// written out at each place where it is used, and each of these results is used twice in the next
// step.
phantom! {
    /// An intermediate state of [`MakeTiledCopyCAtom`].
    CAtom<Op, T>
}
/// Takes the thread-value layout of C, its `Values` and the tile. The values come first; there are
/// as many as the atom's source has.
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
/// Takes the coordinates along M and along N that these values have.
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
/// Takes the tile composed with these coordinates.
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
/// Takes the map from a place in the tile back to the first values.
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

// -- By addresses ---------------------------------------------------------------------------------
//
// Makes a tiled copy from addresses: the offset of each thread and value, and the place where the
// tensor keeps this offset.
//
// ```text
//   data (16,16):(16,1), atom_tv (32,8):(8,1)      thread t moves offsets 8 t .. 8 t + 7: half a row
// ```
//
// Law: if the copy partitions a tensor of layout `Data`, value `v` of thread `t` is at offset
// `AtomTv(t, v)`. Every offset of `AtomTv` is an offset of `Data`; otherwise there is no copy.
// (CuTe checks only the values of the first thread.)
//
// Source: CuTe `make_cotiled_copy` in `cute/atom/copy_atom.hpp`.

/// The tiled copy from addresses: CuTe's `make_cotiled_copy(Copy_Atom<Op, T>, atom_tv, data)`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::atom::copy::UniversalCopy;
/// use layout_types::tiled::{CopyPartitionOf, CopyThreadOf, MakeCotiledCopy, Source, thread_offset};
/// type Data = layout!((16,16):(16,1));
/// type Copy = MakeCotiledCopy<UniversalCopy<u128>, half::f16, layout!((32,8):(8,1)), Data>;
/// assert_eq!(CopyPartitionOf::<Copy, Source, Data>::default().to_string(), "((8,1),1,1):((1,0),0,0)");
/// assert_eq!(thread_offset::<CopyThreadOf<Copy, Source, Data>, u32>(5), 40);
/// ```
///
/// An address that the data does not have is refused:
///
/// ```compile_fail
/// use layout_types::prelude::*;
/// use layout_types::atom::copy::UniversalCopy;
/// use layout_types::tiled::{MakeCotiledCopy, TiledCopyTraits};
/// // Rows of 8 halfs, 16 apart: every second thread would move what lies between two rows.
/// type Padded = layout!((16,8):(16,1));
/// type Copy = MakeCotiledCopy<UniversalCopy<u128>, half::f16, layout!((32,8):(8,1)), Padded>;
/// let _ = <Copy as TiledCopyTraits>::LayoutTv::default();
/// ```
#[doc(alias = "make_cotiled_copy")]
pub type MakeCotiledCopy<Op, T, AtomTv, Data> = TiledCopy<
    Op,
    T,
    Composition<
        LeftInverse<Composition<LayoutLeft<Sizes<Data>>, ActiveData<AtomTv, Data>>>,
        Coordinates<Existing<AtomTv, Data>, Data>,
    >,
    ActiveData<AtomTv, Data>,
>;

/// The sizes of the tensor's modes.
type Sizes<Data> = <ShapeOf<Data> as ShapeTree>::Sizes;
/// The layout, ended by a mode of size 1, so that a coordinate past its end remains past the end.
type Ended<L> = Unzip<Pair<<L as LayoutFn>::Modes, M<One, Zero>>>;
/// Maps an offset to the tensor's coordinate. Past the end there is no coordinate.
type FromOffset<Data> = Ended<LeftInverse<Data>>;
/// Maps (thread, value) to the tensor's coordinate.
type Coordinates<AtomTv, Data> = Composition<FromOffset<Data>, AtomTv>;
/// The coordinates along each mode that the threads and values have.
type ActiveData<AtomTv, Data> = <<Sizes<Data> as Axes>::Along<Nil, Sizes<Data>> as ActiveAlong<
    Coordinates<AtomTv, Data>,
>>::Tiler;

/// A list of sizes, or a size.
#[doc(hidden)]
pub trait Axes {
    /// A stride 0 for each size.
    type Zeros;
    /// For each size, the layout of `Shape` whose stride is 1 along it and 0 elsewhere. `Before`
    /// are the zeros of the earlier sizes.
    type Along<Before: Zeros, Shape>;
}
impl Axes for Nil {
    type Zeros = Nil;
    type Along<Before: Zeros, Shape> = Nil;
}
impl<H, T: Axes> Axes for Cons<H, T> {
    type Zeros = Cons<Zero, T::Zeros>;
    type Along<Before: Zeros, Shape> =
        Cons<Layout<Shape, Before::Onto<Cons<One, T::Zeros>>>, T::Along<Cons<Zero, Before>, Shape>>;
}
macro_rules! number {
    ($b:ty) => {
        impl<U> Axes for UInt<U, $b> {
            type Zeros = Cons<Zero, Nil>;
            type Along<Before: Zeros, Shape> = Cons<Layout<Shape, One>, Nil>;
        }
    };
}
number!(B0);
number!(B1);
/// A list of zeros.
#[doc(hidden)]
pub trait Zeros {
    /// The zeros, followed by `L`.
    type Onto<L>;
}
impl Zeros for Nil {
    type Onto<L> = L;
}
impl<T: Zeros> Zeros for Cons<Zero, T> {
    type Onto<L> = Cons<Zero, T::Onto<L>>;
}
/// A list of layouts, each of which maps a coordinate to its place along a mode.
#[doc(hidden)]
pub trait ActiveAlong<Coordinates> {
    /// For each layout, the places that the coordinates have.
    type Tiler;
}
impl<C> ActiveAlong<C> for Nil {
    type Tiler = Nil;
}
impl<H, T, C> ActiveAlong<C> for Cons<H, T>
where
    H: Compose<C, Output: LayoutFn>,
    T: ActiveAlong<C>,
{
    type Tiler = Cons<Filter<<H as Compose<C>>::Output>, T::Tiler>;
}

/// The offsets at which the tensor keeps the elements of the offsets `AtomTv`. The two are equal if
/// the tensor has these offsets.
type Recovered<AtomTv, Data> = Composition<Ended<Data>, Coordinates<AtomTv, Data>>;
type Coalesced<L> = CoalescedTree<<L as LayoutFn>::Modes>;
/// The layout `AtomTv`, whose addresses are all addresses of `Data`.
type Existing<AtomTv, Data> =
    <AtomTv as AddressesIn<Data, Coalesced<AtomTv>, Coalesced<Recovered<AtomTv, Data>>>>::AtomTv;

/// Implemented if every offset of the layout is an offset of `Data`. `Asked` are the layout's
/// offsets, and `Found` are those that `Data` has there.
#[doc(hidden)]
pub trait AddressesIn<Data, Asked, Found> {
    /// The layout itself.
    type AtomTv: StaticLayout;
}
impl<S, D, DataS, DataD, Asked, Found> AddressesIn<Layout<DataS, DataD>, Asked, Found>
    for Layout<S, D>
where
    Self: StaticLayout,
    Asked: SameModes,
    Found: SameModes,
    Asked::Same<Found>: AllExist<S, D, DataS, DataD>,
{
    type AtomTv = Self;
}

/// Coalesced layouts that can be compared.
#[doc(hidden)]
pub trait SameModes {
    /// Whether `T` is the same.
    type Same<T: SameModes>: Bool;
    /// Whether this is the mode `S:D`.
    type IsMode<S: Nat, D: StrideLeaf>: Bool;
    /// Whether this is the list of `H` and `T`.
    type IsList<H: SameModes, T: SameModes>: Bool;
    /// Whether this is the empty list.
    type IsEmpty: Bool;
}
impl<S: Nat, D: StrideLeaf> SameModes for M<S, D> {
    type Same<T: SameModes> = T::IsMode<S, D>;
    type IsMode<S2: Nat, D2: StrideLeaf> = <<S as NatCmp>::Equals<S2> as Bool>::And<D::Same<D2>>;
    type IsList<H: SameModes, T: SameModes> = False;
    type IsEmpty = False;
}
impl SameModes for Nil {
    type Same<T: SameModes> = T::IsEmpty;
    type IsMode<S: Nat, D: StrideLeaf> = False;
    type IsList<H: SameModes, T: SameModes> = False;
    type IsEmpty = True;
}
impl<H: SameModes, T: SameModes> SameModes for Cons<H, T> {
    type Same<U: SameModes> = U::IsList<H, T>;
    type IsMode<S: Nat, D: StrideLeaf> = False;
    type IsList<H2: SameModes, T2: SameModes> = <H::Same<H2> as Bool>::And<T::Same<T2>>;
    type IsEmpty = False;
}

/// Implemented for `True`.
#[doc(hidden)]
pub trait AllExist<S, D, DataS, DataD> {}
impl<S, D, DataS, DataD> AllExist<S, D, DataS, DataD> for True {}
impl<S: Decimal, D: Decimal, DataS: Decimal, DataD: Decimal> AllExist<S, D, DataS, DataD> for False where
    CotiledCopy: HasAddresses<S::Text, D::Text, DataS::Text, DataD::Text>
{
}
/// Names the parts of a cotiled copy in a diagnostic.
#[derive(Clone, Copy, Debug, Default)]
pub struct CotiledCopy;
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "the copy's threads and values {S}:{D} have addresses that the data {DataS}:{DataD} does not have",
    label = "make_cotiled_copy: each offset of the thread-value layout must be an offset of the data"
)]
#[doc(hidden)]
pub trait HasAddresses<S, D, DataS, DataD> {}

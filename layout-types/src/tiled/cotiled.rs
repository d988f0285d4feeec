//! A tiled copy made from addresses: which offset each thread and value has, and where the tensor keeps it.
//!
//! ```text
//!   data (16,16):(16,1), atom_tv (32,8):(8,1)      thread t moves offsets 8 t .. 8 t + 7: half a row
//! ```
//!
//! Law: partitioned by the copy, a tensor of layout `Data` has value `v` of thread `t` at offset `AtomTv(t, v)`. Every offset of
//! `AtomTv` is one of `Data`'s; otherwise there is no copy. (CuTe looks at the values of the first thread only.)
//!
//! Source: CuTe `make_cotiled_copy` in `cute/atom/copy_atom.hpp`.

use super::copy::TiledCopy;
use super::operand::Pair;
use crate::algebra::coalesce::CoalescedTree;
use crate::algebra::composition::{Compose, Composition};
use crate::algebra::flatten::Filter;
use crate::algebra::inverse::LeftInverse;
use crate::decimal::Decimal;
use crate::layout::{Layout, LayoutFn, ShapeOf, StaticLayout, Unzip};
use crate::num::{Bool, False, Nat, NatCmp, One, StrideLeaf, True, Zero};
use crate::shape::{LayoutLeft, ShapeTree};
use crate::tree::{Cons, M, Nil};
use typenum::{B0, B1, UInt};

/// CuTe's `make_cotiled_copy(Copy_Atom<Op, T>, atom_tv, data)`.
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
        LeftInverse<Composition<LayoutLeft<Sizes<Data>>, Active<AtomTv, Data>>>,
        Coordinates<Existing<AtomTv, Data>, Data>,
    >,
    Active<AtomTv, Data>,
>;

/// The sizes of the tensor's modes.
type Sizes<Data> = <ShapeOf<Data> as ShapeTree>::Sizes;
/// The layout and behind its end nothing more, so that a coordinate that it does not have stays what it is.
type Ended<L> = Unzip<Pair<<L as LayoutFn>::Modes, M<One, Zero>>>;
/// From an offset to the tensor's coordinate; behind the end there is none.
type FromOffset<Data> = Ended<LeftInverse<Data>>;
/// (thread, value) to the tensor's coordinate.
type Coordinates<AtomTv, Data> = Composition<FromOffset<Data>, AtomTv>;
/// The coordinates along each mode that these are.
type Active<AtomTv, Data> = <<Sizes<Data> as Axes>::Along<Nil, Sizes<Data>> as ActiveAlong<
    Coordinates<AtomTv, Data>,
>>::Tiler;

/// A list of sizes, or a size.
pub trait Axes {
    /// A stride 0 for each.
    type Zeros;
    /// For each the layout of `Shape` whose stride is 1 along it and 0 elsewhere; `Before` are the zeros of the sizes before.
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
pub trait Zeros {
    /// The zeros and then `L`.
    type Onto<L>;
}
impl Zeros for Nil {
    type Onto<L> = L;
}
impl<T: Zeros> Zeros for Cons<Zero, T> {
    type Onto<L> = Cons<Zero, T::Onto<L>>;
}
/// A list of layouts that say where along a mode a coordinate is.
pub trait ActiveAlong<Coordinates> {
    /// For each the places that the coordinates have.
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

/// The offsets where the tensor keeps what it keeps at these offsets: the same, if it has them.
type Recovered<AtomTv, Data> = Composition<Ended<Data>, Coordinates<AtomTv, Data>>;
type Coalesced<L> = CoalescedTree<<L as LayoutFn>::Modes>;
/// `AtomTv`, all its addresses being `Data`'s.
type Existing<AtomTv, Data> =
    <AtomTv as AddressesIn<Data, Coalesced<AtomTv>, Coalesced<Recovered<AtomTv, Data>>>>::AtomTv;

/// Every offset of the layout is one of `Data`'s: `Asked` are its offsets, `Found` what `Data` has there.
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

/// Two coalesced layouts compared.
pub trait SameModes {
    /// Is `T` the same?
    type Same<T: SameModes>: Bool;
    /// Is it this mode?
    type IsMode<S: Nat, D: StrideLeaf>: Bool;
    /// Is it this list?
    type IsList<H: SameModes, T: SameModes>: Bool;
    /// Is it the empty list?
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

/// Holds for true.
pub trait AllExist<S, D, DataS, DataD> {}
impl<S, D, DataS, DataD> AllExist<S, D, DataS, DataD> for True {}
impl<S: Decimal, D: Decimal, DataS: Decimal, DataD: Decimal> AllExist<S, D, DataS, DataD> for False where
    CotiledCopy: HasAddresses<S::Text, D::Text, DataS::Text, DataD::Text>
{
}
/// What a cotiled copy is made from.
#[derive(Clone, Copy, Debug, Default)]
pub struct CotiledCopy;
/// Holds for nothing: its message is the refusal.
#[diagnostic::on_unimplemented(
    message = "the copy's threads and values {S}:{D} have addresses that the data {DataS}:{DataD} does not have",
    label = "make_cotiled_copy: each offset of the thread-value layout must be an offset of the data"
)]
pub trait HasAddresses<S, D, DataS, DataD> {}

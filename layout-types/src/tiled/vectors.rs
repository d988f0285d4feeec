//! Vectors in memory: whether the values that an instruction moves for a thread are contiguous, and
//! how wide a copy can be.
//!
//! ```text
//!   a thread's part             ((8,1),4,2):((1,0),1024,16)
//!   cp.async of 16 bytes        8 halfs: 8:1 is a run, 1024 and 16 are multiples of 8; after Sw<3,3,3> blocks of 2^3 stay whole
//!   UniversalCopy<u64>          4 halfs of ((2,2),..):((1,16),..): no run of 4, refused
//! ```
//!
//! Law: a part [`HasVectors`] of `V` exactly if, from every offset that is a multiple of `V`, each
//! vector of `V` values of an atom is contiguous and begins at a multiple of `V`, through the
//! swizzle. A tiled copy [`CopiesVectors`] of a tensor exactly if, moreover, every thread's first
//! offset is such a multiple.
//!
//! Source: CuTe `max_common_vector`, `max_alignment` in `cute/layout.hpp`,
//! `AutoVectorizingCopyWithAssumedAlignment` in `cute/algorithm/copy.hpp`, and `copy_unpack` in
//! `cute/atom/copy_traits.hpp`, whose assertion checks a part of this.

use super::copy::{CopyPartitionOf, CopySide, CopyThreadOf, TidFrg};
use crate::algebra::coalesce::CoalescedTree;
use crate::algebra::common_vectors::{alignment_or_one, common, run_and_rest, size_or_one};
use crate::algebra::runs::{RunStride, RunTree};
use crate::atom::Element;
use crate::atom::copy::MovesElement;
use crate::decimal::Decimal;
use crate::layout::LayoutFn;
use crate::num::{Bool, False, Nat, NatCmp, NatDiv, QuotRem, StrideLeaf, True};
use crate::tensor::{Engine, KnownStrides, RunTimeStrides, UnitStride};
use crate::tree::{ModeList, ModeTree};
use typenum::U128;

type Modes<T> = <T as ModeTree>::Modes;
type FirstOf<T> = <Modes<T> as ModeList>::First;
type RestOf<T> = <Modes<T> as ModeList>::Rest;
/// Mode 0 of a part: `(atom_val,rest_val)`.
type ModeZero<P> = FirstOf<<P as LayoutFn>::Modes>;
/// The values of one atom.
type AtomValues<P> = FirstOf<ModeZero<P>>;
type Run<P> = CoalescedTree<AtomValues<P>>;
type Unit<P> = <Run<P> as RunTree>::Unit;
type Exact<N, V> = <<N as NatDiv>::DivRem<V> as QuotRem>::Exact;

/// Whether `If` implies `Then`. This prevents a second message for one mistake.
type Implies<If, Then> = <<If as Bool>::Not as Bool>::Or<Then>;

/// Whether the values of an atom of the part `P` come in runs of a multiple of `V`. This is always
/// true for vectors of one value.
pub type IsContiguous<P, V> =
    <<V as NatCmp>::IsOne as Bool>::Or<Exact<<Run<P> as RunTree>::Run, V>>;
/// Whether the vectors of `V` values of the part `P` begin at multiples of `V`.
pub type IsAligned<P, V> = <<V as NatCmp>::IsOne as Bool>::Or<
    <<<Run<P> as RunTree>::WholeRest<V> as Bool>::And<
        <RestOf<ModeZero<P>> as RunTree>::WholeSteps<Unit<P>, V>,
    > as Bool>::And<<RestOf<<P as LayoutFn>::Modes> as RunTree>::WholeSteps<Unit<P>, V>>,
>;
/// Whether the layout's swizzle, if there is one, keeps vectors of `V` values together.
pub type IsUnparted<P, V> =
    <<V as NatCmp>::IsOne as Bool>::Or<Exact<<P as LayoutFn>::SwizzleBlock, V>>;
/// Whether the first offsets `T` of all threads are multiples of `V` along the run of the part `P`.
pub type ThreadsAligned<T, P, V> =
    <<V as NatCmp>::IsOne as Bool>::Or<<<T as LayoutFn>::Modes as RunTree>::WholeSteps<Unit<P>, V>>;

/// Implemented if a thread's part `((atom_val,rest_val),Rest..)` of a tensor has the vectors of `V`
/// values that `Op` moves.
///
/// The trait is implemented if the first `V` values are contiguous and every vector begins at a
/// multiple of `V`, through the swizzle. In a tensor of scaled-basis strides, the values are
/// contiguous along one mode of the coordinate. [`HasUnit`] checks that this mode has stride 1, and
/// the launch checks that the strides of the other modes are multiples of `V`. For `V` = 1 the
/// trait is always implemented.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::atom::copy::Sm80_CP_ASYNC_CACHEGLOBAL;
/// use layout_types::tiled::HasVectors;
/// fn moves<P: HasVectors<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, int!(8)>>() {}
/// moves::<Composition<Swizzle<2, 3, 3>, layout!(((8,1),4,1):((1,0),1024,0))>>();
/// moves::<layout!(((8,1),4,1):((1@1,0),32@0,0))>();
/// ```
///
/// ```compile_fail
/// use layout_types::prelude::*;
/// use layout_types::atom::copy::UniversalCopy;
/// use layout_types::tiled::HasVectors;
/// fn moves<P: HasVectors<UniversalCopy<u64>, int!(4)>>() {}
/// moves::<layout!((((2,2),2),1,1):(((1,16),256),0,0))>(); // the 4 values are in two places
/// ```
#[doc(hidden)]
pub trait HasVectors<Op, V> {}
impl<P, Op, V> HasVectors<Op, V> for P
where
    P: LayoutFn,
    V: Nat,
    IsContiguous<P, V>: Contiguous<Op, V, AtomValues<P>>,
    Implies<IsContiguous<P, V>, IsAligned<P, V>>: Placed<Op, V, P>,
    IsUnparted<P, V>: Unparted<Op, V, P>,
{
}

/// Implemented if neighbours along the vectors of `V` values of the part `L` are neighbours in the
/// memory `Self`. For a global tensor with run-time strides, the tensor's type must say that the
/// neighbours lie along the mode of stride 1. For `V` = 1 the trait is always implemented.
#[doc(hidden)]
pub trait HasUnit<Op, V, L> {}
impl<E, Op, V, L> HasUnit<Op, V, L> for E
where
    E: Engine,
    V: Nat,
    L: LayoutFn,
    Implies<
        <<V as NatCmp>::IsOne as Bool>::Not,
        Implies<IsContiguous<L, V>, <E::Strides as KnownStrides>::IsUnit<Unit<L>>>,
    >: AlongUnit<Op, V, Unit<L>, E::Strides>,
{
}
/// Implemented for `True`: the stride `D` of the values is 1 in memory.
#[doc(hidden)]
pub trait AlongUnit<Op, V, D, K> {}
impl<Op, V, D, K> AlongUnit<Op, V, D, K> for True {}
impl<Op, V, D: StrideLeaf, K: RefusesAlong<Op, V, D::Mode>> AlongUnit<Op, V, D, K> for False {}
/// Refuses vectors along mode `I` of a tensor with the strides `Self`.
#[doc(hidden)]
pub trait RefusesAlong<Op, V, I> {}
impl<Op: MovesAlongUnknown<V::Text, I::Text>, V: Decimal, I: Decimal> RefusesAlong<Op, V, I>
    for RunTimeStrides
{
}
impl<Op, V: Decimal, I: Decimal, J: Decimal> RefusesAlong<Op, V, I> for UnitStride<J> where
    Op: MovesAcross<V::Text, I::Text, J::Text>
{
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "`{Self}` moves {V} values at a time along mode {I} of the global tensor, whose type does not say that its stride is 1",
    label = "make the tensor with `Int::<1>` as the stride of that mode: `Tensor::global(p, [m, k], (ld, Int::<1>))`"
)]
#[doc(hidden)]
pub trait MovesAlongUnknown<V, I> {}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "`{Self}` moves {V} values at a time along mode {I} of the global tensor, but the stride 1 is that of mode {J}",
    label = "the tensor has the other major: let the tiled copy's values lie along mode {J}, or copy single elements"
)]
#[doc(hidden)]
pub trait MovesAcross<V, I, J> {}

/// The strides that a global tensor must be known to have so that the vectors of its part `P` are
/// vectors in memory.
pub type VectorStrides<P> = <Unit<P> as RunStride>::Known;

/// The number of contiguous values that `Op` moves for a thread, on the side `Side` of the tiled
/// copy `C`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::atom::{copy::Sm75_U32x4_LDSM_N, mma::Sm80_16x8x16_F32F16F16F32_TN};
/// use layout_types::tiled::{MakeTiledCopyA, SideVector, Source, TiledMma};
/// use layout_types::typenum::Unsigned;
/// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1))>;
/// type S2r = MakeTiledCopyA<Sm75_U32x4_LDSM_N, half::f16, Mma>;
/// assert_eq!(SideVector::<S2r, Source>::USIZE, 8); // a lane's row of 128 bits
/// ```
pub type SideVector<C, Side> = <CoalescedTree<
    FirstOf<RestOf<<<Side as CopySide<C>>::ValLayout as LayoutFn>::Modes>>,
> as RunTree>::Run;

/// Implemented if the tiled copy `Self` moves whole, aligned vectors on the side `Side` of the
/// tensor `L`, from every thread.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::atom::copy::Sm80_CP_ASYNC_CACHEGLOBAL;
/// use layout_types::tiled::{CopiesVectors, Destination, MakeTiledCopy, Source};
/// type G2s = MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, half::f16, layout!((32,4):(4,1)), layout!((1,8))>;
/// type Smem = Composition<Swizzle<2, 3, 3>, layout!((32,32):(32,1))>;
/// fn checked<C: CopiesVectors<Source, G> + CopiesVectors<Destination, S>, G, S>() {}
/// checked::<G2s, layout!((128,32):(1@0,1@1)), Smem>();
/// ```
#[doc(hidden)]
pub trait CopiesVectors<Side, L>: TidFrg<Side, L> {
    /// [`SideVector`].
    type Vector: Nat;
}
/// Implemented if every vector that the tiled copy `Self` can take on the side `Side` of the tensor
/// `L` begins at a multiple of its size, in every thread. A partition needs this, since a part of a
/// part no longer shows where its vectors begin.
///
/// The trait is also implemented if the values are not vectors: such values cannot be copied, but
/// their coordinates can be computed.
#[doc(hidden)]
pub trait BeginsVectors<Side, L>: TidFrg<Side, L> {}
impl<C, Side, L> BeginsVectors<Side, L> for C
where
    C: TidFrg<Side, L>,
    Side: CopySide<C>,
    Implies<
        IsContiguous<CopyPartitionOf<C, Side, L>, SideVector<C, Side>>,
        IsAligned<CopyPartitionOf<C, Side, L>, SideVector<C, Side>>,
    >: Placed<C::Op, SideVector<C, Side>, CopyPartitionOf<C, Side, L>>,
    Implies<
        IsContiguous<CopyPartitionOf<C, Side, L>, SideVector<C, Side>>,
        ThreadsAligned<CopyThreadOf<C, Side, L>, CopyPartitionOf<C, Side, L>, SideVector<C, Side>>,
    >: Begin<C::Op, SideVector<C, Side>, CopyThreadOf<C, Side, L>>,
{
}
impl<C, Side, L> CopiesVectors<Side, L> for C
where
    C: BeginsVectors<Side, L>,
    C::Op: MovesElement<C::Element>,
    Side: CopySide<C>,
    CopyPartitionOf<C, Side, L>: HasVectors<C::Op, SideVector<C, Side>>,
{
    type Vector = SideVector<C, Side>;
}

/// Checks the bound of [`assert_contiguous!`](crate::assert_contiguous).
pub const fn copies_vectors<C: CopiesVectors<Side, L>, Side, L>() {}

/// The number of elements of type `T` that one access can move between tensors of the layouts `Src`
/// and `Dst`: CuTe's `AutoVectorizingCopy`, up to 128 bits.
///
/// The number is 1 if the layouts do not prove more: for scaled-basis strides, and if the layouts
/// agree on no run. A run over several modes is cut where a mode would end within a vector: CuTe
/// refuses such a vector.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::tiled::AutoVector;
/// use layout_types::typenum::Unsigned;
/// type Fragment = layout!((8,4):(1,8));
/// type Smem = Composition<Swizzle<3, 3, 3>, layout!((8,4):(1,64))>;
/// assert_eq!(AutoVector::<Smem, Fragment, half::f16>::USIZE, 8);
/// assert_eq!(AutoVector::<Smem, Fragment, f32>::USIZE, 4); // 128 bits
/// assert_eq!(AutoVector::<layout!((8,4):(1,34)), Fragment, half::f16>::USIZE, 2); // rows begin at multiples of 2
/// type Odd = layout!((6,4):(1,6));
/// assert_eq!(AutoVector::<Odd, Odd, half::f16>::USIZE, 2); // a vector of 4 or 8 would be of two columns
/// ```
pub type AutoVector<Src, Dst, T> = <<Dst as LayoutFn>::Modes as RunTree>::Fit<
    <<Src as LayoutFn>::Modes as RunTree>::Fit<InRun<Src, Dst, T>>,
>;
/// The number of contiguous elements on which both layouts agree, and that begin aligned.
type InRun<Src, Dst, T> = <Common<Src, Dst> as NatDiv>::GcdOf<
    <Alignment<Src> as NatDiv>::GcdOf<
        <Alignment<Dst> as NatDiv>::GcdOf<<U128 as Nat>::Over<<T as Element>::Bits>>,
    >,
>;
type Common<Src, Dst> = size_or_one<common<<Src as LayoutFn>::Modes, <Dst as LayoutFn>::Modes>>;
type Alignment<L> = <alignment_or_one<run_and_rest<<L as LayoutFn>::Modes>> as NatDiv>::GcdOf<
    <L as LayoutFn>::SwizzleBlock,
>;

type ShapeText<T> = <<T as ModeTree>::Shape as Decimal>::Text;
type StrideText<T> = <<T as ModeTree>::Stride as Decimal>::Text;

macro_rules! gates {
    ($($(#[$doc:meta])* $gate:ident, $holds:ident, $param:ident: $bound:ident, $tree:ty, $message:literal, $label:literal;)*) => {$(
        $(#[$doc])*
        #[doc(hidden)]
        pub trait $gate<Op, V, $param> {}
        impl<Op, V, $param> $gate<Op, V, $param> for True {}
        impl<Op, V: Decimal, $param: $bound> $gate<Op, V, $param> for False
        where
            <$tree as ModeTree>::Shape: Decimal,
            <$tree as ModeTree>::Stride: Decimal,
            Op: $holds<V::Text, ShapeText<$tree>, StrideText<$tree>>,
        {
        }
        /// Never implemented; carries the diagnostic.
        #[diagnostic::on_unimplemented(message = $message, label = $label)]
        #[doc(hidden)]
        pub trait $holds<V, S, D> {}
    )*};
}
gates! {
    /// Implemented for `True`: the values `T` of an atom hold runs of `V`.
    Contiguous, MovesRun, T: ModeTree, T,
        "the {V} values that `{Self}` moves at a time are not contiguous: the tensor's values are {S}:{D}",
        "the values of one access must lie side by side in memory";
    /// Implemented for `True`: the vectors of the part `P` begin at multiples of `V`.
    Placed, MovesAligned, P: LayoutFn, P::Modes,
        "the {V} values that `{Self}` moves at a time do not always begin at a multiple of {V}: the thread's part is {S}:{D}",
        "every stride but that of the values must be a multiple of the values of one access";
    /// Implemented for `True`: the swizzle of the part `P` keeps vectors of `V` values together.
    Unparted, MovesThrough, P: LayoutFn, P::Modes,
        "the swizzle parts the {V} values that `{Self}` moves at a time: behind it, the thread's part is {S}:{D}",
        "M of the swizzle must be at least the logarithm of the values of one access, and an offset before it a multiple of them";
    /// Implemented for `True`: the threads' first offsets `T` are multiples of `V`.
    Begin, MovesFrom, T: LayoutFn, T::Modes,
        "the {V} values that `{Self}` moves at a time do not begin at a multiple of {V} in every thread: the threads are at {S}:{D}",
        "the first offset of every thread must be a multiple of the values of one access";
}

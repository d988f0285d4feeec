//! Copy atoms: one instruction that moves data, and the bits that each thread provides and
//! receives.
//!
//! ```text
//!   Sm75_U32x4_LDSM_N       Src (32,128):(128,1)              thread i gives the address of row i, 128 bits
//!                           Dst (32,(32,4)):(32,(1,1024))     thread i gets 32 bits of each of four matrices of 1024 bits
//!   of f16                  Src (32,8):(8,1)                  Dst (32,(2,4)):(2,(1,64))
//! ```
//!
//! Law: `SrcLayout` and `DstLayout` map (thread, bit) to a moved bit; if both map to the same bit,
//! that bit goes from the source to the destination. `RefLayout` is the layout of the side in whose
//! order the threads' fragments lie. Layouts in elements are the same layouts recast:
//! [`CopyValues`].
//!
//! Source: CuTe `cute/atom/copy_traits.hpp` and the file of each architecture; PTX ISA, *Data
//! Movement and Conversion Instructions*.

use super::{Element, Instruction, LayoutFacts};
use crate::algebra::cast::{Upcast, UpcastBy};
use crate::layout::{LayoutFn, Size, StaticLayout};
use crate::num::{Nat, NatCmp};
use crate::tree::{ModeList, ModeTree};
use core::fmt;

mod op;
pub mod sm100_tmem;
pub mod sm100_utccp;
mod sm80;
mod sm90_tma;
mod universal;

pub use op::{AtomPredicate, Mask, MaskBit};
pub use op::{CpAsyncOp, LdsmOp, MovmOp, StsmOp, UniversalCopyOp};
pub use op::{HasThreadsIn, KeepsThreads, MovesElement, MovesWholeElements, WideEnough, sides};
pub use sm80::*;
pub use sm90_tma::*;
pub use sm100_tmem::*;
pub use sm100_utccp::*;
pub use universal::*;

/// CuTe's `Copy_Traits`: an instruction's threads and its layouts in bits.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::atom::{CopyAtom, copy::Sm75_U16x8_LDSM_T as Ldsm};
/// assert_eq!(<Ldsm as CopyAtom>::DstLayout::default().to_string(), "((4,8),(16,2,4)):((256,16),(1,128,1024))");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a copy atom",
    label = "a copy atom is an instruction such as `Sm75_U32x4_LDSM_N`, `UniversalCopy<u128>` or `AutoVectorizingCopy`"
)]
pub trait CopyAtom: Instruction + Copy + Default + fmt::Debug + Send + Sync + 'static {
    /// The layout that maps the threads of the atom to their places in the warp: CuTe's `ThrID`.
    type ThrId: StaticLayout;
    /// The layout that maps (thread, bit) to a bit of the source.
    type SrcLayout: StaticLayout;
    /// The layout that maps (thread, bit) to a bit of the destination.
    type DstLayout: StaticLayout;
    /// The layout that maps (thread, bit) to a bit of the fragment that the atom reads or writes.
    type RefLayout: StaticLayout;
    /// The name in CuTe.
    const NAME: &'static str;
    /// The PTX instruction; empty if the access is a plain load and store.
    const PTX: &'static str;
}

/// CuTe's `Copy_Atom<Op, T>`: an instruction that moves elements of type `T`.
///
/// It is implemented for every copy atom and element type whose bits fit each other: in elements,
/// source, destination and fragment still have the atom's threads (CuTe: the `static_assert`s of
/// `Copy_Atom` in `cute/atom/copy_atom.hpp`). An instruction of one thread that is narrower than an
/// element has layouts, but cannot copy: [`MovesElement`].
///
/// ```
/// use layout_types::atom::copy::{Sm75_U32x4_LDSM_N, ValLayoutDst, ValLayoutSrc};
/// assert_eq!(ValLayoutSrc::<Sm75_U32x4_LDSM_N, half::f16>::default().to_string(), "(32,8):(8,1)");
/// assert_eq!(ValLayoutDst::<Sm75_U32x4_LDSM_N, half::f16>::default().to_string(), "(32,(2,4)):(2,(1,64))");
/// ```
#[diagnostic::on_unimplemented(
    message = "the instruction does not move elements of type `{T}`",
    label = "the element's bits and the strides of the instruction's bit layouts do not divide each other"
)]
pub trait CopyValues<T>: CopyAtom {
    /// The layout that maps (thread, value) to a value of the source.
    type ValLayoutSrc: StaticLayout;
    /// The layout that maps (thread, value) to a value of the destination.
    type ValLayoutDst: StaticLayout;
    /// The layout that maps (thread, value) to a value of the fragment.
    type ValLayoutRef: StaticLayout;
    /// The number of threads of the atom.
    type NumThr: Nat;
    /// The number of values per thread in the fragment.
    type NumVal: Nat;
    /// The number of values per thread in the source.
    type NumValSrc: Nat;
}

/// The layout that maps (thread, value) to a value of an atom's source.
pub type ValLayoutSrc<Op, T> = <Op as CopyValues<T>>::ValLayoutSrc;
/// The layout that maps (thread, value) to a value of an atom's destination.
pub type ValLayoutDst<Op, T> = <Op as CopyValues<T>>::ValLayoutDst;
/// The layout that maps (thread, value) to a value of an atom's fragment.
pub type ValLayoutRef<Op, T> = <Op as CopyValues<T>>::ValLayoutRef;

/// The size of the first mode.
type First<L> =
    <<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First as ModeTree>::Size;
/// The size of the second mode.
type Second<L> =
    <<<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest as ModeList>::First as ModeTree>::Size;

impl<Op, T> CopyValues<T> for Op
where
    Op: CopyAtom,
    T: Element,
    Op::SrcLayout: UpcastBy<T::Bits, Output: StaticLayout>,
    Op::DstLayout: UpcastBy<T::Bits, Output: StaticLayout>,
    Op::RefLayout: UpcastBy<T::Bits, Output: StaticLayout>,
    <First<Upcast<Op::SrcLayout, T::Bits>> as NatCmp>::Equals<Size<Op::ThrId>>: KeepsThreads<
            Op,
            sides::source,
            T::Bits,
            First<Upcast<Op::SrcLayout, T::Bits>>,
            Size<Op::ThrId>,
        >,
    <First<Upcast<Op::DstLayout, T::Bits>> as NatCmp>::Equals<Size<Op::ThrId>>: KeepsThreads<
            Op,
            sides::destination,
            T::Bits,
            First<Upcast<Op::DstLayout, T::Bits>>,
            Size<Op::ThrId>,
        >,
    <First<Upcast<Op::RefLayout, T::Bits>> as NatCmp>::Equals<Size<Op::ThrId>>: KeepsThreads<
            Op,
            sides::fragment,
            T::Bits,
            First<Upcast<Op::RefLayout, T::Bits>>,
            Size<Op::ThrId>,
        >,
{
    type ValLayoutSrc = Upcast<Op::SrcLayout, T::Bits>;
    type ValLayoutDst = Upcast<Op::DstLayout, T::Bits>;
    type ValLayoutRef = Upcast<Op::RefLayout, T::Bits>;
    type NumThr = Size<Op::ThrId>;
    type NumVal = Second<Self::ValLayoutRef>;
    type NumValSrc = Second<Self::ValLayoutSrc>;
}

/// The facts of a copy atom with an element type.
///
/// ```
/// use layout_types::atom::{CopyFacts, copy::Sm90_U32x2_STSM_N};
/// let facts = CopyFacts::of::<Sm90_U32x2_STSM_N, half::f16>();
/// assert_eq!((facts.name, facts.element, facts.threads), ("SM90_U32x2_STSM_N", "f16", 32));
/// assert_eq!(facts.val_dst.to_string(), "((16,2),8):((8,0),1)");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CopyFacts {
    /// The name in CuTe.
    pub name: &'static str,
    /// The PTX instruction.
    pub ptx: &'static str,
    /// The format of the elements.
    pub element: &'static str,
    /// The number of threads.
    pub threads: usize,
    /// The layout of the threads' places.
    pub thr_id: LayoutFacts,
    /// The layout that maps (thread, bit) to a bit of the source.
    pub bit_src: LayoutFacts,
    /// The layout that maps (thread, bit) to a bit of the destination.
    pub bit_dst: LayoutFacts,
    /// The layout that maps (thread, bit) to a bit of the fragment.
    pub bit_ref: LayoutFacts,
    /// The layout that maps (thread, value) to a value of the source.
    pub val_src: LayoutFacts,
    /// The layout that maps (thread, value) to a value of the destination.
    pub val_dst: LayoutFacts,
    /// The layout that maps (thread, value) to a value of the fragment.
    pub val_ref: LayoutFacts,
}
impl CopyFacts {
    /// Returns the facts of an atom that moves elements of type `T`.
    #[must_use]
    pub const fn of<Op: CopyValues<T>, T: Element>() -> Self {
        Self {
            name: Op::NAME,
            ptx: Op::PTX,
            element: T::NAME,
            threads: Op::ThrId::SIZE,
            thr_id: LayoutFacts::of::<Op::ThrId>(),
            bit_src: LayoutFacts::of::<Op::SrcLayout>(),
            bit_dst: LayoutFacts::of::<Op::DstLayout>(),
            bit_ref: LayoutFacts::of::<Op::RefLayout>(),
            val_src: LayoutFacts::of::<Op::ValLayoutSrc>(),
            val_dst: LayoutFacts::of::<Op::ValLayoutDst>(),
            val_ref: LayoutFacts::of::<Op::ValLayoutRef>(),
        }
    }
}

/// Declares an atom of a whole warp.
macro_rules! warp_copy {
    ($(#[$doc:meta])* $name:ident, $cute:literal, $sm:ident, $ptx:literal, [$($src:tt)*], [$($dst:tt)*], [$($reference:tt)*]) => {
        $(#[$doc])*
        #[doc = ""]
        #[doc = concat!("`", $ptx, "`")]
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;
        impl $crate::atom::Instruction for $name {
            type Sm = ::typenum::$sm;
            type Later = $crate::num::True;
        }
        impl $crate::atom::CopyAtom for $name {
            type ThrId = $crate::layout!(32:1);
            type SrcLayout = $crate::layout!($($src)*);
            type DstLayout = $crate::layout!($($dst)*);
            type RefLayout = $crate::layout!($($reference)*);
            const NAME: &'static str = $cute;
            const PTX: &'static str = $ptx;
        }
        // If a warp's instruction is too narrow for the element, too few threads hold whole
        // elements: `CopyValues` reports this.
        impl<T> $crate::atom::copy::MovesElement<T> for $name where Self: $crate::atom::CopyValues<T> {}
    };
}
use warp_copy;

//! MMA atoms: one matrix multiply-accumulate instruction, `D = A B + C`, and the distribution of
//! the elements to threads.
//!
//! ```text
//!   Sm80_16x8x16_F32F16F16F32_TN, C:   ((4,8),(2,2)):((32,1),(16,8))      column-major index m + 16 n of (16,8)
//!
//!        n  0   1   2   3   4   5   6   7
//!   m 0    T0  T0  T1  T1  T2  T2  T3  T3        thread 4 (m % 8) + n / 2, value n % 2 + 2 (m / 8)
//!     1    T4  T4  T5  T5  T6  T6  T7  T7
//! ```
//!
//! Law: `ALayout` maps (thread, value) to the column-major index in (M,K), `BLayout` in (N,K) and
//! `CLayout` in (M,N), each onto every index. A thread is numbered within the atom, and `ThrID`
//! maps this number to the thread's place in the warp. Each element of an operand in registers is
//! held once. Operands that the instruction reads from shared memory belong to all threads (stride
//! 0).
//!
//! Source: CuTe `cute/atom/mma_traits.hpp` and the file of each architecture; PTX ISA, *Matrix
//! multiply-accumulate operation using mma instruction*, the figures of fragments.

use super::Instruction;
use super::element::Element;
use crate::layout::StaticLayout;
use crate::num::{Bool, False, True};
use crate::shape::{ShapeList, ShapeTree};
use core::fmt;

#[rustfmt::skip]
mod generated;
mod op;
pub mod sm100;
pub mod sm90;
mod umma_op;
mod umma_rules;
pub mod universal;
mod wgmma_op;

pub use generated::*;
pub use op::MmaFacts;
pub use op::MmaOp;
pub use umma_op::{AtomD, HasTmemA, TmemA, UmmaOp, UmmaPlainOp, UmmaScaledOp};
pub use universal::UniversalFma;
pub use wgmma_op::WgmmaOp;

/// CuTe's `MMA_Traits`: an instruction's shape, threads, layouts and types.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::atom::{MmaAtom, mma::Sm80_16x8x16_F32F16F16F32_TN as Atom};
/// assert_eq!(<Atom as MmaAtom>::ShapeMnk::default().to_string(), "(16,8,16)");
/// assert_eq!(<Atom as MmaAtom>::CLayout::default().to_string(), "((4,8),(2,2)):((32,1),(16,8))");
/// // Thread 5, value 2: row 5 / 4 + 8, column 2 (5 % 4).
/// assert_eq!(<Atom as MmaAtom>::CLayout::at((5u32, 2)), (1 + 8) + 16 * 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an MMA atom",
    label = "an MMA atom is an instruction such as `Sm80_16x8x16_F32F16F16F32_TN`, or `UniversalFma`"
)]
pub trait MmaAtom: Instruction + Copy + Default + fmt::Debug + Send + Sync + 'static {
    /// The shape, CuTe's `Shape_MNK`: a tuple of three numbers.
    type ShapeMnk: ShapeList;
    /// The layout that maps the threads of the atom to their places in the warp or warp group:
    /// CuTe's `ThrID`.
    type ThrId: StaticLayout;
    /// The layout that maps (thread, value) to the column-major index in (M,K).
    type ALayout: StaticLayout;
    /// The layout that maps (thread, value) to the column-major index in (N,K).
    type BLayout: StaticLayout;
    /// The layout that maps (thread, value) to the column-major index in (M,N).
    type CLayout: StaticLayout;
    /// The element type of D.
    type ValTypeD: Element;
    /// The element type of A.
    type ValTypeA: Element;
    /// The element type of B.
    type ValTypeB: Element;
    /// The element type of C.
    type ValTypeC: Element;
    /// The source of A.
    type FrgTypeA: FrgType;
    /// The source of B.
    type FrgTypeB: FrgType;
    /// The name in CuTe.
    const NAME: &'static str;
    /// The PTX instruction with its qualifiers.
    const PTX: &'static str;
}

/// The extent of an atom along M.
pub type AtomM<Atom> = <<<Atom as MmaAtom>::ShapeMnk as ShapeList>::First as ShapeTree>::Size;
/// The extent of an atom along N.
pub type AtomN<Atom> =
    <<<<Atom as MmaAtom>::ShapeMnk as ShapeList>::Rest as ShapeList>::First as ShapeTree>::Size;
/// The extent of an atom along K.
pub type AtomK<Atom> = <<<<<Atom as MmaAtom>::ShapeMnk as ShapeList>::Rest as ShapeList>::Rest as ShapeList>::First as ShapeTree>::Size;

/// A source of an operand.
pub trait FrgType: Copy + Default + fmt::Debug + Send + Sync + 'static {
    /// Whether a descriptor names the operand in shared memory.
    const IS_DESCRIPTOR: bool;
}

/// The source of an operand in registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers;
impl FrgType for Registers {
    const IS_DESCRIPTOR: bool = false;
}

/// The source of an operand in shared memory, named by a descriptor. `Major` is [`MajorK`] or
/// [`MajorMn`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SmemDesc<Major>(core::marker::PhantomData<Major>);
impl<M: Major> FrgType for SmemDesc<M> {
    const IS_DESCRIPTOR: bool = true;
}

/// The mode of an operand that is contiguous in shared memory: CuTe's `GMMA::Major`.
pub trait Major: Copy + Default + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// Whether K is the contiguous mode.
    type IsK: Bool;
    /// The name, `K` or `MN`.
    const NAME: &'static str;
}
/// The major of an operand with contiguous K.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MajorK;
impl Major for MajorK {
    type IsK = True;
    const NAME: &'static str = "K";
}
/// The major of an operand with contiguous M or N.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MajorMn;
impl Major for MajorMn {
    type IsK = False;
    const NAME: &'static str = "MN";
}

/// All atoms of `mma.sync` as values, by architecture.
///
/// ```
/// let names: Vec<_> = layout_types::atom::mma::MMA_SYNC.concat().iter().map(|atom| atom.name).collect();
/// assert!(names.contains(&"SM80_16x8x256_S32U1U1S32_TN_XORPOPC"));
/// ```
pub const MMA_SYNC: [&[MmaFacts]; 5] = [SM70, SM75, SM80, SM89, SM90];

/// Declares an atom of `mma.sync`, with its operands in registers.
macro_rules! mma_atom {
    ($(#[$doc:meta])* $name:ident, $cute:literal, $sm:ident, $ptx:literal, $shape:tt,
     [$($thr:tt)*], [$($a:tt)*], [$($b:tt)*], [$($c:tt)*], [$dt:ty, $at:ty, $bt:ty, $ct:ty],
     $arch:ident::$wrapper:ident($dr:ty, $ar:ty, $br:ty)) => {
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
        impl $crate::atom::MmaAtom for $name {
            type ShapeMnk = $crate::shape!($shape);
            type ThrId = $crate::layout!($($thr)*);
            type ALayout = $crate::layout!($($a)*);
            type BLayout = $crate::layout!($($b)*);
            type CLayout = $crate::layout!($($c)*);
            type ValTypeD = $dt;
            type ValTypeA = $at;
            type ValTypeB = $bt;
            type ValTypeC = $ct;
            type FrgTypeA = $crate::atom::mma::Registers;
            type FrgTypeB = $crate::atom::mma::Registers;
            const NAME: &'static str = $cute;
            const PTX: &'static str = $ptx;
        }
        impl $crate::atom::mma::MmaOp for $name {
            type DRegisters = $dr;
            type ARegisters = $ar;
            type BRegisters = $br;
            type CRegisters = $dr;
            #[inline(always)]
            unsafe fn fma_assign(d: &mut $dr, a: &$ar, b: &$br) {
                // SAFETY: the caller guarantees, as `fma_assign` requires, that all 32 lanes
                // execute this, on an architecture that has the atom.
                unsafe { $crate::arch::$arch::$wrapper(d, a, b) }
            }
        }
        const _: () = $crate::atom::mma::op::registers_hold_values::<$name>();
    };
}
pub(crate) use mma_atom;

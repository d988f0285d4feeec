//! The parts of an atom: a layout as a value, registers, and the architectures that have an
//! instruction.
//!
//! ```text
//!   LayoutFacts: (4,2):(2,1)     RegisterArray: [u32; 4]     ExistsOn: 75 and all later
//! ```

use super::Element;
use crate::decimal::Decimal;
use crate::layout::LayoutFn;
use crate::num::{Bool, False, Nat, NatCmp, True};
use core::fmt;
use typenum::Unsigned;

// -- Layouts as values ----------------------------------------------------------------------------
//
// A layout as a value: its function and its notation, for the facts of atoms.
//
// ```text
//   LayoutFacts::of::<layout!((4,2):(2,1))>()      size 8, index 0 2 4 6 1 3 5 7, printed (4,2):(2,1)
// ```
//
// Law: all facts are read from the layout's type.

/// A layout as a value: its function and its notation.
#[derive(Clone, Copy)]
pub struct LayoutFacts {
    /// The number of coordinates.
    pub size: usize,
    /// The function that maps a linear coordinate to its offset.
    pub index: fn(usize) -> usize,
    print: fn(&mut fmt::Formatter<'_>) -> fmt::Result,
}
impl LayoutFacts {
    /// Returns the facts of a layout.
    #[must_use]
    pub const fn of<L: LayoutFn>() -> Self {
        Self {
            size: L::SIZE,
            index: L::index::<usize>,
            print: |f| fmt::Display::fmt(&L::default(), f),
        }
    }
}
impl fmt::Display for LayoutFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.print)(f)
    }
}
impl fmt::Debug for LayoutFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.print)(f)
    }
}

// -- Registers ------------------------------------------------------------------------------------
//
// Operands in registers: the arrays that an instruction takes, and the order of the values in them.
//
// ```text
//   8 values f16   v0 v1 │ v2 v3 │ v4 v5 │ v6 v7        [u32; 4], v0 in the lower half of the first
// ```
//
// Law: the array's bits are the values' bits in order, the first value in the lowest bits of the
// first register. So a fragment in memory *is* the array, and [`read`](RegisterArray::read) and
// [`write`](RegisterArray::write) only move bits.
//
// Source: PTX ISA, *Matrix Fragments*; CuTe's `ARegisters` and the like in `cute/arch/mma_sm*.hpp`.

/// `[u32; N]`, `[f32; N]`, `[f64; N]`: registers of one operand of one thread.
///
/// ```
/// use layout_types::atom::RegisterArray;
/// let fragment = [half::f16::ONE, half::f16::NEG_ONE];
/// // SAFETY: two f16 are as many bits as one u32.
/// let registers = unsafe { <[u32; 1]>::read(fragment.as_ptr()) };
/// assert_eq!((registers, <[u32; 4]>::BITS), ([0xbc00_3c00], 128));
/// ```
pub trait RegisterArray: Copy + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// The type that one register holds.
    type Register: Element;
    /// The number of registers.
    const COUNT: usize;
    /// The number of bits of all registers.
    const BITS: usize;

    /// Reads the registers whose bits are the bits of the values at `values`.
    ///
    /// # Safety
    /// [`BITS`](Self::BITS) bits from `values` on are initialised and readable. Their alignment is
    /// that of any element.
    #[inline(always)]
    #[must_use]
    unsafe fn read<T>(values: *const T) -> Self {
        // SAFETY: any bits are registers, and the caller guarantees that `BITS` bits at `values`
        // are initialised and readable, at any alignment.
        unsafe { values.cast::<Self>().read_unaligned() }
    }

    /// Writes the registers' bits to the values at `values`.
    ///
    /// # Safety
    /// [`BITS`](Self::BITS) bits from `values` on are writable, and any bits are a value there.
    #[inline(always)]
    unsafe fn write<T>(self, values: *mut T) {
        // SAFETY: the caller guarantees that `BITS` bits at `values` are writable and that any bits
        // are a value there, at any alignment.
        unsafe { values.cast::<Self>().write_unaligned(self) }
    }
}

impl<T: Element + fmt::Debug + PartialEq, const N: usize> RegisterArray for [T; N] {
    type Register = T;
    const COUNT: usize = N;
    const BITS: usize = N * T::Bits::USIZE;
}

// -- Architectures --------------------------------------------------------------------------------
//
// The architectures that have an instruction.
//
// ```text
//   Sm75_U32x4_LDSM_N    75 and all later      Sm80_CP_ASYNC_..   80 and all later      Wgmma   90 only
// ```
//
// Law: `int!(N): Supports<Atom>` is implemented exactly if a GPU of compute capability `N / 10` has
// the atom's instruction.
//
// Source: PTX ISA, *Target ISA Notes* of each instruction.

/// The architectures on which an atom's instruction exists.
pub trait Instruction {
    /// The compute capability, times ten, that introduced the instruction, or 0 if all GPUs have
    /// it.
    type Sm: Nat;
    /// Whether all later architectures have the instruction too.
    type Later: Bool;
}

/// Implemented if the architecture `Self`, a compute capability times ten, has the MMA or copy
/// atom. [`assert_supports!`](crate::assert_supports) asserts this for a configuration.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::atom::{Supports, copy::Sm75_U32x4_LDSM_N, mma::Sm80_16x8x16_F32F16F16F32_TN};
/// fn kernel<Atom, Copy>() where int!(90): Supports<Atom> + Supports<Copy> {}
/// kernel::<Sm80_16x8x16_F32F16F16F32_TN, Sm75_U32x4_LDSM_N>();
/// ```
///
/// ```compile_fail
/// use layout_types::prelude::*;
/// use layout_types::atom::{Supports, mma::Sm89_16x8x32_F32E4M3E4M3F32_TN};
/// fn kernel<Atom>() where int!(80): Supports<Atom> {}
/// kernel::<Sm89_16x8x32_F32E4M3E4M3F32_TN>();
/// ```
pub trait Supports<Atom> {}
impl<N: Nat, Atom: Instruction> Supports<Atom> for N where
    <<N as NatCmp>::AtLeast<Atom::Sm> as Bool>::And<
        <Atom::Later as Bool>::Or<<N as NatCmp>::Equals<Atom::Sm>>,
    >: IsSupported<Atom, N>
{
}
/// Implemented for `True`.
pub trait IsSupported<Atom, Target> {}
impl<Atom, Target> IsSupported<Atom, Target> for True {}
impl<Atom, Target: Decimal> IsSupported<Atom, Target> for False where Atom: ExistsOn<Target::Text> {}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "an architecture of compute capability {Target} / 10 does not have the instruction `{Self}`",
    label = "the atom's name begins with the architecture that brought it"
)]
pub trait ExistsOn<Target> {}

/// Asserts that an architecture has the atoms:
/// `assert_supports!(compute capability times ten, Atom, ..)`.
///
/// ```
/// use layout_types::{assert_supports, prelude::*, atom::copy::*, atom::mma::*};
/// assert_supports!(80, Sm80_16x8x16_F16F16F16F16_TN, Sm75_U32x4_LDSM_N, Sm80_CP_ASYNC_CACHEGLOBAL<u128>);
/// assert_supports!(int!(90), Sm90_U32x4_STSM_N);
/// ```
/// ```compile_fail
/// use layout_types::{assert_supports, prelude::*, atom::copy::*};
/// assert_supports!(80, Sm90_U32x4_STSM_N); // stmatrix came with Hopper
/// ```
#[macro_export]
macro_rules! assert_supports {
    ($sm:literal, $($atom:ty),+ $(,)?) => { $crate::assert_supports!($crate::int!($sm), $($atom),+); };
    ($sm:ty, $($atom:ty),+ $(,)?) => {
        const _: () = {
            $($crate::atom::supported::<$sm, $atom>();)+
        };
    };
}
/// Checks the bound of [`assert_supports!`](crate::assert_supports).
pub const fn supported<Sm: Supports<Atom>, Atom>() {}

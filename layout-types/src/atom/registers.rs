//! Operands in registers: the arrays that an instruction takes, and how values lie in them.
//!
//! ```text
//!   8 values f16   v0 v1 │ v2 v3 │ v4 v5 │ v6 v7        [u32; 4], v0 in the lower half of the first
//! ```
//!
//! Law: the array's bits are the values' bits in order, the first value in the lowest bits of the first register; so a
//! fragment in memory *is* the array, and [`read`](RegisterArray::read) and [`write`](RegisterArray::write) move bits only.
//!
//! Source: PTX ISA, *Matrix Fragments*; CuTe's `ARegisters` and the like in `cute/arch/mma_sm*.hpp`.

use super::Element;
use core::fmt;
use typenum::Unsigned;

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
    /// What one register holds.
    type Register: Element;
    /// How many registers there are.
    const COUNT: usize;
    /// The bits of all.
    const BITS: usize;

    /// The registers whose bits are the values' at `values`.
    ///
    /// # Safety
    /// [`BITS`](Self::BITS) bits from `values` on are initialised and readable; alignment is that of any element.
    #[inline(always)]
    #[must_use]
    unsafe fn read<T>(values: *const T) -> Self {
        // SAFETY: registers are plain bits; they are readable by the caller's contract.
        unsafe { values.cast::<Self>().read_unaligned() }
    }

    /// Puts the registers' bits where the values are.
    ///
    /// # Safety
    /// [`BITS`](Self::BITS) bits from `values` on are writable, and any bits are a value there.
    #[inline(always)]
    unsafe fn write<T>(self, values: *mut T) {
        // SAFETY: writable by the caller's contract.
        unsafe { values.cast::<Self>().write_unaligned(self) }
    }
}

impl<T: Element + fmt::Debug + PartialEq, const N: usize> RegisterArray for [T; N] {
    type Register = T;
    const COUNT: usize = N;
    const BITS: usize = N * T::Bits::USIZE;
}

//! An MMA atom executed: CuTe's `fma` of an operation, on the registers of one thread.
//!
//! ```text
//!   values of A, (thread, value) by ALayout ──► ARegisters ─┐
//!   values of B                             ──► BRegisters ─┼─► fma_assign(d, a, b)      d ← a b + d
//!   values of C                             ──► DRegisters ─┘
//! ```
//!
//! Law: a thread's registers hold the values that the atom's layouts give it, in order and without gaps; [`MmaOp::fma`] is
//! [`MmaOp::fma_assign`] after `d = c`.
//!
//! Source: CuTe `cute/arch/mma_sm*.hpp`, the structs `SM80_16x8x16_F32F16F16F32_TN` and the like with their `fma`.

use super::{MmaAtom, Registers};
use crate::atom::{Element, RegisterArray};
use crate::layout::LayoutFn;
use typenum::Unsigned;

/// An MMA atom whose operands lie in registers, as an instruction that runs.
///
/// ```
/// use layout_types::atom::mma::{MmaOp, Sm80_16x8x16_F32F16F16F32_TN as Atom};
/// /// One atom along k for each of two fragments, in place.
/// unsafe fn twice(
///     d: &mut <Atom as MmaOp>::DRegisters,
///     a: &[<Atom as MmaOp>::ARegisters; 2],
///     b: &[<Atom as MmaOp>::BRegisters; 2],
/// ) {
///     // SAFETY: the caller has a whole warp.
///     unsafe {
///         Atom::fma_assign(d, &a[0], &b[0]);
///         Atom::fma_assign(d, &a[1], &b[1]);
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an MMA instruction with its operands in registers",
    label = "`fma` is what the atoms of `mma.sync` and `UniversalFma` have"
)]
pub trait MmaOp: MmaAtom<FrgTypeA = Registers, FrgTypeB = Registers> {
    /// A thread's values of D.
    type DRegisters: RegisterArray;
    /// A thread's values of A.
    type ARegisters: RegisterArray;
    /// A thread's values of B.
    type BRegisters: RegisterArray;
    /// A thread's values of C: of the type of D's, so that the sum can stay where it is.
    type CRegisters: RegisterArray + Into<Self::DRegisters>;

    /// `D = A B + D`: the sums stay in their registers, so this is the instruction and nothing else.
    ///
    /// # Safety
    /// All threads of the warp execute it together, on an architecture that [has](crate::atom::Supports) the atom.
    unsafe fn fma_assign(d: &mut Self::DRegisters, a: &Self::ARegisters, b: &Self::BRegisters);

    /// `D = A B + C`; where C is used afterwards, it is copied first.
    ///
    /// # Safety
    /// As of [`fma_assign`](Self::fma_assign).
    #[inline(always)]
    unsafe fn fma(
        d: &mut Self::DRegisters,
        a: &Self::ARegisters,
        b: &Self::BRegisters,
        c: &Self::CRegisters,
    ) {
        *d = (*c).into();
        // SAFETY: the caller's contract is that of `fma_assign`.
        unsafe { Self::fma_assign(d, a, b) };
    }
}

/// Asserts, when an atom is declared, that its registers hold exactly the bits of its values.
pub(super) const fn registers_hold_values<Op: MmaOp>() {
    let threads = Op::ThrId::SIZE;
    assert!(
        Op::DRegisters::BITS * threads
            == Op::CLayout::SIZE * <Op::ValTypeD as Element>::Bits::USIZE
    );
    assert!(
        Op::ARegisters::BITS * threads
            == Op::ALayout::SIZE * <Op::ValTypeA as Element>::Bits::USIZE
    );
    assert!(
        Op::BRegisters::BITS * threads
            == Op::BLayout::SIZE * <Op::ValTypeB as Element>::Bits::USIZE
    );
    assert!(
        Op::CRegisters::BITS * threads
            == Op::CLayout::SIZE * <Op::ValTypeC as Element>::Bits::USIZE
    );
}

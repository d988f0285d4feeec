//! The facts of an MMA atom as values, and the execution of the atom.
//!
//! ```text
//!   MmaFacts::of::<Atom>()   { name, shape, threads, values, .. }          fma_assign(d, a, b)      d ← a b + d
//! ```

use super::{AtomK, AtomM, AtomN, MmaAtom, Registers};
use crate::atom::{Element, LayoutFacts, RegisterArray};
use crate::layout::LayoutFn;
use crate::tree::PrintTree;
use core::fmt;
use typenum::Unsigned;

// -- Facts ----------------------------------------------------------------------------------------
//
// The facts that an atom's types state, as values, for host code, pictures and tests.
//
// ```text
//   MmaFacts::of::<Sm75_8x8x16_S32S8S8S32_TN>()    { name: "SM75_..", shape: [8, 8, 16], threads: 32, values: [4, 4, 2], .. }
// ```
//
// Law: every field is read from the atom's types; no fact is written twice.

/// The facts of an MMA atom.
///
/// ```
/// use layout_types::atom::{MmaFacts, mma::Sm75_8x8x16_S32S8S8S32_TN};
/// let facts = MmaFacts::of::<Sm75_8x8x16_S32S8S8S32_TN>();
/// assert_eq!((facts.shape, facts.threads, facts.values), ([8, 8, 16], 32, [4, 4, 2]));
/// assert_eq!(facts.a.to_string(), "((4,8),4):((32,1),8)");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MmaFacts {
    /// The name in CuTe.
    pub name: &'static str,
    /// The PTX instruction.
    pub ptx: &'static str,
    /// The lowest compute capability that has the instruction, times ten.
    pub sm: usize,
    /// M, N and K.
    pub shape: [usize; 3],
    /// The number of threads.
    pub threads: usize,
    /// The number of values that a thread holds of A, B and C.
    pub values: [usize; 3],
    /// The formats of D, A, B and C.
    pub types: [&'static str; 4],
    /// The layout of the threads' places.
    pub thr_id: LayoutFacts,
    /// The layout that maps (thread, value) to (M,K).
    pub a: LayoutFacts,
    /// The layout that maps (thread, value) to (N,K).
    pub b: LayoutFacts,
    /// The layout that maps (thread, value) to (M,N).
    pub c: LayoutFacts,
    print_shape: fn(&mut fmt::Formatter<'_>) -> fmt::Result,
}

impl MmaFacts {
    /// Returns the facts of an atom.
    #[must_use]
    pub const fn of<Atom: MmaAtom>() -> Self {
        use super::Element;
        let threads = Atom::ThrId::SIZE;
        Self {
            name: Atom::NAME,
            ptx: Atom::PTX,
            sm: Atom::Sm::USIZE,
            shape: [
                AtomM::<Atom>::USIZE,
                AtomN::<Atom>::USIZE,
                AtomK::<Atom>::USIZE,
            ],
            threads,
            values: [
                Atom::ALayout::SIZE / threads,
                Atom::BLayout::SIZE / threads,
                Atom::CLayout::SIZE / threads,
            ],
            types: [
                Atom::ValTypeD::NAME,
                Atom::ValTypeA::NAME,
                Atom::ValTypeB::NAME,
                Atom::ValTypeC::NAME,
            ],
            thr_id: LayoutFacts::of::<Atom::ThrId>(),
            a: LayoutFacts::of::<Atom::ALayout>(),
            b: LayoutFacts::of::<Atom::BLayout>(),
            c: LayoutFacts::of::<Atom::CLayout>(),
            print_shape: Atom::ShapeMnk::print,
        }
    }

    /// Returns the shape in CuTe's notation.
    #[must_use]
    pub fn shape_mnk(&self) -> impl fmt::Display + '_ {
        ShapeOf(self)
    }
}

struct ShapeOf<'a>(&'a MmaFacts);
impl fmt::Display for ShapeOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0.print_shape)(f)
    }
}

// -- Execution ------------------------------------------------------------------------------------
//
// The execution of an MMA atom: CuTe's `fma` of an operation, on the registers of one thread.
//
// ```text
//   values of A, (thread, value) by ALayout ──► ARegisters ─┐
//   values of B                             ──► BRegisters ─┼─► fma_assign(d, a, b)      d ← a b + d
//   values of C                             ──► DRegisters ─┘
// ```
//
// Law: a thread's registers hold the values that the atom's layouts give it, in order and without
// gaps; [`MmaOp::fma`] is [`MmaOp::fma_assign`] after `d = c`.
//
// Source: CuTe `cute/arch/mma_sm*.hpp`, structs such as `SM80_16x8x16_F32F16F16F32_TN` with their
// `fma`.

/// An MMA atom whose operands lie in registers, and that can be executed.
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
    /// A thread's values of C. The type is that of D's values, so that the sum can stay in place.
    type CRegisters: RegisterArray + Into<Self::DRegisters>;

    /// Computes `D = A B + D`. The sums stay in their registers, so the call is only the
    /// instruction, without further moves.
    ///
    /// # Safety
    /// All threads of the warp execute it together, on an architecture that
    /// [has](crate::atom::Supports) the atom.
    unsafe fn fma_assign(d: &mut Self::DRegisters, a: &Self::ARegisters, b: &Self::BRegisters);

    /// Computes `D = A B + C`. C is copied first if it is used afterwards.
    ///
    /// # Safety
    /// The conditions of [`fma_assign`](Self::fma_assign) hold.
    #[inline(always)]
    unsafe fn fma(
        d: &mut Self::DRegisters,
        a: &Self::ARegisters,
        b: &Self::BRegisters,
        c: &Self::CRegisters,
    ) {
        *d = (*c).into();
        // SAFETY: the caller guarantees that all threads of the warp execute this, on an
        // architecture that has the atom.
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

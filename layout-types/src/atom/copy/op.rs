//! The execution of a copy atom, the check that it fits its elements, and a mask of the atoms that
//! exist.
//!
//! ```text
//!   UniversalCopyOp  LdsmOp  StsmOp  MovmOp  CpAsyncOp        MovesElement<T>        Mask 0b0111
//! ```

use super::{CopyAtom, CopyValues};
use crate::arch::copy::{AnySwizzle, SmemSwizzle};
use crate::atom::RegisterArray;
use crate::decimal::Decimal;
use crate::num::{False, True};
use crate::unroll::{Unroll, unroll};
use typenum::{Const, ToUInt};

// -- Execution ------------------------------------------------------------------------------------
//
// The execution of a copy atom: one trait for each direction of a copy.
//
// ```text
//   UniversalCopyOp   memory ⇄ registers of one thread      LdsmOp   shared ─► registers of a warp
//   CpAsyncOp         global ─► shared                      StsmOp   registers ─► shared
//                                                           MovmOp   registers ─► registers
// ```
//
// Law: `SrcLayout` and `DstLayout` state the bits that an instruction receives and provides. Bit
// `v` of a thread's registers is the layout's (thread, `v`). A thread whose side is memory provides
// the address of its bits, which are neighbours there.
//
// Source: CuTe `cute/arch/copy.hpp`, `copy_sm75.hpp`, `copy_sm80.hpp`, `copy_sm90.hpp`, the structs
// and their `copy`.

/// A load and a store of one thread: CuTe's `UniversalCopy<S>`.
///
/// ```
/// use layout_types::atom::copy::{UniversalCopy, UniversalCopyOp};
/// /// 16 bytes from global to shared memory, through registers.
/// ///
/// /// # Safety
/// /// Both places are 16-byte aligned; the bytes at `global` are readable, those at `shared` the calling thread's.
/// unsafe fn stage(shared: u32, global: *const u8) {
///     type Op = UniversalCopy<u128>;
///     // SAFETY: the caller keeps both places aligned, the one readable, the other this thread's.
///     unsafe { Op::store_shared(shared, Op::load_global(global)) }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a plain load and store",
    label = "`UniversalCopy` and `AutoVectorizingCopy` of 8 to 128 bits are"
)]
pub trait UniversalCopyOp: CopyAtom {
    /// The registers for the bits moved: one register for up to 32 bits, 32-bit registers for more.
    type Registers: RegisterArray;
    /// Loads from global memory.
    ///
    /// # Safety
    /// The bits at `global` are aligned to their size and in readable global memory, and no thread
    /// writes them meanwhile.
    unsafe fn load_global(global: *const u8) -> Self::Registers;
    /// Stores to global memory.
    ///
    /// # Safety
    /// The bits at `global` are aligned to their size and in writable global memory, and no other
    /// thread accesses them meanwhile.
    unsafe fn store_global(global: *mut u8, registers: Self::Registers);
    /// Loads from shared memory.
    ///
    /// # Safety
    /// The bits at `shared` are aligned to their size, in the block's shared memory, and
    /// initialised, and no other thread writes them before the next barrier.
    unsafe fn load_shared(shared: u32) -> Self::Registers;
    /// Stores to shared memory.
    ///
    /// # Safety
    /// The bits at `shared` are aligned to their size and in the block's shared memory, and no
    /// other thread accesses them before the next barrier.
    unsafe fn store_shared(shared: u32, registers: Self::Registers);
}

/// An `ldmatrix`: a copy of matrices from shared memory to the registers of a warp.
///
/// ```
/// use layout_types::atom::{CopyAtom, RegisterArray, copy::{LdsmOp, Sm75_U16x8_LDSM_T as Op}};
/// use layout_types::prelude::*;
/// // A lane's registers are its 128 bits of the destination.
/// assert_eq!(<Op as LdsmOp>::DRegisters::BITS * 32, <Op as CopyAtom>::DstLayout::SIZE);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an `ldmatrix`",
    label = "atoms that load matrices are named `Sm75_.._LDSM_N` and `Sm75_.._LDSM_T`"
)]
pub trait LdsmOp: CopyAtom {
    /// The registers that a lane receives.
    type DRegisters: RegisterArray;
    /// Loads matrices. `shared` is the address of the lane's bits by `SrcLayout`.
    ///
    /// # Safety
    /// All 32 lanes of the warp execute it together. Addresses are 16-byte aligned and name 16
    /// initialised bytes of the block's shared memory that no thread writes before the next
    /// barrier.
    unsafe fn load(shared: u32) -> Self::DRegisters;
    /// Loads matrices like [`load`](Self::load), from a tensor of the swizzle `W`.
    ///
    /// # Safety
    /// The conditions of [`load`](Self::load) hold.
    unsafe fn load_of<W: SmemSwizzle>(shared: u32) -> Self::DRegisters;
}

/// An `stmatrix`: a copy of matrices from the registers of a warp to shared memory.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an `stmatrix`",
    label = "atoms that store matrices are named `Sm90_.._STSM_N` and `Sm90_.._STSM_T`"
)]
pub trait StsmOp: CopyAtom {
    /// The registers that a lane provides.
    type SRegisters: RegisterArray;
    /// Stores matrices. `shared` is the address of the lane's bits by `DstLayout`.
    ///
    /// # Safety
    /// All 32 lanes of the warp execute it together, on sm_90 or newer. Addresses are 16-byte
    /// aligned and name 16 bytes of the block's shared memory that no other thread accesses before
    /// the next barrier.
    unsafe fn store(shared: u32, registers: Self::SRegisters);
    /// Stores matrices like [`store`](Self::store), to a tensor of the swizzle `W`.
    ///
    /// # Safety
    /// The conditions of [`store`](Self::store) hold.
    unsafe fn store_of<W: SmemSwizzle>(shared: u32, registers: Self::SRegisters);
}

/// A `movmatrix`: a copy of a matrix from the registers of a warp to registers of the same warp.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `movmatrix`",
    label = "the atom that transposes a matrix in registers is `Sm75_U32x1_MOVM_T`"
)]
pub trait MovmOp: CopyAtom {
    /// The registers that a lane provides.
    type SRegisters: RegisterArray;
    /// The registers that a lane receives.
    type DRegisters: RegisterArray;
    /// Transposes the matrix.
    ///
    /// # Safety
    /// All 32 lanes of the warp execute it together.
    unsafe fn transpose(registers: Self::SRegisters) -> Self::DRegisters;
}

/// A `cp.async`: a copy of a thread's bytes from global to shared memory, which is in flight until
/// a wait for it.
///
/// ```
/// use layout_types::atom::copy::{CpAsyncOp, Sm80_CP_ASYNC_CACHEALWAYS, Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL};
/// type Cg = Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL<u128>;
/// assert_eq!((Cg::BYTES, Cg::ZFILL), (16, true));
/// type Ca = Sm80_CP_ASYNC_CACHEALWAYS<f32>;
/// assert_eq!((Ca::BYTES, Ca::ZFILL), (4, false));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `cp.async`",
    label = "asynchronous copies are `Sm80_CP_ASYNC_CACHEALWAYS`, `Sm80_CP_ASYNC_CACHEGLOBAL` and both with `_ZFILL`"
)]
pub trait CpAsyncOp: CopyAtom {
    /// The number of bytes that one copy moves.
    const BYTES: u32;
    /// Whether a false predicate writes zeros. Otherwise it copies nothing.
    const ZFILL: bool;
    /// Starts the copy if `predicate` is true. Otherwise writes zeros with [`ZFILL`](Self::ZFILL),
    /// and does nothing without it. `global` is read only if `predicate` is true.
    ///
    /// # Safety
    /// `shared` is aligned to [`BYTES`](Self::BYTES) and in the block's shared memory, and no other
    /// thread accesses these bytes until a wait for the copy. If `predicate` is true, `global` has
    /// the same alignment, and the [`BYTES`](Self::BYTES) bytes there are readable global memory.
    /// The architecture is sm_80 or newer.
    unsafe fn copy(shared: u32, global: *const u8, predicate: impl super::AtomPredicate) {
        // SAFETY: the caller guarantees the conditions of `copy`, which are those of `copy_of`.
        unsafe { Self::copy_of::<AnySwizzle>(shared, global, predicate) }
    }
    /// Starts the copy like [`copy`](Self::copy), to a tensor of the swizzle `W`.
    ///
    /// # Safety
    /// The conditions of [`copy`](Self::copy) hold.
    unsafe fn copy_of<W: SmemSwizzle>(
        shared: u32,
        global: *const u8,
        predicate: impl super::AtomPredicate,
    );
}

// -- Elements -------------------------------------------------------------------------------------
//
// The fit of an instruction to the elements that it moves: no thread is without a place, and no
// element is divided.
//
// ```text
//   Sm75_U16x8_LDSM_T of f32     destination in elements ((4,4),..): 16 places for 32 threads, refused
//   UniversalCopy<u16> of f32    16 bits at a time of elements of 32: half an element, refused where it copies
// ```
//
// Law: `Op: CopyValues<T>` exactly if the first mode of each layout in elements has the size of
// `ThrID`. `Op: MovesElement<T>` exactly if, moreover, a thread moves at least the bits of an
// element. CuTe checks the first condition where the atom is named, and the second condition where
// the atom is called.
//
// Source: CuTe `Copy_Atom` in `cute/atom/copy_atom.hpp`, `copy_unpack` in
// `cute/atom/copy_traits.hpp`.

/// A copy atom that moves whole elements of type `T`. Every copy requires it, and so do
/// [`assert_contiguous!`](crate::assert_contiguous) and [`assert_covers!`](crate::assert_covers).
///
/// ```
/// use layout_types::atom::copy::{MovesElement, Sm80_CP_ASYNC_CACHEALWAYS, UniversalCopy};
/// fn copies<Op: MovesElement<T>, T>() {}
/// copies::<UniversalCopy<u128>, f64>();
/// copies::<Sm80_CP_ASYNC_CACHEALWAYS<u32>, half::f16>();
/// ```
///
/// ```compile_fail
/// use layout_types::atom::copy::{MovesElement, UniversalCopy};
/// fn copies<Op: MovesElement<T>, T>() {}
/// copies::<UniversalCopy<u16>, f32>(); // 2 of 4 bytes
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not move whole elements of type `{T}`",
    label = "the instruction must move an element's bits at least"
)]
#[doc(hidden)]
pub trait MovesElement<T>: CopyValues<T> {}

/// The names of an atom's sides in messages.
#[allow(non_camel_case_types, missing_docs)]
pub mod sides {
    pub struct source(());
    pub struct destination(());
    pub struct fragment(());
}

/// Implemented for `True`: on the side `Side`, elements of `Bits` bits have places for all threads.
#[doc(hidden)]
pub trait KeepsThreads<Op, Side, Bits, Places, Threads> {}
impl<Op, Side, B, P, N> KeepsThreads<Op, Side, B, P, N> for True {}
impl<Op, Side, B: Decimal, P: Decimal, N: Decimal> KeepsThreads<Op, Side, B, P, N> for False where
    Op: HasThreadsIn<Side, B::Text, P::Text, N::Text>
{
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not move elements of {Bits} bits: its {Side} has places for {Places} threads, and it is done by {Threads} together",
    label = "the instruction gives a thread less than an element at a time"
)]
#[doc(hidden)]
pub trait HasThreadsIn<Side, Bits, Places, Threads> {}

/// Implemented for `True`: the `Moved` bits of a thread are at least the `Bits` of an element.
#[doc(hidden)]
pub trait WideEnough<Op, Moved, Bits> {}
impl<Op, M, B> WideEnough<Op, M, B> for True {}
impl<Op: CopyAtom, M: Decimal, B: Decimal> WideEnough<Op, M, B> for False where
    Op: MovesWholeElements<M::Text, B::Text>
{
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "`{Self}` moves {Moved} bits at a time, and an element has {Bits}: a part of each element would not be copied",
    label = "the instruction must move an element's bits at least"
)]
#[doc(hidden)]
pub trait MovesWholeElements<Moved, Bits> {}

// -- Masks ----------------------------------------------------------------------------------------
//
// The atoms of a copy that exist, with one bit for each: a predicate that is computed once and
// valid for many steps.
//
// ```text
//   rows that a ragged tile has     0  1  2  3          Mask 0b0111
//   in a step after the end of k                        .only_if(false)    0b0000
//   atom 1 of the step                                  .atom(1)           0b0010, which holds
// ```
//
// Law: an atom is copied exactly if it was in bounds when the mask was made, and every condition
// since then was true.
//
// A thread has seven predicate registers. A mask of thirty-two bits is in one general register, and
// one instruction makes a predicate from a bit of it.
//
// Source: CuTe keeps such predicates as a tensor of `bool`; PTX ISA, *Predicated Execution*.

/// A predicate for the copy of an atom.
pub trait AtomPredicate: Copy {
    /// Whether the atom is copied.
    fn holds(self) -> bool;
    /// Returns a number that is not 0 exactly if the atom is copied, for an instruction that tests
    /// the number itself.
    fn word(self) -> u32;
}
impl AtomPredicate for bool {
    #[inline(always)]
    fn holds(self) -> bool {
        self
    }
    #[inline(always)]
    fn word(self) -> u32 {
        u32::from(self)
    }
}

/// The set of up to 32 atoms that exist, with one bit each: a predicate of
/// [`copy_if`](crate::algorithm::copy_if) that is computed once and kept.
///
/// Law: `Mask::new::<N>(p).only_if(c).atom(i).holds() == (p(i) && c)` for every `i < N`.
///
/// ```
/// use layout_types::atom::copy::{AtomPredicate, Mask};
/// let rows = Mask::new::<4>(|row| row < 3);
/// assert!(rows.atom(2).holds() && !rows.atom(3).holds());
/// assert!(!rows.only_if(false).atom(2).holds());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask(u32);
/// A bit of a [`Mask`].
#[derive(Clone, Copy, Debug)]
pub struct MaskBit(u32);

impl Mask {
    /// Makes the mask from `inside` for the atoms 0 to `N - 1`; the mask has no other atoms. `N` is
    /// at most 32.
    ///
    /// ```
    /// use layout_types::atom::copy::{AtomPredicate, Mask};
    /// let even = Mask::new::<4>(|atom| atom % 2 == 0);
    /// assert!(even.atom(2).holds() && !even.atom(3).holds());
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn new<const N: usize>(inside: impl Fn(usize) -> bool) -> Self
    where
        Const<N>: ToUInt<Output: Unroll>,
    {
        const { assert!(N <= 32, "a mask has 32 bits") }
        let mut bits = 0;
        unroll::<N>(|i| bits |= u32::from(inside(i)) << i);
        Self(bits)
    }
    /// Returns the mask if `condition` is true, or else a mask without atoms.
    ///
    /// ```
    /// use layout_types::atom::copy::{AtomPredicate, Mask};
    /// let all = Mask::new::<4>(|_| true);
    /// let (k_tile, k_tiles) = (8, 8);
    /// assert!(!all.only_if(k_tile < k_tiles).atom(0).holds());
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn only_if(self, condition: bool) -> Self {
        Self(if condition { self.0 } else { 0 })
    }
    /// Returns the predicate of atom `i`. No atom exists beyond the mask's atoms.
    ///
    /// ```
    /// use layout_types::atom::copy::{AtomPredicate, Mask};
    /// let two = Mask::new::<2>(|_| true);
    /// assert!(two.atom(1).holds() && !two.atom(2).holds());
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn atom(self, i: usize) -> MaskBit {
        MaskBit(if i < 32 { self.0 & 1 << i } else { 0 })
    }
}
impl AtomPredicate for MaskBit {
    #[inline(always)]
    fn holds(self) -> bool {
        self.0 != 0
    }
    #[inline(always)]
    fn word(self) -> u32 {
        self.0
    }
}

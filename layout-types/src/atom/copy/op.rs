//! A copy atom executed: one trait for each way that data goes.
//!
//! ```text
//!   UniversalCopyOp   memory ⇄ registers of one thread      LdsmOp   shared ─► registers of a warp
//!   CpAsyncOp         global ─► shared                      StsmOp   registers ─► shared
//!                                                           MovmOp   registers ─► registers
//! ```
//!
//! Law: what an instruction gets and gives is what `SrcLayout` and `DstLayout` say: bit `v` of a thread's registers is the
//! layout's (thread, `v`), and a thread whose side is memory gives the address of its bits, which are neighbours there.
//!
//! Source: CuTe `cute/arch/copy.hpp`, `copy_sm75.hpp`, `copy_sm80.hpp`, `copy_sm90.hpp`, the structs and their `copy`.

use super::CopyAtom;
use crate::atom::RegisterArray;

/// A load and a store of one thread: CuTe's `UniversalCopy<S>`.
///
/// ```
/// use layout_types::atom::copy::{UniversalCopy, UniversalCopyOp};
/// /// 16 bytes from global to shared memory, through registers.
/// unsafe fn stage(shared: u32, global: *const u8) {
///     type Op = UniversalCopy<u128>;
///     // SAFETY: the caller's.
///     unsafe { Op::store_shared(shared, Op::load_global(global)) }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a plain load and store",
    label = "`UniversalCopy` and `AutoVectorizingCopy` of 8 to 128 bits are"
)]
pub trait UniversalCopyOp: CopyAtom {
    /// The bits moved: one register up to 32 bits, 32-bit registers above.
    type Registers: RegisterArray;
    /// Loads from global memory.
    ///
    /// # Safety
    /// The bits at `global` are aligned to their size, readable global memory, and nobody writes them meanwhile.
    unsafe fn load_global(global: *const u8) -> Self::Registers;
    /// Stores to global memory.
    ///
    /// # Safety
    /// The bits at `global` are aligned to their size, writable global memory, and nobody else touches them meanwhile.
    unsafe fn store_global(global: *mut u8, registers: Self::Registers);
    /// Loads from shared memory.
    ///
    /// # Safety
    /// The bits at `shared` are aligned to their size, in the block's shared memory, initialised, and nobody else writes
    /// them before the next barrier.
    unsafe fn load_shared(shared: u32) -> Self::Registers;
    /// Stores to shared memory.
    ///
    /// # Safety
    /// The bits at `shared` are aligned to their size, in the block's shared memory, and nobody else touches them before
    /// the next barrier.
    unsafe fn store_shared(shared: u32, registers: Self::Registers);
}

/// `ldmatrix`: matrices from shared memory to the registers of a warp.
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
    /// What a lane gets.
    type DRegisters: RegisterArray;
    /// Loads; `shared` is the address of the lane's bits by `SrcLayout`.
    ///
    /// # Safety
    /// All 32 lanes of the warp execute it together; addresses are 16-byte aligned and name 16 initialised bytes of the
    /// block's shared memory that nobody writes before the next barrier.
    unsafe fn load(shared: u32) -> Self::DRegisters;
}

/// `stmatrix`: matrices from the registers of a warp to shared memory.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an `stmatrix`",
    label = "atoms that store matrices are named `Sm90_.._STSM_N` and `Sm90_.._STSM_T`"
)]
pub trait StsmOp: CopyAtom {
    /// What a lane gives.
    type SRegisters: RegisterArray;
    /// Stores; `shared` is the address of the lane's bits by `DstLayout`.
    ///
    /// # Safety
    /// All 32 lanes of the warp execute it together, on sm_90 or newer; addresses are 16-byte aligned and name 16 bytes of
    /// the block's shared memory that nobody else touches before the next barrier.
    unsafe fn store(shared: u32, registers: Self::SRegisters);
}

/// `movmatrix`: a matrix from the registers of a warp to registers of the same warp.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `movmatrix`",
    label = "the atom that transposes a matrix in registers is `Sm75_U32x1_MOVM_T`"
)]
pub trait MovmOp: CopyAtom {
    /// What a lane gives.
    type SRegisters: RegisterArray;
    /// What a lane gets.
    type DRegisters: RegisterArray;
    /// Transposes.
    ///
    /// # Safety
    /// All 32 lanes of the warp execute it together.
    unsafe fn transpose(registers: Self::SRegisters) -> Self::DRegisters;
}

/// `cp.async`: a thread's bytes from global to shared memory, under way until they are waited for.
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
    /// How many bytes one copy moves.
    const BYTES: u32;
    /// Does a false predicate write zeros? Otherwise it copies nothing.
    const ZFILL: bool;
    /// Starts the copy where `predicate` holds; where not, writes zeros with [`ZFILL`](Self::ZFILL) and does nothing
    /// without. `global` is read only where `predicate` holds.
    ///
    /// # Safety
    /// `shared` is aligned to [`BYTES`](Self::BYTES), in the block's shared memory, and nobody else touches these bytes until
    /// they have been waited for; where `predicate` holds, `global` is so aligned and as many bytes there are readable global
    /// memory. On sm_80 or newer.
    unsafe fn copy(shared: u32, global: *const u8, predicate: impl super::AtomPredicate);
}

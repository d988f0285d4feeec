//! Accumulators that `wgmma` has under way.
//!
//! ```text
//!   let mut sums = InFlight::arrive(values);      registers held in place, wgmma.fence
//!   sums.fma(a, b, 1);  sums.fma(..);             sums is no value now: nothing reads it
//!   sums.commit();  sums.wait::<1>();             groups but the newest are done: their shared memory is free
//!   let values = sums.finish();                   wait_group 0, and the registers are values again
//! ```
//!
//! Law: an [`InFlight`] gives its registers back in [`finish`](InFlight::finish) alone, behind a wait for all groups; nothing
//! else can name them. The compiler moves no access over the fences on either side.
//!
//! Source: CuTe `warpgroup_arrive`, `warpgroup_commit_batch`, `warpgroup_wait`, `warpgroup_fence_operand`; PTX ISA,
//! *wgmma.fence*, *wgmma.wait_group*.

use crate::arch::mma_sm90_gmma::{
    FenceOperand, warpgroup_arrive, warpgroup_commit_batch, warpgroup_wait,
};
use crate::atom::mma::WgmmaOp;

/// The accumulator of the atom `Atom`, in flight.
///
/// It has no values:
///
/// ```compile_fail,E0608
/// use layout_types::{algorithm::warpgroup::InFlight, atom::mma::Sm90_64x8x16_F32F16F16_SS as Atom};
/// unsafe fn early(sums: InFlight<Atom>) -> f32 {
///     sums[0] // read before the wait
/// }
/// ```
#[must_use = "registers in flight are values again after `finish`"]
pub struct InFlight<Atom: WgmmaOp> {
    registers: Atom::Accumulator,
}

impl<Atom: WgmmaOp> InFlight<Atom> {
    /// `wgmma.fence`, the registers in place before it. CuTe's `warpgroup_fence_operand` and `warpgroup_arrive`.
    ///
    /// # Safety
    /// All warps of the warp group execute it, each warp together.
    #[inline(always)]
    pub unsafe fn arrive(registers: Atom::Accumulator) -> Self {
        let mut registers = registers;
        registers.fence();
        // SAFETY: the caller's contract is the instruction's.
        unsafe { warpgroup_arrive() };
        Self { registers }
    }

    /// A further `wgmma.fence`: before the first product behind a wait for a barrier, or with registers of A that were written
    /// since.
    ///
    /// # Safety
    /// As of [`arrive`](Self::arrive).
    #[inline(always)]
    pub unsafe fn arrive_again(&mut self) {
        self.registers.fence();
        // SAFETY: the caller's contract is the instruction's.
        unsafe { warpgroup_arrive() };
    }

    /// `D = A B + D`, or `A B` where `scale_d` is 0.
    ///
    /// # Safety
    /// As of [`arrive`](Self::arrive), with the same operands in all warps; the descriptors' tiles are written, visible to the
    /// asynchronous proxy, and nobody writes them, nor A's registers, until the group has ended.
    #[inline(always)]
    pub unsafe fn fma(&mut self, a: &Atom::AOperand, b: &Atom::BOperand, scale_d: u32) {
        // SAFETY: the caller's contract; `arrive` came before, and nobody else names the registers.
        unsafe { Atom::fma(&mut self.registers, a, b, scale_d) };
    }

    /// `wgmma.commit_group`: closes a group.
    ///
    /// # Safety
    /// As of [`arrive`](Self::arrive).
    #[inline(always)]
    pub unsafe fn commit(&mut self) {
        // SAFETY: the caller's contract is the instruction's.
        unsafe { warpgroup_commit_batch() };
    }

    /// `wgmma.wait_group GROUPS`: the shared memory of all groups but the newest `GROUPS` is no longer read. The registers stay
    /// in flight.
    ///
    /// # Safety
    /// As of [`arrive`](Self::arrive).
    #[inline(always)]
    pub unsafe fn wait<const GROUPS: u64>(&mut self) {
        // SAFETY: the caller's contract is the instruction's.
        unsafe { warpgroup_wait::<GROUPS>() };
    }

    /// `wgmma.wait_group 0`: the registers are values again.
    ///
    /// # Safety
    /// As of [`arrive`](Self::arrive); the last group is committed.
    #[inline(always)]
    #[must_use]
    pub unsafe fn finish(self) -> Atom::Accumulator {
        let mut registers = self.registers;
        // SAFETY: the caller's contract is the instruction's.
        unsafe { warpgroup_wait::<0>() };
        registers.fence();
        registers
    }
}

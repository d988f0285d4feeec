//! `stmatrix`: a warp writes `mma` fragments to shared memory as 8×8 matrices of 16-bit elements.
//!
//! ```text
//!   lane l gives the address of row l%8 of matrix l/8      lane l gives, of each matrix,
//!   ┌──────────── 16 bytes ────────────┐                   row l/4, columns 2(l%4) and 2(l%4)+1
//! ```
//!
//! Law: `x4` is four `x1`, matrix `i` addressed by lanes `8i..8i+8`; `ldmatrix` of the same form after a barrier gives every
//! lane back what it stored.
//!
//! Source: PTX ISA, *Warp-level matrix store instruction: stmatrix*; CuTe `SM90_U32x{1,2,4}_STSM_N` and
//! `SM90_U16x{2,4,8}_STSM_T`.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unreachable_code, unused_unsafe, unused_variables)
)]

use super::ptx;

macro_rules! stmatrix {
    ($(#[$doc:meta])* $name:ident, $count:literal, $ptx:literal, $($i:literal),+) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// All 32 lanes of the warp execute it together, on sm_90 or newer; every address that the instruction uses is
        /// 16-byte aligned and names 16 bytes of the block's shared memory that nobody else touches before the next barrier.
        #[inline(always)]
        pub unsafe fn $name(address: u32, registers: [u32; $count]) {
            // SAFETY: the warp is whole, and each row is 16 aligned bytes of the block's shared memory that nobody else touches, by the
            // caller's contract.
            unsafe { ptx!($ptx, in(reg32) address, $(in(reg32) registers[$i],)+ options(nostack, preserves_flags)) };
        }
    };
}

stmatrix!(
    /// `stmatrix.sync.aligned.m8n8.x1.shared.b16`: CuTe's `SM90_U32x1_STSM_N`. Lanes 0 to 7 give addresses.
    stmatrix_x1, 1, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [{0}], {{{1}}};", 0);
stmatrix!(
    /// `stmatrix.sync.aligned.m8n8.x2.shared.b16`: CuTe's `SM90_U32x2_STSM_N`. Lanes 0 to 15 give addresses.
    stmatrix_x2, 2, "stmatrix.sync.aligned.m8n8.x2.shared.b16 [{0}], {{{1}, {2}}};", 0, 1);
stmatrix!(
    /// `stmatrix.sync.aligned.m8n8.x4.shared.b16`: CuTe's `SM90_U32x4_STSM_N`. All lanes give addresses.
    stmatrix_x4, 4, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [{0}], {{{1}, {2}, {3}, {4}}};", 0, 1, 2, 3);
stmatrix!(
    /// `stmatrix.sync.aligned.m8n8.x1.trans.shared.b16`: CuTe's `SM90_U16x2_STSM_T`.
    stmatrix_x1_trans, 1, "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [{0}], {{{1}}};", 0);
stmatrix!(
    /// `stmatrix.sync.aligned.m8n8.x2.trans.shared.b16`: CuTe's `SM90_U16x4_STSM_T`.
    stmatrix_x2_trans, 2, "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [{0}], {{{1}, {2}}};", 0, 1);
stmatrix!(
    /// `stmatrix.sync.aligned.m8n8.x4.trans.shared.b16`: CuTe's `SM90_U16x8_STSM_T`.
    stmatrix_x4_trans, 4, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [{0}], {{{1}, {2}, {3}, {4}}};", 0, 1, 2, 3);

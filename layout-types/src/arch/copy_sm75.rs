//! `ldmatrix`: a warp reads 8×8 matrices of 16-bit elements from shared memory into `mma` fragments; `movmatrix` transposes
//! one that it holds.
//!
//! ```text
//!   lane l gives the address of row l%8 of matrix l/8      lane l receives, of each matrix,
//!   ┌──────────── 16 bytes ────────────┐                   row l/4, columns 2(l%4) and 2(l%4)+1
//! ```
//!
//! Law: `x4` is four `x1`, matrix `i` addressed by lanes `8i..8i+8`; `.trans` gives each lane the element
//! pairs of the transposed matrix. `movmatrix` is `ldmatrix.trans` of the matrix that a `stmatrix` would have stored.
//!
//! Source: PTX ISA, *Warp-level matrix load instruction: ldmatrix*, *Warp-level matrix transpose instruction: movmatrix*; CuTe
//! `SM75_U32x{1,2,4}_LDSM_N`, `SM75_U16x{2,4,8}_LDSM_T` and `SM75_U32x1_MOVM_T`.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unreachable_code, unused_unsafe, unused_variables)
)]

use super::ptx;

macro_rules! ldmatrix {
    ($(#[$doc:meta])* $name:ident, $count:literal, $ptx:literal, $($register:ident),+) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// All 32 lanes of the warp execute it together; every address that the instruction uses is 16-byte
        /// aligned and names 16 initialised bytes of the block's shared memory that nobody writes before the
        /// next barrier.
        #[inline(always)]
        #[must_use]
        pub unsafe fn $name(address: u32) -> [u32; $count] {
            $(let $register: u32;)+
            // SAFETY: the warp is whole, and each row is 16 aligned, initialised bytes of the block's shared memory, by the caller's
            // contract.
            unsafe { ptx!($ptx, $(out(reg32) $register,)+ in(reg32) address, options(readonly, nostack, preserves_flags)) };
            [$($register),+]
        }
    };
}

ldmatrix!(
    /// `ldmatrix.sync.aligned.m8n8.x1.shared.b16`: CuTe's `SM75_U32x1_LDSM_N`. Lanes 0 to 7 give addresses.
    ldmatrix_x1, 1, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{{0}}}, [{1}];", a);
ldmatrix!(
    /// `ldmatrix.sync.aligned.m8n8.x2.shared.b16`: CuTe's `SM75_U32x2_LDSM_N`. Lanes 0 to 15 give addresses.
    ldmatrix_x2, 2, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {{{0}, {1}}}, [{2}];", a, b);
ldmatrix!(
    /// `ldmatrix.sync.aligned.m8n8.x4.shared.b16`: CuTe's `SM75_U32x4_LDSM_N`. All lanes give addresses.
    ldmatrix_x4, 4, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{{0}, {1}, {2}, {3}}}, [{4}];", a, b, c, d);
ldmatrix!(
    /// `ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16`: CuTe's `SM75_U16x2_LDSM_T`.
    ldmatrix_x1_trans, 1, "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {{{0}}}, [{1}];", a);
ldmatrix!(
    /// `ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16`: CuTe's `SM75_U16x4_LDSM_T`.
    ldmatrix_x2_trans, 2, "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {{{0}, {1}}}, [{2}];", a, b);
ldmatrix!(
    /// `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16`: CuTe's `SM75_U16x8_LDSM_T`.
    ldmatrix_x4_trans, 4, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {{{0}, {1}, {2}, {3}}}, [{4}];", a, b, c, d);

/// `movmatrix.sync.aligned.m8n8.trans.b16`: CuTe's `SM75_U32x1_MOVM_T`. The warp's 8×8 matrix, two elements a lane, transposed.
///
/// # Safety
/// All 32 lanes of the warp execute it together.
#[inline(always)]
#[must_use]
pub unsafe fn movmatrix_trans(value: u32) -> u32 {
    let transposed: u32;
    // SAFETY: registers only; the warp is whole by the caller's contract.
    unsafe {
        ptx!("movmatrix.sync.aligned.m8n8.trans.b16 {0}, {1};", out(reg32) transposed, in(reg32) value, options(nomem, nostack, preserves_flags))
    };
    transposed
}

//! `ldmatrix` and `movmatrix` of Turing: 8x8 matrices of 16 bits, shared memory to fragments and fragment to fragment.
//!
//! ```text
//!   one matrix, 8 rows of 128 bits      N: lane 4 g + t gets row g, 32 bits from 32 t on
//!                                       T: lane 4 g + t gets column g, 16 bits of rows 2 t and 2 t + 1
//! ```
//!
//! Law: of `x1` lanes 0 to 7 give the addresses of the rows, of `x2` lanes 0 to 15, of `x4` all; the addresses of the other
//! lanes are not used (stride 0).
//!
//! Step by step: `docs/walkthroughs/ldmatrix.md`.
//!
//! Source: CuTe `cute/atom/copy_traits_sm75.hpp`; PTX ISA, *Warp-level matrix load instruction: ldmatrix*, *Warp-level matrix
//! transpose instruction: movmatrix*.

use super::{LdsmOp, MovmOp, warp_copy};
use crate::arch::copy_sm75 as arch;

warp_copy! {
    /// One matrix.
    Sm75_U32x1_LDSM_N, "SM75_U32x1_LDSM_N", U75, "ldmatrix.sync.aligned.m8n8.x1.shared.b16",
    [((8,4),128):((128,0),1)], [(32,32):(32,1)], [(32,32):(32,1)]
}
warp_copy! {
    /// Two matrices.
    Sm75_U32x2_LDSM_N, "SM75_U32x2_LDSM_N", U75, "ldmatrix.sync.aligned.m8n8.x2.shared.b16",
    [((16,2),128):((128,0),1)], [(32,(32,2)):(32,(1,1024))], [(32,(32,2)):(32,(1,1024))]
}
warp_copy! {
    /// Four matrices.
    Sm75_U32x4_LDSM_N, "SM75_U32x4_LDSM_N", U75, "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
    [(32,128):(128,1)], [(32,(32,4)):(32,(1,1024))], [(32,(32,4)):(32,(1,1024))]
}
warp_copy! {
    /// One matrix, transposed.
    Sm75_U16x2_LDSM_T, "SM75_U16x2_LDSM_T", U75, "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16",
    [((8,4),128):((128,0),1)], [((4,8),(16,2)):((256,16),(1,128))], [((4,8),(16,2)):((256,16),(1,128))]
}
warp_copy! {
    /// Two matrices, each transposed.
    Sm75_U16x4_LDSM_T, "SM75_U16x4_LDSM_T", U75, "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16",
    [((16,2),128):((128,0),1)], [((4,8),(16,2,2)):((256,16),(1,128,1024))], [((4,8),(16,2,2)):((256,16),(1,128,1024))]
}
warp_copy! {
    /// Four matrices, each transposed.
    Sm75_U16x8_LDSM_T, "SM75_U16x8_LDSM_T", U75, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
    [(32,128):(128,1)], [((4,8),(16,2,4)):((256,16),(1,128,1024))], [((4,8),(16,2,4)):((256,16),(1,128,1024))]
}
warp_copy! {
    /// One matrix transposed within the registers of a warp.
    Sm75_U32x1_MOVM_T, "SM75_U32x1_MOVM_T", U75, "movmatrix.sync.aligned.m8n8.trans.b16",
    [(32,32):(32,1)], [((4,8),(16,2)):((256,16),(1,128))], [(32,32):(32,1)]
}

macro_rules! ldsm {
    ($($name:ident, $count:literal, $wrapper:ident;)*) => {$(
        impl LdsmOp for $name {
            type DRegisters = [u32; $count];
            #[inline(always)]
            unsafe fn load(shared: u32) -> [u32; $count] {
                // SAFETY: the caller's contract is the wrapper's.
                unsafe { arch::$wrapper(shared) }
            }
        }
    )*};
}
ldsm! {
    Sm75_U32x1_LDSM_N, 1, ldmatrix_x1;
    Sm75_U32x2_LDSM_N, 2, ldmatrix_x2;
    Sm75_U32x4_LDSM_N, 4, ldmatrix_x4;
    Sm75_U16x2_LDSM_T, 1, ldmatrix_x1_trans;
    Sm75_U16x4_LDSM_T, 2, ldmatrix_x2_trans;
    Sm75_U16x8_LDSM_T, 4, ldmatrix_x4_trans;
}

impl MovmOp for Sm75_U32x1_MOVM_T {
    type SRegisters = [u32; 1];
    type DRegisters = [u32; 1];
    #[inline(always)]
    unsafe fn transpose(registers: [u32; 1]) -> [u32; 1] {
        // SAFETY: the caller's contract is the wrapper's.
        [unsafe { arch::movmatrix_trans(registers[0]) }]
    }
}

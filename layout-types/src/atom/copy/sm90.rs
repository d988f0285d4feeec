//! `stmatrix` of Hopper: fragments to 8x8 matrices of 16 bits in shared memory.
//!
//! ```text
//!   N: lane 4 g + t stores 32 bits to row g, from bit 32 t on      T: 16 bits each to column g of rows 2 t and 2 t + 1
//! ```
//!
//! Law: `ldmatrix` with source and destination exchanged; the reference is the fragment, here the source.
//!
//! Source: CuTe `cute/atom/copy_traits_sm90.hpp`; PTX ISA, *Warp-level matrix store instruction: stmatrix*.

use super::{StsmOp, warp_copy};
use crate::arch::copy_sm90 as arch;

warp_copy! {
    /// One matrix.
    Sm90_U32x1_STSM_N, "SM90_U32x1_STSM_N", U90, "stmatrix.sync.aligned.m8n8.x1.shared.b16",
    [(32,32):(32,1)], [((8,4),128):((128,0),1)], [(32,32):(32,1)]
}
warp_copy! {
    /// Two matrices.
    Sm90_U32x2_STSM_N, "SM90_U32x2_STSM_N", U90, "stmatrix.sync.aligned.m8n8.x2.shared.b16",
    [(32,(32,2)):(32,(1,1024))], [((16,2),128):((128,0),1)], [(32,(32,2)):(32,(1,1024))]
}
warp_copy! {
    /// Four matrices.
    Sm90_U32x4_STSM_N, "SM90_U32x4_STSM_N", U90, "stmatrix.sync.aligned.m8n8.x4.shared.b16",
    [(32,(32,4)):(32,(1,1024))], [(32,128):(128,1)], [(32,(32,4)):(32,(1,1024))]
}
warp_copy! {
    /// One matrix, transposed.
    Sm90_U16x2_STSM_T, "SM90_U16x2_STSM_T", U90, "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16",
    [((4,8),(16,2)):((256,16),(1,128))], [((8,4),128):((128,0),1)], [((4,8),(16,2)):((256,16),(1,128))]
}
warp_copy! {
    /// Two matrices, each transposed.
    Sm90_U16x4_STSM_T, "SM90_U16x4_STSM_T", U90, "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16",
    [((4,8),(16,2,2)):((256,16),(1,128,1024))], [((16,2),128):((128,0),1)], [((4,8),(16,2,2)):((256,16),(1,128,1024))]
}
warp_copy! {
    /// Four matrices, each transposed.
    Sm90_U16x8_STSM_T, "SM90_U16x8_STSM_T", U90, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
    [((4,8),(16,2,4)):((256,16),(1,128,1024))], [(32,128):(128,1)], [((4,8),(16,2,4)):((256,16),(1,128,1024))]
}

macro_rules! stsm {
    ($($name:ident, $count:literal, $wrapper:ident;)*) => {$(
        impl StsmOp for $name {
            type SRegisters = [u32; $count];
            #[inline(always)]
            unsafe fn store(shared: u32, registers: [u32; $count]) {
                // SAFETY: the caller's contract is the wrapper's.
                unsafe { arch::$wrapper(shared, registers) }
            }
        }
    )*};
}
stsm! {
    Sm90_U32x1_STSM_N, 1, stmatrix_x1;
    Sm90_U32x2_STSM_N, 2, stmatrix_x2;
    Sm90_U32x4_STSM_N, 4, stmatrix_x4;
    Sm90_U16x2_STSM_T, 1, stmatrix_x1_trans;
    Sm90_U16x4_STSM_T, 2, stmatrix_x2_trans;
    Sm90_U16x8_STSM_T, 4, stmatrix_x4_trans;
}

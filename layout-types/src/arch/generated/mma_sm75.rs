//! Written by `tests/atoms_tables.rs`; change the rows there.
//!
//! Source: CuTe `cute/arch/mma_sm75.hpp`; PTX ISA, *Warp-level matrix instructions: mma*.

use crate::arch::mma::mma_sync;

mma_sync! {
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", "SM75_16x8x8_F32F16F16F32_TN",
    mma_16x8x8_f32_f16(d: [f32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", "SM75_8x8x16_S32S8S8S32_TN",
    mma_8x8x16_s32_s8(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

//! Written by `tests/atoms_tables.rs`; change the rows there.
//!
//! Source: CuTe `cute/arch/mma_sm70.hpp`; PTX ISA, *Warp-level matrix instructions: mma*.

use crate::arch::mma::mma_sync;

mma_sync! {
    "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16", "SM70_8x8x4_F16F16F16F16_TN",
    mma_8x8x4_f16_f16_tn(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}, {7}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16", "SM70_8x8x4_F16F16F16F16_NT",
    mma_8x8x4_f16_f16_nt(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}, {7}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16", "SM70_8x8x4_F16F16F16F16_NN",
    mma_8x8x4_f16_f16_nn(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}, {7}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16", "SM70_8x8x4_F16F16F16F16_TT",
    mma_8x8x4_f16_f16_tt(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}, {7}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", "SM70_8x8x4_F32F16F16F32_TN",
    mma_8x8x4_f32_f16_tn(d: [f32; 8]: reg32, 0 1 2 3 4 5 6 7, a: [u32; 2]: reg32, 0 1, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{10}, {11}}}, {{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32", "SM70_8x8x4_F32F16F16F32_NT",
    mma_8x8x4_f32_f16_nt(d: [f32; 8]: reg32, 0 1 2 3 4 5 6 7, a: [u32; 2]: reg32, 0 1, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32 {{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{10}, {11}}}, {{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f32", "SM70_8x8x4_F32F16F16F32_NN",
    mma_8x8x4_f32_f16_nn(d: [f32; 8]: reg32, 0 1 2 3 4 5 6 7, a: [u32; 2]: reg32, 0 1, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f32 {{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{10}, {11}}}, {{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32", "SM70_8x8x4_F32F16F16F32_TT",
    mma_8x8x4_f32_f16_tt(d: [f32; 8]: reg32, 0 1 2 3 4 5 6 7, a: [u32; 2]: reg32, 0 1, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32 {{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{10}, {11}}}, {{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}};"
}

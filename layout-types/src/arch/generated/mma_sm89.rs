//! Written by `tests/atoms_tables.rs`; change the rows there.
//!
//! Source: CuTe `cute/arch/mma_sm89.hpp`; PTX ISA, *Warp-level matrix instructions: mma*.

use crate::arch::mma::mma_sync;

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", "SM89_16x8x32_F32E4M3E4M3F32_TN",
    mma_16x8x32_f32_e4m3(d: [f32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", "SM89_16x8x32_F32E4M3E5M2F32_TN",
    mma_16x8x32_f32_e4m3_e5m2(d: [f32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32", "SM89_16x8x32_F32E5M2E4M3F32_TN",
    mma_16x8x32_f32_e5m2_e4m3(d: [f32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", "SM89_16x8x32_F32E5M2E5M2F32_TN",
    mma_16x8x32_f32_e5m2(d: [f32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16", "SM89_16x8x32_F16E4M3E4M3F16_TN",
    mma_16x8x32_f16_e4m3(d: [u32; 2]: reg32, 0 1, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {{{0}, {1}}}, {{{2}, {3}, {4}, {5}}}, {{{6}, {7}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16", "SM89_16x8x32_F16E4M3E5M2F16_TN",
    mma_16x8x32_f16_e4m3_e5m2(d: [u32; 2]: reg32, 0 1, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16 {{{0}, {1}}}, {{{2}, {3}, {4}, {5}}}, {{{6}, {7}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16", "SM89_16x8x32_F16E5M2E4M3F16_TN",
    mma_16x8x32_f16_e5m2_e4m3(d: [u32; 2]: reg32, 0 1, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16 {{{0}, {1}}}, {{{2}, {3}, {4}, {5}}}, {{{6}, {7}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16", "SM89_16x8x32_F16E5M2E5M2F16_TN",
    mma_16x8x32_f16_e5m2(d: [u32; 2]: reg32, 0 1, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16 {{{0}, {1}}}, {{{2}, {3}, {4}, {5}}}, {{{6}, {7}}}, {{{0}, {1}}};"
}

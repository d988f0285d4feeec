//! Written by `tests/atoms_tables.rs`; change the rows there.
//!
//! Source: CuTe `cute/arch/mma_sm80.hpp`; PTX ISA, *Warp-level matrix instructions: mma*.

use crate::arch::mma::mma_sync;

mma_sync! {
    "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", "SM80_16x8x8_F16F16F16F16_TN",
    mma_16x8x8_f16_f16(d: [u32; 2]: reg32, 0 1, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {{{0}, {1}}}, {{{2}, {3}}}, {{{4}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "SM80_16x8x16_F16F16F16F16_TN",
    mma_16x8x16_f16_f16(d: [u32; 2]: reg32, 0 1, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {{{0}, {1}}}, {{{2}, {3}, {4}, {5}}}, {{{6}, {7}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", "SM80_16x8x8_F32F16F16F32_TN",
    mma_16x8x8_f32_f16(d: [f32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "SM80_16x8x16_F32F16F16F32_TN",
    mma_16x8x16_f32_f16(d: [f32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", "SM80_16x8x8_F32BF16BF16F32_TN",
    mma_16x8x8_f32_bf16(d: [f32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "SM80_16x8x16_F32BF16BF16F32_TN",
    mma_16x8x16_f32_bf16(d: [f32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", "SM80_16x8x4_F32TF32TF32F32_TN",
    mma_16x8x4_f32_tf32(d: [f32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "SM80_16x8x8_F32TF32TF32F32_TN",
    mma_16x8x8_f32_tf32(d: [f32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "SM80_8x8x4_F64F64F64F64_TN",
    mma_8x8x4_f64_f64(d: [f64; 2]: reg64, 0 1, a: [f64; 1]: reg64, 0, b: [f64; 1]: reg64, 0),
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", "SM80_8x8x16_S32S8S8S32_TN",
    mma_8x8x16_s32_s8(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32", "SM80_8x8x16_S32S8S8S32_TN_SATURATE",
    mma_8x8x16_s32_s8_satfinite(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", "SM80_16x8x16_S32S8S8S32_TN",
    mma_16x8x16_s32_s8(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32", "SM80_16x8x16_S32S8S8S32_TN_SATURATE",
    mma_16x8x16_s32_s8_satfinite(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "SM80_16x8x32_S32S8S8S32_TN",
    mma_16x8x32_s32_s8(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", "SM80_16x8x32_S32S8S8S32_TN_SATURATE",
    mma_16x8x32_s32_s8_satfinite(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32", "SM80_8x8x16_S32S8U8S32_TN",
    mma_8x8x16_s32_s8_u8(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32", "SM80_8x8x16_S32S8U8S32_TN_SATURATE",
    mma_8x8x16_s32_s8_u8_satfinite(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32", "SM80_16x8x16_S32S8U8S32_TN",
    mma_16x8x16_s32_s8_u8(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.u8.s32", "SM80_16x8x16_S32S8U8S32_TN_SATURATE",
    mma_16x8x16_s32_s8_u8_satfinite(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.u8.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", "SM80_16x8x32_S32S8U8S32_TN",
    mma_16x8x32_s32_s8_u8(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", "SM80_16x8x32_S32S8U8S32_TN_SATURATE",
    mma_16x8x32_s32_s8_u8_satfinite(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32", "SM80_8x8x16_S32U8S8S32_TN",
    mma_8x8x16_s32_u8_s8(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32", "SM80_8x8x16_S32U8S8S32_TN_SATURATE",
    mma_8x8x16_s32_u8_s8_satfinite(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32", "SM80_16x8x16_S32U8S8S32_TN",
    mma_16x8x16_s32_u8_s8(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32", "SM80_16x8x16_S32U8S8S32_TN_SATURATE",
    mma_16x8x16_s32_u8_s8_satfinite(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32", "SM80_16x8x32_S32U8S8S32_TN",
    mma_16x8x32_s32_u8_s8(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32", "SM80_16x8x32_S32U8S8S32_TN_SATURATE",
    mma_16x8x32_s32_u8_s8_satfinite(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32", "SM80_8x8x16_S32U8U8S32_TN",
    mma_8x8x16_s32_u8(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.u8.s32", "SM80_8x8x16_S32U8U8S32_TN_SATURATE",
    mma_8x8x16_s32_u8_satfinite(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.u8.s32 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32", "SM80_16x8x16_S32U8U8S32_TN",
    mma_16x8x16_s32_u8(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.u8.s32", "SM80_16x8x16_S32U8U8S32_TN_SATURATE",
    mma_16x8x16_s32_u8_satfinite(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.u8.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", "SM80_16x8x32_S32U8U8S32_TN",
    mma_16x8x32_s32_u8(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32", "SM80_16x8x32_S32U8U8S32_TN_SATURATE",
    mma_16x8x32_s32_u8_satfinite(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", "SM80_8x8x32_S32S4S4S32_TN",
    mma_8x8x32_s32_s4(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.s4.s32", "SM80_8x8x32_S32S4S4S32_TN_SATURATE",
    mma_8x8x32_s32_s4_satfinite(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.s4.s32 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32", "SM80_16x8x32_S32S4S4S32_TN",
    mma_16x8x32_s32_s4(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s4.s4.s32", "SM80_16x8x32_S32S4S4S32_TN_SATURATE",
    mma_16x8x32_s32_s4_satfinite(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s4.s4.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", "SM80_16x8x64_S32S4S4S32_TN",
    mma_16x8x64_s32_s4(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.s4.s32", "SM80_16x8x64_S32S4S4S32_TN_SATURATE",
    mma_16x8x64_s32_s4_satfinite(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.s4.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32", "SM80_8x8x32_S32S4U4S32_TN",
    mma_8x8x32_s32_s4_u4(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.u4.s32", "SM80_8x8x32_S32S4U4S32_TN_SATURATE",
    mma_8x8x32_s32_s4_u4_satfinite(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.u4.s32 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32", "SM80_16x8x32_S32S4U4S32_TN",
    mma_16x8x32_s32_s4_u4(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s4.u4.s32", "SM80_16x8x32_S32S4U4S32_TN_SATURATE",
    mma_16x8x32_s32_s4_u4_satfinite(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s4.u4.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", "SM80_16x8x64_S32S4U4S32_TN",
    mma_16x8x64_s32_s4_u4(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32", "SM80_16x8x64_S32S4U4S32_TN_SATURATE",
    mma_16x8x64_s32_s4_u4_satfinite(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32", "SM80_8x8x32_S32U4S4S32_TN",
    mma_8x8x32_s32_u4_s4(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.s4.s32", "SM80_8x8x32_S32U4S4S32_TN_SATURATE",
    mma_8x8x32_s32_u4_s4_satfinite(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.s4.s32 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32", "SM80_16x8x32_S32U4S4S32_TN",
    mma_16x8x32_s32_u4_s4(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.s4.s32", "SM80_16x8x32_S32U4S4S32_TN_SATURATE",
    mma_16x8x32_s32_u4_s4_satfinite(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.s4.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32", "SM80_16x8x64_S32U4S4S32_TN",
    mma_16x8x64_s32_u4_s4(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.s4.s32", "SM80_16x8x64_S32U4S4S32_TN_SATURATE",
    mma_16x8x64_s32_u4_s4_satfinite(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.s4.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32", "SM80_8x8x32_S32U4U4S32_TN",
    mma_8x8x32_s32_u4(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.u4.s32", "SM80_8x8x32_S32U4U4S32_TN_SATURATE",
    mma_8x8x32_s32_u4_satfinite(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.u4.s32 {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32", "SM80_16x8x32_S32U4U4S32_TN",
    mma_16x8x32_s32_u4(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.u4.s32", "SM80_16x8x32_S32U4U4S32_TN_SATURATE",
    mma_16x8x32_s32_u4_satfinite(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.u4.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32", "SM80_16x8x64_S32U4U4S32_TN",
    mma_16x8x64_s32_u4(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.u4.s32", "SM80_16x8x64_S32U4U4S32_TN_SATURATE",
    mma_16x8x64_s32_u4_satfinite(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.u4.s32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", "SM80_8x8x128_S32U1U1S32_TN_XORPOPC",
    mma_8x8x128_s32_b1_xor(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc", "SM80_16x8x128_S32U1U1S32_TN_XORPOPC",
    mma_16x8x128_s32_b1_xor(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", "SM80_16x8x256_S32U1U1S32_TN_XORPOPC",
    mma_16x8x256_s32_b1_xor(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", "SM80_8x8x128_S32U1U1S32_TN_ANDPOPC",
    mma_8x8x128_s32_b1_and(d: [u32; 2]: reg32, 0 1, a: [u32; 1]: reg32, 0, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {{{0}, {1}}}, {{{2}}}, {{{3}}}, {{{0}, {1}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", "SM80_16x8x128_S32U1U1S32_TN_ANDPOPC",
    mma_16x8x128_s32_b1_and(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 2]: reg32, 0 1, b: [u32; 1]: reg32, 0),
    "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", "SM80_16x8x256_S32U1U1S32_TN_ANDPOPC",
    mma_16x8x256_s32_b1_and(d: [u32; 4]: reg32, 0 1 2 3, a: [u32; 4]: reg32, 0 1 2 3, b: [u32; 2]: reg32, 0 1),
    "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

//! The wrappers of `mma.sync`, a module for each architecture, written by `tests/atoms_tables.rs`:
//! change the rows there and run that test with `CUTLET_WRITE_TABLES=1`.

pub mod mma_sm70 {
//! `mma.sync` of Volta: each quarter of a warp multiplies 8×4 by 4×8 f16.
//!
//! ```text
//!   lanes 0..4 and 16..20 are one quarter, 4..8 and 20..24 the next, ..      A and B row- or column-major: tn, nt, nn, tt
//! ```
//!
//! Law: the instruction computes four products `D = A·B + C` at once. The product of a quarter uses
//! only the registers of that quarter's lanes. GPUs from sm_80 on execute the instruction slowly.
//!
//! Source: PTX ISA, *Matrix Fragments for mma.m8n8k4 with .f16 floating point type*; CuTe
//! `cute/arch/mma_sm70.hpp`.

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
}

pub mod mma_sm75 {
//! `mma.sync` of Turing: f16 with k = 8, 8-bit integers with k = 16.
//!
//! ```text
//!   lane 4 g + t:   A rows g (and g + 8), B column g, both along k from t on;   C row g (and g + 8), columns 2 t, 2 t + 1
//! ```
//!
//! Law: `D = A·B + C`; integers are exact and wrap.
//!
//! Source: PTX ISA, *Matrix Fragments for mma.m16n8k8*, *mma.m8n8k16*; CuTe
//! `cute/arch/mma_sm75.hpp`.

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
}

pub mod mma_sm80 {
//! `mma.sync` of Ampere: a warp multiplies an m×k fragment by a k×8 fragment and adds an m×8
//! fragment.
//!
//! ```text
//!            B (k, n)
//!           ┌───────┐ 8        lane l holds rows l/4 and l/4+8, columns 2(l%4) and 2(l%4)+1 of C and D;
//!  A (m, k) │       │          A and B in 32-bit registers, neighbours along k in each, the lower k first
//!  ┌──────┐ ├───────┤
//!  │      │ │ C, D  │ 16
//!  └──────┘ └───────┘
//! ```
//!
//! Law: `D = A·B + C`. For f64 the sum is a chain of `fma`. For other floats the products are
//! exact, and the hardware rounds the sum, whose order is not specified. Integers are exact and
//! wrap, or are clamped with `satfinite`. For single bits a product is `xor` or `and` of two bits,
//! and the sum counts the products that are 1.
//!
//! Source: PTX ISA, *Warp-level matrix instructions: mma*; CuTe `cute/arch/mma_sm80.hpp`.

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
}

pub mod mma_sm89 {
//! `mma.sync` of Ada: 8-bit floats with k = 32.
//!
//! ```text
//!   lane 4 g + t:   A rows g and g + 8, B column g, four bytes from 4 t and four from 4 t + 16 on along k
//! ```
//!
//! Law: `D = A·B + C` with exact products and sums in f32 or f16, which the hardware rounds.
//!
//! Source: PTX ISA, *Matrix Fragments for mma.m16n8k32*; CuTe `cute/arch/mma_sm89.hpp`.

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
}

pub mod mma_sm90 {
//! `mma.sync` of Hopper: f64 with 16 rows.
//!
//! ```text
//!   lane 4 g + t:   A rows g and g + 8, B column g, elements t, t + 4, .. along k
//! ```
//!
//! Law: `D = A·B + C`, as chains of `fma` along k.
//!
//! Source: PTX ISA, *Matrix Fragments for mma.m16n8k4 .. m16n8k16 with .f64*; CuTe
//! `cute/arch/mma_sm90.hpp`.

use crate::arch::mma::mma_sync;

mma_sync! {
    "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", "SM90_16x8x4_F64F64F64F64_TN",
    mma_16x8x4_f64_f64(d: [f64; 4]: reg64, 0 1 2 3, a: [f64; 2]: reg64, 0 1, b: [f64; 1]: reg64, 0),
    "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", "SM90_16x8x8_F64F64F64F64_TN",
    mma_16x8x8_f64_f64(d: [f64; 4]: reg64, 0 1 2 3, a: [f64; 4]: reg64, 0 1 2 3, b: [f64; 2]: reg64, 0 1),
    "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};"
}

mma_sync! {
    "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", "SM90_16x8x16_F64F64F64F64_TN",
    mma_16x8x16_f64_f64(d: [f64; 4]: reg64, 0 1 2 3, a: [f64; 8]: reg64, 0 1 2 3 4 5 6 7, b: [f64; 4]: reg64, 0 1 2 3),
    "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}, {8}, {9}, {10}, {11}}}, {{{12}, {13}, {14}, {15}}}, {{{0}, {1}, {2}, {3}}};"
}
}

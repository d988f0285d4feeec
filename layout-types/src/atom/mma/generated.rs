//! The tables of atoms, by architecture, written by `tests/atoms_tables.rs`: change the rows there
//! and run that test with `CUTLET_WRITE_TABLES=1`.

use super::{MmaFacts, mma_atom};
use crate::atom::element::*;

// sm_70. Source: CuTe `cute/atom/mma_traits_sm70.hpp`; PTX ISA, *Warp-level matrix instructions:
// mma*.

mma_atom! {
    /// 8x8x4, f16 = f16 * f16 + f16.
    Sm70_8x8x4_F16F16F16F16_TN, "SM70_8x8x4_F16F16F16F16_TN", U70, "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16", (8, 8, 4),
    [(4,2):(1,16)], [(8,4):(1,8)], [(8,4):(1,8)], [(8,8):(1,8)],
    [half::f16, half::f16, half::f16, half::f16], mma_sm70::mma_8x8x4_f16_f16_tn([u32; 4], [u32; 2], [u32; 2])
}

mma_atom! {
    /// 8x8x4, f16 = f16 * f16 + f16.
    Sm70_8x8x4_F16F16F16F16_NT, "SM70_8x8x4_F16F16F16F16_NT", U70, "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16", (8, 8, 4),
    [(4,2):(1,16)], [((4,2),4):((8,4),1)], [((4,2),4):((8,4),1)], [(8,8):(1,8)],
    [half::f16, half::f16, half::f16, half::f16], mma_sm70::mma_8x8x4_f16_f16_nt([u32; 4], [u32; 2], [u32; 2])
}

mma_atom! {
    /// 8x8x4, f16 = f16 * f16 + f16.
    Sm70_8x8x4_F16F16F16F16_NN, "SM70_8x8x4_F16F16F16F16_NN", U70, "mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16", (8, 8, 4),
    [(4,2):(1,16)], [((4,2),4):((8,4),1)], [(8,4):(1,8)], [(8,8):(1,8)],
    [half::f16, half::f16, half::f16, half::f16], mma_sm70::mma_8x8x4_f16_f16_nn([u32; 4], [u32; 2], [u32; 2])
}

mma_atom! {
    /// 8x8x4, f16 = f16 * f16 + f16.
    Sm70_8x8x4_F16F16F16F16_TT, "SM70_8x8x4_F16F16F16F16_TT", U70, "mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16", (8, 8, 4),
    [(4,2):(1,16)], [(8,4):(1,8)], [((4,2),4):((8,4),1)], [(8,8):(1,8)],
    [half::f16, half::f16, half::f16, half::f16], mma_sm70::mma_8x8x4_f16_f16_tt([u32; 4], [u32; 2], [u32; 2])
}

mma_atom! {
    /// 8x8x4, f32 = f16 * f16 + f32.
    Sm70_8x8x4_F32F16F16F32_TN, "SM70_8x8x4_F32F16F16F32_TN", U70, "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", (8, 8, 4),
    [(4,2):(1,16)], [(8,4):(1,8)], [(8,4):(1,8)], [((2,2,2),(2,2,2)):((1,16,4),(8,2,32))],
    [f32, half::f16, half::f16, f32], mma_sm70::mma_8x8x4_f32_f16_tn([f32; 8], [u32; 2], [u32; 2])
}

mma_atom! {
    /// 8x8x4, f32 = f16 * f16 + f32.
    Sm70_8x8x4_F32F16F16F32_NT, "SM70_8x8x4_F32F16F16F32_NT", U70, "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32", (8, 8, 4),
    [(4,2):(1,16)], [((4,2),4):((8,4),1)], [((4,2),4):((8,4),1)], [((2,2,2),(2,2,2)):((1,16,4),(8,2,32))],
    [f32, half::f16, half::f16, f32], mma_sm70::mma_8x8x4_f32_f16_nt([f32; 8], [u32; 2], [u32; 2])
}

mma_atom! {
    /// 8x8x4, f32 = f16 * f16 + f32.
    Sm70_8x8x4_F32F16F16F32_NN, "SM70_8x8x4_F32F16F16F32_NN", U70, "mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f32", (8, 8, 4),
    [(4,2):(1,16)], [((4,2),4):((8,4),1)], [(8,4):(1,8)], [((2,2,2),(2,2,2)):((1,16,4),(8,2,32))],
    [f32, half::f16, half::f16, f32], mma_sm70::mma_8x8x4_f32_f16_nn([f32; 8], [u32; 2], [u32; 2])
}

mma_atom! {
    /// 8x8x4, f32 = f16 * f16 + f32.
    Sm70_8x8x4_F32F16F16F32_TT, "SM70_8x8x4_F32F16F16F32_TT", U70, "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32", (8, 8, 4),
    [(4,2):(1,16)], [(8,4):(1,8)], [((4,2),4):((8,4),1)], [((2,2,2),(2,2,2)):((1,16,4),(8,2,32))],
    [f32, half::f16, half::f16, f32], mma_sm70::mma_8x8x4_f32_f16_tt([f32; 8], [u32; 2], [u32; 2])
}

/// The atoms of sm_70 as values.
pub const SM70: &[MmaFacts] = &[
    MmaFacts::of::<Sm70_8x8x4_F16F16F16F16_TN>(),
    MmaFacts::of::<Sm70_8x8x4_F16F16F16F16_NT>(),
    MmaFacts::of::<Sm70_8x8x4_F16F16F16F16_NN>(),
    MmaFacts::of::<Sm70_8x8x4_F16F16F16F16_TT>(),
    MmaFacts::of::<Sm70_8x8x4_F32F16F16F32_TN>(),
    MmaFacts::of::<Sm70_8x8x4_F32F16F16F32_NT>(),
    MmaFacts::of::<Sm70_8x8x4_F32F16F16F32_NN>(),
    MmaFacts::of::<Sm70_8x8x4_F32F16F16F32_TT>(),
];

// sm_75. Source: CuTe `cute/atom/mma_traits_sm75.hpp`; PTX ISA, *Warp-level matrix instructions:
// mma*.

mma_atom! {
    /// 16x8x8, f32 = f16 * f16 + f32.
    Sm75_16x8x8_F32F16F16F32_TN, "SM75_16x8x8_F32F16F16F32_TN", U75, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", (16, 8, 8),
    [32:1], [((4,8),(2,2)):((32,1),(16,8))], [((4,8),2):((16,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [f32, half::f16, half::f16, f32], mma_sm75::mma_16x8x8_f32_f16([f32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 8x8x16, s32 = s8 * s8 + s32.
    Sm75_8x8x16_S32S8S8S32_TN, "SM75_8x8x16_S32S8S8S32_TN", U75, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", (8, 8, 16),
    [32:1], [((4,8),4):((32,1),8)], [((4,8),4):((32,1),8)], [((4,8),2):((16,1),8)],
    [i32, i8, i8, i32], mma_sm75::mma_8x8x16_s32_s8([u32; 2], [u32; 1], [u32; 1])
}

/// The atoms of sm_75 as values.
pub const SM75: &[MmaFacts] = &[
    MmaFacts::of::<Sm75_16x8x8_F32F16F16F32_TN>(),
    MmaFacts::of::<Sm75_8x8x16_S32S8S8S32_TN>(),
];

// sm_80. Source: CuTe `cute/atom/mma_traits_sm80.hpp`; PTX ISA, *Warp-level matrix instructions:
// mma*.

mma_atom! {
    /// 16x8x8, f16 = f16 * f16 + f16.
    Sm80_16x8x8_F16F16F16F16_TN, "SM80_16x8x8_F16F16F16F16_TN", U80, "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", (16, 8, 8),
    [32:1], [((4,8),(2,2)):((32,1),(16,8))], [((4,8),2):((16,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [half::f16, half::f16, half::f16, half::f16], mma_sm80::mma_16x8x8_f16_f16([u32; 2], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x16, f16 = f16 * f16 + f16.
    Sm80_16x8x16_F16F16F16F16_TN, "SM80_16x8x16_F16F16F16F16_TN", U80, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", (16, 8, 16),
    [32:1], [((4,8),(2,2,2)):((32,1),(16,8,128))], [((4,8),(2,2)):((16,1),(8,64))], [((4,8),(2,2)):((32,1),(16,8))],
    [half::f16, half::f16, half::f16, half::f16], mma_sm80::mma_16x8x16_f16_f16([u32; 2], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x8, f32 = f16 * f16 + f32.
    Sm80_16x8x8_F32F16F16F32_TN, "SM80_16x8x8_F32F16F16F32_TN", U80, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", (16, 8, 8),
    [32:1], [((4,8),(2,2)):((32,1),(16,8))], [((4,8),2):((16,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [f32, half::f16, half::f16, f32], mma_sm80::mma_16x8x8_f32_f16([f32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x16, f32 = f16 * f16 + f32.
    Sm80_16x8x16_F32F16F16F32_TN, "SM80_16x8x16_F32F16F16F32_TN", U80, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", (16, 8, 16),
    [32:1], [((4,8),(2,2,2)):((32,1),(16,8,128))], [((4,8),(2,2)):((16,1),(8,64))], [((4,8),(2,2)):((32,1),(16,8))],
    [f32, half::f16, half::f16, f32], mma_sm80::mma_16x8x16_f32_f16([f32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x8, f32 = bf16 * bf16 + f32.
    Sm80_16x8x8_F32BF16BF16F32_TN, "SM80_16x8x8_F32BF16BF16F32_TN", U80, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", (16, 8, 8),
    [32:1], [((4,8),(2,2)):((32,1),(16,8))], [((4,8),2):((16,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [f32, half::bf16, half::bf16, f32], mma_sm80::mma_16x8x8_f32_bf16([f32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x16, f32 = bf16 * bf16 + f32.
    Sm80_16x8x16_F32BF16BF16F32_TN, "SM80_16x8x16_F32BF16BF16F32_TN", U80, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", (16, 8, 16),
    [32:1], [((4,8),(2,2,2)):((32,1),(16,8,128))], [((4,8),(2,2)):((16,1),(8,64))], [((4,8),(2,2)):((32,1),(16,8))],
    [f32, half::bf16, half::bf16, f32], mma_sm80::mma_16x8x16_f32_bf16([f32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x4, f32 = tf32 * tf32 + f32.
    Sm80_16x8x4_F32TF32TF32F32_TN, "SM80_16x8x4_F32TF32TF32F32_TN", U80, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", (16, 8, 4),
    [32:1], [((4,8),2):((16,1),8)], [((4,8),1):((8,1),0)], [((4,8),(2,2)):((32,1),(16,8))],
    [f32, TFloat32, TFloat32, f32], mma_sm80::mma_16x8x4_f32_tf32([f32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x8, f32 = tf32 * tf32 + f32.
    Sm80_16x8x8_F32TF32TF32F32_TN, "SM80_16x8x8_F32TF32TF32F32_TN", U80, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", (16, 8, 8),
    [32:1], [((4,8),(2,2)):((16,1),(8,64))], [((4,8),2):((8,1),32)], [((4,8),(2,2)):((32,1),(16,8))],
    [f32, TFloat32, TFloat32, f32], mma_sm80::mma_16x8x8_f32_tf32([f32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 8x8x4, f64 = f64 * f64 + f64.
    Sm80_8x8x4_F64F64F64F64_TN, "SM80_8x8x4_F64F64F64F64_TN", U80, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", (8, 8, 4),
    [32:1], [((4,8),1):((8,1),0)], [((4,8),1):((8,1),0)], [((4,8),2):((16,1),8)],
    [f64, f64, f64, f64], mma_sm80::mma_8x8x4_f64_f64([f64; 2], [f64; 1], [f64; 1])
}

mma_atom! {
    /// 8x8x16, s32 = s8 * s8 + s32.
    Sm80_8x8x16_S32S8S8S32_TN, "SM80_8x8x16_S32S8S8S32_TN", U80, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", (8, 8, 16),
    [32:1], [((4,8),4):((32,1),8)], [((4,8),4):((32,1),8)], [((4,8),2):((16,1),8)],
    [i32, i8, i8, i32], mma_sm80::mma_8x8x16_s32_s8([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 8x8x16, s32 = s8 * s8 + s32.
    Sm80_8x8x16_S32S8S8S32_TN_SATURATE, "SM80_8x8x16_S32S8S8S32_TN_SATURATE", U80, "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32", (8, 8, 16),
    [32:1], [((4,8),4):((32,1),8)], [((4,8),4):((32,1),8)], [((4,8),2):((16,1),8)],
    [i32, i8, i8, i32], mma_sm80::mma_8x8x16_s32_s8_satfinite([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 16x8x16, s32 = s8 * s8 + s32.
    Sm80_16x8x16_S32S8S8S32_TN, "SM80_16x8x16_S32S8S8S32_TN", U80, "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", (16, 8, 16),
    [32:1], [((4,8),(4,2)):((64,1),(16,8))], [((4,8),4):((32,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, i8, i8, i32], mma_sm80::mma_16x8x16_s32_s8([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x16, s32 = s8 * s8 + s32.
    Sm80_16x8x16_S32S8S8S32_TN_SATURATE, "SM80_16x8x16_S32S8S8S32_TN_SATURATE", U80, "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32", (16, 8, 16),
    [32:1], [((4,8),(4,2)):((64,1),(16,8))], [((4,8),4):((32,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, i8, i8, i32], mma_sm80::mma_16x8x16_s32_s8_satfinite([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x32, s32 = s8 * s8 + s32.
    Sm80_16x8x32_S32S8S8S32_TN, "SM80_16x8x32_S32S8S8S32_TN", U80, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", (16, 8, 32),
    [32:1], [((4,8),(4,2,2)):((64,1),(16,8,256))], [((4,8),(4,2)):((32,1),(8,128))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, i8, i8, i32], mma_sm80::mma_16x8x32_s32_s8([u32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x32, s32 = s8 * s8 + s32.
    Sm80_16x8x32_S32S8S8S32_TN_SATURATE, "SM80_16x8x32_S32S8S8S32_TN_SATURATE", U80, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", (16, 8, 32),
    [32:1], [((4,8),(4,2,2)):((64,1),(16,8,256))], [((4,8),(4,2)):((32,1),(8,128))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, i8, i8, i32], mma_sm80::mma_16x8x32_s32_s8_satfinite([u32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 8x8x16, s32 = s8 * u8 + s32.
    Sm80_8x8x16_S32S8U8S32_TN, "SM80_8x8x16_S32S8U8S32_TN", U80, "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32", (8, 8, 16),
    [32:1], [((4,8),4):((32,1),8)], [((4,8),4):((32,1),8)], [((4,8),2):((16,1),8)],
    [i32, i8, u8, i32], mma_sm80::mma_8x8x16_s32_s8_u8([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 8x8x16, s32 = s8 * u8 + s32.
    Sm80_8x8x16_S32S8U8S32_TN_SATURATE, "SM80_8x8x16_S32S8U8S32_TN_SATURATE", U80, "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32", (8, 8, 16),
    [32:1], [((4,8),4):((32,1),8)], [((4,8),4):((32,1),8)], [((4,8),2):((16,1),8)],
    [i32, i8, u8, i32], mma_sm80::mma_8x8x16_s32_s8_u8_satfinite([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 16x8x16, s32 = s8 * u8 + s32.
    Sm80_16x8x16_S32S8U8S32_TN, "SM80_16x8x16_S32S8U8S32_TN", U80, "mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32", (16, 8, 16),
    [32:1], [((4,8),(4,2)):((64,1),(16,8))], [((4,8),4):((32,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, i8, u8, i32], mma_sm80::mma_16x8x16_s32_s8_u8([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x16, s32 = s8 * u8 + s32.
    Sm80_16x8x16_S32S8U8S32_TN_SATURATE, "SM80_16x8x16_S32S8U8S32_TN_SATURATE", U80, "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.u8.s32", (16, 8, 16),
    [32:1], [((4,8),(4,2)):((64,1),(16,8))], [((4,8),4):((32,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, i8, u8, i32], mma_sm80::mma_16x8x16_s32_s8_u8_satfinite([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x32, s32 = s8 * u8 + s32.
    Sm80_16x8x32_S32S8U8S32_TN, "SM80_16x8x32_S32S8U8S32_TN", U80, "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", (16, 8, 32),
    [32:1], [((4,8),(4,2,2)):((64,1),(16,8,256))], [((4,8),(4,2)):((32,1),(8,128))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, i8, u8, i32], mma_sm80::mma_16x8x32_s32_s8_u8([u32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x32, s32 = s8 * u8 + s32.
    Sm80_16x8x32_S32S8U8S32_TN_SATURATE, "SM80_16x8x32_S32S8U8S32_TN_SATURATE", U80, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", (16, 8, 32),
    [32:1], [((4,8),(4,2,2)):((64,1),(16,8,256))], [((4,8),(4,2)):((32,1),(8,128))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, i8, u8, i32], mma_sm80::mma_16x8x32_s32_s8_u8_satfinite([u32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 8x8x16, s32 = u8 * s8 + s32.
    Sm80_8x8x16_S32U8S8S32_TN, "SM80_8x8x16_S32U8S8S32_TN", U80, "mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32", (8, 8, 16),
    [32:1], [((4,8),4):((32,1),8)], [((4,8),4):((32,1),8)], [((4,8),2):((16,1),8)],
    [i32, u8, i8, i32], mma_sm80::mma_8x8x16_s32_u8_s8([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 8x8x16, s32 = u8 * s8 + s32.
    Sm80_8x8x16_S32U8S8S32_TN_SATURATE, "SM80_8x8x16_S32U8S8S32_TN_SATURATE", U80, "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32", (8, 8, 16),
    [32:1], [((4,8),4):((32,1),8)], [((4,8),4):((32,1),8)], [((4,8),2):((16,1),8)],
    [i32, u8, i8, i32], mma_sm80::mma_8x8x16_s32_u8_s8_satfinite([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 16x8x16, s32 = u8 * s8 + s32.
    Sm80_16x8x16_S32U8S8S32_TN, "SM80_16x8x16_S32U8S8S32_TN", U80, "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32", (16, 8, 16),
    [32:1], [((4,8),(4,2)):((64,1),(16,8))], [((4,8),4):((32,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, u8, i8, i32], mma_sm80::mma_16x8x16_s32_u8_s8([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x16, s32 = u8 * s8 + s32.
    Sm80_16x8x16_S32U8S8S32_TN_SATURATE, "SM80_16x8x16_S32U8S8S32_TN_SATURATE", U80, "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32", (16, 8, 16),
    [32:1], [((4,8),(4,2)):((64,1),(16,8))], [((4,8),4):((32,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, u8, i8, i32], mma_sm80::mma_16x8x16_s32_u8_s8_satfinite([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x32, s32 = u8 * s8 + s32.
    Sm80_16x8x32_S32U8S8S32_TN, "SM80_16x8x32_S32U8S8S32_TN", U80, "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32", (16, 8, 32),
    [32:1], [((4,8),(4,2,2)):((64,1),(16,8,256))], [((4,8),(4,2)):((32,1),(8,128))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, u8, i8, i32], mma_sm80::mma_16x8x32_s32_u8_s8([u32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x32, s32 = u8 * s8 + s32.
    Sm80_16x8x32_S32U8S8S32_TN_SATURATE, "SM80_16x8x32_S32U8S8S32_TN_SATURATE", U80, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32", (16, 8, 32),
    [32:1], [((4,8),(4,2,2)):((64,1),(16,8,256))], [((4,8),(4,2)):((32,1),(8,128))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, u8, i8, i32], mma_sm80::mma_16x8x32_s32_u8_s8_satfinite([u32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 8x8x16, s32 = u8 * u8 + s32.
    Sm80_8x8x16_S32U8U8S32_TN, "SM80_8x8x16_S32U8U8S32_TN", U80, "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32", (8, 8, 16),
    [32:1], [((4,8),4):((32,1),8)], [((4,8),4):((32,1),8)], [((4,8),2):((16,1),8)],
    [i32, u8, u8, i32], mma_sm80::mma_8x8x16_s32_u8([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 8x8x16, s32 = u8 * u8 + s32.
    Sm80_8x8x16_S32U8U8S32_TN_SATURATE, "SM80_8x8x16_S32U8U8S32_TN_SATURATE", U80, "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.u8.s32", (8, 8, 16),
    [32:1], [((4,8),4):((32,1),8)], [((4,8),4):((32,1),8)], [((4,8),2):((16,1),8)],
    [i32, u8, u8, i32], mma_sm80::mma_8x8x16_s32_u8_satfinite([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 16x8x16, s32 = u8 * u8 + s32.
    Sm80_16x8x16_S32U8U8S32_TN, "SM80_16x8x16_S32U8U8S32_TN", U80, "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32", (16, 8, 16),
    [32:1], [((4,8),(4,2)):((64,1),(16,8))], [((4,8),4):((32,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, u8, u8, i32], mma_sm80::mma_16x8x16_s32_u8([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x16, s32 = u8 * u8 + s32.
    Sm80_16x8x16_S32U8U8S32_TN_SATURATE, "SM80_16x8x16_S32U8U8S32_TN_SATURATE", U80, "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.u8.s32", (16, 8, 16),
    [32:1], [((4,8),(4,2)):((64,1),(16,8))], [((4,8),4):((32,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, u8, u8, i32], mma_sm80::mma_16x8x16_s32_u8_satfinite([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x32, s32 = u8 * u8 + s32.
    Sm80_16x8x32_S32U8U8S32_TN, "SM80_16x8x32_S32U8U8S32_TN", U80, "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", (16, 8, 32),
    [32:1], [((4,8),(4,2,2)):((64,1),(16,8,256))], [((4,8),(4,2)):((32,1),(8,128))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, u8, u8, i32], mma_sm80::mma_16x8x32_s32_u8([u32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x32, s32 = u8 * u8 + s32.
    Sm80_16x8x32_S32U8U8S32_TN_SATURATE, "SM80_16x8x32_S32U8U8S32_TN_SATURATE", U80, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32", (16, 8, 32),
    [32:1], [((4,8),(4,2,2)):((64,1),(16,8,256))], [((4,8),(4,2)):((32,1),(8,128))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, u8, u8, i32], mma_sm80::mma_16x8x32_s32_u8_satfinite([u32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 8x8x32, s32 = s4 * s4 + s32.
    Sm80_8x8x32_S32S4S4S32_TN, "SM80_8x8x32_S32S4S4S32_TN", U80, "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", (8, 8, 32),
    [32:1], [((4,8),8):((64,1),8)], [((4,8),8):((64,1),8)], [((4,8),2):((16,1),8)],
    [i32, Int4, Int4, i32], mma_sm80::mma_8x8x32_s32_s4([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 8x8x32, s32 = s4 * s4 + s32.
    Sm80_8x8x32_S32S4S4S32_TN_SATURATE, "SM80_8x8x32_S32S4S4S32_TN_SATURATE", U80, "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.s4.s32", (8, 8, 32),
    [32:1], [((4,8),8):((64,1),8)], [((4,8),8):((64,1),8)], [((4,8),2):((16,1),8)],
    [i32, Int4, Int4, i32], mma_sm80::mma_8x8x32_s32_s4_satfinite([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 16x8x32, s32 = s4 * s4 + s32.
    Sm80_16x8x32_S32S4S4S32_TN, "SM80_16x8x32_S32S4S4S32_TN", U80, "mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32", (16, 8, 32),
    [32:1], [((4,8),(8,2)):((128,1),(16,8))], [((4,8),8):((64,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, Int4, Int4, i32], mma_sm80::mma_16x8x32_s32_s4([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x32, s32 = s4 * s4 + s32.
    Sm80_16x8x32_S32S4S4S32_TN_SATURATE, "SM80_16x8x32_S32S4S4S32_TN_SATURATE", U80, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s4.s4.s32", (16, 8, 32),
    [32:1], [((4,8),(8,2)):((128,1),(16,8))], [((4,8),8):((64,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, Int4, Int4, i32], mma_sm80::mma_16x8x32_s32_s4_satfinite([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x64, s32 = s4 * s4 + s32.
    Sm80_16x8x64_S32S4S4S32_TN, "SM80_16x8x64_S32S4S4S32_TN", U80, "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", (16, 8, 64),
    [32:1], [((4,8),(8,2,2)):((128,1),(16,8,512))], [((4,8),(8,2)):((64,1),(8,256))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, Int4, Int4, i32], mma_sm80::mma_16x8x64_s32_s4([u32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x64, s32 = s4 * s4 + s32.
    Sm80_16x8x64_S32S4S4S32_TN_SATURATE, "SM80_16x8x64_S32S4S4S32_TN_SATURATE", U80, "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.s4.s32", (16, 8, 64),
    [32:1], [((4,8),(8,2,2)):((128,1),(16,8,512))], [((4,8),(8,2)):((64,1),(8,256))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, Int4, Int4, i32], mma_sm80::mma_16x8x64_s32_s4_satfinite([u32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 8x8x32, s32 = s4 * u4 + s32.
    Sm80_8x8x32_S32S4U4S32_TN, "SM80_8x8x32_S32S4U4S32_TN", U80, "mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32", (8, 8, 32),
    [32:1], [((4,8),8):((64,1),8)], [((4,8),8):((64,1),8)], [((4,8),2):((16,1),8)],
    [i32, Int4, UInt4, i32], mma_sm80::mma_8x8x32_s32_s4_u4([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 8x8x32, s32 = s4 * u4 + s32.
    Sm80_8x8x32_S32S4U4S32_TN_SATURATE, "SM80_8x8x32_S32S4U4S32_TN_SATURATE", U80, "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.u4.s32", (8, 8, 32),
    [32:1], [((4,8),8):((64,1),8)], [((4,8),8):((64,1),8)], [((4,8),2):((16,1),8)],
    [i32, Int4, UInt4, i32], mma_sm80::mma_8x8x32_s32_s4_u4_satfinite([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 16x8x32, s32 = s4 * u4 + s32.
    Sm80_16x8x32_S32S4U4S32_TN, "SM80_16x8x32_S32S4U4S32_TN", U80, "mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32", (16, 8, 32),
    [32:1], [((4,8),(8,2)):((128,1),(16,8))], [((4,8),8):((64,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, Int4, UInt4, i32], mma_sm80::mma_16x8x32_s32_s4_u4([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x32, s32 = s4 * u4 + s32.
    Sm80_16x8x32_S32S4U4S32_TN_SATURATE, "SM80_16x8x32_S32S4U4S32_TN_SATURATE", U80, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s4.u4.s32", (16, 8, 32),
    [32:1], [((4,8),(8,2)):((128,1),(16,8))], [((4,8),8):((64,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, Int4, UInt4, i32], mma_sm80::mma_16x8x32_s32_s4_u4_satfinite([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x64, s32 = s4 * u4 + s32.
    Sm80_16x8x64_S32S4U4S32_TN, "SM80_16x8x64_S32S4U4S32_TN", U80, "mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", (16, 8, 64),
    [32:1], [((4,8),(8,2,2)):((128,1),(16,8,512))], [((4,8),(8,2)):((64,1),(8,256))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, Int4, UInt4, i32], mma_sm80::mma_16x8x64_s32_s4_u4([u32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x64, s32 = s4 * u4 + s32.
    Sm80_16x8x64_S32S4U4S32_TN_SATURATE, "SM80_16x8x64_S32S4U4S32_TN_SATURATE", U80, "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.u4.s32", (16, 8, 64),
    [32:1], [((4,8),(8,2,2)):((128,1),(16,8,512))], [((4,8),(8,2)):((64,1),(8,256))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, Int4, UInt4, i32], mma_sm80::mma_16x8x64_s32_s4_u4_satfinite([u32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 8x8x32, s32 = u4 * s4 + s32.
    Sm80_8x8x32_S32U4S4S32_TN, "SM80_8x8x32_S32U4S4S32_TN", U80, "mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32", (8, 8, 32),
    [32:1], [((4,8),8):((64,1),8)], [((4,8),8):((64,1),8)], [((4,8),2):((16,1),8)],
    [i32, UInt4, Int4, i32], mma_sm80::mma_8x8x32_s32_u4_s4([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 8x8x32, s32 = u4 * s4 + s32.
    Sm80_8x8x32_S32U4S4S32_TN_SATURATE, "SM80_8x8x32_S32U4S4S32_TN_SATURATE", U80, "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.s4.s32", (8, 8, 32),
    [32:1], [((4,8),8):((64,1),8)], [((4,8),8):((64,1),8)], [((4,8),2):((16,1),8)],
    [i32, UInt4, Int4, i32], mma_sm80::mma_8x8x32_s32_u4_s4_satfinite([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 16x8x32, s32 = u4 * s4 + s32.
    Sm80_16x8x32_S32U4S4S32_TN, "SM80_16x8x32_S32U4S4S32_TN", U80, "mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32", (16, 8, 32),
    [32:1], [((4,8),(8,2)):((128,1),(16,8))], [((4,8),8):((64,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, UInt4, Int4, i32], mma_sm80::mma_16x8x32_s32_u4_s4([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x32, s32 = u4 * s4 + s32.
    Sm80_16x8x32_S32U4S4S32_TN_SATURATE, "SM80_16x8x32_S32U4S4S32_TN_SATURATE", U80, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.s4.s32", (16, 8, 32),
    [32:1], [((4,8),(8,2)):((128,1),(16,8))], [((4,8),8):((64,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, UInt4, Int4, i32], mma_sm80::mma_16x8x32_s32_u4_s4_satfinite([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x64, s32 = u4 * s4 + s32.
    Sm80_16x8x64_S32U4S4S32_TN, "SM80_16x8x64_S32U4S4S32_TN", U80, "mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32", (16, 8, 64),
    [32:1], [((4,8),(8,2,2)):((128,1),(16,8,512))], [((4,8),(8,2)):((64,1),(8,256))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, UInt4, Int4, i32], mma_sm80::mma_16x8x64_s32_u4_s4([u32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x64, s32 = u4 * s4 + s32.
    Sm80_16x8x64_S32U4S4S32_TN_SATURATE, "SM80_16x8x64_S32U4S4S32_TN_SATURATE", U80, "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.s4.s32", (16, 8, 64),
    [32:1], [((4,8),(8,2,2)):((128,1),(16,8,512))], [((4,8),(8,2)):((64,1),(8,256))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, UInt4, Int4, i32], mma_sm80::mma_16x8x64_s32_u4_s4_satfinite([u32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 8x8x32, s32 = u4 * u4 + s32.
    Sm80_8x8x32_S32U4U4S32_TN, "SM80_8x8x32_S32U4U4S32_TN", U80, "mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32", (8, 8, 32),
    [32:1], [((4,8),8):((64,1),8)], [((4,8),8):((64,1),8)], [((4,8),2):((16,1),8)],
    [i32, UInt4, UInt4, i32], mma_sm80::mma_8x8x32_s32_u4([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 8x8x32, s32 = u4 * u4 + s32.
    Sm80_8x8x32_S32U4U4S32_TN_SATURATE, "SM80_8x8x32_S32U4U4S32_TN_SATURATE", U80, "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.u4.s32", (8, 8, 32),
    [32:1], [((4,8),8):((64,1),8)], [((4,8),8):((64,1),8)], [((4,8),2):((16,1),8)],
    [i32, UInt4, UInt4, i32], mma_sm80::mma_8x8x32_s32_u4_satfinite([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 16x8x32, s32 = u4 * u4 + s32.
    Sm80_16x8x32_S32U4U4S32_TN, "SM80_16x8x32_S32U4U4S32_TN", U80, "mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32", (16, 8, 32),
    [32:1], [((4,8),(8,2)):((128,1),(16,8))], [((4,8),8):((64,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, UInt4, UInt4, i32], mma_sm80::mma_16x8x32_s32_u4([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x32, s32 = u4 * u4 + s32.
    Sm80_16x8x32_S32U4U4S32_TN_SATURATE, "SM80_16x8x32_S32U4U4S32_TN_SATURATE", U80, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.u4.s32", (16, 8, 32),
    [32:1], [((4,8),(8,2)):((128,1),(16,8))], [((4,8),8):((64,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, UInt4, UInt4, i32], mma_sm80::mma_16x8x32_s32_u4_satfinite([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x64, s32 = u4 * u4 + s32.
    Sm80_16x8x64_S32U4U4S32_TN, "SM80_16x8x64_S32U4U4S32_TN", U80, "mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32", (16, 8, 64),
    [32:1], [((4,8),(8,2,2)):((128,1),(16,8,512))], [((4,8),(8,2)):((64,1),(8,256))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, UInt4, UInt4, i32], mma_sm80::mma_16x8x64_s32_u4([u32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x64, s32 = u4 * u4 + s32.
    Sm80_16x8x64_S32U4U4S32_TN_SATURATE, "SM80_16x8x64_S32U4U4S32_TN_SATURATE", U80, "mma.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.u4.s32", (16, 8, 64),
    [32:1], [((4,8),(8,2,2)):((128,1),(16,8,512))], [((4,8),(8,2)):((64,1),(8,256))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, UInt4, UInt4, i32], mma_sm80::mma_16x8x64_s32_u4_satfinite([u32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 8x8x128, s32 = b1 * b1 + s32.
    Sm80_8x8x128_S32U1U1S32_TN_XORPOPC, "SM80_8x8x128_S32U1U1S32_TN_XORPOPC", U80, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", (8, 8, 128),
    [32:1], [((4,8),32):((256,1),8)], [((4,8),32):((256,1),8)], [((4,8),2):((16,1),8)],
    [i32, UInt1, UInt1, i32], mma_sm80::mma_8x8x128_s32_b1_xor([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 16x8x128, s32 = b1 * b1 + s32.
    Sm80_16x8x128_S32U1U1S32_TN_XORPOPC, "SM80_16x8x128_S32U1U1S32_TN_XORPOPC", U80, "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc", (16, 8, 128),
    [32:1], [((4,8),(32,2)):((512,1),(16,8))], [((4,8),32):((256,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, UInt1, UInt1, i32], mma_sm80::mma_16x8x128_s32_b1_xor([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x256, s32 = b1 * b1 + s32.
    Sm80_16x8x256_S32U1U1S32_TN_XORPOPC, "SM80_16x8x256_S32U1U1S32_TN_XORPOPC", U80, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", (16, 8, 256),
    [32:1], [((4,8),(32,2,2)):((512,1),(16,8,2048))], [((4,8),(32,2)):((256,1),(8,1024))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, UInt1, UInt1, i32], mma_sm80::mma_16x8x256_s32_b1_xor([u32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 8x8x128, s32 = b1 * b1 + s32.
    Sm80_8x8x128_S32U1U1S32_TN_ANDPOPC, "SM80_8x8x128_S32U1U1S32_TN_ANDPOPC", U80, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", (8, 8, 128),
    [32:1], [((4,8),32):((256,1),8)], [((4,8),32):((256,1),8)], [((4,8),2):((16,1),8)],
    [i32, UInt1, UInt1, i32], mma_sm80::mma_8x8x128_s32_b1_and([u32; 2], [u32; 1], [u32; 1])
}

mma_atom! {
    /// 16x8x128, s32 = b1 * b1 + s32.
    Sm80_16x8x128_S32U1U1S32_TN_ANDPOPC, "SM80_16x8x128_S32U1U1S32_TN_ANDPOPC", U80, "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", (16, 8, 128),
    [32:1], [((4,8),(32,2)):((512,1),(16,8))], [((4,8),32):((256,1),8)], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, UInt1, UInt1, i32], mma_sm80::mma_16x8x128_s32_b1_and([u32; 4], [u32; 2], [u32; 1])
}

mma_atom! {
    /// 16x8x256, s32 = b1 * b1 + s32.
    Sm80_16x8x256_S32U1U1S32_TN_ANDPOPC, "SM80_16x8x256_S32U1U1S32_TN_ANDPOPC", U80, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", (16, 8, 256),
    [32:1], [((4,8),(32,2,2)):((512,1),(16,8,2048))], [((4,8),(32,2)):((256,1),(8,1024))], [((4,8),(2,2)):((32,1),(16,8))],
    [i32, UInt1, UInt1, i32], mma_sm80::mma_16x8x256_s32_b1_and([u32; 4], [u32; 4], [u32; 2])
}

/// The atoms of sm_80 as values.
pub const SM80: &[MmaFacts] = &[
    MmaFacts::of::<Sm80_16x8x8_F16F16F16F16_TN>(),
    MmaFacts::of::<Sm80_16x8x16_F16F16F16F16_TN>(),
    MmaFacts::of::<Sm80_16x8x8_F32F16F16F32_TN>(),
    MmaFacts::of::<Sm80_16x8x16_F32F16F16F32_TN>(),
    MmaFacts::of::<Sm80_16x8x8_F32BF16BF16F32_TN>(),
    MmaFacts::of::<Sm80_16x8x16_F32BF16BF16F32_TN>(),
    MmaFacts::of::<Sm80_16x8x4_F32TF32TF32F32_TN>(),
    MmaFacts::of::<Sm80_16x8x8_F32TF32TF32F32_TN>(),
    MmaFacts::of::<Sm80_8x8x4_F64F64F64F64_TN>(),
    MmaFacts::of::<Sm80_8x8x16_S32S8S8S32_TN>(),
    MmaFacts::of::<Sm80_8x8x16_S32S8S8S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_16x8x16_S32S8S8S32_TN>(),
    MmaFacts::of::<Sm80_16x8x16_S32S8S8S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_16x8x32_S32S8S8S32_TN>(),
    MmaFacts::of::<Sm80_16x8x32_S32S8S8S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_8x8x16_S32S8U8S32_TN>(),
    MmaFacts::of::<Sm80_8x8x16_S32S8U8S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_16x8x16_S32S8U8S32_TN>(),
    MmaFacts::of::<Sm80_16x8x16_S32S8U8S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_16x8x32_S32S8U8S32_TN>(),
    MmaFacts::of::<Sm80_16x8x32_S32S8U8S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_8x8x16_S32U8S8S32_TN>(),
    MmaFacts::of::<Sm80_8x8x16_S32U8S8S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_16x8x16_S32U8S8S32_TN>(),
    MmaFacts::of::<Sm80_16x8x16_S32U8S8S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_16x8x32_S32U8S8S32_TN>(),
    MmaFacts::of::<Sm80_16x8x32_S32U8S8S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_8x8x16_S32U8U8S32_TN>(),
    MmaFacts::of::<Sm80_8x8x16_S32U8U8S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_16x8x16_S32U8U8S32_TN>(),
    MmaFacts::of::<Sm80_16x8x16_S32U8U8S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_16x8x32_S32U8U8S32_TN>(),
    MmaFacts::of::<Sm80_16x8x32_S32U8U8S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_8x8x32_S32S4S4S32_TN>(),
    MmaFacts::of::<Sm80_8x8x32_S32S4S4S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_16x8x32_S32S4S4S32_TN>(),
    MmaFacts::of::<Sm80_16x8x32_S32S4S4S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_16x8x64_S32S4S4S32_TN>(),
    MmaFacts::of::<Sm80_16x8x64_S32S4S4S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_8x8x32_S32S4U4S32_TN>(),
    MmaFacts::of::<Sm80_8x8x32_S32S4U4S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_16x8x32_S32S4U4S32_TN>(),
    MmaFacts::of::<Sm80_16x8x32_S32S4U4S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_16x8x64_S32S4U4S32_TN>(),
    MmaFacts::of::<Sm80_16x8x64_S32S4U4S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_8x8x32_S32U4S4S32_TN>(),
    MmaFacts::of::<Sm80_8x8x32_S32U4S4S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_16x8x32_S32U4S4S32_TN>(),
    MmaFacts::of::<Sm80_16x8x32_S32U4S4S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_16x8x64_S32U4S4S32_TN>(),
    MmaFacts::of::<Sm80_16x8x64_S32U4S4S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_8x8x32_S32U4U4S32_TN>(),
    MmaFacts::of::<Sm80_8x8x32_S32U4U4S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_16x8x32_S32U4U4S32_TN>(),
    MmaFacts::of::<Sm80_16x8x32_S32U4U4S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_16x8x64_S32U4U4S32_TN>(),
    MmaFacts::of::<Sm80_16x8x64_S32U4U4S32_TN_SATURATE>(),
    MmaFacts::of::<Sm80_8x8x128_S32U1U1S32_TN_XORPOPC>(),
    MmaFacts::of::<Sm80_16x8x128_S32U1U1S32_TN_XORPOPC>(),
    MmaFacts::of::<Sm80_16x8x256_S32U1U1S32_TN_XORPOPC>(),
    MmaFacts::of::<Sm80_8x8x128_S32U1U1S32_TN_ANDPOPC>(),
    MmaFacts::of::<Sm80_16x8x128_S32U1U1S32_TN_ANDPOPC>(),
    MmaFacts::of::<Sm80_16x8x256_S32U1U1S32_TN_ANDPOPC>(),
];

// sm_89. Source: CuTe `cute/atom/mma_traits_sm89.hpp`; PTX ISA, *Warp-level matrix instructions:
// mma*.

mma_atom! {
    /// 16x8x32, f32 = e4m3 * e4m3 + f32.
    Sm89_16x8x32_F32E4M3E4M3F32_TN, "SM89_16x8x32_F32E4M3E4M3F32_TN", U89, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", (16, 8, 32),
    [32:1], [((4,8),(4,2,2)):((64,1),(16,8,256))], [((4,8),(4,2)):((32,1),(8,128))], [((4,8),(2,2)):((32,1),(16,8))],
    [f32, FloatE4M3, FloatE4M3, f32], mma_sm89::mma_16x8x32_f32_e4m3([f32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x32, f32 = e4m3 * e5m2 + f32.
    Sm89_16x8x32_F32E4M3E5M2F32_TN, "SM89_16x8x32_F32E4M3E5M2F32_TN", U89, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", (16, 8, 32),
    [32:1], [((4,8),(4,2,2)):((64,1),(16,8,256))], [((4,8),(4,2)):((32,1),(8,128))], [((4,8),(2,2)):((32,1),(16,8))],
    [f32, FloatE4M3, FloatE5M2, f32], mma_sm89::mma_16x8x32_f32_e4m3_e5m2([f32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x32, f32 = e5m2 * e4m3 + f32.
    Sm89_16x8x32_F32E5M2E4M3F32_TN, "SM89_16x8x32_F32E5M2E4M3F32_TN", U89, "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32", (16, 8, 32),
    [32:1], [((4,8),(4,2,2)):((64,1),(16,8,256))], [((4,8),(4,2)):((32,1),(8,128))], [((4,8),(2,2)):((32,1),(16,8))],
    [f32, FloatE5M2, FloatE4M3, f32], mma_sm89::mma_16x8x32_f32_e5m2_e4m3([f32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x32, f32 = e5m2 * e5m2 + f32.
    Sm89_16x8x32_F32E5M2E5M2F32_TN, "SM89_16x8x32_F32E5M2E5M2F32_TN", U89, "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", (16, 8, 32),
    [32:1], [((4,8),(4,2,2)):((64,1),(16,8,256))], [((4,8),(4,2)):((32,1),(8,128))], [((4,8),(2,2)):((32,1),(16,8))],
    [f32, FloatE5M2, FloatE5M2, f32], mma_sm89::mma_16x8x32_f32_e5m2([f32; 4], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x32, f16 = e4m3 * e4m3 + f16.
    Sm89_16x8x32_F16E4M3E4M3F16_TN, "SM89_16x8x32_F16E4M3E4M3F16_TN", U89, "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16", (16, 8, 32),
    [32:1], [((4,8),(4,2,2)):((64,1),(16,8,256))], [((4,8),(4,2)):((32,1),(8,128))], [((4,8),(2,2)):((32,1),(16,8))],
    [half::f16, FloatE4M3, FloatE4M3, half::f16], mma_sm89::mma_16x8x32_f16_e4m3([u32; 2], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x32, f16 = e4m3 * e5m2 + f16.
    Sm89_16x8x32_F16E4M3E5M2F16_TN, "SM89_16x8x32_F16E4M3E5M2F16_TN", U89, "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16", (16, 8, 32),
    [32:1], [((4,8),(4,2,2)):((64,1),(16,8,256))], [((4,8),(4,2)):((32,1),(8,128))], [((4,8),(2,2)):((32,1),(16,8))],
    [half::f16, FloatE4M3, FloatE5M2, half::f16], mma_sm89::mma_16x8x32_f16_e4m3_e5m2([u32; 2], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x32, f16 = e5m2 * e4m3 + f16.
    Sm89_16x8x32_F16E5M2E4M3F16_TN, "SM89_16x8x32_F16E5M2E4M3F16_TN", U89, "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16", (16, 8, 32),
    [32:1], [((4,8),(4,2,2)):((64,1),(16,8,256))], [((4,8),(4,2)):((32,1),(8,128))], [((4,8),(2,2)):((32,1),(16,8))],
    [half::f16, FloatE5M2, FloatE4M3, half::f16], mma_sm89::mma_16x8x32_f16_e5m2_e4m3([u32; 2], [u32; 4], [u32; 2])
}

mma_atom! {
    /// 16x8x32, f16 = e5m2 * e5m2 + f16.
    Sm89_16x8x32_F16E5M2E5M2F16_TN, "SM89_16x8x32_F16E5M2E5M2F16_TN", U89, "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16", (16, 8, 32),
    [32:1], [((4,8),(4,2,2)):((64,1),(16,8,256))], [((4,8),(4,2)):((32,1),(8,128))], [((4,8),(2,2)):((32,1),(16,8))],
    [half::f16, FloatE5M2, FloatE5M2, half::f16], mma_sm89::mma_16x8x32_f16_e5m2([u32; 2], [u32; 4], [u32; 2])
}

/// The atoms of sm_89 as values.
pub const SM89: &[MmaFacts] = &[
    MmaFacts::of::<Sm89_16x8x32_F32E4M3E4M3F32_TN>(),
    MmaFacts::of::<Sm89_16x8x32_F32E4M3E5M2F32_TN>(),
    MmaFacts::of::<Sm89_16x8x32_F32E5M2E4M3F32_TN>(),
    MmaFacts::of::<Sm89_16x8x32_F32E5M2E5M2F32_TN>(),
    MmaFacts::of::<Sm89_16x8x32_F16E4M3E4M3F16_TN>(),
    MmaFacts::of::<Sm89_16x8x32_F16E4M3E5M2F16_TN>(),
    MmaFacts::of::<Sm89_16x8x32_F16E5M2E4M3F16_TN>(),
    MmaFacts::of::<Sm89_16x8x32_F16E5M2E5M2F16_TN>(),
];

// sm_90. Source: CuTe `cute/atom/mma_traits_sm90.hpp`; PTX ISA, *Warp-level matrix instructions:
// mma*.

mma_atom! {
    /// 16x8x4, f64 = f64 * f64 + f64.
    Sm90_16x8x4_F64F64F64F64_TN, "SM90_16x8x4_F64F64F64F64_TN", U90, "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", (16, 8, 4),
    [32:1], [((4,8),2):((16,1),8)], [((4,8),1):((8,1),0)], [((4,8),(2,2)):((32,1),(16,8))],
    [f64, f64, f64, f64], mma_sm90::mma_16x8x4_f64_f64([f64; 4], [f64; 2], [f64; 1])
}

mma_atom! {
    /// 16x8x8, f64 = f64 * f64 + f64.
    Sm90_16x8x8_F64F64F64F64_TN, "SM90_16x8x8_F64F64F64F64_TN", U90, "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", (16, 8, 8),
    [32:1], [((4,8),(2,2)):((16,1),(8,64))], [((4,8),2):((8,1),32)], [((4,8),(2,2)):((32,1),(16,8))],
    [f64, f64, f64, f64], mma_sm90::mma_16x8x8_f64_f64([f64; 4], [f64; 4], [f64; 2])
}

mma_atom! {
    /// 16x8x16, f64 = f64 * f64 + f64.
    Sm90_16x8x16_F64F64F64F64_TN, "SM90_16x8x16_F64F64F64F64_TN", U90, "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", (16, 8, 16),
    [32:1], [((4,8),(2,4)):((16,1),(8,64))], [((4,8),4):((8,1),32)], [((4,8),(2,2)):((32,1),(16,8))],
    [f64, f64, f64, f64], mma_sm90::mma_16x8x16_f64_f64([f64; 4], [f64; 8], [f64; 4])
}

/// The atoms of sm_90 as values.
pub const SM90: &[MmaFacts] = &[
    MmaFacts::of::<Sm90_16x8x4_F64F64F64F64_TN>(),
    MmaFacts::of::<Sm90_16x8x8_F64F64F64F64_TN>(),
    MmaFacts::of::<Sm90_16x8x16_F64F64F64F64_TN>(),
];

/// CuTe's names of the `wgmma` atoms.
#[allow(missing_docs, non_camel_case_types)]
mod wgmma {
    use super::super::sm90::*;
    use super::super::{MajorK, Registers};
    use typenum::*;

    pub type Sm90_64x8x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U8, Shared, TnspA, TnspB>;
    pub type Sm90_64x8x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U8, Registers, TnspA, TnspB>;
    pub type Sm90_64x8x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U8, Shared, TnspA, TnspB>;
    pub type Sm90_64x8x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U8, Registers, TnspA, TnspB>;
    pub type Sm90_64x8x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U8, Shared, TnspA, TnspB>;
    pub type Sm90_64x8x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U8, Registers, TnspA, TnspB>;
    pub type Sm90_64x16x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U16, Shared, TnspA, TnspB>;
    pub type Sm90_64x16x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U16, Registers, TnspA, TnspB>;
    pub type Sm90_64x16x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U16, Shared, TnspA, TnspB>;
    pub type Sm90_64x16x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U16, Registers, TnspA, TnspB>;
    pub type Sm90_64x16x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U16, Shared, TnspA, TnspB>;
    pub type Sm90_64x16x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U16, Registers, TnspA, TnspB>;
    pub type Sm90_64x24x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U24, Shared, TnspA, TnspB>;
    pub type Sm90_64x24x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U24, Registers, TnspA, TnspB>;
    pub type Sm90_64x24x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U24, Shared, TnspA, TnspB>;
    pub type Sm90_64x24x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U24, Registers, TnspA, TnspB>;
    pub type Sm90_64x24x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U24, Shared, TnspA, TnspB>;
    pub type Sm90_64x24x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U24, Registers, TnspA, TnspB>;
    pub type Sm90_64x32x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U32, Shared, TnspA, TnspB>;
    pub type Sm90_64x32x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U32, Registers, TnspA, TnspB>;
    pub type Sm90_64x32x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U32, Shared, TnspA, TnspB>;
    pub type Sm90_64x32x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U32, Registers, TnspA, TnspB>;
    pub type Sm90_64x32x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U32, Shared, TnspA, TnspB>;
    pub type Sm90_64x32x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U32, Registers, TnspA, TnspB>;
    pub type Sm90_64x40x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U40, Shared, TnspA, TnspB>;
    pub type Sm90_64x40x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U40, Registers, TnspA, TnspB>;
    pub type Sm90_64x40x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U40, Shared, TnspA, TnspB>;
    pub type Sm90_64x40x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U40, Registers, TnspA, TnspB>;
    pub type Sm90_64x40x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U40, Shared, TnspA, TnspB>;
    pub type Sm90_64x40x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U40, Registers, TnspA, TnspB>;
    pub type Sm90_64x48x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U48, Shared, TnspA, TnspB>;
    pub type Sm90_64x48x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U48, Registers, TnspA, TnspB>;
    pub type Sm90_64x48x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U48, Shared, TnspA, TnspB>;
    pub type Sm90_64x48x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U48, Registers, TnspA, TnspB>;
    pub type Sm90_64x48x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U48, Shared, TnspA, TnspB>;
    pub type Sm90_64x48x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U48, Registers, TnspA, TnspB>;
    pub type Sm90_64x56x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U56, Shared, TnspA, TnspB>;
    pub type Sm90_64x56x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U56, Registers, TnspA, TnspB>;
    pub type Sm90_64x56x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U56, Shared, TnspA, TnspB>;
    pub type Sm90_64x56x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U56, Registers, TnspA, TnspB>;
    pub type Sm90_64x56x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U56, Shared, TnspA, TnspB>;
    pub type Sm90_64x56x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U56, Registers, TnspA, TnspB>;
    pub type Sm90_64x64x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U64, Shared, TnspA, TnspB>;
    pub type Sm90_64x64x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U64, Registers, TnspA, TnspB>;
    pub type Sm90_64x64x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U64, Shared, TnspA, TnspB>;
    pub type Sm90_64x64x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U64, Registers, TnspA, TnspB>;
    pub type Sm90_64x64x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U64, Shared, TnspA, TnspB>;
    pub type Sm90_64x64x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U64, Registers, TnspA, TnspB>;
    pub type Sm90_64x72x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U72, Shared, TnspA, TnspB>;
    pub type Sm90_64x72x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U72, Registers, TnspA, TnspB>;
    pub type Sm90_64x72x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U72, Shared, TnspA, TnspB>;
    pub type Sm90_64x72x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U72, Registers, TnspA, TnspB>;
    pub type Sm90_64x72x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U72, Shared, TnspA, TnspB>;
    pub type Sm90_64x72x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U72, Registers, TnspA, TnspB>;
    pub type Sm90_64x80x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U80, Shared, TnspA, TnspB>;
    pub type Sm90_64x80x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U80, Registers, TnspA, TnspB>;
    pub type Sm90_64x80x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U80, Shared, TnspA, TnspB>;
    pub type Sm90_64x80x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U80, Registers, TnspA, TnspB>;
    pub type Sm90_64x80x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U80, Shared, TnspA, TnspB>;
    pub type Sm90_64x80x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U80, Registers, TnspA, TnspB>;
    pub type Sm90_64x88x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U88, Shared, TnspA, TnspB>;
    pub type Sm90_64x88x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U88, Registers, TnspA, TnspB>;
    pub type Sm90_64x88x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U88, Shared, TnspA, TnspB>;
    pub type Sm90_64x88x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U88, Registers, TnspA, TnspB>;
    pub type Sm90_64x88x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U88, Shared, TnspA, TnspB>;
    pub type Sm90_64x88x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U88, Registers, TnspA, TnspB>;
    pub type Sm90_64x96x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U96, Shared, TnspA, TnspB>;
    pub type Sm90_64x96x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U96, Registers, TnspA, TnspB>;
    pub type Sm90_64x96x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U96, Shared, TnspA, TnspB>;
    pub type Sm90_64x96x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U96, Registers, TnspA, TnspB>;
    pub type Sm90_64x96x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U96, Shared, TnspA, TnspB>;
    pub type Sm90_64x96x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U96, Registers, TnspA, TnspB>;
    pub type Sm90_64x104x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U104, Shared, TnspA, TnspB>;
    pub type Sm90_64x104x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U104, Registers, TnspA, TnspB>;
    pub type Sm90_64x104x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U104, Shared, TnspA, TnspB>;
    pub type Sm90_64x104x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U104, Registers, TnspA, TnspB>;
    pub type Sm90_64x104x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U104, Shared, TnspA, TnspB>;
    pub type Sm90_64x104x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U104, Registers, TnspA, TnspB>;
    pub type Sm90_64x112x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U112, Shared, TnspA, TnspB>;
    pub type Sm90_64x112x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U112, Registers, TnspA, TnspB>;
    pub type Sm90_64x112x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U112, Shared, TnspA, TnspB>;
    pub type Sm90_64x112x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U112, Registers, TnspA, TnspB>;
    pub type Sm90_64x112x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U112, Shared, TnspA, TnspB>;
    pub type Sm90_64x112x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U112, Registers, TnspA, TnspB>;
    pub type Sm90_64x120x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U120, Shared, TnspA, TnspB>;
    pub type Sm90_64x120x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U120, Registers, TnspA, TnspB>;
    pub type Sm90_64x120x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U120, Shared, TnspA, TnspB>;
    pub type Sm90_64x120x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U120, Registers, TnspA, TnspB>;
    pub type Sm90_64x120x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U120, Shared, TnspA, TnspB>;
    pub type Sm90_64x120x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U120, Registers, TnspA, TnspB>;
    pub type Sm90_64x128x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U128, Shared, TnspA, TnspB>;
    pub type Sm90_64x128x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U128, Registers, TnspA, TnspB>;
    pub type Sm90_64x128x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U128, Shared, TnspA, TnspB>;
    pub type Sm90_64x128x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U128, Registers, TnspA, TnspB>;
    pub type Sm90_64x128x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U128, Shared, TnspA, TnspB>;
    pub type Sm90_64x128x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U128, Registers, TnspA, TnspB>;
    pub type Sm90_64x136x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U136, Shared, TnspA, TnspB>;
    pub type Sm90_64x136x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U136, Registers, TnspA, TnspB>;
    pub type Sm90_64x136x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U136, Shared, TnspA, TnspB>;
    pub type Sm90_64x136x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U136, Registers, TnspA, TnspB>;
    pub type Sm90_64x136x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U136, Shared, TnspA, TnspB>;
    pub type Sm90_64x136x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U136, Registers, TnspA, TnspB>;
    pub type Sm90_64x144x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U144, Shared, TnspA, TnspB>;
    pub type Sm90_64x144x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U144, Registers, TnspA, TnspB>;
    pub type Sm90_64x144x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U144, Shared, TnspA, TnspB>;
    pub type Sm90_64x144x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U144, Registers, TnspA, TnspB>;
    pub type Sm90_64x144x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U144, Shared, TnspA, TnspB>;
    pub type Sm90_64x144x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U144, Registers, TnspA, TnspB>;
    pub type Sm90_64x152x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U152, Shared, TnspA, TnspB>;
    pub type Sm90_64x152x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U152, Registers, TnspA, TnspB>;
    pub type Sm90_64x152x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U152, Shared, TnspA, TnspB>;
    pub type Sm90_64x152x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U152, Registers, TnspA, TnspB>;
    pub type Sm90_64x152x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U152, Shared, TnspA, TnspB>;
    pub type Sm90_64x152x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U152, Registers, TnspA, TnspB>;
    pub type Sm90_64x160x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U160, Shared, TnspA, TnspB>;
    pub type Sm90_64x160x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U160, Registers, TnspA, TnspB>;
    pub type Sm90_64x160x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U160, Shared, TnspA, TnspB>;
    pub type Sm90_64x160x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U160, Registers, TnspA, TnspB>;
    pub type Sm90_64x160x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U160, Shared, TnspA, TnspB>;
    pub type Sm90_64x160x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U160, Registers, TnspA, TnspB>;
    pub type Sm90_64x168x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U168, Shared, TnspA, TnspB>;
    pub type Sm90_64x168x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U168, Registers, TnspA, TnspB>;
    pub type Sm90_64x168x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U168, Shared, TnspA, TnspB>;
    pub type Sm90_64x168x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U168, Registers, TnspA, TnspB>;
    pub type Sm90_64x168x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U168, Shared, TnspA, TnspB>;
    pub type Sm90_64x168x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U168, Registers, TnspA, TnspB>;
    pub type Sm90_64x176x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U176, Shared, TnspA, TnspB>;
    pub type Sm90_64x176x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U176, Registers, TnspA, TnspB>;
    pub type Sm90_64x176x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U176, Shared, TnspA, TnspB>;
    pub type Sm90_64x176x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U176, Registers, TnspA, TnspB>;
    pub type Sm90_64x176x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U176, Shared, TnspA, TnspB>;
    pub type Sm90_64x176x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U176, Registers, TnspA, TnspB>;
    pub type Sm90_64x184x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U184, Shared, TnspA, TnspB>;
    pub type Sm90_64x184x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U184, Registers, TnspA, TnspB>;
    pub type Sm90_64x184x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U184, Shared, TnspA, TnspB>;
    pub type Sm90_64x184x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U184, Registers, TnspA, TnspB>;
    pub type Sm90_64x184x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U184, Shared, TnspA, TnspB>;
    pub type Sm90_64x184x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U184, Registers, TnspA, TnspB>;
    pub type Sm90_64x192x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U192, Shared, TnspA, TnspB>;
    pub type Sm90_64x192x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U192, Registers, TnspA, TnspB>;
    pub type Sm90_64x192x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U192, Shared, TnspA, TnspB>;
    pub type Sm90_64x192x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U192, Registers, TnspA, TnspB>;
    pub type Sm90_64x192x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U192, Shared, TnspA, TnspB>;
    pub type Sm90_64x192x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U192, Registers, TnspA, TnspB>;
    pub type Sm90_64x200x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U200, Shared, TnspA, TnspB>;
    pub type Sm90_64x200x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U200, Registers, TnspA, TnspB>;
    pub type Sm90_64x200x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U200, Shared, TnspA, TnspB>;
    pub type Sm90_64x200x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U200, Registers, TnspA, TnspB>;
    pub type Sm90_64x200x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U200, Shared, TnspA, TnspB>;
    pub type Sm90_64x200x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U200, Registers, TnspA, TnspB>;
    pub type Sm90_64x208x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U208, Shared, TnspA, TnspB>;
    pub type Sm90_64x208x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U208, Registers, TnspA, TnspB>;
    pub type Sm90_64x208x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U208, Shared, TnspA, TnspB>;
    pub type Sm90_64x208x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U208, Registers, TnspA, TnspB>;
    pub type Sm90_64x208x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U208, Shared, TnspA, TnspB>;
    pub type Sm90_64x208x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U208, Registers, TnspA, TnspB>;
    pub type Sm90_64x216x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U216, Shared, TnspA, TnspB>;
    pub type Sm90_64x216x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U216, Registers, TnspA, TnspB>;
    pub type Sm90_64x216x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U216, Shared, TnspA, TnspB>;
    pub type Sm90_64x216x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U216, Registers, TnspA, TnspB>;
    pub type Sm90_64x216x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U216, Shared, TnspA, TnspB>;
    pub type Sm90_64x216x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U216, Registers, TnspA, TnspB>;
    pub type Sm90_64x224x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U224, Shared, TnspA, TnspB>;
    pub type Sm90_64x224x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U224, Registers, TnspA, TnspB>;
    pub type Sm90_64x224x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U224, Shared, TnspA, TnspB>;
    pub type Sm90_64x224x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U224, Registers, TnspA, TnspB>;
    pub type Sm90_64x224x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U224, Shared, TnspA, TnspB>;
    pub type Sm90_64x224x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U224, Registers, TnspA, TnspB>;
    pub type Sm90_64x232x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U232, Shared, TnspA, TnspB>;
    pub type Sm90_64x232x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U232, Registers, TnspA, TnspB>;
    pub type Sm90_64x232x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U232, Shared, TnspA, TnspB>;
    pub type Sm90_64x232x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U232, Registers, TnspA, TnspB>;
    pub type Sm90_64x232x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U232, Shared, TnspA, TnspB>;
    pub type Sm90_64x232x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U232, Registers, TnspA, TnspB>;
    pub type Sm90_64x240x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U240, Shared, TnspA, TnspB>;
    pub type Sm90_64x240x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U240, Registers, TnspA, TnspB>;
    pub type Sm90_64x240x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U240, Shared, TnspA, TnspB>;
    pub type Sm90_64x240x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U240, Registers, TnspA, TnspB>;
    pub type Sm90_64x240x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U240, Shared, TnspA, TnspB>;
    pub type Sm90_64x240x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U240, Registers, TnspA, TnspB>;
    pub type Sm90_64x248x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U248, Shared, TnspA, TnspB>;
    pub type Sm90_64x248x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U248, Registers, TnspA, TnspB>;
    pub type Sm90_64x248x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U248, Shared, TnspA, TnspB>;
    pub type Sm90_64x248x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U248, Registers, TnspA, TnspB>;
    pub type Sm90_64x248x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U248, Shared, TnspA, TnspB>;
    pub type Sm90_64x248x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U248, Registers, TnspA, TnspB>;
    pub type Sm90_64x256x16_F16F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U256, Shared, TnspA, TnspB>;
    pub type Sm90_64x256x16_F16F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F16F16F16, U256, Registers, TnspA, TnspB>;
    pub type Sm90_64x256x16_F32F16F16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U256, Shared, TnspA, TnspB>;
    pub type Sm90_64x256x16_F32F16F16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32F16F16, U256, Registers, TnspA, TnspB>;
    pub type Sm90_64x256x16_F32BF16BF16_SS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U256, Shared, TnspA, TnspB>;
    pub type Sm90_64x256x16_F32BF16BF16_RS<TnspA = MajorK, TnspB = MajorK> = Wgmma<F32BF16BF16, U256, Registers, TnspA, TnspB>;
    pub type Sm90_64x8x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U8, Shared>;
    pub type Sm90_64x8x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U8, Registers>;
    pub type Sm90_64x8x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U8, Shared>;
    pub type Sm90_64x8x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U8, Registers>;
    pub type Sm90_64x8x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U8, Shared>;
    pub type Sm90_64x8x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U8, Registers>;
    pub type Sm90_64x8x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U8, Shared>;
    pub type Sm90_64x8x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U8, Registers>;
    pub type Sm90_64x8x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U8, Shared>;
    pub type Sm90_64x8x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U8, Registers>;
    pub type Sm90_64x8x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U8, Shared>;
    pub type Sm90_64x8x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U8, Registers>;
    pub type Sm90_64x8x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U8, Shared>;
    pub type Sm90_64x8x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U8, Registers>;
    pub type Sm90_64x8x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U8, Shared>;
    pub type Sm90_64x8x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U8, Registers>;
    pub type Sm90_64x8x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U8, Shared>;
    pub type Sm90_64x8x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U8, Registers>;
    pub type Sm90_64x8x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U8, Shared>;
    pub type Sm90_64x8x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U8, Registers>;
    pub type Sm90_64x8x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U8, Shared>;
    pub type Sm90_64x8x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U8, Registers>;
    pub type Sm90_64x8x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U8, Shared>;
    pub type Sm90_64x8x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U8, Registers>;
    pub type Sm90_64x8x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U8, Shared>;
    pub type Sm90_64x8x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U8, Registers>;
    pub type Sm90_64x8x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U8, Shared>;
    pub type Sm90_64x8x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U8, Registers>;
    pub type Sm90_64x8x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U8, Shared>;
    pub type Sm90_64x8x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U8, Registers>;
    pub type Sm90_64x8x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U8, Shared>;
    pub type Sm90_64x8x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U8, Registers>;
    pub type Sm90_64x8x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U8, Shared>;
    pub type Sm90_64x8x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U8, Registers>;
    pub type Sm90_64x16x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U16, Shared>;
    pub type Sm90_64x16x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U16, Registers>;
    pub type Sm90_64x16x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U16, Shared>;
    pub type Sm90_64x16x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U16, Registers>;
    pub type Sm90_64x16x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U16, Shared>;
    pub type Sm90_64x16x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U16, Registers>;
    pub type Sm90_64x16x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U16, Shared>;
    pub type Sm90_64x16x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U16, Registers>;
    pub type Sm90_64x16x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U16, Shared>;
    pub type Sm90_64x16x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U16, Registers>;
    pub type Sm90_64x16x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U16, Shared>;
    pub type Sm90_64x16x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U16, Registers>;
    pub type Sm90_64x16x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U16, Shared>;
    pub type Sm90_64x16x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U16, Registers>;
    pub type Sm90_64x16x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U16, Shared>;
    pub type Sm90_64x16x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U16, Registers>;
    pub type Sm90_64x16x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U16, Shared>;
    pub type Sm90_64x16x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U16, Registers>;
    pub type Sm90_64x16x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U16, Shared>;
    pub type Sm90_64x16x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U16, Registers>;
    pub type Sm90_64x16x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U16, Shared>;
    pub type Sm90_64x16x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U16, Registers>;
    pub type Sm90_64x16x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U16, Shared>;
    pub type Sm90_64x16x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U16, Registers>;
    pub type Sm90_64x16x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U16, Shared>;
    pub type Sm90_64x16x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U16, Registers>;
    pub type Sm90_64x16x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U16, Shared>;
    pub type Sm90_64x16x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U16, Registers>;
    pub type Sm90_64x16x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U16, Shared>;
    pub type Sm90_64x16x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U16, Registers>;
    pub type Sm90_64x16x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U16, Shared>;
    pub type Sm90_64x16x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U16, Registers>;
    pub type Sm90_64x16x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U16, Shared>;
    pub type Sm90_64x16x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U16, Registers>;
    pub type Sm90_64x24x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U24, Shared>;
    pub type Sm90_64x24x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U24, Registers>;
    pub type Sm90_64x24x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U24, Shared>;
    pub type Sm90_64x24x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U24, Registers>;
    pub type Sm90_64x24x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U24, Shared>;
    pub type Sm90_64x24x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U24, Registers>;
    pub type Sm90_64x24x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U24, Shared>;
    pub type Sm90_64x24x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U24, Registers>;
    pub type Sm90_64x24x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U24, Shared>;
    pub type Sm90_64x24x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U24, Registers>;
    pub type Sm90_64x24x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U24, Shared>;
    pub type Sm90_64x24x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U24, Registers>;
    pub type Sm90_64x24x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U24, Shared>;
    pub type Sm90_64x24x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U24, Registers>;
    pub type Sm90_64x24x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U24, Shared>;
    pub type Sm90_64x24x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U24, Registers>;
    pub type Sm90_64x24x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U24, Shared>;
    pub type Sm90_64x24x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U24, Registers>;
    pub type Sm90_64x24x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U24, Shared>;
    pub type Sm90_64x24x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U24, Registers>;
    pub type Sm90_64x24x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U24, Shared>;
    pub type Sm90_64x24x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U24, Registers>;
    pub type Sm90_64x24x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U24, Shared>;
    pub type Sm90_64x24x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U24, Registers>;
    pub type Sm90_64x24x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U24, Shared>;
    pub type Sm90_64x24x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U24, Registers>;
    pub type Sm90_64x24x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U24, Shared>;
    pub type Sm90_64x24x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U24, Registers>;
    pub type Sm90_64x24x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U24, Shared>;
    pub type Sm90_64x24x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U24, Registers>;
    pub type Sm90_64x24x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U24, Shared>;
    pub type Sm90_64x24x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U24, Registers>;
    pub type Sm90_64x24x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U24, Shared>;
    pub type Sm90_64x24x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U24, Registers>;
    pub type Sm90_64x32x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U32, Shared>;
    pub type Sm90_64x32x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U32, Registers>;
    pub type Sm90_64x32x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U32, Shared>;
    pub type Sm90_64x32x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U32, Registers>;
    pub type Sm90_64x32x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U32, Shared>;
    pub type Sm90_64x32x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U32, Registers>;
    pub type Sm90_64x32x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U32, Shared>;
    pub type Sm90_64x32x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U32, Registers>;
    pub type Sm90_64x32x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U32, Shared>;
    pub type Sm90_64x32x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U32, Registers>;
    pub type Sm90_64x32x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U32, Shared>;
    pub type Sm90_64x32x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U32, Registers>;
    pub type Sm90_64x32x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U32, Shared>;
    pub type Sm90_64x32x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U32, Registers>;
    pub type Sm90_64x32x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U32, Shared>;
    pub type Sm90_64x32x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U32, Registers>;
    pub type Sm90_64x32x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U32, Shared>;
    pub type Sm90_64x32x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U32, Registers>;
    pub type Sm90_64x32x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U32, Shared>;
    pub type Sm90_64x32x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U32, Registers>;
    pub type Sm90_64x32x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U32, Shared>;
    pub type Sm90_64x32x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U32, Registers>;
    pub type Sm90_64x32x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U32, Shared>;
    pub type Sm90_64x32x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U32, Registers>;
    pub type Sm90_64x32x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U32, Shared>;
    pub type Sm90_64x32x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U32, Registers>;
    pub type Sm90_64x32x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U32, Shared>;
    pub type Sm90_64x32x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U32, Registers>;
    pub type Sm90_64x32x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U32, Shared>;
    pub type Sm90_64x32x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U32, Registers>;
    pub type Sm90_64x32x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U32, Shared>;
    pub type Sm90_64x32x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U32, Registers>;
    pub type Sm90_64x32x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U32, Shared>;
    pub type Sm90_64x32x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U32, Registers>;
    pub type Sm90_64x40x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U40, Shared>;
    pub type Sm90_64x40x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U40, Registers>;
    pub type Sm90_64x40x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U40, Shared>;
    pub type Sm90_64x40x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U40, Registers>;
    pub type Sm90_64x40x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U40, Shared>;
    pub type Sm90_64x40x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U40, Registers>;
    pub type Sm90_64x40x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U40, Shared>;
    pub type Sm90_64x40x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U40, Registers>;
    pub type Sm90_64x40x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U40, Shared>;
    pub type Sm90_64x40x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U40, Registers>;
    pub type Sm90_64x40x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U40, Shared>;
    pub type Sm90_64x40x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U40, Registers>;
    pub type Sm90_64x40x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U40, Shared>;
    pub type Sm90_64x40x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U40, Registers>;
    pub type Sm90_64x40x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U40, Shared>;
    pub type Sm90_64x40x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U40, Registers>;
    pub type Sm90_64x40x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U40, Shared>;
    pub type Sm90_64x40x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U40, Registers>;
    pub type Sm90_64x48x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U48, Shared>;
    pub type Sm90_64x48x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U48, Registers>;
    pub type Sm90_64x48x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U48, Shared>;
    pub type Sm90_64x48x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U48, Registers>;
    pub type Sm90_64x48x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U48, Shared>;
    pub type Sm90_64x48x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U48, Registers>;
    pub type Sm90_64x48x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U48, Shared>;
    pub type Sm90_64x48x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U48, Registers>;
    pub type Sm90_64x48x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U48, Shared>;
    pub type Sm90_64x48x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U48, Registers>;
    pub type Sm90_64x48x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U48, Shared>;
    pub type Sm90_64x48x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U48, Registers>;
    pub type Sm90_64x48x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U48, Shared>;
    pub type Sm90_64x48x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U48, Registers>;
    pub type Sm90_64x48x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U48, Shared>;
    pub type Sm90_64x48x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U48, Registers>;
    pub type Sm90_64x48x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U48, Shared>;
    pub type Sm90_64x48x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U48, Registers>;
    pub type Sm90_64x48x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U48, Shared>;
    pub type Sm90_64x48x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U48, Registers>;
    pub type Sm90_64x48x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U48, Shared>;
    pub type Sm90_64x48x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U48, Registers>;
    pub type Sm90_64x48x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U48, Shared>;
    pub type Sm90_64x48x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U48, Registers>;
    pub type Sm90_64x48x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U48, Shared>;
    pub type Sm90_64x48x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U48, Registers>;
    pub type Sm90_64x48x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U48, Shared>;
    pub type Sm90_64x48x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U48, Registers>;
    pub type Sm90_64x48x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U48, Shared>;
    pub type Sm90_64x48x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U48, Registers>;
    pub type Sm90_64x48x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U48, Shared>;
    pub type Sm90_64x48x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U48, Registers>;
    pub type Sm90_64x48x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U48, Shared>;
    pub type Sm90_64x48x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U48, Registers>;
    pub type Sm90_64x56x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U56, Shared>;
    pub type Sm90_64x56x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U56, Registers>;
    pub type Sm90_64x56x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U56, Shared>;
    pub type Sm90_64x56x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U56, Registers>;
    pub type Sm90_64x56x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U56, Shared>;
    pub type Sm90_64x56x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U56, Registers>;
    pub type Sm90_64x56x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U56, Shared>;
    pub type Sm90_64x56x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U56, Registers>;
    pub type Sm90_64x56x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U56, Shared>;
    pub type Sm90_64x56x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U56, Registers>;
    pub type Sm90_64x56x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U56, Shared>;
    pub type Sm90_64x56x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U56, Registers>;
    pub type Sm90_64x56x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U56, Shared>;
    pub type Sm90_64x56x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U56, Registers>;
    pub type Sm90_64x56x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U56, Shared>;
    pub type Sm90_64x56x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U56, Registers>;
    pub type Sm90_64x56x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U56, Shared>;
    pub type Sm90_64x56x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U56, Registers>;
    pub type Sm90_64x64x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U64, Shared>;
    pub type Sm90_64x64x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U64, Registers>;
    pub type Sm90_64x64x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U64, Shared>;
    pub type Sm90_64x64x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U64, Registers>;
    pub type Sm90_64x64x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U64, Shared>;
    pub type Sm90_64x64x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U64, Registers>;
    pub type Sm90_64x64x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U64, Shared>;
    pub type Sm90_64x64x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U64, Registers>;
    pub type Sm90_64x64x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U64, Shared>;
    pub type Sm90_64x64x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U64, Registers>;
    pub type Sm90_64x64x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U64, Shared>;
    pub type Sm90_64x64x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U64, Registers>;
    pub type Sm90_64x64x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U64, Shared>;
    pub type Sm90_64x64x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U64, Registers>;
    pub type Sm90_64x64x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U64, Shared>;
    pub type Sm90_64x64x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U64, Registers>;
    pub type Sm90_64x64x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U64, Shared>;
    pub type Sm90_64x64x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U64, Registers>;
    pub type Sm90_64x64x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U64, Shared>;
    pub type Sm90_64x64x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U64, Registers>;
    pub type Sm90_64x64x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U64, Shared>;
    pub type Sm90_64x64x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U64, Registers>;
    pub type Sm90_64x64x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U64, Shared>;
    pub type Sm90_64x64x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U64, Registers>;
    pub type Sm90_64x64x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U64, Shared>;
    pub type Sm90_64x64x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U64, Registers>;
    pub type Sm90_64x64x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U64, Shared>;
    pub type Sm90_64x64x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U64, Registers>;
    pub type Sm90_64x64x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U64, Shared>;
    pub type Sm90_64x64x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U64, Registers>;
    pub type Sm90_64x64x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U64, Shared>;
    pub type Sm90_64x64x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U64, Registers>;
    pub type Sm90_64x64x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U64, Shared>;
    pub type Sm90_64x64x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U64, Registers>;
    pub type Sm90_64x72x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U72, Shared>;
    pub type Sm90_64x72x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U72, Registers>;
    pub type Sm90_64x72x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U72, Shared>;
    pub type Sm90_64x72x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U72, Registers>;
    pub type Sm90_64x72x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U72, Shared>;
    pub type Sm90_64x72x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U72, Registers>;
    pub type Sm90_64x72x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U72, Shared>;
    pub type Sm90_64x72x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U72, Registers>;
    pub type Sm90_64x72x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U72, Shared>;
    pub type Sm90_64x72x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U72, Registers>;
    pub type Sm90_64x72x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U72, Shared>;
    pub type Sm90_64x72x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U72, Registers>;
    pub type Sm90_64x72x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U72, Shared>;
    pub type Sm90_64x72x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U72, Registers>;
    pub type Sm90_64x72x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U72, Shared>;
    pub type Sm90_64x72x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U72, Registers>;
    pub type Sm90_64x72x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U72, Shared>;
    pub type Sm90_64x72x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U72, Registers>;
    pub type Sm90_64x80x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U80, Shared>;
    pub type Sm90_64x80x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U80, Registers>;
    pub type Sm90_64x80x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U80, Shared>;
    pub type Sm90_64x80x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U80, Registers>;
    pub type Sm90_64x80x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U80, Shared>;
    pub type Sm90_64x80x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U80, Registers>;
    pub type Sm90_64x80x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U80, Shared>;
    pub type Sm90_64x80x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U80, Registers>;
    pub type Sm90_64x80x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U80, Shared>;
    pub type Sm90_64x80x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U80, Registers>;
    pub type Sm90_64x80x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U80, Shared>;
    pub type Sm90_64x80x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U80, Registers>;
    pub type Sm90_64x80x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U80, Shared>;
    pub type Sm90_64x80x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U80, Registers>;
    pub type Sm90_64x80x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U80, Shared>;
    pub type Sm90_64x80x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U80, Registers>;
    pub type Sm90_64x80x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U80, Shared>;
    pub type Sm90_64x80x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U80, Registers>;
    pub type Sm90_64x80x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U80, Shared>;
    pub type Sm90_64x80x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U80, Registers>;
    pub type Sm90_64x80x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U80, Shared>;
    pub type Sm90_64x80x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U80, Registers>;
    pub type Sm90_64x80x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U80, Shared>;
    pub type Sm90_64x80x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U80, Registers>;
    pub type Sm90_64x80x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U80, Shared>;
    pub type Sm90_64x80x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U80, Registers>;
    pub type Sm90_64x80x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U80, Shared>;
    pub type Sm90_64x80x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U80, Registers>;
    pub type Sm90_64x80x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U80, Shared>;
    pub type Sm90_64x80x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U80, Registers>;
    pub type Sm90_64x80x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U80, Shared>;
    pub type Sm90_64x80x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U80, Registers>;
    pub type Sm90_64x80x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U80, Shared>;
    pub type Sm90_64x80x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U80, Registers>;
    pub type Sm90_64x88x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U88, Shared>;
    pub type Sm90_64x88x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U88, Registers>;
    pub type Sm90_64x88x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U88, Shared>;
    pub type Sm90_64x88x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U88, Registers>;
    pub type Sm90_64x88x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U88, Shared>;
    pub type Sm90_64x88x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U88, Registers>;
    pub type Sm90_64x88x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U88, Shared>;
    pub type Sm90_64x88x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U88, Registers>;
    pub type Sm90_64x88x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U88, Shared>;
    pub type Sm90_64x88x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U88, Registers>;
    pub type Sm90_64x88x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U88, Shared>;
    pub type Sm90_64x88x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U88, Registers>;
    pub type Sm90_64x88x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U88, Shared>;
    pub type Sm90_64x88x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U88, Registers>;
    pub type Sm90_64x88x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U88, Shared>;
    pub type Sm90_64x88x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U88, Registers>;
    pub type Sm90_64x88x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U88, Shared>;
    pub type Sm90_64x88x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U88, Registers>;
    pub type Sm90_64x96x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U96, Shared>;
    pub type Sm90_64x96x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U96, Registers>;
    pub type Sm90_64x96x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U96, Shared>;
    pub type Sm90_64x96x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U96, Registers>;
    pub type Sm90_64x96x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U96, Shared>;
    pub type Sm90_64x96x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U96, Registers>;
    pub type Sm90_64x96x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U96, Shared>;
    pub type Sm90_64x96x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U96, Registers>;
    pub type Sm90_64x96x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U96, Shared>;
    pub type Sm90_64x96x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U96, Registers>;
    pub type Sm90_64x96x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U96, Shared>;
    pub type Sm90_64x96x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U96, Registers>;
    pub type Sm90_64x96x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U96, Shared>;
    pub type Sm90_64x96x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U96, Registers>;
    pub type Sm90_64x96x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U96, Shared>;
    pub type Sm90_64x96x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U96, Registers>;
    pub type Sm90_64x96x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U96, Shared>;
    pub type Sm90_64x96x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U96, Registers>;
    pub type Sm90_64x96x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U96, Shared>;
    pub type Sm90_64x96x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U96, Registers>;
    pub type Sm90_64x96x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U96, Shared>;
    pub type Sm90_64x96x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U96, Registers>;
    pub type Sm90_64x96x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U96, Shared>;
    pub type Sm90_64x96x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U96, Registers>;
    pub type Sm90_64x96x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U96, Shared>;
    pub type Sm90_64x96x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U96, Registers>;
    pub type Sm90_64x96x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U96, Shared>;
    pub type Sm90_64x96x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U96, Registers>;
    pub type Sm90_64x96x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U96, Shared>;
    pub type Sm90_64x96x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U96, Registers>;
    pub type Sm90_64x96x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U96, Shared>;
    pub type Sm90_64x96x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U96, Registers>;
    pub type Sm90_64x96x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U96, Shared>;
    pub type Sm90_64x96x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U96, Registers>;
    pub type Sm90_64x104x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U104, Shared>;
    pub type Sm90_64x104x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U104, Registers>;
    pub type Sm90_64x104x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U104, Shared>;
    pub type Sm90_64x104x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U104, Registers>;
    pub type Sm90_64x104x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U104, Shared>;
    pub type Sm90_64x104x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U104, Registers>;
    pub type Sm90_64x104x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U104, Shared>;
    pub type Sm90_64x104x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U104, Registers>;
    pub type Sm90_64x104x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U104, Shared>;
    pub type Sm90_64x104x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U104, Registers>;
    pub type Sm90_64x104x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U104, Shared>;
    pub type Sm90_64x104x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U104, Registers>;
    pub type Sm90_64x104x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U104, Shared>;
    pub type Sm90_64x104x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U104, Registers>;
    pub type Sm90_64x104x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U104, Shared>;
    pub type Sm90_64x104x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U104, Registers>;
    pub type Sm90_64x104x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U104, Shared>;
    pub type Sm90_64x104x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U104, Registers>;
    pub type Sm90_64x112x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U112, Shared>;
    pub type Sm90_64x112x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U112, Registers>;
    pub type Sm90_64x112x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U112, Shared>;
    pub type Sm90_64x112x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U112, Registers>;
    pub type Sm90_64x112x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U112, Shared>;
    pub type Sm90_64x112x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U112, Registers>;
    pub type Sm90_64x112x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U112, Shared>;
    pub type Sm90_64x112x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U112, Registers>;
    pub type Sm90_64x112x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U112, Shared>;
    pub type Sm90_64x112x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U112, Registers>;
    pub type Sm90_64x112x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U112, Shared>;
    pub type Sm90_64x112x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U112, Registers>;
    pub type Sm90_64x112x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U112, Shared>;
    pub type Sm90_64x112x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U112, Registers>;
    pub type Sm90_64x112x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U112, Shared>;
    pub type Sm90_64x112x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U112, Registers>;
    pub type Sm90_64x112x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U112, Shared>;
    pub type Sm90_64x112x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U112, Registers>;
    pub type Sm90_64x112x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U112, Shared>;
    pub type Sm90_64x112x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U112, Registers>;
    pub type Sm90_64x112x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U112, Shared>;
    pub type Sm90_64x112x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U112, Registers>;
    pub type Sm90_64x112x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U112, Shared>;
    pub type Sm90_64x112x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U112, Registers>;
    pub type Sm90_64x112x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U112, Shared>;
    pub type Sm90_64x112x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U112, Registers>;
    pub type Sm90_64x112x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U112, Shared>;
    pub type Sm90_64x112x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U112, Registers>;
    pub type Sm90_64x112x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U112, Shared>;
    pub type Sm90_64x112x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U112, Registers>;
    pub type Sm90_64x112x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U112, Shared>;
    pub type Sm90_64x112x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U112, Registers>;
    pub type Sm90_64x112x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U112, Shared>;
    pub type Sm90_64x112x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U112, Registers>;
    pub type Sm90_64x120x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U120, Shared>;
    pub type Sm90_64x120x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U120, Registers>;
    pub type Sm90_64x120x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U120, Shared>;
    pub type Sm90_64x120x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U120, Registers>;
    pub type Sm90_64x120x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U120, Shared>;
    pub type Sm90_64x120x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U120, Registers>;
    pub type Sm90_64x120x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U120, Shared>;
    pub type Sm90_64x120x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U120, Registers>;
    pub type Sm90_64x120x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U120, Shared>;
    pub type Sm90_64x120x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U120, Registers>;
    pub type Sm90_64x120x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U120, Shared>;
    pub type Sm90_64x120x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U120, Registers>;
    pub type Sm90_64x120x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U120, Shared>;
    pub type Sm90_64x120x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U120, Registers>;
    pub type Sm90_64x120x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U120, Shared>;
    pub type Sm90_64x120x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U120, Registers>;
    pub type Sm90_64x120x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U120, Shared>;
    pub type Sm90_64x120x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U120, Registers>;
    pub type Sm90_64x128x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U128, Shared>;
    pub type Sm90_64x128x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U128, Registers>;
    pub type Sm90_64x128x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U128, Shared>;
    pub type Sm90_64x128x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U128, Registers>;
    pub type Sm90_64x128x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U128, Shared>;
    pub type Sm90_64x128x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U128, Registers>;
    pub type Sm90_64x128x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U128, Shared>;
    pub type Sm90_64x128x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U128, Registers>;
    pub type Sm90_64x128x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U128, Shared>;
    pub type Sm90_64x128x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U128, Registers>;
    pub type Sm90_64x128x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U128, Shared>;
    pub type Sm90_64x128x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U128, Registers>;
    pub type Sm90_64x128x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U128, Shared>;
    pub type Sm90_64x128x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U128, Registers>;
    pub type Sm90_64x128x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U128, Shared>;
    pub type Sm90_64x128x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U128, Registers>;
    pub type Sm90_64x128x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U128, Shared>;
    pub type Sm90_64x128x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U128, Registers>;
    pub type Sm90_64x128x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U128, Shared>;
    pub type Sm90_64x128x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U128, Registers>;
    pub type Sm90_64x128x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U128, Shared>;
    pub type Sm90_64x128x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U128, Registers>;
    pub type Sm90_64x128x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U128, Shared>;
    pub type Sm90_64x128x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U128, Registers>;
    pub type Sm90_64x128x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U128, Shared>;
    pub type Sm90_64x128x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U128, Registers>;
    pub type Sm90_64x128x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U128, Shared>;
    pub type Sm90_64x128x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U128, Registers>;
    pub type Sm90_64x128x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U128, Shared>;
    pub type Sm90_64x128x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U128, Registers>;
    pub type Sm90_64x128x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U128, Shared>;
    pub type Sm90_64x128x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U128, Registers>;
    pub type Sm90_64x128x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U128, Shared>;
    pub type Sm90_64x128x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U128, Registers>;
    pub type Sm90_64x136x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U136, Shared>;
    pub type Sm90_64x136x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U136, Registers>;
    pub type Sm90_64x136x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U136, Shared>;
    pub type Sm90_64x136x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U136, Registers>;
    pub type Sm90_64x136x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U136, Shared>;
    pub type Sm90_64x136x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U136, Registers>;
    pub type Sm90_64x136x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U136, Shared>;
    pub type Sm90_64x136x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U136, Registers>;
    pub type Sm90_64x136x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U136, Shared>;
    pub type Sm90_64x136x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U136, Registers>;
    pub type Sm90_64x136x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U136, Shared>;
    pub type Sm90_64x136x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U136, Registers>;
    pub type Sm90_64x136x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U136, Shared>;
    pub type Sm90_64x136x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U136, Registers>;
    pub type Sm90_64x136x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U136, Shared>;
    pub type Sm90_64x136x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U136, Registers>;
    pub type Sm90_64x136x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U136, Shared>;
    pub type Sm90_64x136x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U136, Registers>;
    pub type Sm90_64x144x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U144, Shared>;
    pub type Sm90_64x144x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U144, Registers>;
    pub type Sm90_64x144x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U144, Shared>;
    pub type Sm90_64x144x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U144, Registers>;
    pub type Sm90_64x144x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U144, Shared>;
    pub type Sm90_64x144x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U144, Registers>;
    pub type Sm90_64x144x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U144, Shared>;
    pub type Sm90_64x144x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U144, Registers>;
    pub type Sm90_64x144x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U144, Shared>;
    pub type Sm90_64x144x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U144, Registers>;
    pub type Sm90_64x144x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U144, Shared>;
    pub type Sm90_64x144x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U144, Registers>;
    pub type Sm90_64x144x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U144, Shared>;
    pub type Sm90_64x144x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U144, Registers>;
    pub type Sm90_64x144x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U144, Shared>;
    pub type Sm90_64x144x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U144, Registers>;
    pub type Sm90_64x144x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U144, Shared>;
    pub type Sm90_64x144x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U144, Registers>;
    pub type Sm90_64x144x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U144, Shared>;
    pub type Sm90_64x144x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U144, Registers>;
    pub type Sm90_64x144x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U144, Shared>;
    pub type Sm90_64x144x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U144, Registers>;
    pub type Sm90_64x144x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U144, Shared>;
    pub type Sm90_64x144x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U144, Registers>;
    pub type Sm90_64x144x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U144, Shared>;
    pub type Sm90_64x144x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U144, Registers>;
    pub type Sm90_64x144x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U144, Shared>;
    pub type Sm90_64x144x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U144, Registers>;
    pub type Sm90_64x144x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U144, Shared>;
    pub type Sm90_64x144x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U144, Registers>;
    pub type Sm90_64x144x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U144, Shared>;
    pub type Sm90_64x144x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U144, Registers>;
    pub type Sm90_64x144x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U144, Shared>;
    pub type Sm90_64x144x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U144, Registers>;
    pub type Sm90_64x152x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U152, Shared>;
    pub type Sm90_64x152x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U152, Registers>;
    pub type Sm90_64x152x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U152, Shared>;
    pub type Sm90_64x152x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U152, Registers>;
    pub type Sm90_64x152x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U152, Shared>;
    pub type Sm90_64x152x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U152, Registers>;
    pub type Sm90_64x152x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U152, Shared>;
    pub type Sm90_64x152x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U152, Registers>;
    pub type Sm90_64x152x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U152, Shared>;
    pub type Sm90_64x152x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U152, Registers>;
    pub type Sm90_64x152x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U152, Shared>;
    pub type Sm90_64x152x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U152, Registers>;
    pub type Sm90_64x152x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U152, Shared>;
    pub type Sm90_64x152x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U152, Registers>;
    pub type Sm90_64x152x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U152, Shared>;
    pub type Sm90_64x152x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U152, Registers>;
    pub type Sm90_64x152x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U152, Shared>;
    pub type Sm90_64x152x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U152, Registers>;
    pub type Sm90_64x160x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U160, Shared>;
    pub type Sm90_64x160x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U160, Registers>;
    pub type Sm90_64x160x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U160, Shared>;
    pub type Sm90_64x160x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U160, Registers>;
    pub type Sm90_64x160x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U160, Shared>;
    pub type Sm90_64x160x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U160, Registers>;
    pub type Sm90_64x160x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U160, Shared>;
    pub type Sm90_64x160x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U160, Registers>;
    pub type Sm90_64x160x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U160, Shared>;
    pub type Sm90_64x160x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U160, Registers>;
    pub type Sm90_64x160x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U160, Shared>;
    pub type Sm90_64x160x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U160, Registers>;
    pub type Sm90_64x160x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U160, Shared>;
    pub type Sm90_64x160x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U160, Registers>;
    pub type Sm90_64x160x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U160, Shared>;
    pub type Sm90_64x160x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U160, Registers>;
    pub type Sm90_64x160x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U160, Shared>;
    pub type Sm90_64x160x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U160, Registers>;
    pub type Sm90_64x160x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U160, Shared>;
    pub type Sm90_64x160x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U160, Registers>;
    pub type Sm90_64x160x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U160, Shared>;
    pub type Sm90_64x160x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U160, Registers>;
    pub type Sm90_64x160x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U160, Shared>;
    pub type Sm90_64x160x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U160, Registers>;
    pub type Sm90_64x160x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U160, Shared>;
    pub type Sm90_64x160x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U160, Registers>;
    pub type Sm90_64x160x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U160, Shared>;
    pub type Sm90_64x160x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U160, Registers>;
    pub type Sm90_64x160x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U160, Shared>;
    pub type Sm90_64x160x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U160, Registers>;
    pub type Sm90_64x160x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U160, Shared>;
    pub type Sm90_64x160x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U160, Registers>;
    pub type Sm90_64x160x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U160, Shared>;
    pub type Sm90_64x160x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U160, Registers>;
    pub type Sm90_64x168x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U168, Shared>;
    pub type Sm90_64x168x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U168, Registers>;
    pub type Sm90_64x168x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U168, Shared>;
    pub type Sm90_64x168x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U168, Registers>;
    pub type Sm90_64x168x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U168, Shared>;
    pub type Sm90_64x168x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U168, Registers>;
    pub type Sm90_64x168x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U168, Shared>;
    pub type Sm90_64x168x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U168, Registers>;
    pub type Sm90_64x168x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U168, Shared>;
    pub type Sm90_64x168x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U168, Registers>;
    pub type Sm90_64x168x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U168, Shared>;
    pub type Sm90_64x168x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U168, Registers>;
    pub type Sm90_64x168x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U168, Shared>;
    pub type Sm90_64x168x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U168, Registers>;
    pub type Sm90_64x168x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U168, Shared>;
    pub type Sm90_64x168x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U168, Registers>;
    pub type Sm90_64x168x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U168, Shared>;
    pub type Sm90_64x168x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U168, Registers>;
    pub type Sm90_64x176x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U176, Shared>;
    pub type Sm90_64x176x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U176, Registers>;
    pub type Sm90_64x176x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U176, Shared>;
    pub type Sm90_64x176x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U176, Registers>;
    pub type Sm90_64x176x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U176, Shared>;
    pub type Sm90_64x176x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U176, Registers>;
    pub type Sm90_64x176x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U176, Shared>;
    pub type Sm90_64x176x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U176, Registers>;
    pub type Sm90_64x176x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U176, Shared>;
    pub type Sm90_64x176x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U176, Registers>;
    pub type Sm90_64x176x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U176, Shared>;
    pub type Sm90_64x176x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U176, Registers>;
    pub type Sm90_64x176x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U176, Shared>;
    pub type Sm90_64x176x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U176, Registers>;
    pub type Sm90_64x176x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U176, Shared>;
    pub type Sm90_64x176x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U176, Registers>;
    pub type Sm90_64x176x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U176, Shared>;
    pub type Sm90_64x176x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U176, Registers>;
    pub type Sm90_64x176x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U176, Shared>;
    pub type Sm90_64x176x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U176, Registers>;
    pub type Sm90_64x176x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U176, Shared>;
    pub type Sm90_64x176x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U176, Registers>;
    pub type Sm90_64x176x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U176, Shared>;
    pub type Sm90_64x176x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U176, Registers>;
    pub type Sm90_64x176x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U176, Shared>;
    pub type Sm90_64x176x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U176, Registers>;
    pub type Sm90_64x176x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U176, Shared>;
    pub type Sm90_64x176x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U176, Registers>;
    pub type Sm90_64x176x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U176, Shared>;
    pub type Sm90_64x176x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U176, Registers>;
    pub type Sm90_64x176x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U176, Shared>;
    pub type Sm90_64x176x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U176, Registers>;
    pub type Sm90_64x176x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U176, Shared>;
    pub type Sm90_64x176x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U176, Registers>;
    pub type Sm90_64x184x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U184, Shared>;
    pub type Sm90_64x184x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U184, Registers>;
    pub type Sm90_64x184x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U184, Shared>;
    pub type Sm90_64x184x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U184, Registers>;
    pub type Sm90_64x184x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U184, Shared>;
    pub type Sm90_64x184x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U184, Registers>;
    pub type Sm90_64x184x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U184, Shared>;
    pub type Sm90_64x184x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U184, Registers>;
    pub type Sm90_64x184x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U184, Shared>;
    pub type Sm90_64x184x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U184, Registers>;
    pub type Sm90_64x184x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U184, Shared>;
    pub type Sm90_64x184x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U184, Registers>;
    pub type Sm90_64x184x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U184, Shared>;
    pub type Sm90_64x184x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U184, Registers>;
    pub type Sm90_64x184x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U184, Shared>;
    pub type Sm90_64x184x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U184, Registers>;
    pub type Sm90_64x184x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U184, Shared>;
    pub type Sm90_64x184x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U184, Registers>;
    pub type Sm90_64x192x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U192, Shared>;
    pub type Sm90_64x192x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U192, Registers>;
    pub type Sm90_64x192x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U192, Shared>;
    pub type Sm90_64x192x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U192, Registers>;
    pub type Sm90_64x192x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U192, Shared>;
    pub type Sm90_64x192x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U192, Registers>;
    pub type Sm90_64x192x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U192, Shared>;
    pub type Sm90_64x192x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U192, Registers>;
    pub type Sm90_64x192x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U192, Shared>;
    pub type Sm90_64x192x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U192, Registers>;
    pub type Sm90_64x192x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U192, Shared>;
    pub type Sm90_64x192x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U192, Registers>;
    pub type Sm90_64x192x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U192, Shared>;
    pub type Sm90_64x192x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U192, Registers>;
    pub type Sm90_64x192x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U192, Shared>;
    pub type Sm90_64x192x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U192, Registers>;
    pub type Sm90_64x192x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U192, Shared>;
    pub type Sm90_64x192x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U192, Registers>;
    pub type Sm90_64x192x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U192, Shared>;
    pub type Sm90_64x192x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U192, Registers>;
    pub type Sm90_64x192x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U192, Shared>;
    pub type Sm90_64x192x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U192, Registers>;
    pub type Sm90_64x192x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U192, Shared>;
    pub type Sm90_64x192x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U192, Registers>;
    pub type Sm90_64x192x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U192, Shared>;
    pub type Sm90_64x192x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U192, Registers>;
    pub type Sm90_64x192x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U192, Shared>;
    pub type Sm90_64x192x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U192, Registers>;
    pub type Sm90_64x192x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U192, Shared>;
    pub type Sm90_64x192x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U192, Registers>;
    pub type Sm90_64x192x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U192, Shared>;
    pub type Sm90_64x192x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U192, Registers>;
    pub type Sm90_64x192x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U192, Shared>;
    pub type Sm90_64x192x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U192, Registers>;
    pub type Sm90_64x200x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U200, Shared>;
    pub type Sm90_64x200x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U200, Registers>;
    pub type Sm90_64x200x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U200, Shared>;
    pub type Sm90_64x200x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U200, Registers>;
    pub type Sm90_64x200x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U200, Shared>;
    pub type Sm90_64x200x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U200, Registers>;
    pub type Sm90_64x200x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U200, Shared>;
    pub type Sm90_64x200x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U200, Registers>;
    pub type Sm90_64x200x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U200, Shared>;
    pub type Sm90_64x200x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U200, Registers>;
    pub type Sm90_64x200x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U200, Shared>;
    pub type Sm90_64x200x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U200, Registers>;
    pub type Sm90_64x200x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U200, Shared>;
    pub type Sm90_64x200x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U200, Registers>;
    pub type Sm90_64x200x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U200, Shared>;
    pub type Sm90_64x200x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U200, Registers>;
    pub type Sm90_64x200x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U200, Shared>;
    pub type Sm90_64x200x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U200, Registers>;
    pub type Sm90_64x208x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U208, Shared>;
    pub type Sm90_64x208x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U208, Registers>;
    pub type Sm90_64x208x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U208, Shared>;
    pub type Sm90_64x208x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U208, Registers>;
    pub type Sm90_64x208x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U208, Shared>;
    pub type Sm90_64x208x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U208, Registers>;
    pub type Sm90_64x208x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U208, Shared>;
    pub type Sm90_64x208x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U208, Registers>;
    pub type Sm90_64x208x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U208, Shared>;
    pub type Sm90_64x208x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U208, Registers>;
    pub type Sm90_64x208x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U208, Shared>;
    pub type Sm90_64x208x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U208, Registers>;
    pub type Sm90_64x208x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U208, Shared>;
    pub type Sm90_64x208x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U208, Registers>;
    pub type Sm90_64x208x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U208, Shared>;
    pub type Sm90_64x208x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U208, Registers>;
    pub type Sm90_64x208x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U208, Shared>;
    pub type Sm90_64x208x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U208, Registers>;
    pub type Sm90_64x208x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U208, Shared>;
    pub type Sm90_64x208x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U208, Registers>;
    pub type Sm90_64x208x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U208, Shared>;
    pub type Sm90_64x208x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U208, Registers>;
    pub type Sm90_64x208x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U208, Shared>;
    pub type Sm90_64x208x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U208, Registers>;
    pub type Sm90_64x208x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U208, Shared>;
    pub type Sm90_64x208x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U208, Registers>;
    pub type Sm90_64x208x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U208, Shared>;
    pub type Sm90_64x208x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U208, Registers>;
    pub type Sm90_64x208x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U208, Shared>;
    pub type Sm90_64x208x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U208, Registers>;
    pub type Sm90_64x208x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U208, Shared>;
    pub type Sm90_64x208x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U208, Registers>;
    pub type Sm90_64x208x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U208, Shared>;
    pub type Sm90_64x208x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U208, Registers>;
    pub type Sm90_64x216x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U216, Shared>;
    pub type Sm90_64x216x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U216, Registers>;
    pub type Sm90_64x216x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U216, Shared>;
    pub type Sm90_64x216x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U216, Registers>;
    pub type Sm90_64x216x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U216, Shared>;
    pub type Sm90_64x216x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U216, Registers>;
    pub type Sm90_64x216x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U216, Shared>;
    pub type Sm90_64x216x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U216, Registers>;
    pub type Sm90_64x216x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U216, Shared>;
    pub type Sm90_64x216x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U216, Registers>;
    pub type Sm90_64x216x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U216, Shared>;
    pub type Sm90_64x216x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U216, Registers>;
    pub type Sm90_64x216x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U216, Shared>;
    pub type Sm90_64x216x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U216, Registers>;
    pub type Sm90_64x216x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U216, Shared>;
    pub type Sm90_64x216x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U216, Registers>;
    pub type Sm90_64x216x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U216, Shared>;
    pub type Sm90_64x216x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U216, Registers>;
    pub type Sm90_64x224x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U224, Shared>;
    pub type Sm90_64x224x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U224, Registers>;
    pub type Sm90_64x224x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U224, Shared>;
    pub type Sm90_64x224x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U224, Registers>;
    pub type Sm90_64x224x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U224, Shared>;
    pub type Sm90_64x224x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U224, Registers>;
    pub type Sm90_64x224x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U224, Shared>;
    pub type Sm90_64x224x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U224, Registers>;
    pub type Sm90_64x224x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U224, Shared>;
    pub type Sm90_64x224x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U224, Registers>;
    pub type Sm90_64x224x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U224, Shared>;
    pub type Sm90_64x224x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U224, Registers>;
    pub type Sm90_64x224x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U224, Shared>;
    pub type Sm90_64x224x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U224, Registers>;
    pub type Sm90_64x224x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U224, Shared>;
    pub type Sm90_64x224x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U224, Registers>;
    pub type Sm90_64x224x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U224, Shared>;
    pub type Sm90_64x224x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U224, Registers>;
    pub type Sm90_64x224x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U224, Shared>;
    pub type Sm90_64x224x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U224, Registers>;
    pub type Sm90_64x224x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U224, Shared>;
    pub type Sm90_64x224x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U224, Registers>;
    pub type Sm90_64x224x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U224, Shared>;
    pub type Sm90_64x224x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U224, Registers>;
    pub type Sm90_64x224x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U224, Shared>;
    pub type Sm90_64x224x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U224, Registers>;
    pub type Sm90_64x224x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U224, Shared>;
    pub type Sm90_64x224x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U224, Registers>;
    pub type Sm90_64x224x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U224, Shared>;
    pub type Sm90_64x224x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U224, Registers>;
    pub type Sm90_64x224x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U224, Shared>;
    pub type Sm90_64x224x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U224, Registers>;
    pub type Sm90_64x224x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U224, Shared>;
    pub type Sm90_64x224x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U224, Registers>;
    pub type Sm90_64x232x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U232, Shared>;
    pub type Sm90_64x232x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U232, Registers>;
    pub type Sm90_64x232x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U232, Shared>;
    pub type Sm90_64x232x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U232, Registers>;
    pub type Sm90_64x232x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U232, Shared>;
    pub type Sm90_64x232x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U232, Registers>;
    pub type Sm90_64x232x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U232, Shared>;
    pub type Sm90_64x232x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U232, Registers>;
    pub type Sm90_64x232x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U232, Shared>;
    pub type Sm90_64x232x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U232, Registers>;
    pub type Sm90_64x232x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U232, Shared>;
    pub type Sm90_64x232x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U232, Registers>;
    pub type Sm90_64x232x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U232, Shared>;
    pub type Sm90_64x232x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U232, Registers>;
    pub type Sm90_64x232x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U232, Shared>;
    pub type Sm90_64x232x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U232, Registers>;
    pub type Sm90_64x232x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U232, Shared>;
    pub type Sm90_64x232x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U232, Registers>;
    pub type Sm90_64x240x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U240, Shared>;
    pub type Sm90_64x240x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U240, Registers>;
    pub type Sm90_64x240x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U240, Shared>;
    pub type Sm90_64x240x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U240, Registers>;
    pub type Sm90_64x240x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U240, Shared>;
    pub type Sm90_64x240x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U240, Registers>;
    pub type Sm90_64x240x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U240, Shared>;
    pub type Sm90_64x240x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U240, Registers>;
    pub type Sm90_64x240x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U240, Shared>;
    pub type Sm90_64x240x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U240, Registers>;
    pub type Sm90_64x240x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U240, Shared>;
    pub type Sm90_64x240x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U240, Registers>;
    pub type Sm90_64x240x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U240, Shared>;
    pub type Sm90_64x240x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U240, Registers>;
    pub type Sm90_64x240x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U240, Shared>;
    pub type Sm90_64x240x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U240, Registers>;
    pub type Sm90_64x240x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U240, Shared>;
    pub type Sm90_64x240x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U240, Registers>;
    pub type Sm90_64x240x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U240, Shared>;
    pub type Sm90_64x240x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U240, Registers>;
    pub type Sm90_64x240x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U240, Shared>;
    pub type Sm90_64x240x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U240, Registers>;
    pub type Sm90_64x240x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U240, Shared>;
    pub type Sm90_64x240x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U240, Registers>;
    pub type Sm90_64x240x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U240, Shared>;
    pub type Sm90_64x240x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U240, Registers>;
    pub type Sm90_64x240x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U240, Shared>;
    pub type Sm90_64x240x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U240, Registers>;
    pub type Sm90_64x240x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U240, Shared>;
    pub type Sm90_64x240x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U240, Registers>;
    pub type Sm90_64x240x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U240, Shared>;
    pub type Sm90_64x240x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U240, Registers>;
    pub type Sm90_64x240x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U240, Shared>;
    pub type Sm90_64x240x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U240, Registers>;
    pub type Sm90_64x248x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U248, Shared>;
    pub type Sm90_64x248x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U248, Registers>;
    pub type Sm90_64x248x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U248, Shared>;
    pub type Sm90_64x248x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U248, Registers>;
    pub type Sm90_64x248x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U248, Shared>;
    pub type Sm90_64x248x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U248, Registers>;
    pub type Sm90_64x248x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U248, Shared>;
    pub type Sm90_64x248x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U248, Registers>;
    pub type Sm90_64x248x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U248, Shared>;
    pub type Sm90_64x248x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U248, Registers>;
    pub type Sm90_64x248x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U248, Shared>;
    pub type Sm90_64x248x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U248, Registers>;
    pub type Sm90_64x248x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U248, Shared>;
    pub type Sm90_64x248x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U248, Registers>;
    pub type Sm90_64x248x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U248, Shared>;
    pub type Sm90_64x248x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U248, Registers>;
    pub type Sm90_64x248x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U248, Shared>;
    pub type Sm90_64x248x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U248, Registers>;
    pub type Sm90_64x256x8_F32TF32TF32_SS_TN = Wgmma<F32TF32TF32, U256, Shared>;
    pub type Sm90_64x256x8_F32TF32TF32_RS_TN = Wgmma<F32TF32TF32, U256, Registers>;
    pub type Sm90_64x256x32_F16E4M3E4M3_SS_TN = Wgmma<F16E4M3E4M3, U256, Shared>;
    pub type Sm90_64x256x32_F16E4M3E4M3_RS_TN = Wgmma<F16E4M3E4M3, U256, Registers>;
    pub type Sm90_64x256x32_F16E4M3E5M2_SS_TN = Wgmma<F16E4M3E5M2, U256, Shared>;
    pub type Sm90_64x256x32_F16E4M3E5M2_RS_TN = Wgmma<F16E4M3E5M2, U256, Registers>;
    pub type Sm90_64x256x32_F16E5M2E4M3_SS_TN = Wgmma<F16E5M2E4M3, U256, Shared>;
    pub type Sm90_64x256x32_F16E5M2E4M3_RS_TN = Wgmma<F16E5M2E4M3, U256, Registers>;
    pub type Sm90_64x256x32_F16E5M2E5M2_SS_TN = Wgmma<F16E5M2E5M2, U256, Shared>;
    pub type Sm90_64x256x32_F16E5M2E5M2_RS_TN = Wgmma<F16E5M2E5M2, U256, Registers>;
    pub type Sm90_64x256x32_F32E4M3E4M3_SS_TN = Wgmma<F32E4M3E4M3, U256, Shared>;
    pub type Sm90_64x256x32_F32E4M3E4M3_RS_TN = Wgmma<F32E4M3E4M3, U256, Registers>;
    pub type Sm90_64x256x32_F32E4M3E5M2_SS_TN = Wgmma<F32E4M3E5M2, U256, Shared>;
    pub type Sm90_64x256x32_F32E4M3E5M2_RS_TN = Wgmma<F32E4M3E5M2, U256, Registers>;
    pub type Sm90_64x256x32_F32E5M2E4M3_SS_TN = Wgmma<F32E5M2E4M3, U256, Shared>;
    pub type Sm90_64x256x32_F32E5M2E4M3_RS_TN = Wgmma<F32E5M2E4M3, U256, Registers>;
    pub type Sm90_64x256x32_F32E5M2E5M2_SS_TN = Wgmma<F32E5M2E5M2, U256, Shared>;
    pub type Sm90_64x256x32_F32E5M2E5M2_RS_TN = Wgmma<F32E5M2E5M2, U256, Registers>;
    pub type Sm90_64x256x32_S32S8S8_SS_TN = Wgmma<S32S8S8, U256, Shared>;
    pub type Sm90_64x256x32_S32S8S8_RS_TN = Wgmma<S32S8S8, U256, Registers>;
    pub type Sm90_64x256x32_S32S8S8_SS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U256, Shared>;
    pub type Sm90_64x256x32_S32S8S8_RS_TN_SATURATE = Wgmma<S32S8S8_SATURATE, U256, Registers>;
    pub type Sm90_64x256x32_S32S8U8_SS_TN = Wgmma<S32S8U8, U256, Shared>;
    pub type Sm90_64x256x32_S32S8U8_RS_TN = Wgmma<S32S8U8, U256, Registers>;
    pub type Sm90_64x256x32_S32S8U8_SS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U256, Shared>;
    pub type Sm90_64x256x32_S32S8U8_RS_TN_SATURATE = Wgmma<S32S8U8_SATURATE, U256, Registers>;
    pub type Sm90_64x256x32_S32U8S8_SS_TN = Wgmma<S32U8S8, U256, Shared>;
    pub type Sm90_64x256x32_S32U8S8_RS_TN = Wgmma<S32U8S8, U256, Registers>;
    pub type Sm90_64x256x32_S32U8S8_SS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U256, Shared>;
    pub type Sm90_64x256x32_S32U8S8_RS_TN_SATURATE = Wgmma<S32U8S8_SATURATE, U256, Registers>;
    pub type Sm90_64x256x32_S32U8U8_SS_TN = Wgmma<S32U8U8, U256, Shared>;
    pub type Sm90_64x256x32_S32U8U8_RS_TN = Wgmma<S32U8U8, U256, Registers>;
    pub type Sm90_64x256x32_S32U8U8_SS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U256, Shared>;
    pub type Sm90_64x256x32_S32U8U8_RS_TN_SATURATE = Wgmma<S32U8U8_SATURATE, U256, Registers>;
}
pub use wgmma::*;

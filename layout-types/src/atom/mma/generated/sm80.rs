//! Written by `tests/atoms_tables.rs`; change the rows there.
//!
//! Source: CuTe `cute/atom/mma_traits_sm80.hpp`; PTX ISA, *Warp-level matrix instructions: mma*.

use super::super::{MmaFacts, mma_atom};
#[allow(unused_imports)]
use crate::atom::element::*;

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

/// The atoms of this file as values.
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

//! Written by `tests/atoms_tables.rs`; change the rows there.
//!
//! Source: CuTe `cute/atom/mma_traits_sm75.hpp`; PTX ISA, *Warp-level matrix instructions: mma*.

use super::super::{MmaFacts, mma_atom};
#[allow(unused_imports)]
use crate::atom::element::*;

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

/// The atoms of this file as values.
pub const SM75: &[MmaFacts] = &[
    MmaFacts::of::<Sm75_16x8x8_F32F16F16F32_TN>(),
    MmaFacts::of::<Sm75_8x8x16_S32S8S8S32_TN>(),
];

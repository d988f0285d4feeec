//! Written by `tests/atoms_tables.rs`; change the rows there.
//!
//! Source: CuTe `cute/atom/mma_traits_sm89.hpp`; PTX ISA, *Warp-level matrix instructions: mma*.

use super::super::{MmaFacts, mma_atom};
#[allow(unused_imports)]
use crate::atom::element::*;

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

/// The atoms of this file as values.
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

//! Written by `tests/atoms_tables.rs`; change the rows there.
//!
//! Source: CuTe `cute/atom/mma_traits_sm70.hpp`; PTX ISA, *Warp-level matrix instructions: mma*.

use super::super::{MmaFacts, mma_atom};
#[allow(unused_imports)]
use crate::atom::element::*;

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

/// The atoms of this file as values.
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

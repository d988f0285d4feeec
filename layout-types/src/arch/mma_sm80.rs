//! `mma.sync` of Ampere: a warp multiplies a 16×k fragment by a k×8 fragment and adds a 16×8 fragment.
//!
//! ```text
//!            B (k, n)
//!           ┌───────┐ 8        lane l holds rows l/4 and l/4+8, columns 2(l%4) and 2(l%4)+1 of C and D;
//!  A (m, k) │       │          A and B in 32-bit registers, two 16-bit elements each, the lower k first
//!  ┌──────┐ ├───────┤
//!  │      │ │ C, D  │ 16
//!  └──────┘ └───────┘
//! ```
//!
//! Law: `D = A·B + C`, products exact, the sum rounded as the hardware does (its order is not specified).
//!
//! Source: PTX ISA, *Warp-level matrix instructions: mma*; CuTe `SM80_16x8x{8,16}_*_TN`.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unreachable_code, unused_unsafe, unused_variables)
)]

use super::ptx;

macro_rules! mma_f32 {
    ($(#[$doc:meta])* $name:ident, A = $a:literal [$($ai:literal),+], B = $b:literal [$($bi:literal),+], $ptx:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// All 32 lanes of the warp execute it together.
        #[inline(always)]
        pub unsafe fn $name(d: &mut [f32; 4], a: &[u32; $a], b: &[u32; $b]) {
            // SAFETY: registers only; the warp is whole by the caller's contract.
            unsafe {
                ptx!(
                    $ptx,
                    inout(reg32) d[0], inout(reg32) d[1], inout(reg32) d[2], inout(reg32) d[3],
                    $(in(reg32) a[$ai],)+ $(in(reg32) b[$bi],)+
                    options(nomem, nostack, preserves_flags)
                );
            };
        }
    };
}

mma_f32!(
    /// `D += A·B` on f16 with f32 sums, k = 16: CuTe's `SM80_16x8x16_F32F16F16F32_TN`.
    mma_16x8x16_f32_f16, A = 4 [0, 1, 2, 3], B = 2 [0, 1],
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};");
mma_f32!(
    /// `D += A·B` on bf16 with f32 sums, k = 16: CuTe's `SM80_16x8x16_F32BF16BF16F32_TN`.
    mma_16x8x16_f32_bf16, A = 4 [0, 1, 2, 3], B = 2 [0, 1],
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};");
mma_f32!(
    /// `D += A·B` on f16 with f32 sums, k = 8: CuTe's `SM80_16x8x8_F32F16F16F32_TN`.
    mma_16x8x8_f32_f16, A = 2 [0, 1], B = 1 [0],
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};");
mma_f32!(
    /// `D += A·B` on bf16 with f32 sums, k = 8: CuTe's `SM80_16x8x8_F32BF16BF16F32_TN`.
    mma_16x8x8_f32_bf16, A = 2 [0, 1], B = 1 [0],
    "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{6}}}, {{{0}, {1}, {2}, {3}}};");
mma_f32!(
    /// `D += A·B` on tf32 with f32 sums, k = 8: CuTe's `SM80_16x8x8_F32TF32TF32F32_TN`.
    mma_16x8x8_f32_tf32, A = 4 [0, 1, 2, 3], B = 2 [0, 1],
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {{{0}, {1}, {2}, {3}}}, {{{4}, {5}, {6}, {7}}}, {{{8}, {9}}}, {{{0}, {1}, {2}, {3}}};");

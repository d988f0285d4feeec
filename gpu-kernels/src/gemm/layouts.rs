//! Who holds what: the layouts of the GEMM, each a function from threads and steps to places.
//!
//! ```text
//!   (thread, pass)             ─ GlobalToShared ─►  place in a (128, 32) tile  ─ Tile ───────►  (row, k)
//!   (thread, m16 or n16, k16)  ─ LdmatrixA, B ───►  place in a (128, 32) tile  ─ SharedTile ─►  byte
//!   (thread, half, m16, n8)    ─ Accumulators ───►  place in a (128, 128) tile ─ TileD ──────►  (m, n)
//! ```
//!
//! A place is a tile's linear index, first coordinate fastest. The compiler composes each pair into one layout.
//!
//! Law: each thread-value layout here covers its tile exactly once (`tests/layouts.rs`), and is the one that
//! CuTe derives from `SM80_16x8x16_F32F16F16F32_TN` with four warps as (2, 2) and `SM75_U32x4_LDSM_N`.

use half::{bf16, f16};
use layout_types::arch::convert::{bf16x2_from_f32, f16x2_from_f32};
use layout_types::arch::mma_sm80::{mma_16x8x16_f32_bf16, mma_16x8x16_f32_f16};
use layout_types::prelude::*;

/// A tile of A or B as coordinates: place to (row, k).
pub type Tile = layout!((128,32):(1@0,1@1));
/// A tile of D as coordinates: place to (m, n).
pub type TileD = layout!((128,128):(1@0,1@1));

/// A tile of A or B as it lies in shared memory, in bytes: rows of 64 bytes, the four 16-byte chunks of a row
/// exchanged by the row's number, so that the eight rows of an `ldmatrix` matrix lie on all 32 banks. In
/// elements this is `Sw<2,3,3> o 0 o (128,32):(32,1)`; in bytes an address needs no scaling, and the steps of
/// a loop become immediate offsets.
pub type SharedTile = Composition<Swizzle<2, 4, 3>, layout!((128,32):(64,2))>;

/// (thread, pass) to the first of 8 elements along k: four threads a row, 32 rows a pass.
pub type GlobalToShared = layout!(((4,32),4):((1024,1),32));

/// (thread, m16, k16) to the row that the thread addresses in `ldmatrix.x4` for A: lanes 0 to 15 the rows of
/// the left 16×8 half, lanes 16 to 31 of the right; warps down, then across (which share A).
pub type LdmatrixA = layout!(((16,2,2,2),4,2):((1,1024,64,0),16,2048));

/// (thread, n16, k16) to the row that the thread addresses in `ldmatrix.x4` for B: two n8 blocks of two k8
/// halves each; warps down (which share B), then across.
pub type LdmatrixB = layout!(((8,2,2,2,2),4,2):((1,1024,8,0,64),16,2048));

/// (thread, half, m16, n8) to the first of two neighbours along n: the C layout of `mma.m16n8k16`, whose second
/// half is eight rows down.
pub type Accumulators = layout!(((4,8,2,2),2,4,8):((256,1,64,8192),8,16,1024));

/// A type of input elements: its `mma.sync` and its rounding.
pub trait Element: Copy {
    /// `acc += a·b` over 16 steps of k.
    ///
    /// # Safety
    /// All 32 lanes of the warp execute it together.
    unsafe fn mma(acc: &mut [f32; 4], a: &[u32; 4], b: &[u32; 2]);
}

impl Element for f16 {
    #[inline(always)]
    unsafe fn mma(acc: &mut [f32; 4], a: &[u32; 4], b: &[u32; 2]) {
        // SAFETY: the caller's contract.
        unsafe { mma_16x8x16_f32_f16(acc, a, b) }
    }
}

impl Element for bf16 {
    #[inline(always)]
    unsafe fn mma(acc: &mut [f32; 4], a: &[u32; 4], b: &[u32; 2]) {
        // SAFETY: the caller's contract.
        unsafe { mma_16x8x16_f32_bf16(acc, a, b) }
    }
}

/// A type of output elements: how two neighbouring sums become two elements.
pub trait Out: Copy {
    /// Two elements, aligned so that one instruction stores them.
    type Pair: Copy;
    /// Rounds two sums.
    fn pair(low: f32, high: f32) -> Self::Pair;
    /// The elements of a pair.
    fn split(pair: Self::Pair) -> [Self; 2];
}

impl Out for f32 {
    type Pair = u64;
    #[inline(always)]
    fn pair(low: f32, high: f32) -> u64 {
        u64::from(low.to_bits()) | u64::from(high.to_bits()) << 32
    }
    #[inline(always)]
    fn split(pair: u64) -> [f32; 2] {
        [
            f32::from_bits(pair as u32),
            f32::from_bits((pair >> 32) as u32),
        ]
    }
}

impl Out for f16 {
    type Pair = u32;
    #[inline(always)]
    fn pair(low: f32, high: f32) -> u32 {
        f16x2_from_f32(low, high)
    }
    #[inline(always)]
    fn split(pair: u32) -> [f16; 2] {
        [
            f16::from_bits(pair as u16),
            f16::from_bits((pair >> 16) as u16),
        ]
    }
}

impl Out for bf16 {
    type Pair = u32;
    #[inline(always)]
    fn pair(low: f32, high: f32) -> u32 {
        bf16x2_from_f32(low, high)
    }
    #[inline(always)]
    fn split(pair: u32) -> [bf16; 2] {
        [
            bf16::from_bits(pair as u16),
            bf16::from_bits((pair >> 16) as u16),
        ]
    }
}

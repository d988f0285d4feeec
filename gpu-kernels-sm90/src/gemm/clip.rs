//! Fills a stage if an operand has fewer rows than a tile.
//!
//! ```text
//!   A of 16 rows, tiles of 64      rows  0 .. 16   loaded        boxes are cut to the operand's rows: fewer bytes for each stage
//!                                  rows 16 .. 64   zero          written once, before the first stage is filled
//! ```
//!
//! Law: the rows that are loaded are those of [`kernel_abi::gemm::HopperConfiguration::boxes`].
//! `wgmma` reads the other rows too, but the results of these rows are not stored.

use super::config::CollectiveConfig;
use cuda_std::thread::thread_idx_x;
use kernel_abi::gemm::{GemmParams, clipped_rows};
use layout_types::arch::barrier::fence_proxy_async_shared;
use layout_types::arch::copy::store_shared_b128;
use layout_types::atom::mma::Major;
use layout_types::num::Bool;

/// Bytes of a stage that are loaded.
#[derive(Clone, Copy)]
pub struct LoadedBytes {
    a: u32,
    b: u32,
}

/// Bytes of a row of a K-major stage.
const ROW_BYTES: u32 = 128;

impl LoadedBytes {
    /// Returns the bytes that are loaded for a problem: all bytes of an operand that is not
    /// K-major, and all bytes of both operands if the CTAs of a cluster share tiles.
    #[inline(always)]
    pub fn of<C: CollectiveConfig>(params: &GemmParams, shares: bool) -> Self {
        let bytes = |full: u32, is_k_major: bool, rows: u32, extent: u32| {
            if !shares && is_k_major {
                ROW_BYTES * clipped_rows(rows, extent)
            } else {
                full
            }
        };
        Self {
            a: bytes(
                C::BYTES_A,
                const { <C::MajorA as Major>::IsK::VALUE },
                C::TILE[0],
                params.m,
            ),
            b: bytes(
                C::BYTES_B,
                const { <C::MajorB as Major>::IsK::VALUE },
                C::TILE[1],
                params.n,
            ),
        }
    }

    /// Returns the loaded bytes of A and B of a stage.
    #[inline(always)]
    pub fn of_stage(&self) -> u32 {
        self.a + self.b
    }

    /// Writes zeros to the rows that are not loaded, in all stages.
    ///
    /// # Safety
    /// All threads of the CTA execute it, before a barrier; the stages are first filled after that
    /// barrier. `shared` is the CTA's dynamic shared memory of `SHARED_BYTES`.
    #[inline(always)]
    pub unsafe fn zero_rest<C: CollectiveConfig>(&self, shared: u32, threads: u32) {
        if self.of_stage() == const { C::BYTES_A + C::BYTES_B } {
            return;
        }
        let mut stage = 0;
        while stage < C::STAGES {
            // SAFETY: the addresses are in the stage, after the loaded bytes.
            unsafe {
                zero(
                    shared + stage * C::BYTES_A + self.a,
                    C::BYTES_A - self.a,
                    threads,
                );
                zero(
                    shared + C::B_OFFSET + stage * C::BYTES_B + self.b,
                    C::BYTES_B - self.b,
                    threads,
                );
            }
            stage += 1;
        }
        fence_proxy_async_shared();
    }
}

/// Writes `bytes` bytes of zeros, a multiple of 16.
///
/// # Safety
/// The CTA's threads execute it. `address` is aligned to 16, and nothing else accesses the bytes
/// from `address` on before the next barrier.
#[inline(always)]
unsafe fn zero(address: u32, bytes: u32, threads: u32) {
    let mut at = 16 * thread_idx_x();
    while at < bytes {
        // SAFETY: the 16 bytes are below `bytes`, and only this thread writes them.
        unsafe { store_shared_b128(address + at, [0; 4]) };
        at += 16 * threads;
    }
}

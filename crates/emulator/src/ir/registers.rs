//! The registers of each thread at the start of a kernel that moves them between warps.
//!
//! ```text
//! .maxnreg, .maxntid, .minnctapersm ─► registers ─► setmaxnreg takes some, gives some
//! ```

use super::Kernel;

/// Registers of a multiprocessor.
const REGISTERS: u32 = 65_536;
/// Least and most registers of a thread in such a kernel, and the step of what is allocated.
const LEAST: u32 = 24;
const MOST: u32 = 248;
const STEP: u32 = 8;
/// Warps are given registers four by four, one on each part of a multiprocessor.
const WARPS: u32 = 4;

/// Registers of each thread at the start of a kernel that says how many there can be, 0 for other
/// kernels, where `ptxas` ignores `setmaxnreg`.
///
/// ```text
/// warps = .minnctapersm blocks of .maxntid (.reqntid) threads, in whole warps, rounded up to a multiple of 4
/// each  = 65536 / (32 warps), rounded down to a multiple of 8
/// ```
///
/// Law: `.maxnreg`, or `each`, or the least of both where there are both; within 24..=248. So
/// `ptxas` 13.0.88 has it of 224 combinations (`tests/data/ptxas_registers.txt`), `.maxnreg` that
/// is no multiple of 8 as it is: allocated are those of the next.
pub(crate) fn registers(kernel: &Kernel) -> u32 {
    let threads = kernel.required_threads.or(kernel.max_threads);
    let of_blocks = threads.zip(kernel.min_blocks).map(|(threads, blocks)| {
        let warps = threads.iter().product::<u32>().div_ceil(32);
        let warps = warps.saturating_mul(blocks).max(1).div_ceil(WARPS);
        REGISTERS / warps.saturating_mul(32 * WARPS) / STEP * STEP
    });
    let each = of_blocks.into_iter().chain(kernel.max_registers).min();
    each.map_or(0, |each| each.clamp(LEAST, MOST).next_multiple_of(STEP))
}

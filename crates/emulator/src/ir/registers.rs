//! The registers per thread at the start of a kernel that moves registers between warps.
//!
//! ```text
//! .maxnreg, .maxntid, .minnctapersm ─► registers ─► setmaxnreg takes some, gives some
//! ```

use super::Kernel;

/// The number of registers of a multiprocessor.
const REGISTERS: u32 = 65_536;
/// The least and the most registers per thread in such a kernel, and the allocation step.
const LEAST: u32 = 24;
const MOST: u32 = 248;
const STEP: u32 = 8;
/// Registers are allocated for four warps at a time, one on each part of a multiprocessor.
const WARPS: u32 = 4;

/// Returns the registers per thread at the start of a kernel that states a limit, or 0 for other
/// kernels, in which `ptxas` ignores `setmaxnreg`.
///
/// ```text
/// warps = .minnctapersm blocks of .maxntid (.reqntid) threads, in whole warps, rounded up to a multiple of 4
/// each  = 65536 / (32 warps), rounded down to a multiple of 8
/// ```
///
/// Law: the result is `.maxnreg`, or `each`, or the smaller if both are given, clamped to 24..=248.
/// This agrees with `ptxas` 13.0.88 for 224 combinations (`tests/data/ptxas_registers.txt`), except
/// that `ptxas` does not change a `.maxnreg` that is not a multiple of 8: the GPU allocates the
/// next multiple, which is the result here.
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

//! What a launch has by its kernel's directives: clusters, and registers of a thread.

use super::grid::LaunchState;
use crate::error::LaunchError;
use crate::ir::Kernel;

/// Most blocks of a cluster; more than 8 need an attribute of the kernel on a device.
const MOST_BLOCKS: u32 = 16;

/// The extents of a launch's clusters, and their blocks.
pub(crate) fn clusters(
    state: &LaunchState,
    asked: Option<[u32; 3]>,
) -> Result<([u32; 3], u32), LaunchError> {
    let refuse = |found: [u32; 3], problem: String| {
        let kernel = state.image.kernels[state.kernel].0.name.clone();
        Err(LaunchError::Cluster {
            kernel,
            found,
            problem,
        })
    };
    let own = state.kernel().cluster;
    let found = asked.or(own).unwrap_or([1; 3]);
    if let Some(own) = own.filter(|own| *own != found) {
        let problem = format!("the kernel is for clusters of {own:?} blocks (.reqnctapercluster)");
        return refuse(found, problem);
    }
    let blocks: u64 = found.iter().map(|&n| u64::from(n)).product();
    if !(1..=u64::from(MOST_BLOCKS)).contains(&blocks) {
        return refuse(found, format!("1 to {MOST_BLOCKS} blocks are possible"));
    }
    if found.iter().zip(state.grid).any(|(&n, grid)| grid % n != 0) {
        let problem = format!("the grid {:?} is not a multiple of it", state.grid);
        return refuse(found, problem);
    }
    if blocks > 1 && state.config.compute_capability < (9, 0) {
        let problem = "clusters need compute capability 9.0".to_owned();
        return refuse(found, problem);
    }
    Ok((found, blocks as u32))
}

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

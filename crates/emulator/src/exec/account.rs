//! The totals of a launch's blocks: instructions and printed bytes, each with a limit per launch.
//!
//! ```text
//! blocks that are done    0 1 2 _ 4 5      only 0 to 2 count yet: 3 is under way
//! ```
//!
//! Law: a launch ends at the first block, in the order of the grid, at which the totals of the
//! blocks up to it exceed the limit. Therefore the error does not depend on the number of CPU
//! threads. Blocks that may wait for each other are counted while they run.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::block::Block;
use super::grid::LaunchState;
use crate::error::LaunchError;
use crate::fault::{Fault, FaultKind};

/// The number of blocks by which a block may be ahead of the first unfinished one. It limits the
/// number of results that have to be kept.
const AHEAD: u64 = 1 << 16;

/// The sums over the blocks of a launch.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// All blocks before this one are finished and counted.
    first: AtomicU64,
    sums: Mutex<Sums>,
}

#[derive(Debug, Default)]
struct Sums {
    instructions: u64,
    output: usize,
    /// The blocks that finished before an earlier block: their instructions and printed bytes.
    early: BTreeMap<u64, (u64, usize)>,
}

impl Account {
    /// Counts a finished block. If the launch exceeds a limit, returns the block at which it does,
    /// and the error.
    pub fn add(
        &self,
        launch: &LaunchState,
        linear: u64,
        block: &Block,
    ) -> Option<(u64, LaunchError)> {
        let mut sums = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = (block.executed(launch), block.output.len());
        sums.early.insert(linear, taken);
        let mut first = self.first.load(Relaxed);
        let mut exceeded = None;
        while let Some((instructions, output)) = sums.early.remove(&first) {
            sums.instructions = sums.instructions.saturating_add(instructions);
            sums.output = sums.output.saturating_add(output);
            let config = &launch.config;
            if sums.instructions > config.max_instructions_per_launch {
                exceeded = Some((first, budget(launch, first)));
                break;
            }
            if sums.output > config.max_output {
                let error = LaunchError::Output {
                    kernel: name(launch),
                    limit: config.max_output,
                    done: first * u64::from(launch.ranks),
                    blocks: launch.blocks(),
                };
                exceeded = Some((first, error));
                break;
            }
            first += 1;
        }
        self.first.store(first, Relaxed);
        exceeded
    }

    /// Waits while a block is too far ahead of the first unfinished one, unless the launch stops
    /// before this block.
    pub fn wait(&self, linear: u64, stop: &AtomicU64) {
        while linear >= self.first.load(Relaxed).saturating_add(AHEAD)
            && linear < stop.load(Relaxed)
        {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Converts the fault of a block to the launch's error. If the launch's budget is smaller than a
/// block's, the launch's budget is reported as exhausted.
pub(super) fn failure(launch: &LaunchState, linear: u64, fault: Box<Fault>) -> LaunchError {
    let config = &launch.config;
    if matches!(fault.what, FaultKind::Budget { .. })
        && config.max_instructions_per_launch < config.max_instructions_per_block
    {
        return budget(launch, linear);
    }
    fault.into()
}

/// Returns the error of a launch that used up its instructions.
pub(super) fn budget(launch: &LaunchState, done: u64) -> LaunchError {
    LaunchError::Budget {
        kernel: name(launch),
        budget: launch.config.max_instructions_per_launch,
        done: done * u64::from(launch.ranks),
        blocks: launch.blocks(),
    }
}

fn name(launch: &LaunchState) -> String {
    launch.image.kernels[launch.kernel].0.name.clone()
}

//! Detailed counters of a launch that take time to count, the work in floating-point operations,
//! and the share of a chip that a block occupies.
//!
//! ```text
//! Config::profile ─► Profile of each instruction: lanes, divergence, banks, groups of cp.async, narrow accesses
//! opcode × lanes  ─► Flops by unit
//! bulk copies, wgmma, mbarrier waits ─► AsyncCounts, with `Config::count_memory`
//! registers, shared memory, threads, Chip ─► Occupancy
//! ```
//!
//! Law: everything here is counted or published; nothing is timed.

mod asynchronous;
mod chip;
mod flops;
mod narrow;
mod occupancy;
mod registers;

pub use asynchronous::AsyncCounts;
pub use chip::{CHIPS, Chip, Peak};
pub use flops::{Flops, Unit};
pub use narrow::Narrow;
pub(crate) use narrow::{Access as NarrowAccess, Doing, Runs};
pub use occupancy::{Limit, Occupancy, Resources};
pub use registers::LiveRegisters;

/// Counters of one instruction that only `Config::profile` counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Profile {
    /// The lanes that reached the instruction, summed over all executions: at most 32 for each.
    pub active_lanes: u64,
    /// The lanes among these for which the instruction's guard was true.
    pub executing_lanes: u64,
    /// For a branch: executions after which the lanes of a warp took different paths.
    pub diverged: u64,
    /// For an access of shared memory: the number of words that each bank served; for an atomic
    /// access the number of lanes.
    pub banks: Option<Box<[u64; 32]>>,
    /// The number of phases of these accesses in which each bank served anything. If this number is
    /// less than that of `banks`, lanes waited for each other. A phase is the part of an access
    /// that takes one wavefront if there are no conflicts.
    pub bank_phases: Option<Box<[u64; 32]>>,
    /// For `cp.async.commit_group` and the waits: groups in flight.
    pub groups: Option<Groups>,
    /// For an access of memory: executions that begin a run which one vector could replace.
    pub narrow: Narrow,
}

/// Groups of `cp.async` in flight: committed by a warp and not waited for. Groups without a copy do
/// not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Groups {
    /// The most groups in flight at the same time.
    pub most: u64,
    /// The number of waits.
    pub waits: u64,
    /// Sum over the waits: groups in flight when the warp reached the wait.
    pub before: u64,
    /// Sum over the waits: groups that stayed in flight.
    pub after: u64,
}

impl Profile {
    pub(crate) fn lanes(&mut self, active: u32, executing: u32) {
        self.active_lanes += u64::from(active.count_ones());
        self.executing_lanes += u64::from(executing.count_ones());
    }

    /// Undoes the count of these lanes.
    pub(crate) fn forget(&mut self, active: u32, executing: u32) {
        self.active_lanes -= u64::from(active.count_ones());
        self.executing_lanes -= u64::from(executing.count_ones());
    }

    pub(crate) fn committed(&mut self, in_flight: u64) {
        let groups = self.groups.get_or_insert_default();
        groups.most = groups.most.max(in_flight);
    }

    pub(crate) fn waited(&mut self, (before, after): (u64, u64)) {
        let groups = self.groups.get_or_insert_default();
        groups.most = groups.most.max(before);
        groups.waits += 1;
        groups.before += before;
        groups.after += after;
    }

    /// Adds the counters of other executions, or of another instruction of the same line.
    pub(crate) fn add(&mut self, other: &Profile) {
        self.active_lanes += other.active_lanes;
        self.executing_lanes += other.executing_lanes;
        self.diverged += other.diverged;
        for (mine, other) in [
            (&mut self.banks, &other.banks),
            (&mut self.bank_phases, &other.bank_phases),
        ] {
            if let Some(other) = other {
                let mine = mine.get_or_insert_default();
                for (mine, theirs) in mine.iter_mut().zip(other.iter()) {
                    *mine += theirs;
                }
            }
        }
        self.narrow.add(&other.narrow);
        if let Some(other) = &other.groups {
            let mine = self.groups.get_or_insert_default();
            mine.most = mine.most.max(other.most);
            mine.waits += other.waits;
            mine.before += other.before;
            mine.after += other.after;
        }
    }
}

//! What a launch did, looked at more closely: counters that cost time to count, the work in
//! floating-point operations, and how much of a chip a block takes.
//!
//! ```text
//! Config::profile ─► Profile of each instruction: lanes, divergence, banks, groups of cp.async, narrow accesses
//! opcode × lanes  ─► Flops by unit
//! bulk copies, wgmma, mbarrier waits ─► AsyncCounts, with `Config::count_memory`
//! registers, shared memory, threads, Chip ─► Occupancy
//! ```
//!
//! Law: everything here is counted or published, nothing is timed.

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
    /// Lanes that came to it, over all executions: at most 32 for each.
    pub active_lanes: u64,
    /// Of these the lanes that its guard let through.
    pub executing_lanes: u64,
    /// Of a branch: executions after which the lanes of a warp went different ways.
    pub diverged: u64,
    /// Of an access of shared memory: how many words each bank served, of an atomic access how many
    /// lanes.
    pub banks: Option<Box<[u64; 32]>>,
    /// In how many phases of these accesses each bank served anything: where it is less than
    /// `banks` has, lanes waited for each other. A phase is what takes one wavefront without
    /// conflicts.
    pub bank_phases: Option<Box<[u64; 32]>>,
    /// Of `cp.async.commit_group` and the waits: groups in flight.
    pub groups: Option<Groups>,
    /// Of an access of memory: executions that begin what one vector could have been.
    pub narrow: Narrow,
}

/// Groups of `cp.async` in flight: committed by a warp and not waited for, those without a copy
/// left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Groups {
    /// The most at once.
    pub most: u64,
    /// Waits.
    pub waits: u64,
    /// Sum over the waits: groups in flight when the warp came to it.
    pub before: u64,
    /// Sum over the waits: groups that stayed in flight.
    pub after: u64,
}

impl Profile {
    pub(crate) fn lanes(&mut self, active: u32, executing: u32) {
        self.active_lanes += u64::from(active.count_ones());
        self.executing_lanes += u64::from(executing.count_ones());
    }

    /// Takes `lanes` back.
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

//! Execution.
//!
//! ```text
//! grid      what all blocks of a launch know, and where its faults are
//! dispatch  blocks over CPU threads, counters, the first fault
//! block     warps in turn, barriers, deadlock
//! warp      groups of lanes that go together, where they part and meet
//! run       one warp, instruction after instruction
//! shared    accesses of shared memory: its bytes and all checks before them
//! global    of global memory the same
//! memory, atomics, copies, exchange, tensor    what the instructions do that are not lane-wise
//! ```

pub(crate) mod access;
mod account;
mod arrive;
pub(crate) mod atomics;
pub(crate) mod banks;
mod barrier;
pub(crate) mod block;
pub(crate) mod bulk;
pub(crate) mod call;
pub(crate) mod cluster;
pub(crate) mod copies;
pub(crate) mod dependents;
pub(crate) mod dispatch;
pub(crate) mod engine;
pub(crate) mod exchange;
mod fence;
pub(crate) mod format;
pub(crate) mod gather;
pub(crate) mod global;
pub(crate) mod grid;
mod instruction;
mod later;
pub(crate) mod mbarrier;
pub(crate) mod memory;
mod non_coherent;
pub(crate) mod place;
pub(crate) mod provenance;
pub(crate) mod rows;
pub(crate) mod run;
pub(crate) mod shape;
pub(crate) mod shared;
mod step;
mod store_async;
pub(crate) mod tcgen05;
pub(crate) mod tensor;
mod tensor_map;
mod texture;
mod time;
pub(crate) mod values;
pub(crate) mod warp;
pub(crate) mod wgmma;

use crate::fault::FaultKind;
pub(crate) use crate::frame::lanes;
pub(crate) use instruction::{Instruction, LaneStep, Stop};
pub(crate) use run::Context;

/// A fault before it knows where it is: the lane and address, where there are any.
#[derive(Debug, Clone)]
pub(crate) struct Trap {
    /// Lanes that executed the instruction; 0 until they are known.
    pub lanes: u32,
    pub lane: Option<usize>,
    pub address: Option<u64>,
    /// Of a conflict of two accesses: where the earlier one is
    /// ([`LaunchState::packed`](grid::LaunchState::packed)), 0 where that is not known.
    pub earlier: u32,
    pub what: FaultKind,
}

impl Trap {
    /// A fault of one lane.
    pub fn lane<T>(lane: usize, what: FaultKind) -> Result<T, Box<Trap>> {
        Err(Trap::of_lane(lane, what))
    }

    /// What one lane did, as a finding.
    pub fn of_lane(lane: usize, what: FaultKind) -> Box<Trap> {
        Box::new(Trap {
            earlier: 0,
            lanes: 0,
            lane: Some(lane),
            address: None,
            what,
        })
    }

    /// A fault of one lane's access.
    pub fn access<T>(lane: usize, address: u64, what: FaultKind) -> Result<T, Box<Trap>> {
        Err(Trap::boxed(lane, address, what))
    }

    /// One lane's access, as a finding.
    pub fn boxed(lane: usize, address: u64, what: FaultKind) -> Box<Trap> {
        Box::new(Trap {
            earlier: 0,
            lanes: 0,
            lane: Some(lane),
            address: Some(address),
            what,
        })
    }
}

/// What an instruction gives back.
pub(crate) type Outcome<T = ()> = Result<T, Box<Trap>>;

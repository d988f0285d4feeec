//! A fault as the instruction finds it: what, and by which lane.
//!
//! ```text
//! Trap { lane, address, what } ── the launch adds block, thread, place, buffer ──► Fault
//! ```
//!
//! Law: a trap names what is wrong and the lane; block, thread and place are the launch's to add.

use super::FaultKind;

/// A fault before it knows where it is: the lane and address, where there are any.
#[derive(Debug, Clone)]
pub(crate) struct Trap {
    /// Lanes that executed the instruction; 0 until they are known.
    pub lanes: u32,
    pub lane: Option<usize>,
    pub address: Option<u64>,
    /// Of a conflict of two accesses: where the earlier one is, as a launch numbers the places of
    /// its code, 0 where that is not known.
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

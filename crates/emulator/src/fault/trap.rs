//! A fault as an instruction finds it: its kind and lane.
//!
//! ```text
//! Trap { lane, address, what } ── the launch adds block, thread, place, buffer ──► Fault
//! ```
//!
//! Law: a trap names the problem and the lane; the launch adds block, thread and place.

use super::FaultKind;

/// A fault without its place: the lane and address, if any.
#[derive(Debug, Clone)]
pub(crate) struct Trap {
    /// The lanes that executed the instruction; 0 until they are known.
    pub lanes: u32,
    pub lane: Option<usize>,
    pub address: Option<u64>,
    /// For a conflict of two accesses: the place of the earlier access, as a launch numbers the
    /// places of its code, or 0 if it is not known.
    pub earlier: u32,
    pub what: FaultKind,
}

impl Trap {
    /// Returns the fault of one lane as an error.
    pub fn lane<T>(lane: usize, what: FaultKind) -> Result<T, Box<Trap>> {
        Err(Trap::of_lane(lane, what))
    }

    /// Creates a finding about one lane.
    pub fn of_lane(lane: usize, what: FaultKind) -> Box<Trap> {
        Box::new(Trap {
            earlier: 0,
            lanes: 0,
            lane: Some(lane),
            address: None,
            what,
        })
    }

    /// Returns the fault of one lane's access as an error.
    pub fn access<T>(lane: usize, address: u64, what: FaultKind) -> Result<T, Box<Trap>> {
        Err(Trap::boxed(lane, address, what))
    }

    /// Creates a finding about one lane's access.
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

/// The result of executing an instruction.
pub(crate) type Outcome<T = ()> = Result<T, Box<Trap>>;

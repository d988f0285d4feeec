//! `discard` makes bytes of global memory undetermined.
//!
//! Law: a discard is a write of unknown values. It races as a write does, and a read of the bytes
//! counts as a read of bytes that were not written. Source: PTX ISA, "discard".

use super::super::instruction::{Instruction, LaneStep, Stop};
use super::super::run::Context;
use super::super::{Outcome, Trap, access};
use super::find::{Request, each_lane, find};
use super::order::{self, Accesses};
use crate::fault::{FaultKind, Space};
use crate::frame::Frame;
use crate::ir::{Address, Discard, NamedRow};
use crate::memory::allocation::{Allocation, Kind, RawBytes};

/// The bytes of a cache line, which PTX discards.
const LINE: usize = 128;
/// The bytes of one access.
const PART: usize = 16;

/// Discards a line for each lane of `mask`.
pub(crate) fn discard(cx: &mut Context, frame: &Frame, address: &Address, mask: u32) -> Outcome {
    let all = access::addresses(frame, address, mask);
    // The line is in one allocation.
    let line = Request {
        all: &all,
        mask,
        bytes: LINE,
        space: Space::Global,
        counted: None,
    };
    find(cx, &line)?;
    for at in (0..LINE).step_by(PART) {
        let all = all.map(|address| address.wrapping_add(at as u64));
        let part = Request {
            all: &all,
            bytes: PART,
            ..line
        };
        let found = find(cx, &part)?;
        let accesses = Accesses {
            all: &all,
            mask,
            total: PART,
            strength: None,
            modify: false,
        };
        order::write(cx, &found, accesses, &order::Unknown)?;
        let discard = |_: &mut Context, allocation: &Allocation, at, lane: usize| {
            if allocation.kind == Kind::Constant {
                return Trap::access(lane, all[lane], FaultKind::ReadOnly(Space::Const));
            }
            allocation.discard(at, PART);
            Ok(())
        };
        each_lane(cx, &found, &part, discard)?;
    }
    Ok(())
}

impl Instruction for Discard {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::AnyAddress(&mut self.0));
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.begin();
        Ok(discard(step.cx, &step.frame.registers, &self.0, step.mask)?)
    }
}

//! `shfl`, `vote`, `match`, `redux`, `elect`: exchange of values between the lanes of a warp.
//!
//! Law: an operation of a lane includes the lanes of its mask that have not exited; `run` has
//! brought them together, so that all of them execute here. Source: PTX ISA, "shfl.sync",
//! "vote.sync", "match.sync", "redux.sync", "elect.sync".

use super::instruction::{Instruction, LaneStep, Stop};
use super::{Outcome, Trap, lanes};
use crate::fault::{FaultKind, Reached};
use crate::frame::{Frame, WARP};
use crate::ir::{
    ActiveMask, Elect, Match, NONE, NamedRow, Origin, Reduce, Role, Shuffle, ShuffleMode, Vote,
    VoteMode, WarpBarrier, values,
};
use crate::numerics::mma::Arithmetic;

/// Executes `shfl.sync` for the lanes of `mask`.
pub(crate) fn shuffle(frame: &mut Frame, op: &Shuffle, mask: u32) -> Outcome {
    let (a, b, c) = (
        frame.r32[op.a as usize],
        frame.r32[op.b as usize],
        frame.r32[op.c as usize],
    );
    let members = frame.r32[op.mask as usize];
    let mut out = [0; WARP];
    let mut valid = 0;
    for lane in lanes(mask) {
        let (b, clamp) = ((b[lane] & 31) as i32, (c[lane] & 31) as i32);
        let segment = (c[lane] >> 8 & 31) as i32;
        let own = lane as i32;
        let last = own & segment | clamp & !segment;
        let first = own & segment;
        let (source, inside) = match op.mode {
            ShuffleMode::Up => (own - b, own - b >= last),
            ShuffleMode::Down => (own + b, own + b <= last),
            ShuffleMode::Butterfly => (own ^ b, own ^ b <= last),
            ShuffleMode::Index => {
                let source = first | b & !segment;
                (source, source <= last)
            }
        };
        let source = if inside { source } else { own } as usize;
        let active = mask & members[lane];
        if active >> source & 1 == 0 {
            return Trap::lane(
                lane,
                FaultKind::InactiveSource {
                    lane: source as u32,
                    active,
                },
            );
        }
        out[lane] = a[source];
        valid |= u32::from(inside) << lane;
    }
    frame.write::<u32>(op.result, &out, mask);
    if op.valid != NONE {
        frame.write_pred(op.valid, valid, mask);
    }
    Ok(())
}

/// Executes `vote.sync` for the lanes of `mask`.
pub(crate) fn vote(frame: &mut Frame, op: &Vote, mask: u32) {
    let votes = frame.pred(op.predicate);
    let members = frame.r32[op.mask as usize];
    let mut out = [0; WARP];
    for lane in lanes(mask) {
        let active = mask & members[lane];
        let yes = votes & active;
        out[lane] = match op.mode {
            VoteMode::All => u32::from(yes == active),
            VoteMode::Any => u32::from(yes != 0),
            VoteMode::Uniform => u32::from(yes == active || yes == 0),
            VoteMode::Ballot => yes,
        };
    }
    if op.mode == VoteMode::Ballot {
        frame.write::<u32>(op.result, &out, mask);
    } else {
        let bits = lanes(mask).fold(0, |bits, lane| bits | out[lane] << lane);
        frame.write_pred(op.result, bits, mask);
    }
}

/// Executes `match.sync` for the lanes of `mask`.
pub(crate) fn matching(frame: &mut Frame, op: &Match, mask: u32) {
    let values: [u64; WARP] = if op.wide {
        frame.r64[op.a as usize]
    } else {
        frame.r32[op.a as usize].map(u64::from)
    };
    let members = frame.r32[op.mask as usize];
    let mut out = [0; WARP];
    let mut all_equal = 0;
    for lane in lanes(mask) {
        let active = mask & members[lane];
        let equal = lanes(active)
            .filter(|&other| values[other] == values[lane])
            .fold(0, |equal, other| equal | 1 << other);
        out[lane] = match op.all {
            false => equal,
            true if equal == active => active,
            true => 0,
        };
        all_equal |= u32::from(equal == active) << lane;
    }
    frame.write::<u32>(op.result, &out, mask);
    if op.predicate != NONE {
        frame.write_pred(op.predicate, all_equal, mask);
    }
}

/// Executes `redux.sync` for the lanes of `mask`.
pub(crate) fn reduce(frame: &mut Frame, op: &Reduce, mask: u32) {
    let values = frame.r32[op.a as usize];
    let members = frame.r32[op.mask as usize];
    let mut out = [0; WARP];
    for lane in lanes(mask) {
        out[lane] = lanes(mask & members[lane])
            .map(|other| match (op.float, values[other]) {
                (true, value) => (op.apply)(value, value),
                (false, value) => value,
            })
            .reduce(op.apply)
            .unwrap_or_default();
    }
    frame.write::<u32>(op.result, &out, mask);
}

/// Executes `elect.sync` for the lanes of `mask`: the lowest lane is elected.
pub(crate) fn elect(frame: &mut Frame, lane_row: u32, predicate: u32, mask_row: u32, mask: u32) {
    let members = frame.r32[mask_row as usize];
    let mut out = [0; WARP];
    let mut elected = 0;
    for lane in lanes(mask) {
        let leader = (mask & members[lane]).trailing_zeros();
        out[lane] = leader;
        elected |= u32::from(leader == lane as u32) << lane;
    }
    frame.write::<u32>(lane_row, &out, mask);
    frame.write_pred(predicate, elected, mask);
}

impl Instruction for Shuffle {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        let rows = [
            &mut self.result,
            &mut self.valid,
            &mut self.a,
            &mut self.b,
            &mut self.c,
            &mut self.mask,
        ];
        values(rows, f);
    }

    fn role(&self) -> Role {
        Role::Computes
    }

    fn origin(&self) -> Origin {
        Origin::Row(self.a)
    }

    fn compute(&self, registers: &mut Frame, lanes: u32, _: Arithmetic) -> Outcome {
        shuffle(registers, self, lanes)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.compute_with_mask(self, self.mask)
    }
}

impl Instruction for Vote {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        values([&mut self.result, &mut self.predicate, &mut self.mask], f);
    }

    fn role(&self) -> Role {
        Role::Computes
    }

    fn compute(&self, registers: &mut Frame, lanes: u32, _: Arithmetic) -> Outcome {
        vote(registers, self, lanes);
        Ok(())
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.compute_with_mask(self, self.mask)
    }
}

impl Instruction for Match {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        let rows = [
            &mut self.result,
            &mut self.predicate,
            &mut self.a,
            &mut self.mask,
        ];
        values(rows, f);
    }

    fn role(&self) -> Role {
        Role::Computes
    }

    fn compute(&self, registers: &mut Frame, lanes: u32, _: Arithmetic) -> Outcome {
        matching(registers, self, lanes);
        Ok(())
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.compute_with_mask(self, self.mask)
    }
}

impl Instruction for Reduce {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        values([&mut self.result, &mut self.a, &mut self.mask], f);
    }

    fn role(&self) -> Role {
        Role::Computes
    }

    fn compute(&self, registers: &mut Frame, lanes: u32, _: Arithmetic) -> Outcome {
        reduce(registers, self, lanes);
        Ok(())
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.compute_with_mask(self, self.mask)
    }
}

impl Instruction for Elect {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        values([&mut self.lane, &mut self.predicate, &mut self.mask], f);
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Branch)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        let all = step.with_mask(self.mask, false)?;
        let registers = &mut step.frame.registers;
        elect(registers, self.lane, self.predicate, self.mask, all);
        Ok(())
    }
}

impl Instruction for ActiveMask {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::Value(&mut self.result));
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        let mask = step.mask;
        let registers = &mut step.frame.registers;
        registers.write::<u32>(self.result, &[mask; 32], mask);
        Ok(())
    }
}

impl Instruction for WarpBarrier {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::Value(&mut self.mask));
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Branch)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        let all = step.with_mask(self.mask, true)?;
        let Some(shadow) = &mut step.cx.shadow else {
            return Ok(());
        };
        let members = step.frame.registers.r32[self.mask as usize];
        let mut rest = all;
        while rest != 0 {
            // Lanes that came with other groups of lanes have the mask of the lanes here.
            let lane = rest.trailing_zeros() as usize;
            let group = match step.mask >> lane & 1 {
                1 => members[lane] & all,
                _ => rest,
            };
            shadow.clocks.meet_lanes(step.warp.index as usize, group);
            rest &= !group;
        }
        Ok(())
    }
}

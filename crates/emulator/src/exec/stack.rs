//! `alloca`, `stacksave`, `stackrestore`: local memory of a frame beyond its variables.
//!
//! ```text
//! | variables | alloca | alloca | ...      a function called now begins here
//!                               └ the frame's end: what `stacksave` gives and `stackrestore` takes
//! ```
//!
//! Law: what `alloca` gives lies in no other variable and no other frame until the function returns
//! or the stack is restored to before it. The lanes of a warp share the frame's end: an allocation
//! has the bytes of the lane that asks for most, and lanes that parted give nothing back until they
//! return. Source: PTX ISA, "Stack Manipulation Instructions".

use super::instruction::{Instruction, LaneStep, Stop};
use super::run::Context;
use super::warp::LaneGroup;
use super::warp::{Activation, Warp};
use super::{Outcome, Trap, lanes};
use crate::fault::FaultKind;
use crate::fault::Reached;
use crate::ir::Allocate;
use crate::ir::{NamedRow, Origin, RestoreStack, Role, Root, SaveStack, values};

/// Executes `alloca` for the lanes of `mask`.
pub(crate) fn allocate(
    cx: &Context,
    warp: &mut Warp,
    frame: &mut Activation,
    op: &Allocate,
    mask: u32,
) -> Outcome {
    let bytes = |lane: usize| get(frame, op.bytes, op.wide, lane);
    let limit = cx.launch.config.local_per_thread;
    let at = frame.local_end.next_multiple_of(op.alignment);
    let (mut end, mut most) = (u64::from(at), 0);
    for lane in lanes(mask) {
        if bytes(lane) >= most {
            most = bytes(lane);
            end = u64::from(at).saturating_add(most);
        }
        if end > limit as u64 {
            let bytes = usize::try_from(end).unwrap_or(usize::MAX);
            return Trap::lane(lane, FaultKind::StackOverflow { bytes, limit });
        }
    }
    frame.local_end = end as u32;
    warp.local.grow(frame.local_end as usize);
    // What lay there before is not this allocation's.
    warp.local.forget(at as usize, mask);
    put(frame, op.result, op.wide, at, mask);
    Ok(())
}

/// Executes `stacksave`.
pub(crate) fn save(frame: &mut Activation, result: u32, wide: bool, mask: u32) {
    put(frame, result, wide, frame.local_end, mask);
}

/// Executes `stackrestore`; `alone` where no other lanes run in the frame.
pub(crate) fn restore(
    frame: &mut Activation,
    row: u32,
    wide: bool,
    mask: u32,
    alone: bool,
) -> Outcome {
    let end = |lane: usize| get(frame, row, wide, lane);
    let mut most = 0;
    for lane in lanes(mask) {
        let allowed = u64::from(frame.variables_end)..=u64::from(frame.local_end);
        if !allowed.contains(&end(lane)) {
            let problem = format!(
                "{} is no end of this frame's stack, which is within {allowed:?}",
                end(lane)
            );
            return Trap::lane(lane, FaultKind::Operand(problem));
        }
        most = most.max(end(lane));
    }
    if alone {
        frame.local_end = most as u32;
    }
    Ok(())
}

fn get(frame: &Activation, row: u32, wide: bool, lane: usize) -> u64 {
    if wide {
        frame.registers.r64[row as usize][lane]
    } else {
        u64::from(frame.registers.r32[row as usize][lane])
    }
}

fn put(frame: &mut Activation, row: u32, wide: bool, value: u32, mask: u32) {
    if wide {
        frame
            .registers
            .write::<u64>(row, &[u64::from(value); 32], mask);
    } else {
        frame.registers.write::<u32>(row, &[value; 32], mask);
    }
}

impl Instruction for Allocate {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        values([&mut self.result, &mut self.bytes], f);
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Memory)
    }

    fn origin(&self) -> Origin {
        Origin::Root(Root::Local)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        Ok(allocate(step.cx, step.warp, step.frame, self, step.mask)?)
    }
}

impl Instruction for SaveStack {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::Value(&mut self.result));
    }

    fn origin(&self) -> Origin {
        Origin::Root(Root::Local)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        save(step.frame, self.result, self.wide, step.mask);
        Ok(())
    }
}

impl Instruction for RestoreStack {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::Value(&mut self.end));
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Branch)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        let own = step.own_frame();
        let in_frame = |other: &&LaneGroup| other.frame == own;
        let groups = step.warp.lane_groups.iter().filter(in_frame).count();
        let alone = step.mask == step.present && groups == 1;
        Ok(restore(step.frame, self.end, self.wide, step.mask, alone)?)
    }
}

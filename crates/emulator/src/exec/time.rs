//! `nanosleep`, `trap`, `brkpt`, the clocks, and hints without effect.
//!
//! ```text
//! nanosleep ─► other groups of lanes first      %clock ─► instructions of the warp so far
//! trap, brkpt ─► the launch ends                prefetch ─► nothing
//! ```
//!
//! Law: the only time is the number of instructions that the warp has executed. Source: PTX ISA,
//! "nanosleep", "trap", "brkpt", "Special Registers".

use super::Trap;
use super::instruction::{Instruction, LaneStep, Stop};
use super::run::Leave;
use crate::fault::FaultKind;
use crate::ir::{Clock, NamedRow, NoEffect, Sleep, Stopped};

impl Instruction for NoEffect {
    fn named_rows(&mut self, _: &mut dyn FnMut(NamedRow)) {}

    fn execute(&self, _: &mut LaneStep) -> Result<(), Stop> {
        Ok(())
    }
}

impl Instruction for Sleep {
    fn named_rows(&mut self, _: &mut dyn FnMut(NamedRow)) {}

    fn execute(&self, _: &mut LaneStep) -> Result<(), Stop> {
        Err(Stop::Leave(Leave::Yield { spinning: true }))
    }
}

impl Instruction for Stopped {
    fn named_rows(&mut self, _: &mut dyn FnMut(NamedRow)) {}

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        let what = match self {
            Stopped::Trap => FaultKind::Trap,
            Stopped::Breakpoint => FaultKind::Breakpoint,
        };
        let lane = step.mask.trailing_zeros() as usize;
        Err(Stop::Trap(Trap::of_lane(lane, what)))
    }
}

impl Instruction for Clock {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::Value(&mut self.result));
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        let (now, mask) = (step.now, step.mask);
        let registers = &mut step.frame.registers;
        if self.wide {
            registers.write::<u64>(self.result, &[now; 32], mask);
        } else {
            let now = if self.high { now >> 32 } else { now } as u32;
            registers.write::<u32>(self.result, &[now; 32], mask);
        }
        Ok(())
    }
}

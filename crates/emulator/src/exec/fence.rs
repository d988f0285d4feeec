//! `membar`, `fence`, `fence.proxy.tensormap` order a thread's accesses of memory.
//!
//! ```text
//! fence ─► what the lanes did before is released by what they write after it    (global::threads)
//! ```
//!
//! Law: a fence orders accesses, and itself accesses no memory. Source: PTX ISA, "membar / fence".

use super::global;
use super::instruction::{Instruction, LaneStep, Stop};
use crate::ir::{Fence, MapFence, NamedRow};

impl Instruction for Fence {
    fn named_rows(&mut self, _: &mut dyn FnMut(NamedRow)) {}

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.begin();
        global::fence(step.cx, self.0, step.mask);
        Ok(())
    }
}

impl Instruction for MapFence {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::AnyAddress(&mut self.0));
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.begin();
        global::map_fence(step.cx, &step.frame.registers, &self.0, step.mask);
        Ok(())
    }
}

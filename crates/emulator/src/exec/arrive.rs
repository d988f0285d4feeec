//! `bar`, `barrier`: lanes of a warp arrive at a barrier of the block.
//!
//! ```text
//! lanes of the group ─► all lanes of the warp (.aligned), or those here ─► Leave::Barrier: `barrier.rs` goes on
//! ```
//!
//! Law: the lanes that arrive together name the same barrier and the same number of threads.
//! Source: PTX ISA, "bar", "barrier".

use super::gather::{self, Gathered};
use super::instruction::{Instruction, LaneStep, Stop};
use super::run::{Arrival, Leave};
use crate::fault::Reached;
use crate::ir::{Barrier, NONE, NamedRow, Role, values};

impl Instruction for Barrier {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        let rows = [
            &mut self.barrier,
            &mut self.threads,
            &mut self.predicate,
            &mut self.result,
        ];
        values(rows, f);
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Branch)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        if step.cx.counters.has_details() {
            let warp = (step.cx.linear, step.cx.warp);
            step.cx.counters.at_barrier(warp);
        }
        let (all, others) = arriving(self, step)?;
        let arrival = Arrival {
            barrier: step.uniform(self.barrier, all, "barriers")?,
            kind: self.kind,
            lanes: all,
            threads: match self.threads {
                NONE => None,
                row => Some(step.uniform(row, all, "thread counts")?),
            },
            votes: match self.predicate {
                NONE => 0,
                row => step.frame.registers.pred(row) & all,
            },
            result: self.result,
            frame: step.own_frame(),
            site: step.site,
        };
        Err(Stop::Leave(Leave::Barrier { arrival, others }))
    }
}

/// Returns the lanes that arrive together, and the other groups that contributed some of them.
fn arriving(op: &Barrier, step: &mut LaneStep) -> Result<(u32, Vec<usize>), Stop> {
    let (mask, pc) = (step.mask, step.site.pc);
    if op.aligned {
        return match gather::aligned(step.warp, step.group, pc, mask)? {
            Gathered::Go { lanes, others } => {
                step.count_others(lanes);
                Ok((lanes, others))
            }
            Gathered::Wait => Err(Stop::Again(Leave::Wait)),
        };
    }
    if mask != step.present {
        // The lanes that arrive at the barrier wait there; the others continue.
        let parts = vec![(step.present & !mask, pc + 1), (mask, pc)];
        let meeting = pc + 1;
        return Err(Stop::Again(Leave::Part { parts, meeting }));
    }
    Ok((mask, Vec::new()))
}

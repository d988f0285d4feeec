//! Turns drafts into code: places for labels, meeting points for branches, rows for registers.
//!
//! ```text
//! %r1 ───────┐            row 9
//!       %r2 ─┼────┐       row 10
//!            └%r3─┼───    row 9 again: %r1 is dead
//! ```
//!
//! PTX names any number of registers, thousands in an unrolled kernel, and a warp's rows would not
//! stay in the CPU's cache. Therefore registers whose lifetimes do not overlap share a row.
//!
//! Law: two registers that are both live at some instruction have different rows. A register that
//! may be read before it is written has a row of its own from the start; the row is 0, as
//! uninitialised registers read 0 here. Method: linear scan (Poletto and Sarkar, 1999).

use super::body::{Body, Draft, EPILOGUE};
use super::flow::{Flow, Graph};
use super::lives::Lives;
use super::slot::Slot;
use crate::error::PtxError;
use crate::ir::{Function, Inst, NONE, Op};

impl Body<'_, '_> {
    /// Completes the function: resolves its labels, and gives its registers rows.
    pub fn finish(mut self) -> Result<Function, PtxError> {
        let end = self.drafts.len() as u32;
        let (op, flow) = if self.function.entry {
            (Op::Exit, Flow::Exit)
        } else {
            (Op::Return, Flow::Return)
        };
        self.drafts.push(Draft {
            op,
            guard: None,
            flow,
            defs: Vec::new(),
            uses: Vec::new(),
            inst: None,
            hidden: true,
        });
        self.labels[EPILOGUE as usize] = Some(end);
        self.resolve_labels();
        self.mark_guesses();
        self.find_roots();
        self.mark_overwrites();
        self.meet();
        self.follow_warpgroups();
        let lives = Lives::of(&self.drafts, self.registers());
        self.function.pressure = self.pressure(&lives);
        let (rows, live) = (Rows::new(&lives), lives.at_entry());
        self.watch(&live);
        let constants = [
            self.function.constants32.len() as u32,
            self.function.constants64.len() as u32,
            0,
        ];
        let row = |slot: u32| match slot {
            NONE => NONE,
            slot => {
                let slot = Slot(slot);
                let class = slot.class() as usize;
                if slot.is_constant() {
                    slot.number()
                } else {
                    constants[class] + rows.row[class][slot.number() as usize]
                }
            }
        };
        self.follow_undefined(&live, row);
        let function = &mut self.function;
        function.rows32 = constants[0] + rows.count[0];
        function.rows64 = constants[1] + rows.count[1];
        function.predicates = rows.count[2];
        for draft in self.drafts {
            let mut op = draft.op;
            op.rows(&mut |slot| *slot = row(*slot));
            let guard = draft
                .guard
                .map_or(NONE, |(slot, negated)| row(slot.0) * 2 + u32::from(negated));
            function.code.push(Inst { guard, op });
            let mut place = draft
                .inst
                .map(|i| self.places[i as usize].clone())
                .unwrap_or_default();
            if draft.hidden {
                place.opcode = "".into();
            }
            function.places.push(place);
        }
        Ok(self.function)
    }

    /// Replaces labels in branches by indices of instructions, and a branch to an exit by an exit.
    fn resolve_labels(&mut self) {
        let labels: Vec<u32> = self.labels.iter().map(|at| at.unwrap_or(NONE)).collect();
        let exits: Vec<bool> = self
            .drafts
            .iter()
            .map(|draft| matches!(draft.op, Op::Exit) && draft.guard.is_none())
            .collect();
        for draft in &mut self.drafts {
            match (&mut draft.op, &mut draft.flow) {
                (
                    Op::Branch { target, .. },
                    Flow::Jump {
                        target: flow,
                        conditional,
                    },
                ) => {
                    *target = labels[*target as usize];
                    *flow = *target;
                    if exits[*target as usize] {
                        draft.flow = match *conditional {
                            true => Flow::ConditionalExit,
                            false => Flow::Exit,
                        };
                        draft.op = Op::Exit;
                    }
                }
                (Op::Table { targets, .. }, Flow::Table { targets: flow, .. }) => {
                    for target in targets.iter_mut() {
                        *target = labels[*target as usize];
                    }
                    *flow = targets.to_vec();
                }
                _ => {}
            }
        }
    }

    fn meet(&mut self) {
        let flow: Vec<Flow> = self.drafts.iter().map(|draft| draft.flow.clone()).collect();
        let graph = Graph::new(&flow);
        let meetings = graph.meetings();
        let exits: Vec<bool> = self
            .drafts
            .iter()
            .map(|draft| matches!(draft.op, Op::Exit) && draft.guard.is_none())
            .collect();
        for (i, draft) in self.drafts.iter_mut().enumerate() {
            let meeting = meetings[graph.block_of[i] as usize];
            // Lanes do not wait for each other at an exit.
            let meeting = if meeting != NONE && exits[meeting as usize] {
                NONE
            } else {
                meeting
            };
            if let Op::Branch { reconverge, .. } | Op::Table { reconverge, .. } = &mut draft.op {
                *reconverge = meeting;
            }
        }
    }
}

/// The row of each register, by class and number, and the number of rows of each class.
struct Rows {
    row: [Vec<u32>; 3],
    count: [u32; 3],
}

impl Rows {
    fn new(lives: &Lives<'_>) -> Rows {
        let registers = lives.registers();
        let intervals = lives.intervals();
        let base = [
            0,
            registers[0] as usize,
            (registers[0] + registers[1]) as usize,
        ];
        let mut rows = Rows {
            row: registers.map(|n| vec![0; n as usize]),
            count: [0; 3],
        };
        for class in 0..3 {
            let mut order: Vec<(u32, u32, usize)> = (0..registers[class] as usize)
                .filter_map(|r| intervals[base[class] + r].map(|(start, end)| (start, end, r)))
                .collect();
            order.sort_unstable();
            let mut active: std::collections::BinaryHeap<std::cmp::Reverse<(u32, u32)>> =
                Default::default();
            let mut free: Vec<u32> = Vec::new();
            for (start, end, register) in order {
                while let Some(&std::cmp::Reverse((ended, row))) = active.peek()
                    && ended < start
                {
                    active.pop();
                    free.push(row);
                }
                let row = free.pop().unwrap_or_else(|| {
                    rows.count[class] += 1;
                    rows.count[class] - 1
                });
                rows.row[class][register] = row;
                active.push(std::cmp::Reverse((end, row)));
            }
        }
        rows
    }
}

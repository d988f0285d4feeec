//! Registers that may be read before they are written, and the instructions at which a launch
//! checks for such reads.
//!
//! ```text
//! @%p1 mov.u32 %r1, 7;        %r1 is live where the function begins: a path, or a lane, leads to its read
//! add.u32 %r2, %r1, 1;        around these two instructions it is noted which lanes have written %r1
//! ```
//!
//! Law: a register that is not listed here is written before every read of it, on every path and in
//! every lane. Therefore only the listed registers cost time, and only in launches that check for
//! such reads.

use std::collections::HashMap;

use super::body::Body;
use super::slot::Slot;
use crate::ir::{RegisterUse, Registers};

impl Body<'_, '_> {
    /// Lists the reads and writes of the registers that are live at the entry.
    pub(super) fn watch(&mut self, live: &[Slot]) {
        if live.is_empty() {
            return;
        }
        let index: HashMap<Slot, u32> = live.iter().copied().zip(0..).collect();
        let known = |slots: &[Slot]| -> Vec<u32> {
            slots
                .iter()
                .filter_map(|slot| index.get(slot).copied())
                .collect()
        };
        let mut uses: Vec<RegisterUse> = Vec::new();
        for (pc, draft) in self.drafts.iter().enumerate() {
            let (reads, writes) = (known(&draft.uses), known(&draft.defs));
            let guard = draft.guard.and_then(|(slot, _)| index.get(&slot).copied());
            if !reads.is_empty() || !writes.is_empty() || guard.is_some() {
                uses.push(RegisterUse {
                    pc: pc as u32,
                    guard,
                    reads,
                    writes,
                });
            }
        }
        // A flag, or a register for a part of an instruction, has no name and is written by no
        // other instruction.
        let named = |slot: &Slot| self.register_name(*slot);
        self.function.registers = Some(Box::new(Registers {
            names: live.iter().map(named).collect(),
            uses,
        }));
    }
}

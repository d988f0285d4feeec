//! Registers whose values may derive from an unwritten register, and the instructions that use
//! these values.
//!
//! ```text
//! @%p1 mov.u32 %r1, 7;       a seed: live where the function begins
//! add.u32 %r2, %r1, 1;       computed from %r1
//! st.global.u32 [%rd1], %r2; reached: memory
//! ```
//!
//! Law: no unwritten register contributes to the value of a register that is not listed here. Not
//! followed: values that pass through memory, calls and the products of warp groups.

use std::collections::HashMap;

use super::body::{Body, Draft};
use super::slot::Slot;
use crate::ir::{Followed, FollowedUse, NONE, Role};

impl Body<'_, '_> {
    /// Lists the reads and writes of registers that may derive from a seed. The seeds are `live`;
    /// `row` maps a slot to its row.
    pub(super) fn follow_undefined(&mut self, live: &[Slot], row: impl Fn(u32) -> u32) {
        if live.is_empty() {
            return;
        }
        let mut index: HashMap<Slot, u32> = live.iter().copied().zip(0..).collect();
        let mut all = live.to_vec();
        loop {
            let before = all.len();
            for draft in &self.drafts {
                if !matches!(draft.op.role(), Role::Computes)
                    || !draft.uses.iter().any(|slot| index.contains_key(slot))
                {
                    continue;
                }
                for &slot in &draft.defs {
                    index.entry(slot).or_insert_with(|| {
                        all.push(slot);
                        all.len() as u32 - 1
                    });
                }
            }
            if all.len() == before {
                break;
            }
        }
        let (mut uses, mut at) = (Vec::new(), vec![NONE; self.drafts.len()]);
        for (pc, draft) in self.drafts.iter_mut().enumerate() {
            let known = |slots: &[Slot]| -> Vec<u32> {
                let known = slots.iter().filter_map(|slot| index.get(slot).copied());
                known.collect()
            };
            let role = draft.op.role();
            let (mut reads, writes) = (known(&draft.uses), known(&draft.defs));
            if role != Role::Computes {
                // Ignores hints: the cache policy is a source that the operation does not name.
                let named = known(&rows(draft));
                reads.retain(|register| named.contains(register));
            }
            let guard = draft.guard.and_then(|(slot, _)| index.get(&slot).copied());
            if reads.is_empty() && writes.is_empty() && guard.is_none() {
                continue;
            }
            let addresses = known(&addresses(draft));
            at[pc] = uses.len() as u32;
            let mut all = reads.iter().chain(&writes).chain(&guard);
            let of_seeds = all.any(|&register| (register as usize) < live.len());
            uses.push(FollowedUse {
                of_seeds,
                role,
                guard,
                reads,
                addresses,
                writes,
            });
        }
        // A flag, or a register for a part of an instruction, has no name.
        let named = |slot: &Slot| self.register_name(*slot);
        self.function.followed = Some(Box::new(Followed {
            names: live.iter().map(named).collect(),
            rows: all.iter().map(|slot| (slot.class(), row(slot.0))).collect(),
            at,
            uses,
        }));
    }
}

/// Returns the registers that an operation names.
fn rows(draft: &mut Draft) -> Vec<Slot> {
    let mut found = Vec::new();
    draft.op.rows(&mut |row| found.push(Slot(*row)));
    found.retain(|slot| slot.0 != NONE);
    found
}

/// Returns the registers that hold addresses of an operation.
fn addresses(draft: &mut Draft) -> Vec<Slot> {
    let mut found = Vec::new();
    draft.op.addresses(&mut |address| {
        if address.base != NONE {
            found.push(Slot(address.base));
        }
    });
    found
}

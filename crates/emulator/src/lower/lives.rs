//! The parts of a function in which each of its registers is live.
//!
//! ```text
//! mov.u32 %r1, 7;             │
//! @%p1 mov.u32 %r2, 8;        │ ┆     %r2 keeps its value where %p1 is false, so it is live above
//! add.u32 %r3, %r1, %r2;      ▼ ▼ │
//! ```
//!
//! Law: a register is live where some path leads to a read of it without an unconditional write
//! before the read. Method: backward iteration over the blocks.

use std::ops::Range;

use super::body::Draft;
use super::flow::{Flow, Graph};
use super::slot::Slot;
use crate::types::Class;

/// The first and last instruction of a register's life, or `None` if the register is never live.
pub(super) type Interval = Option<(u32, u32)>;

/// The registers that are live where each block begins and where it ends, one bit per register.
pub(super) struct Lives<'a> {
    drafts: &'a [Draft],
    registers: [u32; 3],
    graph: Graph,
    live_in: Vec<Vec<u64>>,
    live_out: Vec<Vec<u64>>,
}

impl<'a> Lives<'a> {
    /// Computes the live registers of these instructions; `registers` is the number of registers of
    /// each class.
    pub fn of(drafts: &'a [Draft], registers: [u32; 3]) -> Self {
        let flow: Vec<Flow> = drafts.iter().map(|draft| draft.flow.clone()).collect();
        let graph = Graph::new(&flow);
        let mut lives = Self {
            drafts,
            registers,
            graph,
            live_in: Vec::new(),
            live_out: Vec::new(),
        };
        lives.iterate();
        lives
    }

    /// Returns the number of registers of each class.
    pub fn registers(&self) -> [u32; 3] {
        self.registers
    }

    /// Returns the number of registers of all classes, which is the number of bits.
    pub fn count(&self) -> usize {
        self.registers.iter().sum::<u32>() as usize
    }

    /// Returns the bit of a register, or `None` for a constant or no register.
    pub fn bit(&self, slot: Slot) -> Option<usize> {
        if slot == Slot::NONE || slot.is_constant() {
            return None;
        }
        let base = match slot.class() {
            Class::R32 => 0,
            Class::R64 => self.registers[0],
            Class::Pred => self.registers[0] + self.registers[1],
        };
        Some((base + slot.number()) as usize)
    }

    /// Returns the register of a bit. This is the inverse of [`bit`](Self::bit).
    pub fn slot(&self, bit: usize) -> Slot {
        let (narrow, wide) = (self.registers[0] as usize, self.registers[1] as usize);
        match bit {
            r if r < narrow => Slot::register(Class::R32, r as u32),
            r if r < narrow + wide => Slot::register(Class::R64, (r - narrow) as u32),
            r => Slot::register(Class::Pred, (r - narrow - wide) as u32),
        }
    }

    /// Returns the instructions of each block, and the registers that are live at the block's end.
    pub fn blocks(&self) -> impl Iterator<Item = (Range<usize>, &[u64])> {
        let ends = self.live_out.iter().enumerate();
        ends.map(|(block, live)| (self.range(block), live.as_slice()))
    }

    /// Returns the registers that are live where the function begins.
    pub fn at_entry(&self) -> Vec<Slot> {
        let mut found = Vec::new();
        if let Some(live) = self.live_in.first() {
            members(live, |bit| found.push(self.slot(bit)));
        }
        found
    }

    /// Returns the life of every register, indexed by the register's bit.
    pub fn intervals(&self) -> Vec<Interval> {
        let mut intervals: Vec<Interval> = vec![None; self.count()];
        let mut extend = |register: usize, at: usize| {
            let at = at as u32;
            let (start, end) = intervals[register].unwrap_or((at, at));
            intervals[register] = Some((start.min(at), end.max(at)));
        };
        for (block, live_in) in self.live_in.iter().enumerate() {
            let range = self.range(block);
            // A register that is live at the entry lives from the first instruction on, so that its
            // row is still 0 there.
            members(live_in, |register| extend(register, range.start));
            members(&self.live_out[block], |register| {
                extend(register, range.end - 1);
            });
            for i in range {
                let draft = &self.drafts[i];
                let guard = draft.guard.map(|(slot, _)| slot);
                let named = draft.uses.iter().chain(&draft.defs).copied().chain(guard);
                named
                    .filter_map(|slot| self.bit(slot))
                    .for_each(|bit| extend(bit, i));
            }
        }
        intervals
    }

    fn range(&self, block: usize) -> Range<usize> {
        let starts = &self.graph.starts;
        let end = starts.get(block + 1);
        starts[block] as usize..end.map_or(self.drafts.len(), |&end| end as usize)
    }

    fn iterate(&mut self) {
        let (blocks, words) = (self.graph.starts.len(), self.count().div_ceil(64));
        let mut live_in = vec![vec![0u64; words]; blocks];
        let mut live_out = vec![vec![0u64; words]; blocks];
        // The registers that the block reads before it writes them, and those that it writes
        // unconditionally.
        let mut reads = vec![vec![0u64; words]; blocks];
        let mut writes = vec![vec![0u64; words]; blocks];
        for b in 0..blocks {
            for draft in &self.drafts[self.range(b)] {
                let guard = draft.guard.map(|(slot, _)| slot);
                // A guarded write keeps the old value in the lanes where the guard is false.
                let kept = if guard.is_some() {
                    &draft.defs[..]
                } else {
                    &[]
                };
                let read = draft.uses.iter().chain(kept).copied().chain(guard);
                for register in read.filter_map(|slot| self.bit(slot)) {
                    if writes[b][register / 64] >> (register % 64) & 1 == 0 {
                        reads[b][register / 64] |= 1 << (register % 64);
                    }
                }
                if guard.is_none() {
                    for register in draft.defs.iter().filter_map(|&slot| self.bit(slot)) {
                        writes[b][register / 64] |= 1 << (register % 64);
                    }
                }
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for b in (0..blocks).rev() {
                let mut out = std::mem::take(&mut live_out[b]);
                for &s in &self.graph.successors[b] {
                    for (word, &more) in out.iter_mut().zip(&live_in[s]) {
                        *word |= more;
                    }
                }
                for w in 0..words {
                    let new = reads[b][w] | out[w] & !writes[b][w];
                    changed |= new != live_in[b][w];
                    live_in[b][w] = new;
                }
                live_out[b] = out;
            }
        }
        (self.live_in, self.live_out) = (live_in, live_out);
    }
}

/// Calls `each` with the members of a set that has one bit per member. The sets are sparse: only a
/// few out of thousands of registers are live at once.
pub(super) fn members(set: &[u64], mut each: impl FnMut(usize)) {
    for (word, &bits) in set.iter().enumerate() {
        let mut bits = bits;
        while bits != 0 {
            each(64 * word + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }
}

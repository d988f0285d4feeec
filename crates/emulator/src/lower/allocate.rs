//! Drafts to code: places for labels, meeting points for branches, rows for registers.
//!
//! ```text
//! %r1 ───────┐            row 9
//!       %r2 ─┼────┐       row 10
//!            └%r3─┼───    row 9 again: %r1 is dead
//! ```
//!
//! PTX has as many registers as its compiler liked to name, thousands in an unrolled kernel; a
//! warp's rows would not stay in the CPU's cache. So registers whose lives do not overlap share a
//! row.
//!
//! Law: two registers that are both live at some instruction have different rows. A register that
//! may be read before it is written has a row of its own from the start, which is 0: that is what
//! uninitialised registers hold. Method: liveness by iteration over the blocks, then linear scan
//! (Poletto and Sarkar, 1999).

use super::body::{Body, Draft, EPILOGUE};
use super::flow::{Flow, Graph};
use super::slot::Slot;
use crate::error::PtxError;
use crate::ir::{Function, Inst, NONE, Op};
use crate::types::Class;

impl Body<'_, '_> {
    /// The finished function.
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
        let (rows, live) = Rows::new(&self.drafts, self.registers());
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

    /// Labels in branches become indices of instructions, and a branch to an exit becomes an exit.
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
            // Lanes do not wait for each other to exit.
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

/// The row of each register, by class and number, and rows of each class.
struct Rows {
    row: [Vec<u32>; 3],
    count: [u32; 3],
}

/// First and last instruction of a register's life; `None` for one that is never live.
type Interval = Option<(u32, u32)>;

impl Rows {
    /// The rows, and the registers that are live where the function begins.
    fn new(drafts: &[Draft], registers: [u32; 3]) -> (Rows, Vec<Slot>) {
        let (intervals, live) = intervals(drafts, registers);
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
        (rows, live)
    }
}

/// The registers that are live where each block begins and where it ends, a bit each: `range` is a
/// block's instructions, `number` a register's bit.
fn live(
    drafts: &[Draft],
    graph: &Graph,
    range: impl Fn(usize) -> std::ops::Range<usize>,
    number: impl Fn(Slot) -> Option<usize> + Copy,
    words: usize,
) -> (Vec<Vec<u64>>, Vec<Vec<u64>>) {
    let blocks = graph.starts.len();
    let mut live_in = vec![vec![0u64; words]; blocks];
    let mut live_out = vec![vec![0u64; words]; blocks];
    // What the block reads before it writes, and what it writes for certain.
    let mut reads = vec![vec![0u64; words]; blocks];
    let mut writes = vec![vec![0u64; words]; blocks];
    for b in 0..blocks {
        for draft in &drafts[range(b)] {
            let guard = draft.guard.map(|(slot, _)| slot);
            let kept = draft
                .guard
                .is_some()
                .then_some(&draft.defs)
                .into_iter()
                .flatten()
                .copied();
            for register in draft
                .uses
                .iter()
                .copied()
                .chain(guard)
                .chain(kept)
                .filter_map(number)
            {
                if writes[b][register / 64] >> (register % 64) & 1 == 0 {
                    reads[b][register / 64] |= 1 << (register % 64);
                }
            }
            if draft.guard.is_none() {
                for register in draft.defs.iter().copied().filter_map(number) {
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
            for &s in &graph.successors[b] {
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
    (live_in, live_out)
}

/// The life of every register, numbered over all classes; and those that are live where the
/// function begins.
fn intervals(drafts: &[Draft], registers: [u32; 3]) -> (Vec<Interval>, Vec<Slot>) {
    let number = |slot: Slot| -> Option<usize> {
        if slot == Slot::NONE || slot.is_constant() {
            return None;
        }
        let base = match slot.class() {
            Class::R32 => 0,
            Class::R64 => registers[0],
            Class::Pred => registers[0] + registers[1],
        };
        Some((base + slot.number()) as usize)
    };
    let total = registers.iter().sum::<u32>() as usize;
    let graph = Graph::new(
        &drafts
            .iter()
            .map(|draft| draft.flow.clone())
            .collect::<Vec<_>>(),
    );
    let blocks = graph.starts.len();
    let range = |b: usize| {
        graph.starts[b] as usize
            ..graph
                .starts
                .get(b + 1)
                .map_or(drafts.len(), |&end| end as usize)
    };
    let words = total.div_ceil(64);
    let (live_in, live_out) = live(drafts, &graph, range, number, words);
    let at_entry = |register: &usize| {
        live_in
            .first()
            .is_some_and(|live| live[register / 64] >> (register % 64) & 1 == 1)
    };
    let slot = |register: usize| {
        let (narrow, wide) = (registers[0] as usize, registers[1] as usize);
        match register {
            r if r < narrow => Slot::register(Class::R32, r as u32),
            r if r < narrow + wide => Slot::register(Class::R64, (r - narrow) as u32),
            r => Slot::register(Class::Pred, (r - narrow - wide) as u32),
        }
    };
    let live = (0..total).filter(at_entry).map(slot).collect();
    let mut intervals: Vec<Interval> = vec![None; total];
    let mut extend = |register: usize, at: usize| {
        let at = at as u32;
        let (start, end) = intervals[register].unwrap_or((at, at));
        intervals[register] = Some((start.min(at), end.max(at)));
    };
    for b in 0..blocks {
        let range = range(b);
        // Live at the entry: from the first instruction on, so that its row is still 0.
        members(&live_in[b], |register| extend(register, range.start));
        members(&live_out[b], |register| extend(register, range.end - 1));
        for i in range {
            let draft = &drafts[i];
            let guard = draft.guard.map(|(slot, _)| slot);
            for register in draft
                .uses
                .iter()
                .chain(&draft.defs)
                .copied()
                .chain(guard)
                .filter_map(number)
            {
                extend(register, i);
            }
        }
    }
    (intervals, live)
}

/// The members of a set, a bit each: of thousands of registers few are live at once.
fn members(set: &[u64], mut each: impl FnMut(usize)) {
    for (word, &bits) in set.iter().enumerate() {
        let mut bits = bits;
        while bits != 0 {
            each(64 * word + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }
}

//! `tcgen05.cp`: copies rows of shared memory to lanes of tensor memory.
//!
//! ```text
//!   descriptor ─► rows of 16 or 32 bytes ─► 4 or 8 columns of a lane each, in one quarter, two or all
//!   .b8x16.b4x16_p64: 8 bytes of 16 elements of 4 bits, then 8 of nothing ─► 16 bytes, one an element
//! ```
//!
//! Law: the asynchronous proxy reads shared memory at some time between the issue and the commit,
//! at the places of the canonical layout of rows of k. Later products of the thread come after the
//! copy. Elements of 4 bits lie in the middle of their bytes, as in registers for `mma.sync`; PTX
//! describes tensor memory only by figures. Source: PTX ISA, "tcgen05.cp", "Optional
//! Decompression"; CUTLASS, `Copy_Traits` of `SM100_UTCCP_*`.

use super::super::run::{Context, Site};
use super::super::shared::{self, Operands, Shared};
use super::super::wgmma::descriptor::{Descriptor, UNIT};
use super::super::wgmma::operands::swizzled_alike;
use super::super::{Outcome, access};
use super::product::{READER, place, slot};
use super::{Step, allocated, descriptor, now, number, ranks, tell};
use crate::frame::{Frame, WARP};
use crate::ir::{CopyShape, TensorCopy};
use crate::memory::tensor::{Conflict, LANES, TensorMemory};
use std::ops::Range;

/// The number of words of a unit.
const WORDS: usize = UNIT / 4;

/// A copy in flight.
#[derive(Debug)]
pub(crate) struct Copy {
    /// The blocks that execute the copy. For each of them, `operands` has the bytes that the copy
    /// reads in that block's shared memory.
    ranks: Vec<usize>,
    operands: Vec<Operands>,
    shape: CopyShape,
    unpacks: Option<usize>,
    /// The lane and column of the first word.
    to: (usize, usize),
    from: Descriptor,
}

/// Returns the columns that a copy writes.
fn columns(shape: CopyShape, from: usize) -> Range<usize> {
    from..from + WORDS * shape.units()
}

/// Issues the copy of one lane.
pub(super) fn issue(
    cx: &mut Context,
    registers: &Frame,
    op: &TensorCopy,
    lane: usize,
    site: Site,
) -> Outcome {
    let from = descriptor(registers, op.from, lane, "the source")?;
    let address = access::addresses(registers, &op.to, 1 << lane)[lane];
    let quarter: Vec<usize> = (0..WARP).collect();
    let lanes = match op.shape {
        CopyShape::L4x256b => &quarter[..],
        _ => &[0],
    };
    let to = place(lane, address, lanes, "the copy")?;
    let columns = columns(op.shape, to.1);
    let ranks = ranks(cx, lane, op.pair)?;
    for &rank in &ranks {
        allocated(cx, lane, rank, "the copy", &columns)?;
    }
    let (number, who) = number(cx, lane, site, None);
    // The lanes that the copy writes, by quarter.
    let mut written = [0u32; LANES / WARP];
    for at in (0..op.shape.rows()).flat_map(|row| op.shape.lanes(row)) {
        let at = to.0 + at;
        written[at / WARP] |= 1 << (at % WARP);
    }
    let mut first: Option<(usize, Conflict)> = None;
    for &rank in &ranks {
        let (memory, order) = cx.engine.tensor.ordered(rank, cx.shadow.as_deref());
        for (quarter, &lanes) in written.iter().enumerate().filter(|(_, lanes)| **lanes != 0) {
            for column in columns.clone() {
                let found = memory.write(order, who, (quarter, column));
                if let Err(conflict) = found
                    && conflict.replaces(first.as_ref().map(|(_, known)| known))
                {
                    first = Some((column, conflict));
                }
                memory.will_write(quarter, column, lanes);
            }
        }
    }
    if let Some((column, conflict)) = first {
        let what = format!("column {column} is written by a copy");
        tell(cx, (lane, column as u32), &what, conflict)?;
    }
    let used = op.unpacks.map_or(UNIT, |bits| 2 * bits);
    let rows = (0..op.shape.rows()).flat_map(|row| (0..op.shape.units()).map(move |i| (row, i)));
    let mut units: Vec<(usize, usize)> = rows
        .map(|(row, i)| (from.at(row, UNIT * i, 1, false), from.width))
        .collect();
    units.sort_unstable();
    units.dedup();
    let mut operands = Vec::new();
    for &rank in &ranks {
        let runs = shared::runs(cx, rank, units.iter().map(|&(low, _)| (low, used)))?;
        operands.push(runs.issue(cx, READER | number, (who.thread, who.site), slot)?);
        swizzled_alike(cx, (lane, rank), &units)?;
    }
    let copy = Copy {
        ranks,
        operands,
        shape: op.shape,
        unpacks: op.unpacks,
        to,
        from,
    };
    cx.engine.tensor.steps.push_back(Step::Copy(Box::new(copy)));
    now(cx);
    Ok(())
}

impl Copy {
    /// Returns word `i` of the result for a unit.
    fn word(&self, operands: &Operands, shared: &Shared, low: usize, i: usize) -> u32 {
        let Some(bits) = self.unpacks else {
            return operands.word(shared, low + 4 * i);
        };
        let within = if bits == 4 { 2 } else { 0 };
        (0..4).fold(0, |word, byte| {
            let element = operands.bits(shared, 8 * low + (4 * i + byte) * bits, bits);
            word | element << within << (8 * byte)
        })
    }

    /// Copies the rows in each block, from the block's own shared memory.
    pub fn perform(&self, shared: &Shared, memories: &mut [TensorMemory]) {
        for (operands, &rank) in self.operands.iter().zip(&self.ranks) {
            let memory = &mut memories[rank];
            for row in 0..self.shape.rows() {
                for i in 0..WORDS * self.shape.units() {
                    let low = self.from.at(row, UNIT * (i / WORDS), 1, false);
                    let word = self.word(operands, shared, low, i % WORDS);
                    for lane in self.shape.lanes(row) {
                        memory.set_word(self.to.0 + lane, self.to.1 + i, word);
                    }
                }
            }
        }
    }
}

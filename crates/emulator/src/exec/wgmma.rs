//! `wgmma`: four warps multiply 64 rows by N columns; each warp computes 16 of the rows.
//!
//! ```text
//! fence ─ wgmma ─ wgmma ─ commit_group ─ ... ─ wait_group 0
//!         reads A and B at some time in between       results are there, A and B may be written
//! ```
//!
//! Law: a warp's products are computed in their order, each at some time between its issue and the
//! wait that covers its group; the schedule chooses the time. The four warps of a group issue the
//! same products, in the same order, with the same descriptors. A product belongs to all four
//! warps. A warp that waits for a product continues once all four have issued it, and then knows
//! that all four have read A and B. Source: PTX ISA, "Asynchronous Warpgroup Level Matrix
//! Instructions".

pub(crate) mod descriptor;
mod group;
pub(crate) mod operands;
pub(crate) mod registers;

use std::collections::VecDeque;

use super::instruction::{Instruction, LaneStep, Stop};
use super::run::{Context, Leave, Site};
use super::shared::{self, Operands, Shared};
use super::warp::{Activation, Warp};
use super::{Outcome, Trap};
use crate::fault::{Completion, FaultKind, Slot};
use crate::frame::{FULL, Frame, Row32, WARP};
use crate::ir::{
    Asynchrony, Function, NamedRow, Touch, Wgmma, WgmmaCommit, WgmmaFence, WgmmaLeft, WgmmaWait,
    values,
};
use crate::numerics::mma::{Arithmetic, Element};
use crate::schedule::Schedule;
use descriptor::{Descriptor, UNIT, register};
use group::{Issue, agree};
pub(crate) use group::{Log, Waited, wait};
use operands::{swizzled_alike, units};
use registers::Used;

/// The number of warps of a group.
const GROUP: usize = 4;

/// The products of a warp.
#[derive(Debug, Default)]
pub(crate) struct Products {
    used: Used,
    pending: VecDeque<WgmmaProduct>,
    /// The number of groups committed.
    committed: u64,
    /// The number of the last product that was waited for.
    done: u64,
    /// The number of the group's products that a wait requires to be complete.
    asked: u64,
}

/// A product in flight.
#[derive(Debug)]
struct WgmmaProduct {
    number: u64,
    /// The number of products that the warp issued before this one. It is the same in the other
    /// warps of the group.
    index: u64,
    group: u64,
    site: Site,
    frame: u32,
    /// The descriptors of A, if it is in shared memory, and of B (`right`), and the bytes that they
    /// may read.
    left: Option<Descriptor>,
    right: Descriptor,
    operands: Operands,
    accumulates: bool,
    /// Whether the product was computed.
    done: bool,
}

fn warpgroup<T>(problem: String) -> Outcome<T> {
    Trap::lane(0, FaultKind::Warpgroup { problem })
}

/// Returns the value of a row that must be the same in all lanes.
fn uniform(row: &[u64; WARP], what: &str) -> Outcome<u64> {
    match (0..WARP).find(|&lane| row[lane] != row[0]) {
        None => Ok(row[0]),
        Some(lane) => {
            let problem = format!(
                "lanes have different {what}: {:#018x} and {:#018x}",
                row[0], row[lane]
            );
            Trap::lane(lane, FaultKind::Warpgroup { problem })
        }
    }
}

/// Issues a product of a whole warp.
pub(crate) fn issue(
    cx: &mut Context,
    warp: &mut Warp,
    frame: &mut Activation,
    frame_index: u32,
    op: &Wgmma,
    site: Site,
) -> Outcome {
    let left_bits = match &op.left {
        WgmmaLeft::Descriptor(row) => Some(uniform(
            &frame.registers.r64[*row as usize],
            "descriptors of A",
        )?),
        WgmmaLeft::Registers { .. } => None,
    };
    let right_bits = uniform(&frame.registers.r64[op.right as usize], "descriptors of B")?;
    let scale = frame.registers.pred(op.scale);
    if scale != 0 && scale != FULL {
        return warpgroup(format!("lanes have different scale-d: {scale:#010x}"));
    }
    let accumulates = scale != 0;
    let packed = cx.launch.packed(site);
    let index = agree(
        cx,
        Issue {
            site: packed,
            left: left_bits.unwrap_or(0),
            right: right_bits,
            accumulates,
        },
    )?;
    let number = cx.engine.queue.number();
    let code = &cx.launch.image.functions[site.function as usize];
    let registers: &[u32] = match &op.left {
        WgmmaLeft::Registers { used, .. } => used,
        WgmmaLeft::Descriptor(_) => &[],
    };
    let used = &mut warp.products.used;
    if let Some(trap) = used.issue(code, (&op.sums, registers), (number, packed)) {
        cx.go_on(trap)?;
    }
    let (left, right) = (left_bits.map(Descriptor::of), Descriptor::of(right_bits));
    let rows = 16 * (cx.warp as usize % GROUP);
    let of_a = left.iter().map(|a| (a, rows..rows + 16, op.transpose[0]));
    let of_b = (&right, 0..op.n as usize, op.transpose[1]);
    let units = units(of_a.chain([of_b]), element_bytes(op.what.a));
    let rank = (cx.warp / cx.launch.warps) as usize;
    let runs = shared::runs(cx, rank, units.iter().map(|&(low, _)| (low, UNIT)))?;
    count(cx, op, site);
    let operands = runs.issue(cx, number, (cx.warp * WARP as u32, packed), slot)?;
    swizzled_alike(cx, (0, rank), &units)?;
    warp.products.pending.push_back(WgmmaProduct {
        number,
        index,
        group: warp.products.committed,
        site,
        frame: frame_index,
        left,
        right,
        operands,
        accumulates,
        done: false,
    });
    let now = match cx.launch.config.schedule {
        Schedule::Early => true,
        Schedule::Late => false,
        Schedule::Seeded(_) => cx.engine.queue.random(3) == 0,
    };
    if now {
        perform(cx, warp, frame, frame_index, u64::MAX);
    }
    Ok(())
}

/// Returns the slot of the bytes at an offset that a product reads, in the form that a fault
/// reports.
pub(crate) fn slot(shared: &Shared, (at, bytes): (usize, usize)) -> Slot {
    Slot {
        address: shared.address(at),
        bytes,
        completes: Completion::WgmmaGroup,
    }
}

/// Counts a warp's part of a product: its rows of A. The first warp of a group also counts B and
/// the instruction.
fn count(cx: &mut Context, op: &Wgmma, site: Site) {
    if !cx.launch.config.count_memory {
        return;
    }
    let counts = cx.counters.asynchronous(site);
    let mut rows = match op.left {
        WgmmaLeft::Descriptor(_) => 16,
        WgmmaLeft::Registers { .. } => 0,
    };
    if (cx.warp % cx.launch.warps).is_multiple_of(GROUP as u32) {
        rows += u64::from(op.n);
        counts.wgmmas += 1;
    }
    // 32 bytes of k are two core matrices for each 8 rows; in the canonical layouts they have no
    // bank conflicts.
    counts.operand_bytes += rows * 2 * UNIT as u64;
    counts.operand_wavefronts += rows / 8 * 2;
}

/// Returns the bytes per element, or per word for single bits.
fn element_bytes(element: Element) -> usize {
    match element.bits() {
        1 => 4,
        bits => bits as usize / 8,
    }
}

/// Executes `wgmma.fence`.
pub(crate) fn fence(warp: &mut Warp, code: &Function) {
    warp.products.used.fence(code);
}

/// Executes `wgmma.commit_group`.
pub(crate) fn commit(warp: &mut Warp) {
    warp.products.committed += 1;
}

/// Handles another instruction that uses registers which a product may use.
pub(crate) fn touch(
    cx: &mut Context,
    warp: &mut Warp,
    frame: &mut Activation,
    frame_index: u32,
    touch: &Touch,
) -> Outcome {
    let code = &cx.launch.image.functions[frame.function as usize];
    let done = warp.products.done;
    let (copied, found) = warp.products.used.touch(code, touch, done);
    if let Some(trap) = found {
        cx.go_on(trap)?;
    }
    if copied {
        // A copy of an accumulator in flight has the product's result.
        perform(cx, warp, frame, frame_index, u64::MAX);
    }
    Ok(())
}

/// Computes all products up to number `last` that were not computed yet.
fn perform(cx: &mut Context, warp: &mut Warp, frame: &mut Activation, frame_index: u32, last: u64) {
    let arithmetic = cx.launch.config.tensor_arithmetic;
    let mut pending = std::mem::take(&mut warp.products.pending);
    for product in pending.iter_mut().filter(|p| !p.done && p.number <= last) {
        product.done = true;
        let code = &cx.launch.image.functions[product.site.function as usize].code;
        let Some(op) = code[product.site.pc as usize].op.get::<Wgmma>() else {
            continue;
        };
        let rows = 16 * (cx.warp as usize % GROUP);
        if product.frame == frame_index {
            multiply(
                cx.shared,
                &mut frame.registers,
                op,
                product,
                rows,
                arithmetic,
            );
        } else if let Some(other) = warp.frames.get_mut(product.frame as usize)
            && other.function == product.site.function
        {
            multiply(
                cx.shared,
                &mut other.registers,
                op,
                product,
                rows,
                arithmetic,
            );
        }
    }
    warp.products.pending = pending;
}

/// Computes a warp's 16 rows of a product, from row `first` of A on.
fn multiply(
    shared: &Shared,
    registers: &mut Frame,
    op: &Wgmma,
    product: &WgmmaProduct,
    first: usize,
    arithmetic: Arithmetic,
) {
    let word = |low: usize| product.operands.word(shared, low);
    let bytes = element_bytes(op.what.a);
    let [of_a, of_b] = op.transpose;
    let a: [Row32; 4] = match (&op.left, &product.left) {
        (WgmmaLeft::Registers { rows, .. }, _) => rows.map(|row| registers.r32[row as usize]),
        (_, Some(left)) => std::array::from_fn(|r| {
            register(first + 8 * (r % 2), r / 2, bytes, |at| {
                left.word(word, at, bytes, of_a)
            })
        }),
        _ => [[0; WARP]; 4],
    };
    let a = a.map(|row| negated(row, op.what.a, op.negate[0]));
    let per = op.d.len() * 8 / op.n as usize;
    let zero = [0; WARP];
    for column in 0..op.n as usize / 8 {
        let b: [Row32; 2] = std::array::from_fn(|r| {
            let row = register(8 * column, r, bytes, |at| {
                product.right.word(word, at, bytes, of_b)
            });
            negated(row, op.what.b, op.negate[1])
        });
        let rows = &op.d[column * per..(column + 1) * per];
        let c: [Row32; 4] = std::array::from_fn(|r| match rows.get(r) {
            Some(&row) if product.accumulates => registers.r32[row as usize],
            _ => zero,
        });
        let mut d = [[0; WARP]; 4];
        let (a, b, c) = (a.each_ref(), b.each_ref(), c.each_ref());
        op.what
            .execute_warpgroup(arithmetic, [&a, &b, &c[..per]], &mut d[..per]);
        for (&row, values) in rows.iter().zip(d) {
            registers.r32[row as usize] = values;
        }
    }
}

/// Returns the numbers of a register, with inverted signs if `negate` is set.
pub(crate) fn negated(row: Row32, element: Element, negate: bool) -> Row32 {
    let signs = match (negate, element.bits()) {
        (false, _) => 0,
        (true, 8) => 0x8080_8080,
        (true, 16) => 0x8000_8000,
        (true, _) => 0x8000_0000,
    };
    row.map(|word| word ^ signs)
}

impl Instruction for Wgmma {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        values(&mut self.d, f);
        match &mut self.left {
            WgmmaLeft::Descriptor(row) => f(NamedRow::Value(row)),
            WgmmaLeft::Registers { rows, .. } => values(rows, f),
        }
        values([&mut self.right, &mut self.scale], f);
    }

    fn asynchrony(&self) -> Asynchrony {
        Asynchrony::Scheduled
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.whole_warp()?;
        step.begin();
        let own = step.own_frame();
        Ok(issue(step.cx, step.warp, step.frame, own, self, step.site)?)
    }
}

impl Instruction for WgmmaFence {
    fn named_rows(&mut self, _: &mut dyn FnMut(NamedRow)) {}

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.whole_warp()?;
        fence(step.warp, step.code);
        Ok(())
    }
}

impl Instruction for WgmmaCommit {
    fn named_rows(&mut self, _: &mut dyn FnMut(NamedRow)) {}

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.whole_warp()?;
        commit(step.warp);
        Ok(())
    }
}

impl Instruction for WgmmaWait {
    fn named_rows(&mut self, _: &mut dyn FnMut(NamedRow)) {}

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.whole_warp()?;
        match wait(step.cx, step.warp, self.keep, step.site) {
            Waited::Done => Ok(()),
            Waited::Issued => Err(Stop::Again(Leave::Products)),
            Waited::Missing => Err(Stop::Again(Leave::Yield { spinning: true })),
        }
    }
}

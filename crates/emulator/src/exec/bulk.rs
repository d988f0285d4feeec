//! Bulk copies: what they move is found and checked when they are issued.
//!
//! ```text
//! address, size or map, coordinates ─► pieces ─► in bounds? ordered? ─► queue ─► moved, completed at an object or in a group
//! ```
//!
//! Law: every executing lane issues an operation of its own. An operation is queued only if all its
//! places are valid. Source: PTX ISA, "cp.async.bulk", "cp.reduce.async.bulk",
//! "cp.async.bulk.tensor".

mod count;
pub(crate) mod queue;
mod source;
mod tensor;

use super::access;
use super::global::{self, Pieces};
use super::instruction::{Instruction, LaneStep, Stop};
use super::run::{Context, Site};
use super::shared::{Issued, ObjectPlace, object_at, spot};
use super::warp::Warp;
use super::{Outcome, Trap, cluster, lanes, mbarrier};
use crate::fault::{Access, FaultKind, Reached, Space};
use crate::frame::{Frame, WARP};
use crate::ir::{
    Address, Asynchrony, Bulk, BulkKind, CommitBulk, NONE, NamedRow, Role, TensorMode, WaitBulk,
    Window, reduction, values,
};
use crate::schedule::Schedule;
use crate::tensor_map::TensorMap;
use queue::{Memories, Moves, Operation, Reduction};
use source::{pieces, placed, size};

/// The alignment of addresses and sizes, in bytes.
const UNIT: usize = 16;
/// The alignment of a box in shared memory, in bytes.
const BOX: usize = 128;

/// The number of bytes that a copy moves, and the number that it spans in shared memory. The span
/// is the larger number if rows are narrower than their swizzle.
#[derive(Clone, Copy)]
struct Size {
    bytes: usize,
    span: usize,
}

/// Issues the operations of the lanes of `mask`.
pub(crate) fn execute(
    cx: &mut Context,
    warp: &mut Warp,
    frame: &Frame,
    op: &Bulk,
    mask: u32,
    site: Site,
) -> Outcome {
    let shared = access::addresses(frame, &op.shared, mask);
    let other = access::addresses(frame, &op.other, mask);
    for lane in lanes(mask) {
        let moves = match op.what {
            BulkKind::Load => load(cx, frame, op, lane, (shared[lane], other[lane]))?,
            BulkKind::Store => store(cx, frame, op, lane, (shared[lane], other[lane]))?,
            BulkKind::Copy => copy(cx, frame, op, lane, (shared[lane], other[lane]))?,
        };
        count::count(cx, op, &moves);
        issue(cx, warp, lane, site, moves)?;
    }
    Ok(())
}

/// Queues a lane's operation, which the schedule performs.
pub(crate) fn issue(
    cx: &mut Context,
    warp: &Warp,
    lane: usize,
    site: Site,
    moves: Moves,
) -> Outcome {
    let operation = Operation {
        id: cx.engine.queue.number(),
        issuer: warp.index * WARP as u32 + lane as u32,
        site: cx.launch.packed(site),
        group: warp.bulk[lane],
        moves,
    };
    for store in cx.engine.unsettled.iter_mut().rev() {
        if store.group.is_some() {
            break;
        }
        store.group = Some(warp.bulk[lane]);
    }
    if let Some(shadow) = &mut cx.shadow {
        shadow.sources.issued(operation.id);
    }
    let operation = Issued::new(cx, lane, operation)?;
    let super::engine::Engine {
        queue, mbarriers, ..
    } = &mut *cx.engine;
    queue.push(operation, mbarriers);
    if cx.launch.config.schedule == Schedule::Early {
        let nth = cx.engine.queue.len_waiting() - 1;
        if let Some(index) = cx.engine.queue.waiting(nth) {
            with_memories(cx, |queue, memories| queue.perform(index, memories));
        }
    }
    Ok(())
}

/// Calls `f` with the queue and the memories that its operations work on.
fn with_memories(cx: &mut Context, f: impl FnOnce(&mut queue::Queue, &mut Memories)) {
    let super::engine::Engine {
        queue, mbarriers, ..
    } = &mut *cx.engine;
    let mut memories = Memories {
        shared: cx.shared,
        shadow: cx.shadow.as_deref_mut(),
        global: &cx.launch.global,
        objects: mbarriers,
    };
    f(queue, &mut memories);
}

/// Executes `cp.async.bulk.commit_group` for the lanes of `mask`.
pub(crate) fn commit(warp: &mut Warp, mask: u32) {
    for lane in lanes(mask) {
        warp.bulk[lane] += 1;
    }
}

/// Executes `cp.async.bulk.wait_group keep` for the lanes of `mask`. With `reads`, it waits only
/// until the groups have read their sources.
pub(crate) fn wait(cx: &mut Context, warp: &Warp, (keep, reads): (u32, bool), mask: u32) {
    for lane in lanes(mask) {
        let thread = warp.index * WARP as u32 + lane as u32;
        let before = warp.bulk[lane].saturating_sub(keep);
        with_memories(cx, |queue, memories| {
            queue.end_groups(thread, before, memories)
        });
        if !reads {
            global::settle(cx, lane, before);
        }
    }
}

fn operand<T>(lane: usize, address: u64, problem: String) -> Outcome<T> {
    Trap::access(lane, address, FaultKind::Operand(problem))
}

/// Checks that an operation completes at an object of the block that it writes to, or with `pair`
/// of either block of the pair.
pub(super) fn in_one_block(
    cx: &Context,
    lane: usize,
    object: ObjectPlace,
    to: usize,
    pair: bool,
) -> Outcome {
    let (of_object, of_place) = (cx.shared.rank(object.at()), cx.shared.rank(to));
    if of_object == of_place || pair && of_object == of_place ^ 1 {
        return Ok(());
    }
    let problem = format!(
        "the object is in the cluster's block {of_object}, the destination in block {of_place}"
    );
    operand(lane, object.address(), problem)
}

/// Checks a lane's copy from global to shared memory, and returns what it moves.
fn load(
    cx: &mut Context,
    frame: &Frame,
    op: &Bulk,
    lane: usize,
    (to, from): (u64, u64),
) -> Outcome<Moves> {
    let (map, Size { bytes, span }) = pieces(cx, frame, op, lane, from)?;
    let alignment = if map.is_some() { BOX } else { UNIT };
    let spot = spot(cx, lane, op.shared.window, to, span.max(1), alignment)?;
    let object = barrier(cx, frame, op, lane)?;
    if op.blocks == NONE {
        in_one_block(cx, lane, object, spot.at(), op.pair)?;
    }
    let pieces = placed(
        frame,
        op,
        lane,
        map.as_ref(),
        (spot.at(), from, bytes),
        false,
    )?;
    let pieces = Pieces::examine(cx, lane, pieces, Access::Read)?;
    let targets = match op.blocks {
        NONE => vec![(spot, object)],
        row => {
            let blocks = frame.r32[row as usize][lane] & 0xffff;
            if blocks == 0 || blocks >> cx.launch.ranks != 0 {
                let ranks = cx.launch.ranks;
                let problem = format!("a mask of blocks {blocks:#06x} in a cluster of {ranks}");
                return operand(lane, to, problem);
            }
            lanes(blocks)
                .map(|rank| {
                    // In a pair, the object is in the block whose rank has the parity of `object`'s
                    // block.
                    let of_object = match op.pair {
                        true => rank & !1 | cx.shared.rank(object.at()) & 1,
                        false => rank,
                    };
                    let object = object.in_block(cx.shared, of_object);
                    (spot.in_block(cx.shared, rank), object)
                })
                .collect()
        }
    };
    for &(to, object) in &targets {
        let rank = cx.shared.rank(to.at());
        cluster::living_peer(cx, lane, rank, to.address(), Access::Write)?;
        mbarrier::visible(cx, lane, object)?;
    }
    let swizzle = map.as_ref().map_or(0, tensor::swizzle_mark);
    let rounds = map.as_ref().is_some_and(|map| map.element.rounds());
    let fill = map.map_or(vec![0], |map| fill(&map));
    Ok(Moves::Load {
        pieces,
        targets,
        bytes,
        span,
        swizzle,
        fill,
        rounds,
    })
}

/// Returns the bytes, to be repeated, that a load writes for elements outside of the tensor: zero,
/// or the NaN with which an H200 fills floats of every width.
fn fill(map: &TensorMap) -> Vec<u8> {
    match map.fill_nan {
        false => vec![0],
        true => 0x7ff7u16.to_le_bytes().to_vec(),
    }
}

/// Returns the place of the mbarrier object at which a copy's bytes complete.
fn barrier(cx: &Context, frame: &Frame, op: &Bulk, lane: usize) -> Outcome<ObjectPlace> {
    let none = Address {
        base: NONE,
        ..op.shared
    };
    let address = op.barrier.unwrap_or(none);
    let all = access::addresses(frame, &address, 1 << lane);
    object_at(cx, lane, address.window, all[lane])
}

/// Checks a lane's copy or reduction from shared to global memory, and returns what it moves.
fn store(
    cx: &mut Context,
    frame: &Frame,
    op: &Bulk,
    lane: usize,
    (from, to): (u64, u64),
) -> Outcome<Moves> {
    let (map, Size { bytes, span }) = pieces(cx, frame, op, lane, to)?;
    let alignment = if map.is_some() { BOX } else { UNIT };
    let spot = spot(cx, lane, Window::Shared, from, span.max(1), alignment)?;
    let mut pieces = placed(frame, op, lane, map.as_ref(), (spot.at(), to, bytes), true)?;
    pieces.retain(|piece| piece.global.is_some());
    let ty = map.as_ref().map(|map| map.element.reduced());
    let flush = map.as_ref().is_some_and(|map| map.element.flushes());
    let reduction = match op.reduction {
        None => None,
        Some(what) => Some(applied(lane, to, what.name, what.ty.or(ty), flush)?),
    };
    let access = match reduction {
        Some(_) => Access::Atomic,
        None => Access::Write,
    };
    if map.is_none() && !to.is_multiple_of(UNIT as u64) {
        let what = FaultKind::Misaligned {
            space: Space::Global,
            alignment: UNIT,
        };
        return Trap::access(lane, to, what);
    }
    let pieces = Pieces::examine(cx, lane, pieces, access)?;
    Ok(Moves::Store {
        from: spot,
        pieces,
        reduction,
    })
}

/// Returns the reduction of a name and a type, or the lane's trap if there is no such reduction.
fn applied(
    lane: usize,
    address: u64,
    name: &'static str,
    ty: Option<crate::types::Type>,
    flush: bool,
) -> Outcome<Reduction> {
    let found = ty.and_then(|ty| Some((reduction(name, ty, flush)?, ty.bytes())));
    match found {
        Some(found) => Ok(found),
        None => operand(
            lane,
            address,
            format!("no reduction `{name}` of these elements"),
        ),
    }
}

/// Checks a lane's copy or reduction from shared memory to another block's, and returns what it
/// moves.
fn copy(
    cx: &mut Context,
    frame: &Frame,
    op: &Bulk,
    lane: usize,
    (from, to): (u64, u64),
) -> Outcome<Moves> {
    let bytes = size(frame, op, lane)?;
    let from = spot(cx, lane, Window::Shared, from, bytes.max(1), UNIT)?;
    let to = spot(cx, lane, Window::Cluster, to, bytes.max(1), UNIT)?;
    let object = barrier(cx, frame, op, lane)?;
    in_one_block(cx, lane, object, to.at(), false)?;
    let rank = cx.shared.rank(to.at());
    cluster::living_peer(cx, lane, rank, to.address(), Access::Write)?;
    mbarrier::visible(cx, lane, object)?;
    let phase = cx.engine.mbarriers.get(object.at());
    let phase = phase.map_or(0, |object| object.completed);
    let reduction = match op.reduction {
        None => None,
        Some(what) => Some(applied(lane, to.address(), what.name, what.ty, false)?),
    };
    Ok(Moves::Copy {
        from,
        to,
        bytes,
        object,
        phase,
        reduction,
    })
}

impl Instruction for Bulk {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::AnyAddress(&mut self.shared));
        f(NamedRow::AnyAddress(&mut self.other));
        values([&mut self.size, &mut self.blocks], f);
        values(&mut self.coordinates, f);
        if let TensorMode::Im2col(offsets) = &mut self.mode {
            values(offsets, f);
        }
        if let Some(barrier) = &mut self.barrier {
            f(NamedRow::AnyAddress(barrier));
        }
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Memory)
    }

    fn asynchrony(&self) -> Asynchrony {
        Asynchrony::Scheduled
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.begin();
        let registers = &step.frame.registers;
        Ok(execute(
            step.cx, step.warp, registers, self, step.mask, step.site,
        )?)
    }
}

impl Instruction for CommitBulk {
    fn named_rows(&mut self, _: &mut dyn FnMut(NamedRow)) {}

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        commit(step.warp, step.mask);
        Ok(())
    }
}

impl Instruction for WaitBulk {
    fn named_rows(&mut self, _: &mut dyn FnMut(NamedRow)) {}

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        wait(step.cx, step.warp, (self.keep, self.reads), step.mask);
        Ok(())
    }
}

//! Bulk copies: what they move is found and checked when they are issued.
//!
//! ```text
//! address, size or map, coordinates ─► pieces ─► in bounds? ordered? ─► queue ─► moved, completed at an object or in a group
//! ```
//!
//! Law: every executing lane issues an operation of its own. Nothing is queued unless all places of it are valid.
//! Source: PTX ISA, "cp.async.bulk", "cp.reduce.async.bulk", "cp.async.bulk.tensor".

mod count;
pub(crate) mod queue;
mod source;
mod tensor;

use super::access::{self, Addresses};
use super::run::{Context, Site};
use super::warp::Warp;
use super::{Outcome, Trap, cluster, lanes, mbarrier, place};
use crate::fault::{Access, FaultKind, Slot, Space};
use crate::frame::{Frame, WARP};
use crate::ir::{Address, Bulk, BulkKind, NONE, Window};
use crate::lower::reduction;
use crate::memory::shadow::{Problem, Reading};
use crate::schedule::Schedule;
use crate::tensor_map::TensorMap;
use queue::{Memories, Moves, Operation, Reduction};
use source::{global, pieces, placed, size};

/// Alignment of addresses and sizes.
const UNIT: usize = 16;
/// Alignment in shared memory of a box.
const BOX: u64 = 128;

/// A place in shared memory: its address, block and offset.
#[derive(Clone, Copy)]
struct Spot {
    address: u64,
    rank: usize,
    at: usize,
}

/// What a copy moves, and what it spans in shared memory: more where rows are narrower than their swizzle.
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
        let issuer = warp.index * WARP as u32 + lane as u32;
        count::count(cx, op, &moves);
        let operation = Operation {
            id: cx.engine.queue.number(),
            issuer,
            site: cx.launch.packed(site),
            group: warp.bulk[lane],
            moves,
            done: false,
        };
        writes(cx, lane, &operation)?;
        reads(cx, lane, &operation)?;
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
    }
    Ok(())
}

/// The queue and what its operations work on.
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

/// `cp.async.bulk.commit_group`.
pub(crate) fn commit(warp: &mut Warp, mask: u32) {
    for lane in lanes(mask) {
        warp.bulk[lane] += 1;
    }
}

/// `cp.async.bulk.wait_group keep`.
pub(crate) fn wait(cx: &mut Context, warp: &Warp, keep: u32, mask: u32) {
    for lane in lanes(mask) {
        let thread = warp.index * WARP as u32 + lane as u32;
        let before = warp.bulk[lane].saturating_sub(keep);
        with_memories(cx, |queue, memories| {
            queue.end_groups(thread, before, memories)
        });
    }
}

fn operand<T>(lane: usize, address: u64, problem: String) -> Outcome<T> {
    Trap::access(lane, address, FaultKind::Operand(problem))
}

/// A place of `bytes` bytes in shared memory, of the block itself or of any of the cluster.
fn spot(
    cx: &Context,
    lane: usize,
    window: Window,
    address: u64,
    bytes: usize,
    alignment: u64,
) -> Outcome<Spot> {
    if !address.is_multiple_of(alignment) {
        let what = FaultKind::Misaligned {
            space: Space::Shared,
            alignment: alignment as usize,
        };
        return Trap::access(lane, address, what);
    }
    let own = (cx.warp / cx.launch.warps) as usize;
    let found = match cx.shared.offset(address, bytes) {
        Some(at) => Some((own, at)),
        None if window == Window::Cluster => cx.shared.offset_of_any(address, bytes),
        None => None,
    };
    match found {
        Some((rank, at)) => Ok(Spot { address, rank, at }),
        None => {
            let all: Addresses = [address; WARP];
            place::shared_bounds(cx, &all, 1 << lane, bytes)?;
            operand(
                lane,
                address,
                "no block of the cluster has this address".to_owned(),
            )
        }
    }
}

/// Global to shared memory.
fn load(
    cx: &mut Context,
    frame: &Frame,
    op: &Bulk,
    lane: usize,
    (to, from): (u64, u64),
) -> Outcome<Moves> {
    let (map, Size { bytes, span }) = pieces(cx, frame, op, lane, from)?;
    let alignment = if map.is_some() { BOX } else { UNIT as u64 };
    let spot = spot(cx, lane, op.shared.window, to, span.max(1), alignment)?;
    let object = barrier(cx, frame, op, lane)?;
    if op.blocks == NONE && object.rank != spot.rank {
        let problem = format!(
            "the object is in the cluster's block {}, the destination in block {}",
            object.rank, spot.rank
        );
        return operand(lane, object.address, problem);
    }
    let pieces = placed(frame, op, lane, map.as_ref(), (spot.at, from, bytes), false)?;
    global(cx, lane, &pieces, Access::Read)?;
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
                .map(|rank| (moved(cx, spot, rank), moved(cx, object, rank)))
                .collect()
        }
    };
    for &(to, object) in &targets {
        cluster::living_peer(cx, lane, to.rank, to.address, Access::Write)?;
        mbarrier::visible(cx, lane, (object.address, object.at))?;
    }
    let swizzle = map.as_ref().map_or(0, tensor::swizzle_mark);
    let rounds = map.as_ref().is_some_and(|map| map.element.rounds());
    let fill = map.map_or(vec![0], |map| fill(&map));
    Ok(Moves::Load {
        pieces,
        targets: targets
            .iter()
            .map(|(to, object)| (to.at, object.at))
            .collect(),
        bytes,
        span,
        swizzle,
        fill,
        rounds,
    })
}

/// The same place in another block.
fn moved(cx: &Context, spot: Spot, rank: usize) -> Spot {
    let at = cx.shared.in_block(spot.at, rank);
    Spot {
        address: cx.shared.address(at),
        rank,
        at,
    }
}

/// What is outside of a tensor reads as, again and again: zeros, or the NaN that an H200 fills floats of every width with.
fn fill(map: &TensorMap) -> Vec<u8> {
    match map.fill_nan {
        false => vec![0],
        true => 0x7ff7u16.to_le_bytes().to_vec(),
    }
}

/// The object where bytes complete.
fn barrier(cx: &Context, frame: &Frame, op: &Bulk, lane: usize) -> Outcome<Spot> {
    let none = Address {
        base: NONE,
        ..op.shared
    };
    let address = op.barrier.unwrap_or(none);
    let all = access::addresses(frame, &address, 1 << lane);
    spot(cx, lane, address.window, all[lane], 8, 8)
}

/// Shared to global memory.
fn store(
    cx: &mut Context,
    frame: &Frame,
    op: &Bulk,
    lane: usize,
    (from, to): (u64, u64),
) -> Outcome<Moves> {
    let (map, Size { bytes, span }) = pieces(cx, frame, op, lane, to)?;
    let alignment = if map.is_some() { BOX } else { UNIT as u64 };
    let spot = spot(cx, lane, Window::Shared, from, span.max(1), alignment)?;
    let mut pieces = placed(frame, op, lane, map.as_ref(), (spot.at, to, bytes), true)?;
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
    global(cx, lane, &pieces, access)?;
    Ok(Moves::Store {
        from: spot.at,
        pieces,
        reduction,
    })
}

/// A reduction by its name and type.
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

/// Shared to another block's shared memory.
fn copy(
    cx: &mut Context,
    frame: &Frame,
    op: &Bulk,
    lane: usize,
    (from, to): (u64, u64),
) -> Outcome<Moves> {
    let bytes = size(frame, op, lane)?;
    let from = spot(cx, lane, Window::Shared, from, bytes.max(1), UNIT as u64)?;
    let to = spot(cx, lane, Window::Cluster, to, bytes.max(1), UNIT as u64)?;
    let object = barrier(cx, frame, op, lane)?;
    if object.rank != to.rank {
        let problem = format!(
            "the object is in the cluster's block {}, the destination in block {}",
            object.rank, to.rank
        );
        return operand(lane, object.address, problem);
    }
    cluster::living_peer(cx, lane, to.rank, to.address, Access::Write)?;
    mbarrier::visible(cx, lane, (object.address, object.at))?;
    let phase = cx.engine.mbarriers.get(object.at);
    let phase = phase.map_or(0, |object| object.completed);
    let reduction = match op.reduction {
        None => None,
        Some(what) => Some(applied(lane, to.address, what.name, what.ty, false)?),
    };
    Ok(Moves::Copy {
        from: from.at,
        to: to.at,
        bytes,
        object: object.at,
        phase,
        reduction,
    })
}

/// Tells the shadow of the asynchronous writes of an operation: several blocks may add to a place at once.
fn writes(cx: &mut Context, lane: usize, operation: &Operation) -> Outcome {
    let Some(shadow) = cx.shadow.as_mut().filter(|_| !operation.reduces()) else {
        return Ok(());
    };
    let thread = cx.warp * WARP as u32 + lane as u32;
    let found = operation
        .destinations(&cx.engine.mbarriers)
        .filter(|to| to.bytes > 0)
        .find_map(|to| {
            let found = shadow.issue_write(thread, to.at, to.bytes).err()?;
            Some((found, to.slot(cx.shared)))
        });
    match found {
        Some((found, slot)) => object_to(cx, lane, found, Access::Write, slot),
        None => Ok(()),
    }
}

/// Tells the shadow of the asynchronous reads of an operation, and that they are under way.
fn reads(cx: &mut Context, lane: usize, operation: &Operation) -> Outcome {
    let runs: Vec<(usize, usize)> = match &operation.moves {
        Moves::Load { .. } => return Ok(()),
        Moves::Store { from, pieces, .. } => pieces
            .iter()
            .map(|piece| (from + piece.at, piece.bytes))
            .collect(),
        Moves::Copy { from, bytes, .. } => vec![(*from, *bytes)],
    };
    let thread = cx.warp * WARP as u32 + lane as u32;
    let Some(shadow) = &mut cx.shadow else {
        return Ok(());
    };
    let mut nonempty = runs.iter().filter(|run| run.1 > 0);
    let found = nonempty.try_for_each(|&(at, bytes)| shadow.issue_read(thread, at, bytes));
    let reading = Reading::new(operation.id, operation.issuer, operation.site, runs);
    shadow.begin_reading(reading);
    match (found, operation.source(cx.shared)) {
        (Err(found), Some(slot)) => object_to(cx, lane, found, Access::Read, slot),
        _ => Ok(()),
    }
}

/// What the shadow objects to, as a fault of the operation that uses the slot.
pub(crate) fn object_to(
    cx: &mut Context,
    lane: usize,
    (byte, problem): (usize, Problem),
    access: Access,
    used: Slot,
) -> Outcome {
    let address = cx.shared.address(byte);
    let mut trap = cx.shadow_trap(lane, address, byte, problem, access);
    if let FaultKind::Race { slot, .. } | FaultKind::Unfenced { slot, .. } = &mut trap.what {
        *slot = Some(used);
    }
    Err(trap)
}

//! Accesses of global memory as the launch's record of all blocks sees them.
//!
//! ```text
//! places of 32 lanes ─► note and look, lane by lane ─► a race: which lane, and with which block
//! ```
//!
//! Law: called once the places are known to be valid, and before anything is read or written.

use super::access::{self, Addresses};
use super::place::Found;
use super::run::Context;
use super::{Outcome, Trap, lanes};
use crate::fault::{Access, FaultKind, Space};
use crate::memory::global::Allocation;
use crate::memory::races::Conflict;

/// The accesses of a warp.
#[derive(Clone, Copy)]
pub(crate) struct Accesses<'a> {
    pub all: &'a Addresses,
    pub mask: u32,
    /// Bytes of each.
    pub total: usize,
    /// Atomic or ordered.
    pub atomic: bool,
}

/// A conflict as a fault of a lane.
fn trap(cx: &Context, lane: usize, base: u64, conflict: Conflict, access: Access) -> Box<Trap> {
    let (at, earlier, other) = conflict;
    Box::new(Trap {
        lanes: 0,
        lane: Some(lane),
        address: Some(base + at as u64),
        what: FaultKind::GlobalRace {
            access,
            earlier,
            other: cx.launch.block_index(u64::from(other)),
        },
    })
}

/// The index of a lane's allocation, and the allocation.
fn of_lane<'a>(
    cx: &mut Context<'a>,
    found: &Found<'a>,
    lane: usize,
    accesses: &Accesses,
) -> Outcome<(usize, &'a Allocation)> {
    match found.common {
        Some(allocation) => Ok((cx.hint, allocation)),
        None => {
            let allocation = access::of_lane(
                &cx.launch.global,
                &mut cx.hint,
                lane,
                accesses.all[lane],
                accesses.total,
                Space::Global,
            )?;
            Ok((cx.hint, allocation))
        }
    }
}

/// Notes reads.
#[inline]
pub(crate) fn read<'a>(cx: &mut Context<'a>, found: &Found<'a>, accesses: Accesses) -> Outcome {
    let launch = cx.launch;
    let Some(races) = &launch.races else {
        return Ok(());
    };
    let kind = if accesses.atomic {
        Access::Atomic
    } else {
        Access::Read
    };
    let Accesses {
        all,
        mask,
        total,
        atomic,
    } = accesses;
    if let (Some(allocation), true) = (found.common, found.consecutive) {
        let at = (all[0] - allocation.base) as usize;
        return races
            .read((cx.hint, allocation), at, 32 * total, cx.linear, atomic)
            .map_err(|conflict| {
                let lane = conflict.0.saturating_sub(at) / total;
                trap(cx, lane, allocation.base, conflict, kind)
            });
    }
    for lane in lanes(mask) {
        let (index, allocation) = of_lane(cx, found, lane, &accesses)?;
        let at = (all[lane] - allocation.base) as usize;
        races
            .read((index, allocation), at, total, cx.linear, atomic)
            .map_err(|conflict| trap(cx, lane, allocation.base, conflict, kind))?;
    }
    Ok(())
}

/// Notes the read of one lane, whose place is found by [`access::of_lane`].
pub(crate) fn read_lane<'a>(
    cx: &mut Context<'a>,
    lane: usize,
    allocation: &'a Allocation,
    at: usize,
    bytes: usize,
) -> Outcome {
    match &cx.launch.races {
        Some(races) => races
            .read((cx.hint, allocation), at, bytes, cx.linear, false)
            .map_err(|conflict| trap(cx, lane, allocation.base, conflict, Access::Read)),
        None => Ok(()),
    }
}

/// Notes writes; `new` gives a byte that a lane is about to write, by its place in the access.
#[inline]
pub(crate) fn write<'a>(
    cx: &mut Context<'a>,
    found: &Found<'a>,
    accesses: Accesses,
    new: impl Fn(usize, usize) -> Option<u8>,
) -> Outcome {
    let launch = cx.launch;
    let Some(races) = &launch.races else {
        return Ok(());
    };
    let kind = if accesses.atomic {
        Access::Atomic
    } else {
        Access::Write
    };
    let Accesses {
        all,
        mask,
        total,
        atomic,
    } = accesses;
    for lane in lanes(mask) {
        let (index, allocation) = of_lane(cx, found, lane, &accesses)?;
        let at = (all[lane] - allocation.base) as usize;
        let same =
            || (0..total).all(|byte| new(lane, byte) == Some(allocation.load(at + byte, 1) as u8));
        races
            .write((index, allocation), at, total, cx.linear, atomic, same)
            .map_err(|conflict| trap(cx, lane, allocation.base, conflict, kind))?;
    }
    if atomic {
        races.publish(cx.linear);
    }
    Ok(())
}

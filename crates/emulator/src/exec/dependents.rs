//! Programmatic dependent launches: accesses of global memory before the wait for the launch
//! before.
//!
//! ```text
//!   first    ─────── launch_dependents ─── st [a] ──┐
//!   second             └─ ld [a]: a finding ── wait ┴─ ld [a]: right
//! ```
//!
//! Law: an access of a thread is behind the wait where the thread has waited itself, or where
//! something within its cluster orders it behind a wait of another thread. What another cluster
//! waited for counts for nothing. Source: PTX ISA, "griddepcontrol".

use std::sync::Arc;

use super::global::{Accesses, Found, of_lane};
use super::instruction::{Instruction, LaneStep, Stop};
use super::run::Context;
use super::{Outcome, Trap, lanes};
use crate::fault::{Access, FaultKind};
use crate::frame::WARP;
use crate::ir::{NamedRow, ReleaseDependents, WaitForLaunchBefore};
use crate::memory::allocation::Allocation;
use crate::memory::footprint::Footprint;

/// How a launch stands to the one before it and the one behind it.
#[derive(Debug, Default)]
pub(crate) struct Dependence {
    /// What the launch uses, where one behind it may begin before its end.
    pub own: Option<Footprint>,
    /// What the launch before used, where this one may begin before that one's end.
    pub before: Option<Arc<Footprint>>,
}

/// Who of a cluster has waited for the launch before.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    /// The lanes of each warp that have.
    lanes: Vec<u32>,
    /// A thread of each wait, and up to which time others may know of it.
    times: Vec<(u32, u32)>,
    /// The blocks of the cluster that have let dependents begin, a bit each.
    released: u32,
}

impl Waits {
    /// A fresh cluster of so many warps.
    pub fn start(&mut self, warps: usize) {
        self.lanes.clear();
        self.lanes.resize(warps, 0);
        self.times.clear();
        self.released = 0;
    }
}

/// `griddepcontrol.wait` of the lanes of `mask`.
#[cold]
pub(crate) fn wait(cx: &mut Context, mask: u32) {
    let warp = cx.warp as usize;
    let fresh = mask & !cx.engine.waits.lanes[warp];
    if fresh == 0 {
        return;
    }
    cx.engine.waits.lanes[warp] |= fresh;
    if let Some(shadow) = &mut cx.shadow {
        let time = shadow.clocks.publish(warp, fresh);
        let thread = cx.warp * WARP as u32 + fresh.trailing_zeros();
        cx.engine.waits.times.push((thread, time));
    }
    let rank = cx.warp / cx.launch.warps;
    if let Some(own) = &cx.launch.dependence.own
        && cx.engine.waits.released >> rank & 1 == 0
    {
        own.order();
    }
}

/// `griddepcontrol.launch_dependents`.
pub(crate) fn release(cx: &mut Context) {
    cx.engine.waits.released |= 1 << (cx.warp / cx.launch.warps);
}

/// Whether a lane is behind a wait.
fn has_waited(cx: &Context, lane: usize) -> bool {
    let waits = &cx.engine.waits;
    if waits.lanes[cx.warp as usize] >> lane & 1 == 1 {
        return true;
    }
    let thread = cx.warp * WARP as u32 + lane as u32;
    match &cx.shadow {
        Some(shadow) => {
            let mut times = waits.times.iter();
            times.any(|&(other, time)| shadow.clocks.ordered(thread, other, time))
        }
        // Nobody knows what orders threads: any wait is taken for all of them.
        None => waits.lanes.iter().any(|&lanes| lanes != 0),
    }
}

/// Looks at the accesses of a warp, and notes them.
#[cold]
pub(super) fn accesses<'a>(
    cx: &mut Context<'a>,
    found: &Found<'a>,
    accesses: &Accesses,
    access: Access,
) -> Outcome {
    let (total, base) = (accesses.total, accesses.all[0]);
    if let (Some(allocation), Some(own), None, true) = (
        found.common,
        &cx.launch.dependence.own,
        &cx.launch.dependence.before,
        found.consecutive,
    ) {
        let at = (base - allocation.base) as usize;
        own.note((cx.hint, allocation), at, WARP * total, access);
        return Ok(());
    }
    for lane in lanes(accesses.mask) {
        let place = of_lane(cx, found, lane, accesses)?;
        let at = (accesses.all[lane] - place.1.base) as usize;
        of_one(cx, lane, place, (at, total), access)?;
    }
    Ok(())
}

/// Looks at the access of one lane, and notes it.
#[cold]
pub(crate) fn of_one(
    cx: &mut Context,
    lane: usize,
    place: (usize, &Allocation),
    (at, bytes): (usize, usize),
    access: Access,
) -> Outcome {
    let launch = cx.launch;
    if let Some(own) = &launch.dependence.own {
        own.note(place, at, bytes, access);
    }
    let Some(before) = &launch.dependence.before else {
        return Ok(());
    };
    if has_waited(cx, lane) {
        return Ok(());
    }
    let Some((at, earlier, kernel)) = before.conflict(place.1, at, bytes, access) else {
        return Ok(());
    };
    let what = FaultKind::DependentUnwaited {
        access,
        before: kernel.to_owned(),
        earlier,
    };
    cx.found(Trap::boxed(lane, place.1.base + at as u64, what))
}

impl Instruction for WaitForLaunchBefore {
    fn named_rows(&mut self, _: &mut dyn FnMut(NamedRow)) {}

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        wait(step.cx, step.mask);
        Ok(())
    }
}

impl Instruction for ReleaseDependents {
    fn named_rows(&mut self, _: &mut dyn FnMut(NamedRow)) {}

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        release(step.cx);
        Ok(())
    }
}

//! Programmatic dependent launches: finds accesses of global memory before the wait for the
//! previous launch.
//!
//! ```text
//!   first    ─────── launch_dependents ─── st [a] ──┐
//!   second             └─ ld [a]: a finding ── wait ┴─ ld [a]: right
//! ```
//!
//! Law: an access of a thread comes after the wait if the thread itself has waited, or if something
//! within its cluster orders the access after another thread's wait. Waits in other clusters do not
//! count. Source: PTX ISA, "griddepcontrol".

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

/// How a launch may overlap with the previous launch and with the next one.
#[derive(Debug, Default)]
pub(crate) struct Dependence {
    /// The memory that this launch uses, if the next launch may begin before this one ends.
    pub own: Option<Footprint>,
    /// The memory that the previous launch used, if this launch may begin before the end of the
    /// previous one.
    pub before: Option<Arc<Footprint>>,
}

/// The threads of a cluster that have waited for the previous launch.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    /// The lanes of each warp that have waited.
    lanes: Vec<u32>,
    /// For each wait, one of the threads that waited, and its time at the wait. Another thread is
    /// ordered after the wait if it is ordered after that thread's accesses up to that time.
    times: Vec<(u32, u32)>,
    /// The blocks of the cluster that have permitted dependents to begin, one bit each.
    released: u32,
}

impl Waits {
    /// Resets the state for a cluster of `warps` warps.
    pub fn start(&mut self, warps: usize) {
        self.lanes.clear();
        self.lanes.resize(warps, 0);
        self.times.clear();
        self.released = 0;
    }
}

/// Executes `griddepcontrol.wait` for the lanes of `mask`.
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

/// Executes `griddepcontrol.launch_dependents`.
pub(crate) fn release(cx: &mut Context) {
    cx.engine.waits.released |= 1 << (cx.warp / cx.launch.warps);
}

/// Whether a lane's accesses come after a wait.
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
        // Without a shadow the order of threads is unknown: any wait counts for all threads.
        None => waits.lanes.iter().any(|&lanes| lanes != 0),
    }
}

/// Checks and notes the accesses of a warp.
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

/// Checks and notes the access of one lane.
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

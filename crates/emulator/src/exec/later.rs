//! A read of shared memory that nothing wrote: the block goes on to see who writes it, and the
//! fault says what is missing.
//!
//! ```text
//!   warp 0   ld.shared [x]      nothing there: the finding waits
//!   warp 3   st.shared [x]      of thread 127, with nothing between the two: a barrier is missing
//! ```
//!
//! Law: the finding that waits is the one that is told, at its own place; what is found meanwhile
//! is not, for it may come of what was read. [`Later::Unknown`] where the block cannot go on.

use super::block::{Failure, Progress};
use super::grid::LaunchState;
use super::run::{Context, Site};
use super::shared::Shared;
use super::{Outcome, Trap};
use crate::fault::{Earlier, FaultKind, Later};
use crate::frame::WARP;
use crate::memory::shadow::Shadow;

impl Context<'_> {
    /// The first read of what nothing wrote waits; of what is found while it does only a write of
    /// that place with nothing between ends the block, as its answer.
    #[cold]
    pub(super) fn wait_for_a_write(&mut self, trap: Box<Trap>) -> Outcome {
        let Some(shadow) = &mut self.shadow else {
            return Err(trap);
        };
        let Some((warp, first, site)) = &*self.deferred else {
            shadow.awaited = shadow.objected;
            *self.deferred = Some((self.warp as usize, trap, self.site));
            return Ok(());
        };
        // Report the provenance of an access before the initialisation of its bytes.
        let of_the_place = matches!(trap.what, FaultKind::Provenance { .. });
        if of_the_place && (*warp, *site) == (self.warp as usize, self.site) {
            *self.deferred = None;
            return Err(trap);
        }
        let answers = first.what.waits_for_a_write()
            && is_of_awaited(&trap.what, self.shared, shadow)
            && is_after(&trap.what, self.launch, reader(*warp, first));
        if answers { Err(trap) } else { Ok(()) }
    }
}

/// The thread of a finding.
fn reader(warp: usize, trap: &Trap) -> Option<u32> {
    trap.lane.map(|lane| (warp * WARP + lane) as u32)
}

/// Whether something was to be written that the thread had read, with nothing between.
fn is_after(what: &FaultKind, launch: &LaunchState, reader: Option<u32>) -> bool {
    let reader = reader.map(|thread| launch.thread(thread));
    match what {
        FaultKind::Race {
            earlier: Earlier::Read,
            slot: Some(_),
            ..
        } => true,
        FaultKind::Race {
            earlier: Earlier::Read,
            other,
            ..
        } => Some(*other) == reader,
        _ => false,
    }
}

/// Whether a race is about the awaited byte, or an asynchronous operation's, of which one byte is
/// named, about a slot that has it.
fn is_of_awaited(what: &FaultKind, shared: &Shared, shadow: &Shadow) -> bool {
    match what {
        FaultKind::Race {
            slot: Some(slot), ..
        } => {
            let address = shared.address(shadow.awaited);
            (slot.address..slot.address + slot.bytes as u64).contains(&address)
        }
        _ => shadow.awaits(shadow.objected),
    }
}

/// The read of a place that nothing had written, with who writes it; `result` is how the block
/// ended.
pub(super) fn with_its_writer(
    launch: &LaunchState,
    unit: u64,
    shared: &Shared,
    shadow: Option<&Shadow>,
    (warp, mut trap, site): Failure,
    result: Result<Progress, Failure>,
) -> Failure {
    let reader = reader(warp, &trap);
    let asynchronous = |site: Site, what: Option<&FaultKind>| {
        let slot = match what {
            Some(FaultKind::Race { slot, .. }) => *slot,
            _ => None,
        };
        let operation = launch.asynchronous(site).or_else(|| launch.copies(site))?;
        Some(Later::Asynchronous { operation, slot })
    };
    let (written, found) = match (result, shadow) {
        (Err((writer, answer, at)), Some(shadow))
            if is_of_awaited(&answer.what, shared, shadow)
                && is_after(&answer.what, launch, reader) =>
        {
            let thread = answer.lane.map(|lane| (writer * WARP + lane) as u32);
            let by_thread = thread.map(|thread| Later::Unordered(launch.thread(thread)));
            let found = asynchronous(at, Some(&answer.what)).or(by_thread);
            (launch.packed(at), found)
        }
        (Ok(Progress::Done), Some(shadow)) => match shadow.last_write() {
            None => (0, Some(Later::Nobody)),
            Some((at, thread)) if thread.is_some() && thread == reader => (at, Some(Later::Own)),
            Some((at, thread)) => {
                let copy = launch
                    .unpacked(at)
                    .and_then(|site| asynchronous(site, None));
                let by_thread = thread.map(|thread| Later::Ordered(launch.thread(thread)));
                (at, copy.or(by_thread))
            }
        },
        // It may come of what was read, or be why nothing was written.
        (Err((other, next, at)), Some(_)) if !matches!(next.what, FaultKind::Budget { .. }) => {
            let block = launch.block_of(unit, other as u32 / launch.warps);
            let next = launch.fault(block, other, *next, at);
            (launch.packed(at), Some(Later::Fault(next.sentence())))
        }
        _ => (0, None),
    };
    if let (FaultKind::Uninitialised { later, .. }, Some(found)) = (&mut trap.what, found) {
        trap.earlier = written;
        *later = Some(found);
    }
    (warp, trap, site)
}

//! A read of shared memory that nothing wrote: the block continues to find out who writes the place
//! later, and the fault says what is missing.
//!
//! ```text
//!   warp 0   ld.shared [x]      nothing there: the finding waits
//!   warp 3   st.shared [x]      of thread 127, with nothing between the two: a barrier is missing
//! ```
//!
//! Law: the deferred finding is the one that is reported, at its own place. Findings made meanwhile
//! are not reported, because the read may have caused them. The result is [`Later::Unknown`] if the
//! block cannot continue.

use super::block::{Failure, Progress};
use super::grid::LaunchState;
use super::run::{Context, Site};
use super::shared::Shared;
use super::{Outcome, Trap};
use crate::fault::{Earlier, FaultKind, Later};
use crate::frame::WARP;
use crate::memory::shadow::Shadow;

impl Context<'_> {
    /// Defers the first read of an unwritten place. Of the findings made meanwhile, only one ends
    /// the block: a write of that place that is not ordered after the read. It is the awaited
    /// answer.
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

/// Returns the thread of a finding.
fn reader(warp: usize, trap: &Trap) -> Option<u32> {
    trap.lane.map(|lane| (warp * WARP + lane) as u32)
}

/// Whether a fault is a write of a place that the thread had read, without an order in between.
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

/// Whether a race is about the awaited byte. A race with an asynchronous operation names only one
/// byte; it counts if the operation's slot contains the awaited byte.
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

/// Returns the fault of a thread that read an unwritten place, with the later writer of the place.
/// `result` is how the block ended.
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
        // This fault may be a consequence of the read, or the reason why nothing was written.
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

//! Converts a problem that the shadow found to a fault which names the threads and operations.

use super::super::access::Addresses;
use super::super::global::missing::{self, Race};
use super::super::run::Context;
use super::super::tcgen05::product;
use super::super::{Outcome, Trap, lanes, wgmma};
use super::bytes::Shared;
use crate::fault::{Access, Earlier, FaultKind, Later, Slot, Space};
use crate::frame::WARP;
use crate::memory::shadow::Problem;

impl Context<'_> {
    /// Returns a problem that the shadow found as a fault.
    pub fn shadow_trap(
        &mut self,
        lane: usize,
        address: u64,
        byte: usize,
        problem: Problem,
        access: Access,
    ) -> Box<Trap> {
        let thread = |linear| self.launch.thread(linear);
        // The block is named if it is another one of the cluster.
        let block = |linear: u32| {
            let of = |warp: u32| warp / self.launch.warps;
            let rank = of(linear / WARP as u32);
            (rank != of(self.warp)).then(|| self.launch.peer(self.block, rank))
        };
        let site = match problem {
            Problem::Uninitialised => 0,
            Problem::Race { site, .. }
            | Problem::Pending { site, .. }
            | Problem::BeingRead { site, .. }
            | Problem::Unfenced { site, .. } => site,
        };
        // An access by an asynchronous operation is reported as such, whether it is done already or
        // not.
        let bulk = self
            .launch
            .unpacked(site)
            .and_then(|site| self.launch.asynchronous(site));
        let completed = |other: u32| {
            let shadow = self.shadow.as_ref();
            shadow.is_some_and(|shadow| shadow.column_of(other).is_some())
        };
        let written = || {
            let destination = self.engine.queue.destination(byte)?;
            Some(destination.slot(self.shared))
        };
        let read = || {
            let (id, (at, bytes)) = self.shadow.as_ref()?.run_of(byte)?;
            match self.engine.queue.get(id) {
                Some(operation) => operation.source(self.shared),
                None => Some(slot_of_reading(self.shared, id, (at, bytes))),
            }
        };
        let what = match problem {
            Problem::Uninitialised => FaultKind::Uninitialised {
                space: Space::Shared,
                offset: self.shared.within(byte),
                length: self.shared.len(),
                later: Some(Later::Unknown),
            },
            Problem::Race {
                earlier: Earlier::Wrote,
                other,
                ..
            } if completed(other) => FaultKind::BulkUnwaited {
                access,
                operation: bulk.unwrap_or_default(),
                slot: written(),
            },
            Problem::Pending { .. } if bulk.is_some() => FaultKind::BulkUnwaited {
                access,
                operation: bulk.unwrap_or_default(),
                slot: written(),
            },
            Problem::BeingRead { issuer, .. } => FaultKind::BeingRead {
                space: Space::Shared,
                access,
                operation: bulk.unwrap_or_default(),
                issuer: thread(issuer),
                block: block(issuer),
                slot: read(),
            },
            Problem::Unfenced { other, .. } => FaultKind::Unfenced {
                space: Space::Shared,
                access,
                other: thread(other),
                block: block(other),
                slot: None,
            },
            Problem::Race { earlier, other, .. } => FaultKind::Race {
                access,
                earlier,
                other: thread(other),
                block: block(other),
                slot: None,
                note: self.why_unordered(lane, byte, access, (earlier, other)),
                within_warp: false,
            },
            Problem::Pending { issuer, .. } => FaultKind::AsyncCopyPending {
                access,
                issuer: thread(issuer),
            },
        };
        if let Some(shadow) = &mut self.shadow {
            shadow.objected = byte;
        }
        Box::new(Trap {
            earlier: site,
            lanes: 0,
            lane: Some(lane),
            address: Some(address),
            what,
        })
    }

    /// Returns the reason why a race in shared memory is not ordered, if only one step of the order
    /// is missing.
    fn why_unordered(
        &self,
        lane: usize,
        byte: usize,
        access: Access,
        (earlier, other): (Earlier, u32),
    ) -> Option<String> {
        let shadow = self.shadow.as_ref()?;
        if (access, earlier) == (Access::Atomic, Earlier::Wrote)
            && let Some((old, new)) = shadow.mixed_sizes(byte)
        {
            return Some(missing::mixed_sizes(usize::from(old), usize::from(new)));
        }
        let race = Race {
            unit: self.linear,
            other,
            time: shadow.time_of(byte, earlier, other),
            lane,
        };
        missing::edge(self, &race, Some(shadow.observed()))
    }
}

/// Returns the slot for bytes at an offset that a product or a copy of tensor cores reads; `id` is
/// the number of the product or copy.
pub(crate) fn slot_of_reading(shared: &Shared, id: u64, run: (usize, usize)) -> Slot {
    match product::is_reader(id) {
        true => product::slot(shared, run),
        false => wgmma::slot(shared, run),
    }
}

/// Marks a race between writes if the other thread is a lane of the same instruction.
pub(super) fn name_conflict(
    cx: &Context,
    trap: &mut Trap,
    offsets: &Addresses,
    mask: u32,
    bytes: usize,
) {
    let (
        Some(lane),
        FaultKind::Race {
            other,
            earlier: Earlier::Wrote,
            ..
        },
    ) = (trap.lane, &trap.what)
    else {
        return;
    };
    let of_this_instruction = |&before: &usize| {
        before < lane
            && cx.launch.thread(cx.warp * 32 + before as u32) == *other
            && offsets[before].abs_diff(offsets[lane]) < bytes as u64
    };
    if lanes(mask).any(|before| of_this_instruction(&before)) {
        trap.what = FaultKind::WriteConflict { other: *other };
    }
}

/// Reports a problem that the shadow found as a fault of the operation that uses the slot.
pub(super) fn object_to(
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
    cx.go_on(trap)
}

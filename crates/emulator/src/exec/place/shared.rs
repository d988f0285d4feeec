//! Where an access to shared memory goes: bounds, what it costs, and what the shadow says of it.

use super::super::access::{self, Addresses};
use super::super::run::{Context, Site};
use super::super::{Outcome, Trap, banks, banks::Cost, cluster, lanes, wgmma};
use crate::fault::{Access, Earlier, FaultKind, Space};
use crate::ir::Window;
use crate::memory::shadow::Problem;

/// Offsets in shared memory of all lanes, after the checks of place; counts wavefronts for the
/// instruction that is named.
#[inline(always)]
pub(crate) fn shared(
    cx: &mut Context,
    all: &Addresses,
    mask: u32,
    total: usize,
    counted: Option<(Site, Cost)>,
) -> Outcome<Addresses> {
    let (low, high, bits) = if mask == u32::MAX && access::consecutive(all, total) {
        (all[0], all[31], all[0])
    } else {
        access::extent(all)
    };
    if bits & (total as u64 - 1) != 0
        && let Some(trap) = access::misaligned(all, mask, total, Space::Shared)
    {
        return Err(trap);
    }
    if cx.shared.offset(low, total).is_none() || cx.shared.offset(high, total).is_none() {
        shared_bounds(cx, all, mask, total)?;
    }
    if let Some(counted) = counted {
        count_shared(cx, all, mask, total, counted);
    }
    let bias = cx.shared.bias();
    Ok(all.map(|address| address.wrapping_sub(bias)))
}

/// As [`shared`], of the block's own memory or of any block's of the cluster.
#[inline(always)]
pub(crate) fn shared_in(
    cx: &mut Context,
    window: Window,
    all: &Addresses,
    mask: u32,
    total: usize,
    counted: Option<(Site, Cost)>,
) -> Outcome<Addresses> {
    if window == Window::Cluster && cx.launch.ranks > 1 {
        return cluster::offsets(cx, all, mask, total, counted);
    }
    shared(cx, all, mask, total, counted)
}

/// Counts an access of shared memory.
#[inline(always)]
pub(crate) fn count_shared(
    cx: &mut Context,
    all: &Addresses,
    mask: u32,
    total: usize,
    (site, kind): (Site, Cost),
) {
    if !cx.launch.config.count_memory {
        return;
    }
    let (count, heat) = cx.counters.of_shared(site);
    let (wavefronts, phases) = match banks::row_wavefronts(all, mask, total, kind) {
        Some(cost) if heat.is_none() => cost,
        _ => banks::wavefronts(all, mask, total, kind, heat),
    };
    count.shared_requests += 1;
    count.shared_wavefronts += u64::from(wavefronts);
    count.bank_conflicts += u64::from(wavefronts - phases);
    count.shared_bytes += u64::from(mask.count_ones()) * total as u64;
}

/// The first lane that is out of bounds, as a fault.
pub(crate) fn shared_bounds(cx: &Context, all: &Addresses, mask: u32, total: usize) -> Outcome {
    for lane in lanes(mask) {
        if cx.shared.offset(all[lane], total).is_none() {
            let offset = (all[lane] as i64).wrapping_sub(cx.shared.start() as i64);
            let what = FaultKind::OutOfBounds {
                space: Space::Shared,
                size: total,
                offset,
                length: cx.shared.len(),
            };
            return Trap::access(lane, all[lane], what);
        }
    }
    Ok(())
}

impl Context<'_> {
    /// Tells the shadow of plain reads of all lanes; where it answers false, each lane is to be told of by itself.
    #[inline(always)]
    pub fn shadow_reads(&mut self, offsets: &Addresses, mask: u32, bytes: usize) -> bool {
        let warp = self.warp as usize;
        match &mut self.shadow {
            Some(shadow) => shadow.read_warp(warp, offsets, mask, bytes),
            None => true,
        }
    }

    /// As [`shadow_reads`](Self::shadow_reads), of plain writes.
    #[inline(always)]
    pub fn shadow_writes(&mut self, offsets: &Addresses, mask: u32, bytes: usize) -> bool {
        let warp = self.warp as usize;
        match &mut self.shadow {
            Some(shadow) if !shadow.reading.is_empty() => false,
            Some(shadow) => shadow.write_warp(warp, offsets, mask, bytes),
            None => true,
        }
    }

    /// Tells the shadow of a read at offset `at`; `address` is for the fault.
    #[inline(always)]
    pub fn shadow_read(
        &mut self,
        warp: u32,
        lane: usize,
        address: u64,
        (at, bytes): (usize, usize),
        atomic: bool,
    ) -> Outcome {
        let Some(shadow) = &mut self.shadow else {
            return Ok(());
        };
        match shadow.read(warp * 32 + lane as u32, at, bytes, atomic) {
            Ok(()) => Ok(()),
            Err(objection) => self.read_on(lane, address, (at, bytes), atomic, objection),
        }
    }

    /// What the shadow objects to in a read, place after place.
    #[cold]
    fn read_on(
        &mut self,
        lane: usize,
        address: u64,
        (at, bytes): (usize, usize),
        atomic: bool,
        mut objection: (usize, Problem),
    ) -> Outcome {
        let (thread, end) = (self.warp * 32 + lane as u32, at + bytes);
        let access = if atomic { Access::Atomic } else { Access::Read };
        loop {
            let (byte, problem) = objection;
            let trap = self.shadow_trap(lane, address, byte, problem, access);
            self.found(trap)?;
            let Some(shadow) = &mut self.shadow else {
                return Ok(());
            };
            let from = shadow.read_anyway(thread, byte, atomic);
            if from >= end {
                return Ok(());
            }
            match shadow.read(thread, from, end - from, atomic) {
                Ok(()) => return Ok(()),
                Err(next) => objection = next,
            }
        }
    }

    /// Tells the shadow of a write at offset `at`; `new` gives each byte of it, and `others` the offsets and the lanes of
    /// the instruction's accesses, where two of these may be to one place.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    pub fn shadow_write(
        &mut self,
        warp: u32,
        lane: usize,
        address: u64,
        (at, bytes): (usize, usize),
        atomic: bool,
        others: Option<(&Addresses, u32)>,
        new: impl Fn(usize) -> u8,
    ) -> Outcome {
        let Some(shadow) = &mut self.shadow else {
            return Ok(());
        };
        let memory = &self.shared;
        let same = |from: usize, length: usize| {
            !atomic && (from..from + length).all(|byte| memory.load(byte, 1) as u8 == new(byte))
        };
        match shadow.write(warp * 32 + lane as u32, at, bytes, atomic, same) {
            Ok(()) => Ok(()),
            Err(objection) => {
                let access = if atomic {
                    Access::Atomic
                } else {
                    Access::Write
                };
                self.write_on(lane, address, (at, bytes), access, others, &new, objection)
            }
        }
    }

    /// What the shadow objects to in a write, place after place.
    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn write_on(
        &mut self,
        lane: usize,
        address: u64,
        (at, bytes): (usize, usize),
        access: Access,
        others: Option<(&Addresses, u32)>,
        new: &dyn Fn(usize) -> u8,
        mut objection: (usize, Problem),
    ) -> Outcome {
        let (thread, end) = (self.warp * 32 + lane as u32, at + bytes);
        let atomic = access == Access::Atomic;
        loop {
            let (byte, problem) = objection;
            let mut trap = self.shadow_trap(lane, address, byte, problem, access);
            if let Some((offsets, mask)) = others {
                name_conflict(self, &mut trap, offsets, mask, bytes);
            }
            self.found(trap)?;
            let Some(shadow) = &mut self.shadow else {
                return Ok(());
            };
            let from = shadow.write_anyway(thread, byte, atomic, false);
            if from >= end {
                return Ok(());
            }
            let memory = &self.shared;
            let same = |from: usize, length: usize| {
                !atomic && (from..from + length).all(|byte| memory.load(byte, 1) as u8 == new(byte))
            };
            match shadow.write(thread, from, end - from, atomic, same) {
                Ok(()) => return Ok(()),
                Err(next) => objection = next,
            }
        }
    }

    /// Tells the shadow that a `cp.async` to offset `at` is issued.
    #[inline]
    pub fn shadow_issue(
        &mut self,
        lane: usize,
        address: u64,
        (at, bytes): (usize, usize),
    ) -> Outcome {
        let (thread, end) = (self.warp * 32 + lane as u32, at + bytes);
        let mut from = at;
        while let Some(shadow) = &mut self.shadow
            && let Err((byte, problem)) = shadow.issue(thread, from, end - from)
        {
            let trap = self.shadow_trap(lane, address, byte, problem, Access::Write);
            self.found(trap)?;
            let Some(shadow) = &mut self.shadow else {
                break;
            };
            from = shadow.write_anyway(thread, byte, false, true);
            if from >= end {
                break;
            }
        }
        Ok(())
    }

    /// A problem that the shadow found, as a fault.
    pub fn shadow_trap(
        &self,
        lane: usize,
        address: u64,
        byte: usize,
        problem: Problem,
        access: Access,
    ) -> Box<Trap> {
        let thread = |linear| self.launch.thread(linear);
        let site = match problem {
            Problem::Uninitialised => 0,
            Problem::Race { site, .. }
            | Problem::Pending { site, .. }
            | Problem::BeingRead { site, .. }
            | Problem::Unfenced { site, .. } => site,
        };
        // What an asynchronous operation does is told as such, whether it is done already or not.
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
                None => Some(wgmma::slot(self.shared, (at, bytes))),
            }
        };
        let what = match problem {
            Problem::Uninitialised => FaultKind::Uninitialised {
                space: Space::Shared,
                offset: self.shared.within(byte),
                length: self.shared.len(),
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
                access,
                operation: bulk.unwrap_or_default(),
                issuer: thread(issuer),
                slot: read(),
            },
            Problem::Unfenced { other, .. } => FaultKind::Unfenced {
                access,
                other: thread(other),
                slot: None,
            },
            Problem::Race { earlier, other, .. } => FaultKind::Race {
                access,
                earlier,
                other: thread(other),
                slot: None,
            },
            Problem::Pending { issuer, .. } => FaultKind::AsyncCopyPending {
                access,
                issuer: thread(issuer),
            },
        };
        Box::new(Trap {
            earlier: site,
            lanes: 0,
            lane: Some(lane),
            address: Some(address),
            what,
        })
    }
}

/// If the other thread of a race between writes is a lane of this very instruction, the fault says so.
fn name_conflict(cx: &Context, trap: &mut Trap, offsets: &Addresses, mask: u32, bytes: usize) {
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

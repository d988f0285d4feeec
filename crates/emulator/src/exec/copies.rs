//! `cp.async`: copies from global to shared memory that complete later.
//!
//! ```text
//! cp.async a   cp.async b   commit_group   cp.async c   commit_group   wait_group 1
//!  group 0      group 0                     group 1                     a and b have arrived
//! ```
//!
//! Law: each thread counts its own groups. The bytes are written at once, and the shadow refuses
//! any access to them until the thread that issued the copy has waited for its group.

use std::collections::VecDeque;

use super::access::{self, Addresses};
use super::banks::{self, Cost};
use super::instruction::{Instruction, LaneStep, Stop};
use super::run::{Context, Site};
use super::warp::{Activation, Warp};
use super::{Outcome, Trap, global, lanes, shared};
use crate::fault::{FaultKind, Reached, Space};
use crate::frame::{Frame, WARP};
use crate::ir::{CommitAsync, CopyAsync, NONE, NamedRow, Role, WaitAsync, Window, values};
use crate::profile::{Doing, NarrowAccess};

/// The copies of a warp that have not been waited for.
#[derive(Debug, Default)]
pub(crate) struct AsyncCopies {
    /// The number of groups that each lane has committed.
    committed: [u32; WARP],
    pending: Vec<Pending>,
    /// The groups in flight, for the profile.
    pub flight: Flight,
}

/// Groups of a warp that some lane has committed and that were not waited for. A group without a
/// copy does not count.
#[derive(Debug, Default)]
pub(crate) struct Flight {
    /// Whether there are copies that no group contains yet.
    pub open: bool,
    /// For each group that no wait has reached: whether it has copies.
    groups: VecDeque<bool>,
}

impl Flight {
    fn len(&self) -> u64 {
        self.groups.iter().filter(|copies| **copies).count() as u64
    }

    /// Commits a group (`cp.async.commit_group`). Returns the number of groups in flight
    /// afterwards.
    pub fn commit(&mut self) -> u64 {
        self.groups.push_back(std::mem::take(&mut self.open));
        self.len()
    }

    /// Waits for all but the last `keep` groups (`cp.async.wait_group keep`), or for everything if
    /// `keep` is `NONE` (`wait_all`). Returns the groups in flight before and after.
    pub fn wait(&mut self, keep: u32) -> (u64, u64) {
        if keep == NONE {
            self.commit();
        }
        let before = self.len();
        let keep = if keep == NONE { 0 } else { keep as usize };
        let waited = self.groups.len().saturating_sub(keep);
        self.groups.drain(..waited);
        (before, self.len())
    }
}

#[derive(Debug)]
struct Pending {
    lanes: u32,
    group: [u32; WARP],
    offsets: [u32; WARP],
    bytes: u8,
}

/// Executes `cp.async` for the lanes of `mask`.
pub(crate) fn copy(
    cx: &mut Context,
    warp: &mut Warp,
    frame: &Activation,
    op: &CopyAsync,
    mask: u32,
    site: Site,
) -> Outcome {
    let registers = &frame.registers;
    let bytes = usize::from(op.bytes);
    let to = access::addresses(registers, &op.destination, mask);
    let from = access::addresses(registers, &op.source, mask);
    if cx.counters.has_details() {
        let access = NarrowAccess {
            doing: Doing::Copy,
            all: &from,
            beside: Some(&to),
            mask,
            bytes,
        };
        cx.counters.note_access((cx.linear, cx.warp), site, &access);
    }
    let request = shared::Request {
        window: Window::Shared,
        all: &to,
        mask,
        bytes,
        cost: Cost::Store,
        counted: None,
    };
    let placed = shared::place(cx, request)?;
    let offsets = placed.offsets();
    if cx.launch.config.count_memory {
        count_stores(cx, op, (&from, offsets), mask, site);
    }
    let sizes = sizes(registers, op, mask)?;
    let mut values = [[0u32; 4]; WARP];
    let full = lanes(mask)
        .filter(|&lane| sizes[lane] == bytes)
        .fold(0, |full, lane| full | 1 << lane);
    if full != 0 {
        load_whole(cx, op, (&from, offsets), full, &mut values, site)?;
    }
    load_parts(cx, op, (&from, &sizes), (mask, full), &mut values, site)?;
    placed.issue(cx, &values)?;
    if cx.shadow.is_some() {
        let copies = &mut warp.copies;
        copies.pending.push(Pending {
            lanes: mask,
            group: copies.committed,
            offsets: offsets.map(|offset| offset as u32),
            bytes: op.bytes,
        });
    }
    Ok(())
}

/// Counts the cost of a copy's stores to shared memory.
fn count_stores(
    cx: &mut Context,
    op: &CopyAsync,
    (from, offsets): (&Addresses, &Addresses),
    mask: u32,
    site: Site,
) {
    let bytes = usize::from(op.bytes);
    let (count, heat) = cx.counters.of_shared(site);
    if heat.is_some() {
        banks::wavefronts(offsets, mask, bytes, Cost::Store, heat);
    }
    // A copy that bypasses the first-level cache needs no wavefronts of the load and store unit.
    if !op.bypass {
        let (wavefronts, phases) = banks::copied_wavefronts(from, offsets, mask, bytes);
        count.shared_wavefronts += u64::from(wavefronts);
        count.bank_conflicts += u64::from(wavefronts - phases);
    }
    count.shared_requests += 1;
    count.shared_bytes += u64::from(mask.count_ones()) * bytes as u64;
}

/// Returns the bytes that each lane reads; the copy fills the rest with zeros.
fn sizes(registers: &Frame, op: &CopyAsync, mask: u32) -> Outcome<[usize; WARP]> {
    let bytes = usize::from(op.bytes);
    let mut sizes = [bytes; WARP];
    for lane in lanes(mask) {
        if op.source_size != NONE {
            sizes[lane] = registers.r32[op.source_size as usize][lane] as usize;
            if sizes[lane] > bytes {
                let problem = format!(
                    "the source size {} is more than the {bytes} bytes of the copy",
                    sizes[lane]
                );
                return Trap::lane(lane, FaultKind::Operand(problem));
            }
        }
        if op.ignore != NONE && registers.pred(op.ignore) >> lane & 1 == 1 {
            sizes[lane] = 0;
        }
    }
    Ok(sizes)
}

/// Loads the bytes of the lanes of `full`, which copy all bytes.
fn load_whole(
    cx: &mut Context,
    op: &CopyAsync,
    (from, offsets): (&Addresses, &Addresses),
    full: u32,
    values: &mut [[u32; 4]; WARP],
    site: Site,
) -> Outcome {
    let bytes = usize::from(op.bytes);
    let from = access::relative(from, 0, full);
    // A copy that bypasses the first-level cache fills each piece of shared memory separately.
    let counted = (!op.bypass).then_some((site, Cost::Load));
    if op.bypass && cx.launch.config.count_memory {
        let count = cx.counters.at(site);
        count.global_requests += 1;
        count.global_sectors += u64::from(banks::copied_sectors(&from, offsets, full));
        count.global_bytes += u64::from(full.count_ones()) * bytes as u64;
    }
    let request = global::Request {
        all: &from,
        mask: full,
        bytes,
        space: Space::Global,
        counted,
    };
    let loaded = global::load(cx, &request, None)?;
    for lane in lanes(full) {
        for (word, value) in values[lane][..bytes / 4].iter_mut().enumerate() {
            *value = loaded.element(lane, word, 4) as u32;
        }
    }
    Ok(())
}

/// Loads, lane by lane, the bytes of the lanes of `mask` that are not in `full`: they copy only a
/// part of the bytes.
fn load_parts(
    cx: &mut Context,
    op: &CopyAsync,
    (from, sizes): (&Addresses, &[usize; WARP]),
    (mask, full): (u32, u32),
    values: &mut [[u32; 4]; WARP],
    site: Site,
) -> Outcome {
    let bytes = usize::from(op.bytes);
    let parts = lanes(mask & !full)
        .filter(|&lane| sizes[lane] > 0)
        .fold(0u32, |parts, lane| parts | 1 << lane);
    for lane in lanes(parts) {
        let one = access::relative(from, 0, 1 << lane);
        if let Some(trap) = access::misaligned(&one, 1 << lane, bytes, Space::Global) {
            return Err(trap);
        }
        let loaded = global::load_lane(cx, lane, from[lane], sizes[lane], true)?;
        for byte in 0..sizes[lane] {
            values[lane][byte / 4] |= u32::from(loaded.byte(byte)) << (byte % 4 * 8);
        }
        if cx.launch.config.count_memory {
            let count = cx.counters.at(site);
            // One request for the warp, which is counted here only if no lane copies all bytes.
            count.global_requests +=
                u64::from(full == 0 && lane == parts.trailing_zeros() as usize);
            count.global_sectors += 1;
            count.global_bytes += sizes[lane] as u64;
        }
    }
    Ok(())
}

/// Executes `cp.async.commit_group`.
pub(crate) fn commit(warp: &mut Warp, mask: u32) {
    for lane in lanes(mask) {
        warp.copies.committed[lane] += 1;
    }
}

/// Executes `cp.async.wait_group keep`, or `wait_all` if `keep` is `NONE`.
pub(crate) fn wait(cx: &mut Context, warp: &mut Warp, keep: u32, mask: u32) {
    let Some(shadow) = &mut cx.shadow else { return };
    let AsyncCopies {
        committed, pending, ..
    } = &mut warp.copies;
    for copy in pending.iter_mut() {
        for lane in lanes(copy.lanes & mask) {
            if keep == NONE
                || u64::from(copy.group[lane]) + u64::from(keep) < u64::from(committed[lane])
            {
                shadow.arrive(
                    warp.index * 32 + lane as u32,
                    copy.offsets[lane] as usize,
                    usize::from(copy.bytes),
                );
                copy.lanes &= !(1 << lane);
            }
        }
    }
    pending.retain(|copy| copy.lanes != 0);
}

impl Instruction for CopyAsync {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::Address(&mut self.destination));
        f(NamedRow::Address(&mut self.source));
        values([&mut self.source_size, &mut self.ignore], f);
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Memory)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        let bytes = usize::from(self.bytes);
        let mut suspects = step.suspect(&self.destination, bytes, step.mask);
        // Lanes that copy fewer bytes may have any address for the rest.
        if self.source_size == NONE && self.ignore == NONE {
            suspects = suspects.or_else(|| step.suspect(&self.source, bytes, step.mask));
        }
        step.access(suspects, |step| {
            copy(step.cx, step.warp, step.frame, self, step.mask, step.site)
        })?;
        if step.cx.counters.has_details() {
            step.warp.copies.flight.open = true;
        }
        Ok(())
    }
}

impl Instruction for CommitAsync {
    fn named_rows(&mut self, _: &mut dyn FnMut(NamedRow)) {}

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        commit(step.warp, step.mask);
        if step.cx.counters.has_details() {
            let committed = step.warp.copies.flight.commit();
            step.cx.counters.detail(step.site).committed(committed);
        }
        Ok(())
    }
}

impl Instruction for WaitAsync {
    fn named_rows(&mut self, _: &mut dyn FnMut(NamedRow)) {}

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        wait(step.cx, step.warp, self.keep, step.mask);
        if step.cx.counters.has_details() {
            let waited = step.warp.copies.flight.wait(self.keep);
            step.cx.counters.detail(step.site).waited(waited);
        }
        Ok(())
    }
}

//! What is known about each place of shared memory: who wrote it, who read it, and when.
//!
//! ```text
//! time      1 ......... | bar.sync = 2 ......... | bar.sync = 3 ...
//! thread 5  write x @1  |                        |
//! thread 70             | read x @2: knows all of thread 5 up to time 1, fine
//! ```
//!
//! **The rule.** Two accesses of one byte by different threads, at least one of them a write, must
//! be ordered. What orders them: a barrier in which both threads take part (`bar.sync`, `bar.red`,
//! `barrier`, and from `bar.arrive` to the `bar.sync` that it completes), `bar.warp.sync` for
//! threads of one warp in its mask, what a thread acquires of what another released by atomic or
//! ordered accesses and fences, and every chain of these. Nothing else does: threads of one warp
//! are not ordered by being in one warp, nor by `shfl` or `vote`, which PTX says order no memory.
//! Exempt are two atomic or ordered accesses of the same bytes, and a write of the value that is
//! already there.
//!
//! A `cp.async` writes at some time between its issue and the wait of the thread that issued it:
//! until then nobody may touch its bytes, and after it the wait counts as the write.
//!
//! Of several times at which one warp read a place only the last is kept, so that of several races
//! one may be missed; a right program is never accused.

mod proxy;
mod reductions;
mod strong_reads;
mod warp;

pub(crate) use proxy::Reading;
use reductions::Reduction;
use strong_reads::StrongRead;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use bytemuck::Zeroable;

use super::clocks::Clocks;
use super::observed::{Event, Observations};
use super::releases::{Does, Home, Places};
use super::sources::Sources;
use crate::fault::Earlier;
use crate::frame::WARP;
use crate::ir::Strength;

/// What is wrong with an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// Nothing wrote the byte.
    Uninitialised,
    /// Not ordered with what that thread did at that site; 0 where the site is not known.
    Race {
        earlier: Earlier,
        other: u32,
        site: u32,
    },
    /// A `cp.async` of that thread, issued at that site, has not been waited for.
    Pending { issuer: u32, site: u32 },
    /// An asynchronous operation of that thread reads it, and has not been waited for.
    BeingRead { issuer: u32, site: u32 },
    /// An asynchronous access of what that thread wrote, and no fence between the proxies.
    Unfenced { other: u32, site: u32 },
}

/// The last write of a granule, and when it was last read: what every access looks at lies
/// together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(16))]
struct Write {
    /// 0 for none.
    time: u32,
    /// The thread in the lower half; [`ATOMIC`] and [`PENDING`] above.
    by: u32,
    /// The instruction: of a `cp.async` where it was issued.
    site: u32,
    /// Time of the last read by anyone.
    last_read: u32,
}

/// By an atomic or ordered access.
const ATOMIC: u32 = 1 << 16;
/// By a `cp.async` or a bulk copy that is still on its way; with [`ATOMIC`] by bulk reductions, of
/// which some are on their way or completed at different objects.
const PENDING: u32 = 1 << 17;
/// Of an atomic or ordered access: it reaches its own block alone.
const NARROW: u32 = 1 << 18;
/// The bits from this one on are the bytes of an element of an atomic or ordered access, a power of
/// two; all are 0 where the access counts as of any size.
const BYTES: u32 = 19;

impl Write {
    fn thread(self) -> u32 {
        self.by & 0xffff
    }

    fn atomic(self) -> bool {
        self.by & ATOMIC != 0
    }

    fn narrow(self) -> bool {
        self.by & NARROW != 0
    }

    fn pending(self) -> bool {
        self.by & (PENDING | ATOMIC) == PENDING
    }

    fn is_reduced(self) -> bool {
        self.by & (PENDING | ATOMIC) == PENDING | ATOMIC
    }

    fn bytes(self) -> u8 {
        (self.by >> BYTES) as u8
    }
}

/// The last reads of a granule by one warp.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(16))]
struct Reads {
    time: u32,
    lanes: u32,
    /// The last instruction that read it, and for which lanes.
    site: u32,
    at_site: u32,
}

// SAFETY: a `Write` consists of four `u32`, for which zero bytes are a value.
unsafe impl Zeroable for Write {}
// SAFETY: a `Reads` consists of four `u32`, for which zero bytes are a value.
unsafe impl Zeroable for Reads {}

/// The shadow of a block's shared memory.
#[derive(Debug, Default)]
pub(crate) struct Shadow {
    /// Bytes of a granule: the smallest access of the kernel.
    shift: u32,
    granules: usize,
    warps: usize,
    writes: Vec<Write>,
    /// By warp, then granule.
    reads: Vec<Reads>,
    /// By column, then granule: reads of groups of four warps, `lanes` the thread that issued one.
    of_groups: BTreeMap<usize, Vec<Reads>>,
    /// Asynchronous reads under way.
    pub reading: Vec<Reading>,
    /// Bulk reductions, but for those that every warp knows to be complete.
    reductions: Vec<Reduction>,
    /// Atomic and ordered reads, by granule: those since its last plain write.
    strong_reads: HashMap<usize, Vec<StrongRead>>,
    /// The instruction that executes: its accesses are noted as at this site. Never 0 for one that
    /// is known.
    pub site: u32,
    /// Who is ordered behind whom.
    pub clocks: Clocks,
    /// What atomic and ordered accesses have released.
    places: Places,
    /// Which atomic and ordered writes such reads have observed.
    observed: Observations,
    /// The last plain writes of granules that atomic or ordered ones have written since, where no
    /// barrier of the whole block lies between.
    plain: HashMap<usize, Write>,
    /// The warps of each block of the cluster.
    pub block_warps: u32,
    /// The atomic or ordered access that executes reaches its own block alone.
    pub narrow: bool,
    /// Bytes of its elements; 0 where it counts as of the size of any other.
    pub element: u8,
    /// Global memory that bulk loads read.
    pub sources: Sources,
    /// The byte of the last objection.
    pub objected: usize,
    /// The byte that was read before it was written, where one waits for its writer.
    pub awaited: usize,
}

/// The shadows of blocks that have ended, for those to come: one has tens of megabytes, each page
/// of which the system would hand out anew.
static ENDED: Mutex<Vec<Shadow>> = Mutex::new(Vec::new());
/// Bytes that are kept in them at most.
const KEPT: usize = 256 << 20;

impl Shadow {
    /// One for a block that begins.
    pub fn take() -> Self {
        let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
        ended.pop().unwrap_or_default()
    }

    /// The block has ended.
    pub fn give_back(self) {
        let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
        if ended.iter().map(Shadow::bytes).sum::<usize>() + self.bytes() <= KEPT {
            ended.push(self);
        }
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.writes[..]) + size_of_val(&self.reads[..])
    }

    /// A fresh block with that much memory, accessed in pieces of at least `granule` bytes.
    pub fn reset(&mut self, bytes: usize, granule: u32, warps: usize) {
        let shift = granule.trailing_zeros();
        let granules = bytes.div_ceil(granule as usize);
        // Old entries stay and are told by their times, whatever granule they were of.
        if self.clocks.worn_out() {
            *self = Shadow::default();
        }
        if (self.shift, self.granules, self.warps) != (shift, granules, warps) {
            (self.shift, self.granules, self.warps) = (shift, granules, warps);
            // Zeros are an entry of no time; pages that nobody comes to are never there.
            if self.writes.len() < granules {
                self.writes = bytemuck::zeroed_vec(granules);
            }
            if self.reads.len() < granules * warps {
                self.reads = bytemuck::zeroed_vec(granules * warps);
            }
            self.of_groups.clear();
        }
        self.reading.clear();
        self.reductions.clear();
        self.strong_reads.clear();
        self.places.clear();
        self.observed.clear();
        self.plain.clear();
        self.sources.clear();
        self.clocks.reset(warps);
    }

    /// Bytes that are there before the block begins, as zeros.
    pub fn begin_written(&mut self, at: usize, bytes: usize) {
        let since = self.clocks.since(0);
        for granule in self.range(at, bytes) {
            self.note_write(0, since, granule, true, false);
        }
        self.clocks.meet(&vec![u32::MAX; self.warps], true, &[]);
    }

    #[inline(always)]
    fn range(&self, at: usize, bytes: usize) -> std::ops::Range<usize> {
        at >> self.shift..((at + bytes - 1) >> self.shift) + 1
    }

    /// Whether all of `bytes` bytes at offset `at` were written.
    pub fn is_written(&self, at: usize, bytes: usize) -> bool {
        self.range(at, bytes)
            .all(|granule| self.writes[granule].time > self.clocks.base)
    }

    /// Whether the byte lies in one granule with the awaited one.
    pub fn awaits(&self, byte: usize) -> bool {
        byte >> self.shift == self.awaited >> self.shift
    }

    /// The last write of the awaited byte: its site, and the thread; `None` for a thread that is an
    /// asynchronous operation.
    pub fn last_write(&self) -> Option<(u32, Option<u32>)> {
        let write = self.writes.get(self.awaited >> self.shift)?;
        let by_object = self.column_of(write.thread()).is_some();
        (write.time > self.clocks.base)
            .then(|| (write.site, (!by_object).then_some(write.thread())))
    }

    /// A read of `bytes` bytes at offset `at`. `atomic`: part of an atomic or ordered access.
    #[inline]
    pub fn read(
        &mut self,
        thread: u32,
        at: usize,
        bytes: usize,
        atomic: bool,
    ) -> Result<(), (usize, Problem)> {
        let warp = thread as usize / WARP;
        let (since, bit) = (self.clocks.since(thread), 1u32 << (thread as usize % WARP));
        for granule in self.range(at, bytes) {
            let write = self.writes[granule];
            if write.time <= self.clocks.base {
                return Err((granule << self.shift, Problem::Uninitialised));
            }
            if write.pending() {
                return Err((
                    granule << self.shift,
                    Problem::Pending {
                        issuer: write.thread(),
                        site: write.site,
                    },
                ));
            }
            let other = write.thread();
            if self.is_by_reductions(&write) {
                self.behind_reductions(thread, granule, atomic)?;
            }
            let both_strong = atomic && self.is_strong_too(thread, &write);
            if write.time > self.clocks.of_all[warp]
                && !write.is_reduced()
                && !self.clocks.ordered(thread, other, write.time)
                && !both_strong
                && !self.is_observed(thread, granule, &write)
            {
                let problem = Problem::Race {
                    earlier: Earlier::Wrote,
                    other,
                    site: write.site,
                };
                return Err((granule << self.shift, problem));
            }
            if both_strong {
                self.check_plain(thread, granule)?;
            }
            // Those of atomic and ordered loads are noted by `strong`.
            if !atomic {
                self.note_read(warp, bit, since, granule);
            }
        }
        Ok(())
    }

    /// Whether a write is an atomic or ordered one that an atomic or ordered access of a thread
    /// does not race with: each reaches the other's thread. Source: PTX ISA, "Morally strong
    /// operations".
    fn is_strong_too(&self, thread: u32, write: &Write) -> bool {
        let warps = WARP as u32 * self.block_warps.max(1);
        let by_object = write.thread() as usize / WARP >= self.warps;
        let one_block = by_object || thread / warps == write.thread() / warps;
        write.atomic()
            && (one_block || !(self.narrow || write.narrow()))
            && !self.overlaps_partly(write)
    }

    /// Whether a write is an atomic or ordered one that a read has observed which the thread is
    /// behind.
    #[cold]
    fn is_observed(&self, thread: u32, granule: usize, write: &Write) -> bool {
        let Some(unit) = self.observed.unit().filter(|_| write.atomic()) else {
            return false;
        };
        let is_behind = |read: &Event| self.clocks.ordered(thread, read.thread, read.time);
        let write = (unit, write.thread(), write.time);
        self.observed.is_observed((0, granule), write, is_behind)
    }

    /// Whether the atomic or ordered access that executes is of other bytes than an atomic or
    /// ordered write of a place that it uses. Source: PTX ISA, "Overlap".
    fn overlaps_partly(&self, write: &Write) -> bool {
        let (mine, theirs) = (self.element, write.bytes());
        write.atomic() && mine != theirs && mine != 0 && theirs != 0
    }

    /// Bytes of the last write at an offset and of the atomic or ordered access that executes,
    /// where the two overlap in part.
    pub fn mixed_sizes(&self, at: usize) -> Option<(u8, u8)> {
        let write = self.writes.get(at >> self.shift)?;
        let partly = self.overlaps_partly(write);
        partly.then(|| (write.bytes(), self.element))
    }

    /// The atomic and ordered accesses that were noted.
    pub fn observed(&self) -> &Observations {
        &self.observed
    }

    /// When a thread made the access of a byte that is objected to.
    pub fn time_of(&self, byte: usize, earlier: Earlier, other: u32) -> u32 {
        let granule = byte >> self.shift;
        match earlier {
            Earlier::Wrote => self.writes[granule].time,
            Earlier::Read => self.strong_read_of(granule, other).unwrap_or_else(|| {
                self.reads[other as usize / WARP * self.granules + granule].time
            }),
        }
    }

    /// An atomic or ordered access that finds another one's write must be ordered behind the plain
    /// write that lies below.
    fn check_plain(&self, thread: u32, granule: usize) -> Result<(), (usize, Problem)> {
        let Some(plain) = self.plain.get(&granule) else {
            return Ok(());
        };
        if self.clocks.ordered(thread, plain.thread(), plain.time) {
            return Ok(());
        }
        let problem = Problem::Race {
            earlier: Earlier::Wrote,
            other: plain.thread(),
            site: plain.site,
        };
        Err((granule << self.shift, problem))
    }

    /// An atomic or ordered access by a lane of a warp acquires and releases, once it is noted.
    pub fn strong(
        &mut self,
        (warp, lane): (usize, usize),
        home: Home,
        (at, bytes): (usize, usize),
        (does, strength): (Does, Strength),
    ) {
        let event = Event {
            home,
            thread: (warp * WARP + lane) as u32,
            time: self.clocks.since((warp * WARP + lane) as u32),
            does,
            scope: Some(strength.scope),
            bytes: strength.bytes,
        };
        if does == Does::Read {
            self.note_strong_read(event.thread, self.range(at, bytes), strength);
        }
        let now = match strength.releases && does != Does::Read {
            true => self.clocks.publish(warp, 1 << lane),
            false => 0,
        };
        for granule in self.range(at, bytes) {
            let (place, how) = ((0, granule), (does, strength));
            self.observed.note(place, event);
            let when = (now, self.site);
            self.places
                .access(&mut self.clocks, (warp, lane), home, place, how, when);
        }
    }

    #[inline(always)]
    fn note_read(&mut self, warp: usize, bit: u32, since: u32, granule: usize) {
        let reads = &mut self.reads[warp * self.granules + granule];
        let same_time = reads.time == since;
        let same_site = same_time && reads.site == self.site;
        *reads = Reads {
            time: since,
            lanes: if same_time { reads.lanes } else { 0 } | bit,
            site: self.site,
            at_site: if same_site { reads.at_site } else { 0 } | bit,
        };
        let last = &mut self.writes[granule].last_read;
        *last = (*last).max(since);
    }

    /// Notes a read of the granule at offset `at` that [`read`](Self::read) objected to: the offset
    /// behind it.
    pub fn read_anyway(&mut self, thread: u32, at: usize, atomic: bool) -> usize {
        let granule = at >> self.shift;
        if !atomic {
            let (warp, bit) = (thread as usize / WARP, 1 << (thread as usize % WARP));
            self.note_read(warp, bit, self.clocks.since(thread), granule);
        }
        (granule + 1) << self.shift
    }

    /// Notes a write of the granule at offset `at` that [`write`](Self::write) or, with `pending`,
    /// [`issue`](Self::issue) objected to: the offset behind it.
    pub fn write_anyway(&mut self, thread: u32, at: usize, atomic: bool, pending: bool) -> usize {
        let granule = at >> self.shift;
        let time = self.clocks.since(thread);
        self.note_write(thread, time, granule, atomic, pending);
        (granule + 1) << self.shift
    }

    #[inline(always)]
    fn note_write(&mut self, thread: u32, time: u32, granule: usize, atomic: bool, pending: bool) {
        if !atomic && !self.strong_reads.is_empty() {
            self.strong_reads.remove(&granule);
        }
        let write = &mut self.writes[granule];
        // Reductions that are in flight are not forgotten for an atomic.
        if atomic && !pending && write.is_reduced() {
            return;
        }
        if atomic && !write.atomic() {
            let of_all = self.clocks.of_all[thread as usize / WARP];
            match write.time > of_all.max(self.clocks.base) && !write.pending() {
                true => self.plain.insert(granule, *write),
                false => self.plain.remove(&granule),
            };
        }
        *write = Write {
            time,
            by: thread
                | if atomic { ATOMIC } else { 0 }
                | if atomic && self.narrow { NARROW } else { 0 }
                | if atomic {
                    u32::from(self.element) << BYTES
                } else {
                    0
                }
                | if pending { PENDING } else { 0 },
            site: self.site,
            ..*write
        };
    }

    /// A write of `bytes` bytes at offset `at`; `same` says of a byte offset and length whether the
    /// value is the one already there.
    #[inline]
    pub fn write(
        &mut self,
        thread: u32,
        at: usize,
        bytes: usize,
        atomic: bool,
        same: impl Fn(usize, usize) -> bool,
    ) -> Result<(), (usize, Problem)> {
        let since = self.clocks.since(thread);
        for granule in self.range(at, bytes) {
            self.check_write(thread, granule, atomic, &same)?;
            self.note_write(thread, since, granule, atomic, false);
        }
        Ok(())
    }

    /// A `cp.async` of `bytes` bytes to offset `at` is issued.
    pub fn issue(&mut self, thread: u32, at: usize, bytes: usize) -> Result<(), (usize, Problem)> {
        let since = self.clocks.since(thread);
        for granule in self.range(at, bytes) {
            self.check_write(thread, granule, false, &|_, _| false)?;
            self.note_write(thread, since, granule, false, true);
        }
        Ok(())
    }

    /// The thread that issued a `cp.async` has waited for it.
    pub fn arrive(&mut self, thread: u32, at: usize, bytes: usize) {
        let since = self.clocks.since(thread);
        for granule in self.range(at, bytes) {
            let write = &mut self.writes[granule];
            // Copies to one place by one thread arrive together; the place is no longer on its way.
            if write.pending() && write.thread() == thread {
                *write = Write {
                    time: since,
                    by: write.by & !PENDING,
                    ..*write
                };
            }
        }
    }

    #[inline]
    fn check_write(
        &mut self,
        thread: u32,
        granule: usize,
        atomic: bool,
        same: &impl Fn(usize, usize) -> bool,
    ) -> Result<(), (usize, Problem)> {
        let warp = thread as usize / WARP;
        let write = self.writes[granule];
        let at = granule << self.shift;
        if !self.reading.is_empty()
            && let Some(problem) = self.being_read(at, 1 << self.shift)
        {
            return Err((at, problem));
        }
        if write.time > self.clocks.base {
            if write.pending() {
                return Err((
                    at,
                    Problem::Pending {
                        issuer: write.thread(),
                        site: write.site,
                    },
                ));
            }
            let other = write.thread();
            if self.is_by_reductions(&write) {
                self.behind_reductions(thread, granule, atomic)?;
            }
            let both_strong = atomic && self.is_strong_too(thread, &write);
            let ordered = write.time <= self.clocks.of_all[warp]
                || write.is_reduced()
                || self.clocks.ordered(thread, other, write.time)
                || both_strong
                || self.is_observed(thread, granule, &write);
            if both_strong {
                self.check_plain(thread, granule)?;
            }
            if !ordered && !same(at, 1 << self.shift) {
                let problem = Problem::Race {
                    earlier: Earlier::Wrote,
                    other,
                    site: write.site,
                };
                // Of a conflict within the warp and one with another warp the latter is told.
                let with_reader = || self.check_readers(thread, granule, same, true);
                if other as usize / WARP == warp {
                    with_reader()?;
                }
                return Err((at, problem));
            }
        }
        if write.last_read <= self.clocks.of_all[warp] {
            return Ok(());
        }
        self.check_readers(thread, granule, same, true)?;
        self.check_readers(thread, granule, same, false)?;
        if !self.strong_reads.is_empty() {
            self.check_strong_readers(thread, granule, atomic, same)?;
        }
        self.check_groups(thread, granule)
    }

    /// Whether a write is ordered behind the reads of the granule: those of other warps, or those
    /// of its own.
    fn check_readers(
        &self,
        thread: u32,
        granule: usize,
        same: &impl Fn(usize, usize) -> bool,
        of_others: bool,
    ) -> Result<(), (usize, Problem)> {
        let (warp, at) = (thread as usize / WARP, granule << self.shift);
        for reader in (0..self.warps).filter(|&reader| (reader != warp) == of_others) {
            let Reads {
                time,
                lanes,
                site,
                at_site,
            } = self.reads[reader * self.granules + granule];
            if time <= self.clocks.of_all[warp] {
                continue;
            }
            if reader != warp && self.clocks.of_warps[warp * self.warps + reader] >= time {
                continue;
            }
            // Those of the last instruction first: where the others read is not known any more.
            let parts = [(lanes & at_site, site), (lanes & !at_site, 0)];
            for (lane, site) in parts.into_iter().flat_map(|(part, site)| {
                let lanes = (0..WARP as u32).filter(move |lane| part >> lane & 1 == 1);
                lanes.map(move |lane| (lane, site))
            }) {
                let other = reader as u32 * WARP as u32 + lane;
                if !self.clocks.ordered(thread, other, time) && !same(at, 1 << self.shift) {
                    let problem = Problem::Race {
                        earlier: Earlier::Read,
                        other,
                        site,
                    };
                    return Err((at, problem));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

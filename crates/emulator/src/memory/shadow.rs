//! Records for each place of shared memory who wrote it, who read it, and when.
//!
//! ```text
//! time      1 ......... | bar.sync = 2 ......... | bar.sync = 3 ...
//! thread 5  write x @1  |                        |
//! thread 70             | read x @2: knows all of thread 5 up to time 1, fine
//! ```
//!
//! **The rule.** Two accesses of one byte by different threads, at least one of them a write, must
//! be ordered. They are ordered by a barrier in which both threads take part (`bar.sync`,
//! `bar.red`, `barrier`, and from `bar.arrive` to the `bar.sync` that it completes), by
//! `bar.warp.sync` for threads of one warp in its mask, by atomic or ordered accesses and fences if
//! one thread releases and the other acquires, and by every chain of these. Nothing else orders
//! them: threads of one warp are not ordered by being in one warp, nor by `shfl` or `vote`, which
//! PTX says order no memory. Two kinds are exempt: two atomic or ordered accesses of the same
//! bytes, and a write of the value that is already there.
//!
//! A `cp.async` writes at some time between its issue and the wait of the thread that issued it.
//! Until then no thread may access its bytes; afterwards the wait counts as the write.
//!
//! If one warp read a place at several times, only the last time is kept, so that one of several
//! races may be missed. A correct program is never accused.

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

/// The problem of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// No thread wrote the byte.
    Uninitialised,
    /// The access is not ordered with the other thread's access at that site; 0 if the site is not
    /// known.
    Race {
        earlier: Earlier,
        other: u32,
        site: u32,
    },
    /// The access uses bytes of a `cp.async` that thread `issuer` issued at `site` and has not
    /// waited for.
    Pending { issuer: u32, site: u32 },
    /// The access writes bytes that an asynchronous operation of that thread reads and that was not
    /// waited for.
    BeingRead { issuer: u32, site: u32 },
    /// The access is asynchronous and uses what that thread wrote, without a fence between the
    /// proxies.
    Unfenced { other: u32, site: u32 },
}

/// The last write of a granule, and when the granule was last read: the data that every access
/// needs, in one place.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(16))]
struct Write {
    /// The time of the write, or 0 if there was none.
    time: u32,
    /// The thread in the lower half; [`ATOMIC`] and [`PENDING`] above.
    by: u32,
    /// The instruction that wrote; for a `cp.async`, the one that issued it.
    site: u32,
    /// The time of the last read by any thread.
    last_read: u32,
}

/// The write was by an atomic or ordered access.
const ATOMIC: u32 = 1 << 16;
/// By a `cp.async` or a bulk copy that is still on its way; with [`ATOMIC`] by bulk reductions, of
/// which some are on their way or completed at different objects.
const PENDING: u32 = 1 << 17;
/// An atomic or ordered access whose scope is only its own block.
const NARROW: u32 = 1 << 18;
/// The bits from this one on are the bytes of an element of an atomic or ordered access, a power of
/// two. All of them are 0 if the access matches accesses of any size.
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
    /// The last instruction that read the granule; `at_site` are the lanes that it read for.
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
    /// The binary logarithm of the bytes of a granule, the size of the kernel's smallest access.
    shift: u32,
    granules: usize,
    warps: usize,
    writes: Vec<Write>,
    /// The reads of each warp, by warp, then by granule.
    reads: Vec<Reads>,
    /// The reads of groups of four warps, by the group's column, then by granule; `lanes` is the
    /// thread that issued one of them.
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
    /// Which threads are ordered after which others.
    pub clocks: Clocks,
    /// The releases by atomic and ordered accesses.
    places: Places,
    /// Which atomic and ordered writes have been observed by atomic or ordered reads.
    observed: Observations,
    /// The last plain write of each granule that an atomic or ordered access has written since, if
    /// no barrier of the whole block came in between.
    plain: HashMap<usize, Write>,
    /// The number of warps in each block of the cluster.
    pub block_warps: u32,
    /// Whether the scope of the atomic or ordered access that executes is only its own block.
    pub narrow: bool,
    /// The bytes of an element of that access, or 0 if it matches accesses of any size.
    pub element: u8,
    /// Global memory that bulk loads read.
    pub sources: Sources,
    /// The byte of the last problem.
    pub objected: usize,
    /// The byte that was read before it was written, if a thread waits for its writer.
    pub awaited: usize,
}

/// The shadows of blocks that have ended, for later blocks. A shadow has tens of megabytes; with a
/// new one the system would have to provide each page again.
static ENDED: Mutex<Vec<Shadow>> = Mutex::new(Vec::new());
/// The most bytes that are kept in [`ENDED`].
const KEPT: usize = 256 << 20;

impl Shadow {
    /// Returns a shadow for a block that begins.
    pub fn take() -> Self {
        let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
        ended.pop().unwrap_or_default()
    }

    /// Ends the block and keeps its shadow for later blocks, if the limit allows it.
    pub fn give_back(self) {
        let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
        if ended.iter().map(Shadow::bytes).sum::<usize>() + self.bytes() <= KEPT {
            ended.push(self);
        }
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.writes[..]) + size_of_val(&self.reads[..])
    }

    /// Begins a block with `bytes` bytes of memory, accessed in pieces of at least `granule` bytes.
    pub fn reset(&mut self, bytes: usize, granule: u32, warps: usize) {
        let shift = granule.trailing_zeros();
        let granules = bytes.div_ceil(granule as usize);
        // Old entries stay; their times distinguish them, whatever the granule was.
        if self.clocks.worn_out() {
            *self = Shadow::default();
        }
        if (self.shift, self.granules, self.warps) != (shift, granules, warps) {
            (self.shift, self.granules, self.warps) = (shift, granules, warps);
            // Zeros are an entry without a time; the system never allocates pages that are not
            // accessed.
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

    /// Marks bytes as written before the block begins; they are zeros.
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

    /// Returns the site and the thread of the awaited byte's last write. The thread is `None` if an
    /// asynchronous operation wrote it.
    pub fn last_write(&self) -> Option<(u32, Option<u32>)> {
        let write = self.writes.get(self.awaited >> self.shift)?;
        let by_object = self.column_of(write.thread()).is_some();
        (write.time > self.clocks.base)
            .then(|| (write.site, (!by_object).then_some(write.thread())))
    }

    /// Checks and notes a read of `bytes` bytes at offset `at`. `atomic` means that the read is
    /// part of an atomic or ordered access. Returns the byte and the problem if there is one.
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
            // `strong` notes the reads of atomic and ordered loads.
            if !atomic {
                self.note_read(warp, bit, since, granule);
            }
        }
        Ok(())
    }

    /// Whether a write is atomic or ordered and does not race with an atomic or ordered access of a
    /// thread: the scope of each includes the other's thread. Source: PTX ISA, "Morally strong
    /// operations".
    fn is_strong_too(&self, thread: u32, write: &Write) -> bool {
        let warps = WARP as u32 * self.block_warps.max(1);
        let by_object = write.thread() as usize / WARP >= self.warps;
        let one_block = by_object || thread / warps == write.thread() / warps;
        write.atomic()
            && (one_block || !(self.narrow || write.narrow()))
            && !self.overlaps_partly(write)
    }

    /// Whether a write is atomic or ordered and some read has observed it that the thread is
    /// ordered after.
    #[cold]
    fn is_observed(&self, thread: u32, granule: usize, write: &Write) -> bool {
        let Some(unit) = self.observed.unit().filter(|_| write.atomic()) else {
            return false;
        };
        let is_behind = |read: &Event| self.clocks.ordered(thread, read.thread, read.time);
        let write = (unit, write.thread(), write.time);
        self.observed.is_observed((0, granule), write, is_behind)
    }

    /// Whether the atomic or ordered access that executes has another size than an atomic or
    /// ordered write of the same place. Source: PTX ISA, "Overlap".
    fn overlaps_partly(&self, write: &Write) -> bool {
        let (mine, theirs) = (self.element, write.bytes());
        write.atomic() && mine != theirs && mine != 0 && theirs != 0
    }

    /// Returns the sizes of the last write at an offset and of the atomic or ordered access that
    /// executes, if the two overlap only partly.
    pub fn mixed_sizes(&self, at: usize) -> Option<(u8, u8)> {
        let write = self.writes.get(at >> self.shift)?;
        let partly = self.overlaps_partly(write);
        partly.then(|| (write.bytes(), self.element))
    }

    /// Returns the atomic and ordered accesses that were noted.
    pub fn observed(&self) -> &Observations {
        &self.observed
    }

    /// Returns the time at which a thread made the access to a byte that a problem names.
    pub fn time_of(&self, byte: usize, earlier: Earlier, other: u32) -> u32 {
        let granule = byte >> self.shift;
        match earlier {
            Earlier::Wrote => self.writes[granule].time,
            Earlier::Read => self.strong_read_of(granule, other).unwrap_or_else(|| {
                self.reads[other as usize / WARP * self.granules + granule].time
            }),
        }
    }

    /// Checks that an atomic or ordered access which finds another such write is ordered after the
    /// last plain write before it.
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

    /// Performs the acquire and the release of an atomic or ordered access by a lane, after the
    /// access is noted.
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

    /// Notes a read of the granule at offset `at` for which [`read`](Self::read) found a problem.
    /// Returns the offset after the granule.
    pub fn read_anyway(&mut self, thread: u32, at: usize, atomic: bool) -> usize {
        let granule = at >> self.shift;
        if !atomic {
            let (warp, bit) = (thread as usize / WARP, 1 << (thread as usize % WARP));
            self.note_read(warp, bit, self.clocks.since(thread), granule);
        }
        (granule + 1) << self.shift
    }

    /// Notes a write of the granule at offset `at` for which [`write`](Self::write) or, with
    /// `pending`, [`issue`](Self::issue) found a problem. Returns the offset after the granule.
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

    /// Checks and notes a write of `bytes` bytes at offset `at`. `same` returns, for a byte offset
    /// and a length, whether the value is the one already there.
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

    /// Checks and notes that a `cp.async` of `bytes` bytes to offset `at` is issued.
    pub fn issue(&mut self, thread: u32, at: usize, bytes: usize) -> Result<(), (usize, Problem)> {
        let since = self.clocks.since(thread);
        for granule in self.range(at, bytes) {
            self.check_write(thread, granule, false, &|_, _| false)?;
            self.note_write(thread, since, granule, false, true);
        }
        Ok(())
    }

    /// Notes that the thread that issued a `cp.async` has waited for it.
    pub fn arrive(&mut self, thread: u32, at: usize, bytes: usize) {
        let since = self.clocks.since(thread);
        for granule in self.range(at, bytes) {
            let write = &mut self.writes[granule];
            // Copies to one place by one thread arrive together; the place is then no longer
            // pending.
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
                // If there is a conflict within the warp and one with another warp, the latter is
                // reported.
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

    /// Checks that a write is ordered after the reads of the granule: those by other warps with
    /// `of_others`, and those by its own warp otherwise.
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
            // Reads by the last instruction come first: the sites of the other reads are not known
            // any more.
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

//! Asynchronous accesses of shared memory: bulk copies and `wgmma`.
//!
//! ```text
//! issue ──► bytes pending ──► complete at an object: written by the object, at that time ──► a wait learns the time
//! reading ──► nobody may write ──► waited for: read by the thread that waited, then; of a `wgmma`, by its group
//! ```
//!
//! Law: an asynchronous write counts as a write by its mbarrier object, which is treated as a
//! thread: accesses are ordered after the write if their thread waited for the phase. An
//! asynchronous read is in flight until a thread that issued it has waited, and then counts as that
//! thread's read. A read by a `wgmma` counts as a read by its group, which is treated as a thread:
//! each warp that waited is ordered after it. Asynchronous accesses have to be ordered after
//! earlier accesses as their issuer is, and after writes of the generic proxy also by a
//! `fence.proxy.async`. Source: PTX ISA, "Async proxy", "Proxy".

use super::{Problem, Reads, Shadow, Write};
use crate::fault::Earlier;
use crate::frame::WARP;
use crate::swizzles::{SmemSwizzle, Swizzles};
use std::ops::Range;

/// An asynchronous read that no thread has waited for.
#[derive(Debug)]
pub(crate) struct Reading {
    /// Identifier by which the read's completion removes it.
    pub id: u64,
    pub issuer: u32,
    pub site: u32,
    /// The offset and length of each run in bytes. `extent` is the range of all runs.
    pub runs: Vec<(usize, usize)>,
    pub extent: (usize, usize),
}

impl Reading {
    pub fn new(id: u64, issuer: u32, site: u32, runs: Vec<(usize, usize)>) -> Self {
        let start = runs.iter().map(|run| run.0).min().unwrap_or(0);
        let end = runs.iter().map(|run| run.0 + run.1).max().unwrap_or(0);
        Reading {
            id,
            issuer,
            site,
            runs,
            extent: (start, end),
        }
    }

    fn meets(&self, at: usize, end: usize) -> bool {
        self.extent.0 < end
            && at < self.extent.1
            && self
                .runs
                .iter()
                .any(|run| run.0 < end && at < run.0 + run.1)
    }
}

impl Shadow {
    /// Returns the problem if an asynchronous read of these bytes is in flight.
    pub(super) fn being_read(&self, at: usize, bytes: usize) -> Option<Problem> {
        let found = self.reading.iter().find(|r| r.meets(at, at + bytes))?;
        Some(Problem::BeingRead {
            issuer: found.issuer,
            site: found.site,
        })
    }

    /// Whether a write to a granule is fenced for a thread, if it is through the generic proxy.
    pub(super) fn fenced(
        &self,
        thread: u32,
        granule: usize,
        write: &Write,
    ) -> Result<(), (usize, Problem)> {
        let (warp, other) = (thread as usize / WARP, write.thread());
        let asynchronous = write.is_reduced() || other as usize / WARP >= self.warps;
        if write.time <= self.clocks.base
            || asynchronous
            || self
                .clocks
                .objects
                .is_fenced(warp, other as usize, write.time)
        {
            return Ok(());
        }
        let problem = Problem::Unfenced {
            other,
            site: write.site,
        };
        Err((granule << self.shift, problem))
    }

    /// Checks and notes that a thread issues an asynchronous write.
    pub fn issue_write(
        &mut self,
        thread: u32,
        at: usize,
        bytes: usize,
    ) -> Result<(), (usize, Problem)> {
        let since = self.clocks.since(thread);
        // `is_free` decides the same for all granules at once: a TMA copy has thousands of
        // granules.
        let free = self.is_free(thread, self.range(at, bytes));
        for granule in self.range(at, bytes) {
            if !free {
                self.check_write(thread, granule, false, &|_, _| false)?;
                self.fenced(thread, granule, &self.writes[granule])?;
            }
            self.note_write(thread, since, granule, false, true);
        }
        Ok(())
    }

    /// Whether an asynchronous write of these granules by `thread` is ordered after all earlier
    /// accesses. `false` proves nothing: then the checks of each granule decide.
    fn is_free(&self, thread: u32, granules: Range<usize>) -> bool {
        let (warp, base) = (thread as usize / WARP, self.clocks.base);
        let of_all = self.clocks.of_all[warp];
        let (at, bytes) = (granules.start << self.shift, granules.len() << self.shift);
        if self.being_read(at, bytes).is_some() {
            return false;
        }
        // Neighbouring granules were usually written together.
        let (mut ordered, mut last_read) = ((0, 0), 0);
        for (write, granule) in self.writes[granules.clone()].iter().zip(granules.clone()) {
            last_read = last_read.max(write.last_read);
            if write.time <= base || ordered == (write.time, write.by) {
                continue;
            }
            if write.pending()
                || self.is_by_reductions(write)
                || !self.clocks.ordered(thread, write.thread(), write.time)
                || self.fenced(thread, granule, write).is_err()
            {
                return false;
            }
            ordered = (write.time, write.by);
        }
        if last_read <= of_all {
            return true;
        }
        let is_strong = |granule: usize| self.strong_reads.contains_key(&granule);
        if !self.strong_reads.is_empty() && granules.clone().any(is_strong) {
            return false;
        }
        let behind = |reads: &[Reads], known: u32| {
            let mut reads = reads[granules.clone()].iter();
            reads.all(|read| read.time <= known)
        };
        self.reads
            .chunks_exact(self.granules)
            .take(self.warps)
            .enumerate()
            .all(|(reader, reads)| {
                let known = if reader == warp {
                    0
                } else {
                    self.clocks.of_warps[warp * self.warps + reader]
                };
                behind(reads, known.max(of_all))
            })
            && self.of_groups.iter().all(|(&column, reads)| {
                behind(reads, self.clocks.objects.known(warp, column).max(base))
            })
    }

    /// Notes that the bytes of an asynchronous write by `issuer` have arrived, at `time`, at an
    /// object with column `column`. `swizzle` is noted in place of the lane, which an object does
    /// not have: so it is less than [`WARP`]; 0 means that it is unknown.
    pub fn complete_write(
        &mut self,
        issuer: u32,
        (at, bytes): (usize, usize),
        swizzle: u32,
        column: usize,
        time: u32,
    ) {
        self.clocks.asynchronous = true;
        let by = ((self.warps + column) * WARP) as u32 + swizzle;
        for granule in self.range(at, bytes) {
            let write = &mut self.writes[granule];
            if write.pending() && write.thread() == issuer {
                (write.time, write.by) = (time, by);
            }
        }
    }

    /// Checks that a thread may issue an asynchronous read; the bytes have to be initialised.
    pub fn issue_read(
        &mut self,
        thread: u32,
        at: usize,
        bytes: usize,
    ) -> Result<(), (usize, Problem)> {
        for granule in self.range(at, bytes) {
            let write = self.writes[granule];
            let place = granule << self.shift;
            let other = write.thread();
            if write.time <= self.clocks.base {
                return Err((place, Problem::Uninitialised));
            }
            if write.pending() {
                let (issuer, site) = (other, write.site);
                return Err((place, Problem::Pending { issuer, site }));
            }
            if self.is_by_reductions(&write) {
                self.behind_reductions(thread, granule, false)?;
            }
            if !write.is_reduced() && !self.clocks.ordered(thread, other, write.time) {
                let problem = Problem::Race {
                    earlier: Earlier::Wrote,
                    other,
                    site: write.site,
                };
                return Err((place, problem));
            }
            self.fenced(thread, granule, &write)?;
        }
        Ok(())
    }

    /// Returns the swizzle and the instruction of an asynchronous write of these bytes that is
    /// known to have used another swizzle.
    pub fn other_swizzle(&self, at: usize, bytes: usize, swizzle: u32) -> Option<(u32, u32)> {
        let writes = &self.writes[self.range(at, bytes)];
        writes.iter().find_map(|write| {
            let thread = write.thread();
            let known = write.time > self.clocks.base && self.column_of(thread).is_some();
            let found = thread % WARP as u32;
            (known && !write.pending() && found != 0 && found != swizzle)
                .then_some((found, write.site))
        })
    }

    /// Whether these bytes were written through the swizzle with that number, or through an unknown
    /// one.
    #[inline(always)]
    pub fn written_alike(&self, swizzles: &Swizzles, own: u8, (at, bytes): (usize, usize)) -> bool {
        let writes = &self.writes[self.range(at, bytes)];
        let mut last = (0, true);
        writes.iter().all(|write| {
            if last.0 != write.site {
                let number = swizzles.number(write.site);
                let neutral = number == 0 && self.tensor_map_bytes(write).is_none();
                last = (write.site, neutral || number == own);
            }
            last.1
        })
    }

    /// Returns the bytes of the swizzle of the tensor map through which a granule was written, or 0
    /// if the map has no swizzle. Returns `None` if it is unknown.
    fn tensor_map_bytes(&self, write: &Write) -> Option<u32> {
        if !self.clocks.asynchronous || write.pending() {
            return None;
        }
        self.column_of(write.thread())?;
        match write.thread() % WARP as u32 {
            0 => None,
            1 => Some(0),
            mark => Some(8 << mark),
        }
    }

    /// Returns the instruction that wrote a byte, the thread if a thread wrote it, and the swizzle
    /// of the write if it is known.
    pub fn written_through(
        &self,
        swizzles: &Swizzles,
        at: usize,
    ) -> (u32, Option<u32>, Option<SmemSwizzle>) {
        let write = &self.writes[at >> self.shift];
        let by_object = self.column_of(write.thread()).is_some();
        let swizzle = match self.tensor_map_bytes(write) {
            Some(bytes) => Some(SmemSwizzle::of_tensor_map(bytes)),
            None => swizzles.get(swizzles.number(write.site)),
        };
        let thread = (!by_object).then_some(write.thread());
        (write.site, thread, swizzle)
    }

    /// Begins an asynchronous read.
    pub fn begin_reading(&mut self, reading: Reading) {
        self.reading.push(reading);
    }

    /// Notes that a thread has waited for an asynchronous read, which counts as the thread's own
    /// read at this time. With `last`, all threads that issued the read have waited.
    pub fn end_reading(&mut self, id: u64, thread: u32, last: bool) {
        let Some(i) = self.reading.iter().position(|reading| reading.id == id) else {
            return;
        };
        let runs = std::mem::take(&mut self.reading[i].runs);
        let (warp, bit) = (thread as usize / WARP, 1 << (thread as usize % WARP));
        let (since, site) = (self.clocks.since(thread), self.site);
        self.site = self.reading[i].site;
        for &(at, bytes) in &runs {
            for granule in self.range(at, bytes) {
                self.note_read(warp, bit, since, granule);
            }
        }
        self.site = site;
        if last {
            self.reading.swap_remove(i);
        } else {
            self.reading[i].runs = runs;
        }
    }

    /// Notes that a warp has waited for a read by a `wgmma`. The read counts as made at `time` by
    /// its group, which has column `column`.
    pub fn end_group_reading(&mut self, id: u64, column: usize, time: u32) {
        let Some(i) = self.reading.iter().position(|reading| reading.id == id) else {
            return;
        };
        let Reading {
            issuer, site, runs, ..
        } = self.reading.swap_remove(i);
        self.clocks.asynchronous = true;
        let mut reads = std::mem::take(self.of_groups.entry(column).or_default());
        if reads.len() < self.granules {
            reads = bytemuck::zeroed_vec(self.granules);
        }
        for (at, bytes) in runs {
            for granule in self.range(at, bytes) {
                reads[granule] = Reads {
                    time,
                    lanes: issuer,
                    site,
                    at_site: 0,
                };
                self.writes[granule].last_read = self.writes[granule].last_read.max(time);
            }
        }
        self.of_groups.insert(column, reads);
    }

    /// Checks that a write is ordered after the reads of the granule by `wgmma`. For a warp that
    /// has not waited, these reads are still in flight.
    pub(super) fn check_groups(&self, thread: u32, granule: usize) -> Result<(), (usize, Problem)> {
        let warp = thread as usize / WARP;
        for (&column, reads) in &self.of_groups {
            let read = reads[granule];
            if read.time > self.clocks.base && self.clocks.objects.known(warp, column) < read.time {
                let (issuer, site) = (read.lanes, read.site);
                return Err((granule << self.shift, Problem::BeingRead { issuer, site }));
            }
        }
        Ok(())
    }

    /// Returns the asynchronous read of a byte that is in flight, and the run of bytes that
    /// contains the byte.
    pub fn run_of(&self, byte: usize) -> Option<(u64, (usize, usize))> {
        self.reading.iter().find_map(|reading| {
            let mut runs = reading.runs.iter();
            let run = runs.find(|&&(at, bytes)| (at..at + bytes).contains(&byte))?;
            Some((reading.id, *run))
        })
    }

    /// Returns a read in flight of bytes in a range.
    pub fn reading_of(&self, range: Range<usize>) -> Option<&Reading> {
        let mut readings = self.reading.iter();
        readings.find(|reading| reading.meets(range.start, range.end))
    }

    /// Returns the least offset in a range at which an asynchronous write arrived without any warp
    /// of `warps` having waited for its completion.
    pub fn unwaited(&self, range: Range<usize>, warps: Range<usize>) -> Option<usize> {
        if !self.clocks.asynchronous {
            return None;
        }
        let mut last = (0, 0);
        let granules = self.range(range.start, range.len());
        self.writes[granules.clone()]
            .iter()
            .zip(granules)
            .find(|(write, _)| {
                let column = self.column_of(write.thread());
                let Some(column) = column.filter(|_| write.time > self.clocks.base) else {
                    return false;
                };
                let now = (column, write.time);
                if write.pending() || std::mem::replace(&mut last, now) == now {
                    return false;
                }
                let mut known = warps.clone().map(|w| self.clocks.objects.known(w, column));
                known.all(|known| known < write.time)
            })
            .map(|(_, granule)| granule << self.shift)
    }

    /// Returns the column of the object that a problem names as a thread, or `None` if it is a real
    /// thread.
    pub fn column_of(&self, thread: u32) -> Option<usize> {
        (thread as usize / WARP).checked_sub(self.warps)
    }
}

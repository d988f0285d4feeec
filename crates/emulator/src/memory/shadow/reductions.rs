//! Bulk reductions of shared memory. Several of them may change one place at the same time.
//!
//! ```text
//! block 0   reduction of tile ──┐ in flight: nobody else reads or writes the tile
//! block 1   reduction of tile ──┴─► both complete at objects ─► a wait for these ─► the tile is read
//! ```
//!
//! Law: a reduction is a strong access with the scope of the device, of elements of any size. It
//! does not race with other reductions, nor with atomic or ordered accesses that reach its block.
//! It races with every other access unless the two are ordered, as for an asynchronous write. A
//! wait for the object at which the reduction completes orders a later access. The order of threads
//! and a fence between the proxies order an earlier access. A reduction reads the bytes that it
//! changes, so these have to be initialised. Source: PTX ISA, "cp.reduce.async.bulk", "Morally
//! strong operations".

use super::{Problem, Shadow, Write};
use crate::fault::Earlier;
use crate::frame::WARP;
use std::ops::Range;

/// A reduction that some warp may not know to be complete.
#[derive(Debug)]
pub(super) struct Reduction {
    id: u64,
    issuer: u32,
    site: u32,
    /// Offsets in shared memory.
    bytes: Range<usize>,
    /// The column of the object at which the reduction completed, and the time.
    done: Option<(usize, u32)>,
}

impl Reduction {
    fn meets(&self, bytes: &Range<usize>) -> bool {
        self.bytes.start < bytes.end && bytes.start < self.bytes.end
    }
}

impl Shadow {
    /// Keeps a reduction that a thread issues. [`issue_reduction`](Self::issue_reduction) checks
    /// the reduction's bytes.
    pub fn begin_reduction(&mut self, id: u64, issuer: u32, (at, bytes): (usize, usize)) {
        let objects = &self.clocks.objects;
        let warps = self.warps;
        self.reductions.retain(|reduction| {
            let known = |(column, time): (usize, u32)| {
                (0..warps).all(|warp| objects.known(warp, column) >= time)
            };
            !reduction.done.is_some_and(known)
        });
        self.reductions.push(Reduction {
            id,
            issuer,
            site: self.site,
            bytes: at..at + bytes,
            done: None,
        });
    }

    /// Checks the places of a reduction that a thread issues, and notes them.
    pub fn issue_reduction(
        &mut self,
        thread: u32,
        at: usize,
        bytes: usize,
    ) -> Result<(), (usize, Problem)> {
        let since = self.clocks.since(thread);
        for granule in self.range(at, bytes) {
            if self.writes[granule].time <= self.clocks.base {
                return Err((granule << self.shift, Problem::Uninitialised));
            }
            self.check_write(thread, granule, true, &|_, _| false)?;
            self.fenced(thread, granule, &self.writes[granule])?;
            if let Some(plain) = self.plain.get(&granule) {
                self.check_plain(thread, granule)?;
                self.fenced(thread, granule, plain)?;
            }
            self.note_write(thread, since, granule, true, true);
        }
        Ok(())
    }

    /// Notes a reduction of the granule at offset `at` to which
    /// [`issue_reduction`](Self::issue_reduction) objected. Returns the offset after the granule.
    pub fn reduce_anyway(&mut self, thread: u32, at: usize) -> usize {
        let granule = at >> self.shift;
        self.note_write(thread, self.clocks.since(thread), granule, true, true);
        (granule + 1) << self.shift
    }

    /// Notes that the reduction `id` has completed at the object of `column`, at `time`.
    pub fn complete_reduction(&mut self, id: u64, column: usize, time: u32) {
        let Some(i) = self.reductions.iter().position(|one| one.id == id) else {
            return;
        };
        self.clocks.asynchronous = true;
        self.reductions[i].done = Some((column, time));
        let (issuer, bytes) = (self.reductions[i].issuer, self.reductions[i].bytes.clone());
        // A warp that knows this reduction also knows the same thread's earlier ones at this
        // object.
        self.reductions.retain(|one| {
            let earlier = one
                .done
                .is_some_and(|done| done.0 == column && one.id != id);
            !(earlier && one.issuer == issuer && one.bytes == bytes)
        });
        for granule in self.range(bytes.start, bytes.len()) {
            let place = granule << self.shift..(granule + 1) << self.shift;
            let mut others = self.reductions.iter().filter(|one| one.meets(&place));
            let known = others.all(|one| one.done.is_some_and(|done| done.0 == column));
            let write = &mut self.writes[granule];
            if known && write.is_reduced() {
                let by = super::ATOMIC | ((self.warps + column) * WARP) as u32;
                (write.time, write.by) = (time, by);
            }
        }
    }

    /// Checks that a thread's access of a granule is ordered after the reductions with which it may
    /// race. `atomic` is true for an atomic or ordered access.
    #[cold]
    pub(super) fn behind_reductions(
        &self,
        thread: u32,
        granule: usize,
        atomic: bool,
    ) -> Result<(), (usize, Problem)> {
        let at = granule << self.shift;
        let place = at..at + (1 << self.shift);
        let warps = WARP as u32 * self.block_warps.max(1);
        for one in self.reductions.iter().filter(|one| one.meets(&place)) {
            if atomic && (!self.narrow || one.issuer / warps == thread / warps) {
                continue;
            }
            let (issuer, site) = (one.issuer, one.site);
            let Some((column, time)) = one.done else {
                return Err((at, Problem::Pending { issuer, site }));
            };
            if self.clocks.objects.known(thread as usize / WARP, column) < time {
                let problem = Problem::Race {
                    earlier: Earlier::Wrote,
                    other: self.clocks.object_as_thread(column),
                    site,
                };
                return Err((at, problem));
            }
        }
        Ok(())
    }

    /// Whether a write is by reductions, in flight or completed.
    pub(super) fn is_by_reductions(&self, write: &Write) -> bool {
        let by_object = || write.atomic() && write.thread() as usize / WARP >= self.warps;
        !self.reductions.is_empty() && (write.is_reduced() || by_object())
    }
}

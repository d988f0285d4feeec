//! Records which threads used each place of global memory, to find races between threads of a
//! block, of a cluster or of a launch. A granule has the size of the kernel's smallest access of
//! global memory, at most 16 bytes.
//!
//! ```text
//! line of 32 granules    write  granules 0..32       warp 3, one granule per lane           time 7
//!                        read   granules 0, 4, 8     warp 0, lanes 0..3, four granules apart  time 9
//! ```
//!
//! **The rule.** Two accesses of one byte by different threads, at least one of them a write, must
//! be ordered by something that [`Clocks`] knows: barriers, phases of mbarrier objects,
//! `bar.warp.sync`, and a release by one thread that another thread acquires. Two kinds are exempt:
//! two strong accesses of the same bytes whose scopes each include the other's thread, and a write
//! of the value that is already there; if blocks communicate, a thread of the launch must have
//! written that value. The order in which the emulator executes the two accesses does not count.
//!
//! A record holds the accesses of one warp by one instruction, or by several instructions if its
//! threads did not synchronise between them. A write that is ordered after a record replaces it; a
//! strong write only replaces the record of a strong access of the same size and of no narrower
//! scope, as other accesses may race with the earlier one only. Reads may be scattered over a line
//! such that they form no row of lanes. Then the record has the exact warp, but only the set of
//! lanes that read: a race may be missed if the later write is by one of these lanes, or is ordered
//! after one of them. If more than [`MOST`] strong accesses of a line are not ordered, earlier ones
//! are forgotten. Nothing is ordered after the write of a bulk copy until the copy's thread has
//! waited for the write, which counts as made at that time. Reads of bulk copies are checked when
//! the copies are issued, and leave a record for other clusters only: [`sources`](super::sources)
//! checks those of the same cluster. The device heap is left out: its pieces pass from block to
//! block.
//!
//! If the threads have made the same access before, and neither synchronised nor made another
//! access that counts since then, the access changes nothing and costs one comparison for each line
//! ([`History::repeats`]).
//!
//! Method: Flanagan and Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", 2009;
//! here, a record covers a row of lanes.

mod judge;
mod parts;
mod record;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use super::clocks::Clocks;
use super::foreign::{self, Foreign};
use super::observed::Observations;
use crate::frame::{WARP, lanes};
pub(crate) use judge::Clash;
use judge::Judge;
pub(crate) use parts::{Part, Parts, Row};
pub(crate) use record::Access;
use record::{BULK, FORM, MAPPED, Record, STRONG, VAGUE, WARP_BITS, WRITE};

/// The number of granules in a line.
pub(crate) const LINE: usize = 32;
/// The number of lines in a page.
const PAGE: usize = 32;
/// The number of records that a line stores in place; further ones are stored elsewhere.
const FIRST: usize = 2;
/// The most strong accesses that a line keeps: the next one replaces the first.
const MOST: usize = 40;

/// A thread in its cluster, the cluster, and the instruction.
pub(crate) type Writer = (u32, u32, u32);

/// The time of a bulk copy's write until its thread has waited for it: no thread is ordered after
/// it.
pub(crate) const UNSETTLED: u32 = u32::MAX;

/// The records of one line.
#[derive(Debug, Default)]
struct Line {
    count: u32,
    first: [Record; FIRST],
    more: Vec<Record>,
}

impl Line {
    fn record(&mut self, i: usize) -> &mut Record {
        match i.checked_sub(FIRST) {
            None => &mut self.first[i],
            Some(i) => &mut self.more[i],
        }
    }

    fn push(&mut self, record: Record) {
        let i = self.count as usize;
        match i.checked_sub(FIRST) {
            None => self.first[i] = record,
            Some(_) => self.more.push(record),
        }
        self.count += 1;
    }

    /// Removes a record and moves the last record to its place.
    fn remove(&mut self, i: usize) {
        let last = self.count as usize - 1;
        *self.record(i) = *self.record(last);
        if last >= FIRST {
            self.more.pop();
        }
        self.count -= 1;
    }

    fn clear(&mut self) {
        self.count = 0;
        self.more.clear();
    }

    /// Whether an access is known to change nothing in this line except the site of a record that
    /// covers it.
    ///
    /// Law: if this is true, [`History::note`] would find no clash. It would leave the same
    /// records, except that it would remove records after which the access is ordered now, but was
    /// not ordered when the same access was made before.
    #[inline(always)]
    fn repeats(&mut self, new: &Record) -> bool {
        if self.count == 1 {
            let only = &mut self.first[0];
            let covered = only.covers(new);
            if covered {
                only.sized_site = new.sized_site;
            }
            return covered;
        }
        self.count != 0 && self.repeats_one_of(new)
    }

    fn repeats_one_of(&mut self, new: &Record) -> bool {
        let mut found = None;
        for i in 0..self.count as usize {
            let old = *self.record(i);
            if found.is_none() && old.covers(new) {
                found = Some(i);
                continue;
            }
            let apart = old.mask & new.mask == 0;
            let read_own = !new.is(WRITE) && !old.is(BULK) && old.is_same_threads(new);
            if !apart && (old.who | new.who) & WRITE != 0 && !read_own {
                return false;
            }
        }
        if let Some(i) = found {
            self.record(i).sized_site = new.sized_site;
        }
        found.is_some()
    }
}

/// Returns a mask with the `count` lowest bits set.
fn ones(count: usize) -> u32 {
    u32::MAX.checked_shr(32 - count as u32).unwrap_or(0)
}

/// The accesses of threads to global memory.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// For each allocation, then for each page of lines: the page's number, counted from 1.
    tables: Vec<Option<Box<[u32]>>>,
    pages: Vec<Box<[Line]>>,
    /// Pages in use: allocation and page of lines.
    used: Vec<(u32, u32)>,
    free: Vec<u32>,
    /// The knowledge of the threads that fenced global memory for the asynchronous proxy, by
    /// cluster.
    fenced: Option<Arc<Foreign>>,
    /// Whether there are records of several clusters.
    pub shared: bool,
    /// Which strong writes strong reads have observed; `None` before the first strong access.
    pub observed: Option<Box<Observations>>,
    pub parts: Parts,
}

impl History {
    /// Creates a history for all clusters of a launch, or, unless `shared`, for one cluster.
    pub fn new(shared: bool) -> History {
        History {
            shared,
            ..History::default()
        }
    }

    /// Whether nothing of an allocation has a record.
    #[inline]
    pub fn is_untouched(&self, allocation: usize) -> bool {
        self.tables.get(allocation).is_none_or(Option::is_none)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.fenced = None;
        self.observed = None;
        for (allocation, page) in self.used.drain(..) {
            if let Some(Some(table)) = self.tables.get_mut(allocation as usize) {
                self.free.push(table[page as usize]);
                table[page as usize] = 0;
            }
        }
    }

    /// Returns a line of an allocation that has `of` lines, or `None` if the host has no memory for
    /// the table.
    #[inline]
    fn line(&mut self, allocation: usize, line: usize, of: usize) -> Option<&mut Line> {
        if self.tables.len() <= allocation {
            self.tables.resize_with(allocation + 1, || None);
        }
        let table = match &mut self.tables[allocation] {
            Some(table) => table,
            table => {
                let zeroed = bytemuck::try_zeroed_slice_box(of.div_ceil(PAGE)).ok()?;
                table.insert(zeroed)
            }
        };
        let slot = &mut table[line / PAGE];
        if *slot == 0 {
            *slot = match self.free.pop() {
                Some(page) => {
                    let lines = &mut self.pages[page as usize - 1];
                    lines.iter_mut().for_each(Line::clear);
                    page
                }
                None => {
                    self.pages
                        .push(std::iter::repeat_with(Line::default).take(PAGE).collect());
                    self.pages.len() as u32
                }
            };
            self.used.push((allocation as u32, (line / PAGE) as u32));
        }
        let page = *slot as usize - 1;
        Some(&mut self.pages[page][line % PAGE])
    }

    /// Whether a weak access of threads is known to change nothing but the site of records that
    /// cover it. Loops make such repeated accesses.
    #[inline]
    pub fn repeats(
        &mut self,
        allocation: usize,
        parts: impl Iterator<Item = Part>,
        access: &Access,
    ) -> bool {
        let Some(Some(table)) = self.tables.get(allocation) else {
            return false;
        };
        let who = access.who();
        for part in parts {
            let new = Record::of(&part, access, who);
            let page = (table[part.line / PAGE] as usize).wrapping_sub(1);
            let line = self.pages.get_mut(page);
            let line = line.map(|page| &mut page[part.line % PAGE]);
            if new.is(VAGUE) || !line.is_some_and(|line| line.repeats(&new)) {
                return false;
            }
        }
        true
    }

    /// Returns a judge that decides which earlier accesses are ordered before an access.
    fn judge<'a>(&self, access: &Access, clocks: &'a Clocks) -> Judge<'a> {
        Judge {
            clocks,
            observed: None,
            home: access.home,
            shared: self.shared,
            block_warps: access.block_warps,
        }
    }

    /// Notes a part of an access, except for the granules `without`. If the noted granules clash
    /// with an earlier access, returns the first clash and notes nothing.
    pub fn note(
        &mut self,
        (allocation, lines): (usize, usize),
        part: &Part,
        access: &Access,
        without: u32,
        clocks: &Clocks,
    ) -> Result<(), Clash> {
        let observed = self.observed.take();
        let judge = Judge {
            observed: observed.as_deref().map(|all| (all, allocation, part.line)),
            ..self.judge(access, clocks)
        };
        let noted = self.note_as(&judge, (allocation, lines), part, access, without);
        self.observed = observed;
        noted
    }

    /// Notes a part as [`note`](Self::note) does, with a given judge of what is ordered.
    #[inline(always)]
    fn note_as(
        &mut self,
        judge: &Judge,
        (allocation, lines): (usize, usize),
        part: &Part,
        access: &Access,
        without: u32,
    ) -> Result<(), Clash> {
        let Some(line) = self.line(allocation, part.line, lines) else {
            return Ok(());
        };
        let mut new = Record::of(part, access, access.who());
        new.mask &= !without;
        if new.mask == 0 {
            return Ok(());
        }
        for i in 0..line.count as usize {
            let old = line.record(i);
            if old.mask & new.mask != 0
                && (old.who | new.who) & WRITE != 0
                && let Some(clash) = judge.clash(old, &new)
            {
                return Err(clash);
            }
        }
        note_in(line, &new, judge);
        Ok(())
    }

    /// Returns the granules of a part that threads have written, among those that only the lanes
    /// `held` use. A write of the value that is already there leaves no record of its own.
    pub fn rewritten(
        &mut self,
        (allocation, lines): (usize, usize),
        part: &Part,
        held: u32,
    ) -> u32 {
        let as_record = Record {
            lanes: part.lanes,
            who: part.form,
            ..Record::default()
        };
        let of_held = |granule: &u32| {
            part.mask >> granule & 1 == 1 && as_record.lanes_at(*granule) & !held == 0
        };
        let mask = (0..LINE as u32)
            .filter(of_held)
            .fold(0, |mask, granule| mask | 1 << granule);
        let Some(line) = self
            .line(allocation, part.line, lines)
            .filter(|_| mask != 0)
        else {
            return 0;
        };
        let mut written = 0;
        for i in 0..line.count as usize {
            let record = line.record(i);
            if record.is(WRITE) {
                written |= record.mask;
            }
        }
        mask & written
    }

    /// Notes the granules `mask` of a part although they clashed.
    pub fn note_anyway(
        &mut self,
        (allocation, lines): (usize, usize),
        part: &Part,
        access: &Access,
        mask: u32,
        clocks: &Clocks,
    ) {
        let judge = self.judge(access, clocks);
        let Some(line) = self.line(allocation, part.line, lines) else {
            return;
        };
        let mut new = Record::of(part, access, access.who());
        new.mask &= mask;
        if access.write {
            take_out(line, new.mask, |_| true);
        }
        note_in(line, &new, &judge);
    }

    /// Notes that a thread has waited for a bulk copy that wrote these granules: they count as
    /// written now.
    pub fn settle(
        &mut self,
        (allocation, lines): (usize, usize),
        granules: &Range<usize>,
        (unit, thread): (u32, u32),
        now: u32,
    ) {
        let (warp, lane) = (thread as usize / WARP, thread as usize % WARP);
        for at in granules.start / LINE..=(granules.end - 1) / LINE {
            let mask = within(at, granules);
            let Some(line) = self.line(allocation, at, lines) else {
                return;
            };
            for i in 0..line.count as usize {
                let record = line.record(i);
                let by = (record.unit, record.warp(), record.lanes) == (unit, warp, 1 << lane);
                if by && record.time == UNSETTLED && record.mask & mask != 0 {
                    record.time = now;
                }
            }
        }
    }

    /// Returns one of the threads that wrote in these granules without a later fence of the tensor
    /// maps' proxy, or `None` if there is no such thread.
    pub fn unmapped(
        &mut self,
        (allocation, lines): (usize, usize),
        granules: Range<usize>,
        base: Option<u32>,
    ) -> Option<Writer> {
        let (from, to) = (granules.start / LINE, (granules.end - 1) / LINE);
        for at in from..=to {
            let mask = within(at, &granules);
            let line = self.line(allocation, at, lines)?;
            for i in 0..line.count as usize {
                let record = *line.record(i);
                let stale = base.is_some_and(|base| record.time <= base);
                if record.mask & mask != 0 && record.is(WRITE) && !record.is(MAPPED) && !stale {
                    let granule = (record.mask & mask).trailing_zeros();
                    let lane = record.lanes_at(granule).trailing_zeros();
                    let thread = record.who & WARP_BITS;
                    return Some((thread * WARP as u32 + lane, record.unit, record.site()));
                }
            }
        }
        None
    }

    /// Notes a `fence.proxy.async` by threads that know `known`.
    pub fn fence(&mut self, known: &Option<Arc<Foreign>>) {
        foreign::join(&mut self.fenced, known);
    }

    /// Returns a thread that wrote in these granules through the generic proxy, if no thread that
    /// knows of the write has fenced; and the granule.
    ///
    /// Every such fence counts, whichever thread then uses the memory. Therefore no finding is
    /// reported for a correct program, in whatever way that thread learns of the fence.
    pub fn unfenced(
        &mut self,
        allocation: usize,
        granules: Range<usize>,
        base: Option<u32>,
    ) -> Option<(Writer, usize)> {
        let table = self.tables.get(allocation)?.as_ref()?;
        for at in granules.start / LINE..=(granules.end - 1) / LINE {
            let mask = within(at, &granules);
            let page = (table[at / PAGE] as usize).wrapping_sub(1);
            let Some(line) = self.pages.get_mut(page).map(|page| &mut page[at % PAGE]) else {
                continue;
            };
            let fenced = &self.fenced;
            let is_fenced = |unit: u32, thread: u32, time: u32| {
                fenced.as_ref().is_some_and(|fenced| {
                    let seen = fenced.of(unit);
                    fenced.is_everything() || seen.is_some_and(|seen| seen.knows(thread, time))
                })
            };
            for i in 0..line.count as usize {
                let record = *line.record(i);
                let stale = base.is_some_and(|base| record.time <= base);
                if !record.is(WRITE) || record.is(BULK) || stale {
                    continue;
                }
                let first = record.warp() * WARP;
                let mut granules = lanes(record.mask & mask);
                let open = |granule: &usize| {
                    let mut by = lanes(record.lanes_at(*granule as u32));
                    by.all(|lane| !is_fenced(record.unit, (first + lane) as u32, record.time))
                };
                if let Some(granule) = granules.find(open) {
                    let lane = record.lanes_at(granule as u32).trailing_zeros();
                    let writer = (first as u32 + lane, record.unit, record.site());
                    return Some((writer, at * LINE + granule));
                }
            }
        }
        None
    }

    /// Notes that a fence of the tensor maps' proxy covers the writes of these granules.
    pub fn map(&mut self, (allocation, lines): (usize, usize), granules: Range<usize>) {
        for at in granules.start / LINE..=(granules.end - 1) / LINE {
            let mask = within(at, &granules);
            let Some(line) = self.line(allocation, at, lines) else {
                return;
            };
            for i in 0..line.count as usize {
                let record = line.record(i);
                if record.mask & mask != 0 && record.is(WRITE) {
                    record.who |= MAPPED;
                }
            }
        }
    }
}

/// Returns the granules of a line that are in a range, as a mask.
fn within(line: usize, granules: &Range<usize>) -> u32 {
    let start = granules.start.max(line * LINE);
    let end = granules.end.min((line + 1) * LINE);
    ones(end - start) << (start % LINE)
}

/// Removes the granules `mask` from the records that `of` selects.
fn take_out(line: &mut Line, mask: u32, of: impl Fn(&Record) -> bool) {
    let mut i = 0;
    while i < line.count as usize {
        let record = line.record(i);
        if record.mask & mask != 0 && of(record) {
            record.mask &= !mask;
        }
        if record.mask == 0 {
            line.remove(i);
        } else {
            i += 1;
        }
    }
}

/// Notes a record that clashes with no other.
fn note_in(line: &mut Line, new: &Record, judge: &Judge) {
    let write = new.is(WRITE);
    if new.is(BULK) && !write && !judge.shared {
        return;
    }
    // A record that the new access is ordered after is not needed any more: whatever is ordered
    // after the new access is ordered after that record too. A strong access may come after an
    // access that was weak, of another size or of a narrower scope. The older record then stays, as
    // a later access may still race with it.
    take_out(line, new.mask, |old| {
        judge.is_stale(old)
            || (!new.is(STRONG) || old.is_as_strong(new))
                && (write || !old.is(WRITE))
                && !old.is(BULK)
                && judge.is_behind(old, new)
    });
    let (mut twin, mut strong, mut strongs) = (None, None, 0);
    for i in 0..line.count as usize {
        let old = line.record(i);
        let alike = (old.time, old.unit) == (new.time, new.unit)
            && (old.who ^ new.who) & !FORM == 0
            && old.is_same_size(new);
        let form = (old.who ^ new.who) & FORM;
        let one = alike
            && (new.is(STRONG)
                || form == 0 && new.is(VAGUE) && (!write || old.lanes == new.lanes)
                || form == 0 && !new.is_row() && old.lanes == new.lanes && one_set(old, new)
                || old.mask & new.mask == 0 && old.joined(new).is_some());
        if one {
            twin = Some(i);
        }
        if old.is(STRONG) {
            strongs += 1;
            strong = strong.or(Some(i));
        }
    }
    if let Some(i) = twin {
        let old = line.record(i);
        let apart = old.mask & new.mask == 0;
        if apart && let Some(form) = old.joined(new) {
            old.who = old.who & !FORM | form;
        } else if new.is(STRONG)
            && (old.lanes, old.mask, old.who & FORM) != (new.lanes, new.mask, new.who & FORM)
        {
            // Two strong accesses do not race, so the exact lane matters little.
            old.who = old.who & !FORM | VAGUE;
        }
        old.lanes |= new.lanes;
        old.mask |= new.mask;
        old.sized_site = new.sized_site;
        return;
    }
    if strongs >= MOST
        && new.is(STRONG)
        && let Some(i) = strong
    {
        line.remove(i);
    }
    line.push(*new);
}

/// Whether each lane used all granules of both records, for two records of the same lanes in which
/// each lane used all granules of its record.
fn one_set(old: &Record, new: &Record) -> bool {
    old.mask == new.mask || new.lanes.is_power_of_two()
}

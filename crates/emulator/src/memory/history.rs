//! Which threads used each place of global memory: races between threads of a block, of a cluster,
//! of a launch.
//!
//! ```text
//! line of 32 granules    write  granules 0..32       warp 3, a granule a lane               time 7
//!                        read   granules 0, 4, 8     warp 0, lanes 0..3, four granules apart  time 9
//! ```
//!
//! **The rule.** Two accesses of one byte by different threads, at least one of them a write, must
//! be ordered by what [`Clocks`] knows: barriers, phases of mbarrier objects, `bar.warp.sync`, and
//! what a thread acquires of what another released. Exempt are two strong accesses of the same
//! bytes whose scopes reach each other's thread, and a write of the value that is already there;
//! where blocks communicate, one that a thread of the launch wrote. The order in which the emulator
//! executes the two does not count.
//!
//! A record is of the accesses of one warp by one instruction, or by several at the same time of
//! its threads. A write that is ordered behind a record takes its place; a strong one only that of
//! a strong one of its size and of no narrower scope, as others may race with the earlier one
//! alone. Of reads that lie scattered over a line, in no row of lanes, the warp is known exactly,
//! and of its lanes only which read at all: a later write may be missed that is by one of these
//! lanes, or ordered behind one of them. Where more than [`MOST`] strong accesses of a line are
//! without an order, earlier ones are forgotten. Nothing is ordered behind what a bulk copy writes
//! until its thread has waited for it; it counts as written then. What bulk copies read is looked
//! at when they are issued, and leaves a record for other clusters only: of their own one
//! [`sources`](super::sources) know. The device heap is left out: its pieces pass from block to
//! block.
//!
//! An access that its threads have made already since they last synchronised, with no other one
//! between that counts, changes nothing, and costs a comparison for each line
//! ([`History::repeats`]).
//!
//! Method: Flanagan and Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", 2009;
//! the records are of rows of lanes.

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

/// Granules of a line.
pub(crate) const LINE: usize = 32;
/// Lines of a page.
const PAGE: usize = 32;
/// Records of a line that are kept apart from the others.
const FIRST: usize = 2;
/// The most strong accesses that a line keeps: the next one takes the place of the first.
const MOST: usize = 40;

/// A thread in its cluster, the cluster, and the instruction.
pub(crate) type Writer = (u32, u32, u32);

/// The time of what a bulk copy writes until its thread has waited for it: nobody is behind it.
pub(crate) const UNSETTLED: u32 = u32::MAX;

/// A line.
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

    /// Puts the last record in the place of one.
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

    /// Whether an access is known to change nothing here but the site of a record that covers it.
    ///
    /// Law: where it is, [`History::note`] would find no clash, and leave the same but for records
    /// that the access has come to be behind since the same one before it.
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

/// So many ones.
fn ones(count: usize) -> u32 {
    u32::MAX.checked_shr(32 - count as u32).unwrap_or(0)
}

/// The accesses of threads to global memory.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// By allocation, then by page of lines: the page's number, from 1.
    tables: Vec<Option<Box<[u32]>>>,
    pages: Vec<Box<[Line]>>,
    /// Pages in use: allocation and page of lines.
    used: Vec<(u32, u32)>,
    free: Vec<u32>,
    /// What threads knew that fenced global memory for the asynchronous proxy since, by cluster.
    fenced: Option<Arc<Foreign>>,
    /// Whether there are records of several clusters.
    pub shared: bool,
    /// Which strong writes strong reads have observed; none before the first strong access.
    pub observed: Option<Box<Observations>>,
    pub parts: Parts,
}

impl History {
    /// Of a launch's clusters, or of one alone.
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

    /// A line of an allocation that has so many; none where the host has no memory for the table.
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
    /// cover it: the same again, which is what loops do.
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

    /// What an access sees as ordered.
    fn judge<'a>(&self, access: &Access, clocks: &'a Clocks) -> Judge<'a> {
        Judge {
            clocks,
            observed: None,
            home: access.home,
            shared: self.shared,
            block_warps: access.block_warps,
        }
    }

    /// Notes a part of an access, but for the granules `without`; or the first clash that it has
    /// there, and then nothing is noted.
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

    /// As [`note`](Self::note), by what the access sees as ordered.
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

    /// Granules of a part that threads have written, of those that the lanes `held` use: a write of
    /// the value that is there leaves no record of its own.
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

    /// Notes a part that was objected to.
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

    /// A thread has waited for a bulk copy that wrote these granules: they are written now.
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

    /// Whether threads wrote in these granules with no fence of the tensor maps' proxy behind: one
    /// of them, and where.
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

    /// A `fence.proxy.async` by threads that know of so much.
    pub fn fence(&mut self, known: &Option<Arc<Foreign>>) {
        foreign::join(&mut self.fenced, known);
    }

    /// Whether threads wrote in these granules through the generic proxy, and no thread that knows
    /// of it has fenced: one of them, and where.
    ///
    /// Every such fence counts, whoever makes use of the memory: that a right program is not
    /// accused, whichever way the fence is known.
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

    /// A fence of the tensor maps' proxy covers the writes of these granules.
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

/// The granules of a line that are in a range.
fn within(line: usize, granules: &Range<usize>) -> u32 {
    let start = granules.start.max(line * LINE);
    let end = granules.end.min((line + 1) * LINE);
    ones(end - start) << (start % LINE)
}

/// Takes granules out of the records that `of` names.
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

/// Notes a record that clashes with none.
fn note_in(line: &mut Line, new: &Record, judge: &Judge) {
    let write = new.is(WRITE);
    if new.is(BULK) && !write && !judge.shared {
        return;
    }
    // What it is behind needs no record any more: whoever is behind it is behind that too. Strong
    // accesses that are not behind a strong one may still race with a weak one before it, or with
    // one of another size or of a narrower scope.
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
            // Two strong accesses are no race: which lane it was matters little.
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

/// Whether lanes that each used all of a record's granules did so of both together.
fn one_set(old: &Record, new: &Record) -> bool {
    old.mask == new.mask || new.lanes.is_power_of_two()
}

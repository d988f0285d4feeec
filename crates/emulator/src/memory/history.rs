//! Which threads used each place of global memory: races between threads of a block, of a cluster,
//! of a launch.
//!
//! ```text
//! line of 32 granules    write  granules 0..32   warp 3, a granule a lane    time 7
//!                        read   granules 0..8    warp 0, lanes 0..4, two granules a lane    time 9
//! ```
//!
//! **The rule.** Two accesses of one byte by different threads, at least one of them a write, must
//! be ordered by what [`Clocks`] knows: barriers, phases of mbarrier objects, `bar.warp.sync`, and
//! what a thread acquires of what another released. Exempt are two strong accesses whose scopes
//! reach each other's thread, and a write of the value that is already there; where blocks
//! communicate, one that a thread of the launch wrote. The order in which the emulator executes the
//! two does not count.
//!
//! A record is of the accesses of one warp by one instruction, or by several at the same time of
//! its threads. A write that is ordered behind a record takes its place. Of earlier reads that lie
//! scattered over a line the warp is known exactly, and of its lanes only which read at all: a
//! later write by one of them may be missed by that. Where more than [`MOST`] strong accesses of a
//! line are without an order, the oldest are forgotten. Nothing is ordered behind what a bulk copy
//! writes until its thread has waited for it; it counts as written then. What bulk copies read is
//! looked at when they are issued, and leaves a record for other clusters only. The device heap is
//! left out: its pieces pass from block to block.
//!
//! Method: Flanagan and Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", 2009;
//! the records are of rows of lanes.

use super::clocks::Clocks;
use super::releases::Home;
use crate::fault::Earlier;
use crate::frame::{WARP, lanes};
use crate::ir::Scope;

/// Granules of a line.
pub(crate) const LINE: usize = 32;
/// Lines of a page.
const PAGE: usize = 32;
/// Records of a line that are kept apart from the others.
const FIRST: usize = 2;
/// Records of a line of which the oldest strong one is forgotten.
const MOST: usize = 40;

/// The warp's number.
const WARP_BITS: u32 = 0xfff;
/// Bits of `who`: the first granule of a row of lanes, and the binary logarithm of a lane's
/// granules.
const FIRST_GRANULE: u32 = 12;
const GRANULES: u32 = 17;
/// The lanes follow each other, each with so many granules; else every lane used every granule, or,
/// where it is [`VAGUE`], some of them.
const ROW: u32 = 1 << 20;
const VAGUE: u32 = 1 << 21;
/// All bits that say which lane used which granule.
const FORM: u32 = VAGUE | ROW | 7 << GRANULES | 31 << FIRST_GRANULE;
const WRITE: u32 = 1 << 22;
const STRONG: u32 = 1 << 23;
/// The scope of a strong access, in two bits.
const SCOPE: u32 = 24;
/// By a bulk copy.
const BULK: u32 = 1 << 26;
/// A fence of the tensor maps' proxy stands behind the write.
const MAPPED: u32 = 1 << 27;

/// The time of what a bulk copy writes until its thread has waited for it: nobody is behind it.
pub(crate) const UNSETTLED: u32 = u32::MAX;

/// Accesses of one warp to one line.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Record {
    /// Granules.
    mask: u32,
    lanes: u32,
    time: u32,
    site: u32,
    unit: u32,
    who: u32,
}

impl Record {
    fn warp(&self) -> usize {
        (self.who & WARP_BITS) as usize
    }

    fn is(&self, bit: u32) -> bool {
        self.who & bit != 0
    }

    fn scope(&self) -> Scope {
        match self.who >> SCOPE & 3 {
            0 => Scope::Block,
            1 => Scope::Cluster,
            _ => Scope::Device,
        }
    }

    /// The lanes that may have used a granule.
    #[inline]
    fn lanes_at(&self, granule: u32) -> u32 {
        if !self.is(ROW) {
            return self.lanes;
        }
        let first = self.who >> FIRST_GRANULE & 31;
        let nth = granule.wrapping_sub(first) >> (self.who >> GRANULES & 7);
        1u32.checked_shl(self.lanes.trailing_zeros() + nth)
            .unwrap_or(0)
    }

    /// Whether both are rows in which a granule is the same lane's.
    #[inline]
    fn is_same_row(&self, other: &Record) -> bool {
        let place = |record: &Record| {
            let granules = record.who >> GRANULES & 7;
            let first = (record.who >> FIRST_GRANULE & 31) as i32;
            ((record.lanes.trailing_zeros() as i32) << granules) - first
        };
        let both = self.who & other.who & ROW != 0;
        both && (self.who ^ other.who) >> GRANULES & 7 == 0 && place(self) == place(other)
    }

    /// Whether both are of one and the same lane.
    #[inline]
    fn is_same_lane(&self, other: &Record) -> bool {
        self.lanes == other.lanes && self.lanes.is_power_of_two()
    }
}

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
}

/// What an access is beside its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access {
    pub home: Home,
    /// The warp in its cluster, and the warps of each block there.
    pub warp: u32,
    pub block_warps: u32,
    pub site: u32,
    pub write: bool,
    pub strong: Option<Scope>,
    pub bulk: bool,
}

impl Access {
    fn who(&self) -> u32 {
        let strong = self
            .strong
            .map_or(0, |scope| STRONG | (scope as u32) << SCOPE);
        self.warp | strong | if self.write { WRITE } else { 0 } | if self.bulk { BULK } else { 0 }
    }
}

/// The part of a warp's access that lies in one line, at one time of its lanes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Part {
    pub line: usize,
    pub mask: u32,
    pub lanes: u32,
    pub time: u32,
    /// Bits of `who`.
    form: u32,
}

/// Two accesses that nothing orders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Clash {
    /// Granules of the line.
    pub mask: u32,
    /// The lane of the later access, at the lowest granule.
    pub lane: usize,
    pub earlier: Earlier,
    /// The other thread, in its cluster.
    pub other: u32,
    pub unit: u32,
    pub site: u32,
    /// The new access is of several lanes in the line, of which some may clash: each is to be noted
    /// by itself.
    pub by_lanes: bool,
    /// The scopes of the two, where both are strong.
    pub scopes: Option<(Scope, Scope)>,
    /// The earlier access is a bulk copy's write that its thread has not waited for.
    pub unwaited: bool,
}

/// Splits accesses into parts.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub all: Vec<Part>,
}

impl Parts {
    /// Full warps that access granules one behind the other: `granules` each, a power of two, from
    /// the one at `first` on.
    pub fn row(&mut self, first: usize, granules: usize, time: u32) {
        self.all.clear();
        let log = granules.trailing_zeros();
        let (mut at, end) = (first, first + WARP * granules);
        while at < end {
            let line = at / LINE;
            let stop = end.min((line + 1) * LINE);
            let (from, count) = (at % LINE, stop - at);
            let (low, high) = ((at - first) >> log, (stop - 1 - first) >> log);
            // Where a lane's granules began in the line before, the row begins there.
            if granules <= LINE && (at - first).is_multiple_of(granules) {
                self.all.push(Part {
                    line,
                    mask: ones(count) << from,
                    lanes: ones(high - low + 1) << low,
                    time,
                    form: ROW | (from as u32) << FIRST_GRANULE | log << GRANULES,
                });
            } else {
                self.odd(at, stop, first, log, time);
            }
            at = stop;
        }
    }

    /// A line that begins in the middle of a lane's granules: lane by lane.
    fn odd(&mut self, at: usize, stop: usize, first: usize, log: u32, time: u32) {
        for granule in at..stop {
            let lane = (granule - first) >> log;
            self.lane(lane, granule..granule + 1, time, false);
        }
    }

    /// A lane's granules. Those that lanes before it use already in this instruction are left out
    /// with `once`.
    pub fn lane(&mut self, lane: usize, granules: std::ops::Range<usize>, time: u32, once: bool) {
        let mut at = granules.start;
        while at < granules.end {
            let line = at / LINE;
            let stop = granules.end.min((line + 1) * LINE);
            let mask = ones(stop - at) << (at % LINE);
            self.add(line, lane, mask, time, once);
            at = stop;
        }
    }

    fn add(&mut self, line: usize, lane: usize, mut mask: u32, time: u32, once: bool) {
        let bit = 1 << lane;
        // One place that lanes write together: a lane that reads it later reads what it wrote
        // itself.
        let together = |part: &&mut Part| {
            part.line == line && part.mask == mask && part.form & ROW == 0 && part.time == time
        };
        if once && let Some(part) = self.all.iter_mut().find(together) {
            part.form = VAGUE;
            part.lanes |= bit;
            return;
        }
        if once {
            for part in self.all.iter().filter(|part| part.line == line) {
                mask &= !part.mask;
            }
            if mask == 0 {
                return;
            }
        }
        let known = self.all.iter_mut().rev();
        let mut known = known.filter(|part| part.line == line && part.time == time);
        let Some(part) = known.next() else {
            self.new_part(line, bit, mask, time);
            return;
        };
        if part.lanes == bit {
            part.mask |= mask;
            return;
        }
        // The next one of a row.
        let granules = mask.count_ones();
        let before = part.mask.count_ones();
        let continues = granules.is_power_of_two()
            && part.lanes << 1 & bit != 0
            && part.lanes >> lane == 0
            && before == granules * part.lanes.count_ones()
            && mask.trailing_zeros() == 32 - part.mask.leading_zeros();
        if continues && (part.form & ROW != 0 || part.lanes.is_power_of_two()) {
            part.form = ROW
                | part.mask.trailing_zeros() << FIRST_GRANULE
                | granules.trailing_zeros() << GRANULES;
            part.lanes |= bit;
            part.mask |= mask;
        } else if once {
            self.new_part(line, bit, mask, time);
        } else if part.form & ROW == 0 && part.mask == mask {
            part.lanes |= bit;
        } else {
            part.form = VAGUE;
            part.lanes |= bit;
            part.mask |= mask;
        }
    }

    fn new_part(&mut self, line: usize, lanes: u32, mask: u32, time: u32) {
        self.all.push(Part {
            line,
            mask,
            lanes,
            time,
            form: 0,
        });
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
    /// Whether there are records of several clusters.
    pub shared: bool,
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
        let shared = self.shared;
        let Some(line) = self.line(allocation, part.line, lines) else {
            return Ok(());
        };
        let new = Record {
            mask: part.mask & !without,
            lanes: part.lanes,
            time: part.time,
            site: access.site,
            unit: access.home.unit,
            who: access.who() | part.form,
        };
        if new.mask == 0 {
            return Ok(());
        }
        // The same again, which is what loops do.
        if line.count == 1 {
            let only = &mut line.first[0];
            let same = (only.mask, only.lanes, only.time, only.unit, only.who)
                == (new.mask, new.lanes, new.time, new.unit, new.who);
            if same && !new.is(VAGUE | STRONG) {
                only.site = new.site;
                return Ok(());
            }
        }
        let judge = Judge {
            clocks,
            home: access.home,
            shared,
            block_warps: access.block_warps,
        };
        for i in 0..line.count as usize {
            let old = *line.record(i);
            if old.mask & new.mask != 0
                && (old.who | new.who) & WRITE != 0
                && let Some(clash) = judge.clash(&old, &new)
            {
                return Err(clash);
            }
        }
        note_in(line, &new, &judge);
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
    ) {
        let Some(line) = self.line(allocation, part.line, lines) else {
            return;
        };
        let new = Record {
            mask: part.mask & mask,
            lanes: part.lanes,
            time: part.time,
            site: access.site,
            unit: access.home.unit,
            who: access.who() | part.form,
        };
        if access.write {
            take_out(line, new.mask, |_| true);
        }
        line.push(new);
    }

    /// A thread has waited for a bulk copy that wrote these granules: they are written now.
    pub fn settle(
        &mut self,
        (allocation, lines): (usize, usize),
        granules: &std::ops::Range<usize>,
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
        granules: std::ops::Range<usize>,
        base: Option<u32>,
    ) -> Option<(u32, u32, u32)> {
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
                    return Some((thread * WARP as u32 + lane, record.unit, record.site));
                }
            }
        }
        None
    }

    /// A fence of the tensor maps' proxy covers the writes of these granules.
    pub fn map(&mut self, (allocation, lines): (usize, usize), granules: std::ops::Range<usize>) {
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
fn within(line: usize, granules: &std::ops::Range<usize>) -> u32 {
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
    // What it is behind needs no record any more: whoever is behind it is behind that too.
    take_out(line, new.mask, |old| {
        judge.is_stale(old)
            || (write || !old.is(WRITE)) && !old.is(BULK) && judge.is_behind(old, new)
    });
    let (mut twin, mut strong) = (None, None);
    for i in 0..line.count as usize {
        let old = line.record(i);
        let alike =
            (old.time, old.unit) == (new.time, new.unit) && (old.who ^ new.who) & !FORM == 0;
        let form = (old.who ^ new.who) & FORM;
        let one = alike
            && (new.is(STRONG)
                || form == 0 && new.is(VAGUE)
                || form == 0 && !new.is(ROW) && old.lanes == new.lanes && one_set(old, new)
                || old.mask & new.mask == 0 && old.is_same_row(new));
        if one {
            twin = Some(i);
        }
        if old.is(STRONG) {
            strong = strong.or(Some(i));
        }
    }
    if let Some(i) = twin {
        let old = line.record(i);
        if new.is(ROW) && old.is_same_row(new) && old.mask & new.mask == 0 {
            join_rows(old, new);
        } else if new.is(STRONG) && (old.lanes, old.mask) != (new.lanes, new.mask) {
            // Two strong accesses are no race: which lane it was matters little.
            old.who = old.who & !FORM | VAGUE;
        }
        old.lanes |= new.lanes;
        old.mask |= new.mask;
        old.site = new.site;
        return;
    }
    if line.count as usize >= MOST
        && let Some(i) = strong
    {
        line.remove(i);
    }
    line.push(*new);
}

/// Joins two rows in which a granule is the same lane's: the first lane and granule are those of
/// the one in front.
fn join_rows(old: &mut Record, new: &Record) {
    if new.lanes.trailing_zeros() < old.lanes.trailing_zeros() {
        old.who = old.who & !FORM | new.who & FORM;
    }
}

/// Whether lanes that each used all of a record's granules did so of both together.
fn one_set(old: &Record, new: &Record) -> bool {
    old.mask == new.mask || new.lanes.is_power_of_two()
}

/// What is ordered, as the thread that accesses sees it.
struct Judge<'a> {
    clocks: &'a Clocks,
    home: Home,
    shared: bool,
    block_warps: u32,
}

impl Judge<'_> {
    /// Whether a record is of a block that has ended, where each has its own.
    #[inline]
    fn is_stale(&self, old: &Record) -> bool {
        !self.shared && old.time <= self.clocks.base
    }

    /// Whether all that is new is ordered behind all that is old.
    #[inline]
    fn is_behind(&self, old: &Record, new: &Record) -> bool {
        if old.unit != self.home.unit {
            return self.knows(old, new, old.lanes);
        }
        let (own, other) = (new.warp(), old.warp());
        own == other && (old.is_same_row(new) || old.is_same_lane(new))
            || self.clocks.warp_ordered(own, other, old.time)
            || self.first_unordered(old, new).is_none()
    }

    /// Whether what lanes of another cluster did is known.
    fn knows(&self, old: &Record, new: &Record, lanes_of: u32) -> bool {
        let Some(foreign) = self.clocks.foreign(new.warp()) else {
            return false;
        };
        if foreign.is_everything() {
            return true;
        }
        let Some(seen) = foreign.of(old.unit) else {
            return false;
        };
        if old.is(BULK) {
            return seen.knows_any(old.time);
        }
        let first = (old.warp() * WARP) as u32;
        lanes(lanes_of).all(|lane| seen.knows(first + lane as u32, old.time))
    }

    /// The first granule, the new access's lane and the other thread, where these are not ordered.
    fn first_unordered(&self, old: &Record, new: &Record) -> Option<(u32, usize, u32)> {
        let (own, other) = (new.warp(), old.warp());
        let mut rest = old.mask & new.mask;
        while rest != 0 {
            let granule = rest.trailing_zeros();
            rest &= rest - 1;
            let (mine, theirs) = (new.lanes_at(granule), old.lanes_at(granule));
            for lane in lanes(mine) {
                let thread = (own * WARP + lane) as u32;
                // Which of these lanes used the granule is not known: it may be this one itself.
                let vague = (old.is(VAGUE) && theirs >> lane & 1 == 1)
                    || (new.is(VAGUE) && mine & theirs != 0);
                if own == other && vague {
                    continue;
                }
                for before in lanes(theirs) {
                    let past = (other * WARP + before) as u32;
                    let unwaited = old.time == UNSETTLED && !new.is(BULK);
                    let apart = past != thread && !self.clocks.ordered(thread, past, old.time);
                    if unwaited || apart {
                        return Some((granule, lane, past));
                    }
                }
            }
        }
        None
    }

    /// Whether two accesses of one place, at least one of them a write, are a race.
    fn clash(&self, old: &Record, new: &Record) -> Option<Clash> {
        if self.is_stale(old) {
            return None;
        }
        let strong = old.who & new.who & STRONG != 0;
        let there = Home {
            unit: old.unit,
            rank: self.rank(old),
        };
        if strong && self.home.reaches(new.scope(), there) && there.reaches(old.scope(), self.home)
        {
            return None;
        }
        let overlap = old.mask & new.mask;
        let mut by_lanes = false;
        // Its own thread is not behind it either, but for what that copies.
        let unwaited = old.time == UNSETTLED && !new.is(BULK);
        let (granule, lane, other) = if old.unit == self.home.unit {
            if old.is(BULK) && !old.is(WRITE) {
                return None;
            }
            let (own, other) = (new.warp(), old.warp());
            // Lanes that issue one bulk store together store the same bytes.
            let one_copy =
                old.who & new.who & BULK != 0 && (old.site, old.time) == (new.site, new.time);
            let one = own == other && (one_copy || old.is_same_row(new) || old.is_same_lane(new));
            let one = one && !unwaited;
            if one || self.clocks.warp_ordered(own, other, old.time) {
                return None;
            }
            // Lanes that write one place together write one value.
            if own == other && new.is(VAGUE) && (new.is(STRONG) || !new.is(WRITE)) {
                by_lanes = true;
                (0, 0, 0)
            } else {
                self.first_unordered(old, new)?
            }
        } else {
            let unknown = (0..LINE as u32).find(|&granule| {
                overlap >> granule & 1 == 1 && !self.knows(old, new, old.lanes_at(granule))
            })?;
            let lane = new.lanes_at(unknown).trailing_zeros() as usize;
            let first = (old.warp() * WARP) as u32;
            let mut threads = lanes(old.lanes_at(unknown)).map(|lane| first + lane as u32);
            let one = |thread: &u32| !self.knows(old, new, 1 << (thread % WARP as u32));
            (unknown, lane, threads.find(one).unwrap_or(first))
        };
        Some(Clash {
            mask: 1 << granule,
            lane,
            earlier: match old.is(WRITE) {
                true => Earlier::Wrote,
                false => Earlier::Read,
            },
            other,
            unit: old.unit,
            site: old.site,
            by_lanes,
            scopes: strong.then(|| (old.scope(), new.scope())),
            unwaited: old.time == UNSETTLED,
        })
    }

    /// The rank of a record's block in its cluster.
    fn rank(&self, old: &Record) -> u32 {
        old.warp() as u32 / self.block_warps
    }
}

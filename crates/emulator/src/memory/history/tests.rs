//! Compares the history with a naive one, which has an entry for each granule and thread, by random
//! sequences of accesses, barriers, releases and acquires.

use std::ops::Range;

use rayon::prelude::*;

use super::record::VAGUE;
use super::*;
use crate::fault::Earlier;
use crate::frame::lanes;
use crate::ir::{Scope, Strength};
use crate::memory::releases::{self, Does, Home, Places};

const WARPS: usize = 3;
/// The number of lines in the allocation. The sequences use lines on both sides of a page's end.
const LINES: usize = 2 * PAGE;
const USED: Range<usize> = (PAGE - 3) * LINE..(PAGE + 3) * LINE;

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005);
        self.0 = self.0.wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % end
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn mask(&mut self) -> u32 {
        let bits = (self.below(1 << 16) << 16 | self.below(1 << 16)) as u32;
        let lane = self.below(32);
        match self.below(6) {
            0 | 1 => u32::MAX,
            2 => bits | 1 << lane,
            3 => 1 << lane,
            4 => u32::MAX << lane,
            _ => u32::MAX >> lane,
        }
    }
}

/// The granules that each lane of a warp accesses.
struct Places32 {
    mask: u32,
    granules: usize,
    /// The first granule of each lane.
    first: [usize; WARP],
    /// The distance between the places of consecutive lanes, if it is constant.
    stride: Option<usize>,
}

impl Places32 {
    fn random(random: &mut Random, mask: u32) -> Places32 {
        let granules = random.one_of(&[1, 1, 2, 4]);
        let (start, end) = (USED.start / granules, USED.end / granules);
        let stride = random.one_of(&[0, 1, 1, 2, 3, 4, 5, 8, 16, 31, 32, 40]);
        let room = end - start - 31 * stride.min((end - start - 1) / 31);
        let base = start + random.below(room);
        let stride = stride.min((end - start - 1) / 31);
        let (xor, columns) = (random.below(32), random.one_of(&[2, 4, 8]));
        let kind = random.below(9);
        let mut place = |lane: usize| match kind {
            0 => base + (lane ^ xor) * stride,
            // Lines of lanes in a swizzle's order, each line in an order of its own.
            3 => {
                let of_line = LINE / granules;
                let x = (xor + lane / of_line * (columns - 1)) % of_line;
                start + lane / of_line * of_line + ((lane % of_line) ^ x)
            }
            1 => (base + lane % columns + lane / columns * 16).min(end - 1),
            2 => start + random.below(end - start),
            _ => base + lane * stride,
        };
        let first = std::array::from_fn(|lane| place(lane) * granules);
        Places32 {
            mask,
            granules,
            first,
            stride: (kind > 3).then_some(stride * granules),
        }
    }

    fn granules_of(&self, lane: usize) -> Range<usize> {
        self.first[lane]..self.first[lane] + self.granules
    }

    fn row(&self, since: &[u32; WARP]) -> Option<Row> {
        let lowest = self.mask.trailing_zeros() as usize;
        let one_time = lanes(self.mask).all(|lane| since[lane] == since[lowest]);
        let stride = self.stride.filter(|_| one_time)?;
        let place = (self.first[lowest], self.granules, stride);
        Row::new(place, self.mask, since[lowest])
    }

    /// Splits the access by a form for several lanes. Returns false if the access has none of these
    /// forms.
    fn split_at_once(&self, parts: &mut Parts, since: &[u32; WARP], once: bool) -> bool {
        let time = since[self.mask.trailing_zeros() as usize];
        let one_time = lanes(self.mask).all(|lane| since[lane] == time);
        match self.row(since) {
            Some(row) => parts.row(row, once),
            None => {
                let places = (self.granules, self.first.map(|at| at as u64));
                return one_time && parts.swizzled(places, self.mask, time);
            }
        }
        true
    }

    fn split(&self, parts: &mut Parts, since: &[u32; WARP], once: bool) {
        if !self.split_at_once(parts, since, once) {
            self.split_by_lanes(parts, since, once);
        }
    }

    fn split_by_lanes(&self, parts: &mut Parts, since: &[u32; WARP], once: bool) {
        parts.clear();
        for lane in lanes(self.mask) {
            parts.lane(lane, self.granules_of(lane), since[lane], once);
        }
    }
}

/// Returns, for each granule of each part, the granule, the lanes that used it, and whether its
/// part is vague.
fn told(parts: &Parts) -> Vec<(usize, u32, bool)> {
    let mut all = Vec::new();
    for part in &parts.all {
        let record = Record {
            lanes: part.lanes,
            who: part.form,
            ..Record::default()
        };
        for granule in (0..LINE).filter(|granule| part.mask >> granule & 1 == 1) {
            let at = part.line * LINE + granule;
            let vague = record.is(VAGUE);
            all.push((at, record.lanes_at(granule as u32), vague));
        }
    }
    all.sort_unstable();
    all
}

/// Checks that the parts of a row assign the same lanes to each granule as the parts of its lanes,
/// added one by one.
#[test]
fn parts_say_which_lane_used_which_granule() {
    let mut random = Random(5);
    let (mut by_row, mut by_lane) = (Parts::default(), Parts::default());
    for _ in 0..20_000 {
        let mask = random.mask();
        let places = Places32::random(&mut random, mask);
        let since = [7; WARP];
        let once = random.below(2) == 0;
        places.split(&mut by_row, &since, once);
        places.split_by_lanes(&mut by_lane, &since, once);
        for parts in [&by_row, &by_lane] {
            let mut used: Vec<(usize, u32)> = Vec::new();
            for lane in lanes(mask) {
                for granule in places.granules_of(lane) {
                    match used.iter_mut().find(|(at, _)| *at == granule) {
                        Some((_, lanes)) => *lanes |= 1 << lane,
                        None => used.push((granule, 1 << lane)),
                    }
                }
            }
            let told = told(parts);
            for &(at, by) in &used {
                let mut said = told.iter().filter(|said| said.0 == at);
                let all = said.clone().fold(0, |all, said| all | said.1);
                let vague = said.clone().any(|said| said.2);
                // If several lanes write one granule, the first lane is enough.
                let first = once && all & by & by.wrapping_neg() != 0;
                assert!(said.next().is_some(), "{at}: {parts:?}");
                assert!(
                    all == by || first || vague && all & by == by,
                    "{at}: {parts:?}"
                );
            }
            assert!(
                told.iter()
                    .all(|said| used.iter().any(|used| used.0 == said.0))
            );
        }
        if places.stride.is_some_and(|stride| stride != 0) {
            assert!(by_row.all.iter().all(|part| part.form & VAGUE == 0));
        }
    }
}

/// Checks that words whose lanes a swizzle permutes are one part for each line with each word's
/// lane.
#[test]
fn swizzled_lanes_are_a_part_for_each_line() {
    let mut random = Random(11);
    for width in [1, 2, 4, 8, 16] {
        let of_line = LINE / width;
        let xs: [usize; WARP] = std::array::from_fn(|_| random.below(of_line));
        let at = |lane: usize| {
            let line = lane / of_line;
            line * LINE + ((lane % of_line) ^ xs[line]) * width
        };
        let mask = random.mask();
        let mut parts = Parts::default();
        let first = |at: &dyn Fn(usize) -> usize| std::array::from_fn(|lane| at(lane) as u64);
        assert!(parts.swizzled((width, first(&at)), mask, 7));
        assert!(parts.all.len() <= width);
        let told = told(&parts);
        for lane in lanes(mask) {
            for granule in at(lane)..at(lane) + width {
                assert!(
                    told.contains(&(granule, 1 << lane, false)),
                    "{width} {lane}"
                );
            }
        }
        assert_eq!(told.len(), mask.count_ones() as usize * width);
        // Lanes that share a place are not a swizzled row.
        let place = |lane: usize| at(lane & !1);
        assert!(!parts.swizzled((width, first(&place)), u32::MAX, 7));
    }
}

/// The accesses of a warp's lanes to one granule by one instruction.
#[derive(Debug, Clone)]
struct Entry {
    unit: u32,
    warp: usize,
    lanes: u32,
    time: u32,
    write: bool,
    strong: Option<Scope>,
    /// The bytes of an element of a strong access, or 0 if it matches any size.
    bytes: u8,
    /// Whether the history does not know the entry's lanes.
    vague: bool,
}

/// Clusters of one block each, their clocks, and what their threads released.
struct World {
    clocks: Vec<Clocks>,
    places: Places,
    history: History,
    /// The entries of each granule.
    naive: Vec<Vec<Entry>>,
}

impl World {
    fn new(units: usize) -> World {
        let clocks = std::iter::repeat_with(|| {
            let mut clocks = Clocks::default();
            clocks.reset(WARPS);
            clocks
        });
        World {
            clocks: clocks.take(units).collect(),
            places: Places::default(),
            history: History::new(units > 1),
            naive: vec![Vec::new(); LINES * LINE],
        }
    }

    fn is_ordered(&self, (unit, thread): (usize, u32), old: &Entry, lane: usize) -> bool {
        let before = (old.warp * WARP + lane) as u32;
        if old.unit == unit as u32 {
            return self.clocks[unit].ordered(thread, before, old.time);
        }
        let (warp, lane) = (thread as usize / WARP, thread % WARP as u32);
        self.clocks[unit].all_know_foreign(warp, 1 << lane, |foreign| {
            let seen = foreign.of(old.unit);
            seen.is_some_and(|seen| seen.knows(before, old.time))
        })
    }

    /// Returns `None` if an entry and a new one do not race, and otherwise whether the history must
    /// report it.
    fn race(&self, old: &Entry, new: &Entry) -> Option<bool> {
        let home = |entry: &Entry| Home {
            unit: entry.unit,
            rank: 0,
        };
        if !old.write && !new.write {
            return None;
        }
        if let (Some(before), Some(now)) = (old.strong, new.strong)
            && (old.bytes == new.bytes || old.bytes == 0 || new.bytes == 0)
            && home(old).reaches(before, home(new))
            && home(new).reaches(now, home(old))
        {
            return None;
        }
        let own = (old.unit, old.warp) == (new.unit, new.warp);
        let is_apart = |lane: usize, before: usize| {
            let thread = (new.warp * WARP + lane) as u32;
            // Lanes that write one place together write one value, which each of them may read.
            let together = own && old.write && old.strong.is_none() && old.lanes >> lane & 1 == 1;
            let one = own && lane == before || together;
            !one && !self.is_ordered((new.unit as usize, thread), old, before)
        };
        let mut mine = lanes(new.lanes);
        let apart = mine.any(|lane| lanes(old.lanes).any(|before| is_apart(lane, before)));
        // The history does not always know the lanes of strong accesses.
        let any = |lane: usize| (0..WARP).any(|before| is_apart(lane, before));
        let may = old.strong.is_some() && lanes(new.lanes).any(any);
        if !(apart || may) {
            return None;
        }
        let unknown = old.vague && !old.write && old.strong.is_none();
        let all = |lane: usize| (0..WARP).all(|before| is_apart(lane, before));
        let known = !unknown || lanes(new.lanes).any(all);
        Some(apart && known && !(own && (old.vague || new.vague)))
    }

    /// Notes an access as `exec::global::threads` does. Returns the granules at which it clashes,
    /// with the clashes.
    fn note(&mut self, parts: &Parts, access: &Access, by_lanes: &Places32) -> Vec<(usize, Clash)> {
        let clocks = &self.clocks[access.home.unit as usize];
        let of = (0, LINES);
        let mut clashes = Vec::new();
        for part in &parts.all {
            let mut without = 0;
            while let Err(clash) = self.history.note(of, part, access, without, clocks) {
                if clash.by_lanes {
                    let since = *clocks.of_warp(access.warp as usize);
                    for lane in lanes(by_lanes.mask) {
                        let mut one = Parts::default();
                        one.lane(lane, by_lanes.granules_of(lane), since[lane], false);
                        let lone = Places32 {
                            first: by_lanes.first,
                            ..*by_lanes
                        };
                        clashes.extend(self.note(&one, access, &lone));
                    }
                    return clashes;
                }
                without |= clash.mask;
                self.history
                    .note_anyway(of, part, access, clash.mask, clocks);
                let granule = part.line * LINE + clash.mask.trailing_zeros() as usize;
                clashes.push((granule, clash));
            }
        }
        clashes
    }

    /// Accesses places, and compares the findings of the history with those of the naive one.
    fn access(&mut self, access: &Access, places: &Places32, seed: u64) -> usize {
        let unit = access.home.unit;
        let since = *self.clocks[unit as usize].of_warp(access.warp as usize);
        let once = access.write && access.strong.is_none();
        let mut parts = Parts::default();
        places.split(&mut parts, &since, once);
        let told = told(&parts);
        let mut new: Vec<(usize, Entry)> = Vec::new();
        for lane in lanes(places.mask) {
            for granule in places.granules_of(lane) {
                let same =
                    |(at, entry): &&mut (usize, Entry)| *at == granule && entry.time == since[lane];
                if let Some((_, entry)) = new.iter_mut().find(same) {
                    entry.lanes |= 1 << lane;
                    continue;
                }
                let of = told.iter().filter(|said| said.0 == granule);
                let vague = of.fold(access.strong.is_some(), |vague, said| vague | said.2);
                let entry = Entry {
                    unit,
                    warp: access.warp as usize,
                    lanes: 1 << lane,
                    time: since[lane],
                    write: access.write,
                    strong: access.strong,
                    bytes: access.bytes,
                    vague,
                };
                new.push((granule, entry));
            }
        }
        // If lanes of different times write one place, the first lane counts.
        for (at, entry) in new.iter_mut().filter(|_| once) {
            let told = told.iter().filter(|said| said.0 == *at);
            entry.lanes &= told.fold(0, |lanes, said| lanes | said.1);
        }
        new.retain(|(_, entry)| entry.lanes != 0);
        let mut forms = Parts::default();
        let repeats = access.strong.is_none()
            && places.split_at_once(&mut forms, &since, access.write)
            && self.history.repeats(0, forms.all.into_iter(), access);
        let clashes = match repeats {
            true => Vec::new(),
            false => self.note(&parts, access, places),
        };
        let mut granules: Vec<usize> = new.iter().map(|(at, _)| *at).collect();
        granules.sort_unstable();
        granules.dedup();
        for &granule in &granules {
            let of_granule = || new.iter().filter(|(at, _)| *at == granule).map(|(_, e)| e);
            let races = |old: &Entry| {
                let races = of_granule().filter_map(|new| self.race(old, new));
                races.fold(None, |all, must| Some(all.unwrap_or(false) | must))
            };
            let entries = &self.naive[granule];
            let all: Vec<Option<bool>> = entries.iter().map(races).collect();
            let found = clashes.iter().find(|(at, _)| *at == granule);
            let note = || format!("seed {seed}, site {}, granule {granule}", access.site);
            match found {
                Some((_, clash)) => {
                    let is = |(old, race): (&Entry, &Option<bool>)| {
                        let earlier = matches!(clash.earlier, Earlier::Wrote);
                        race.is_some()
                            && (old.unit, old.warp) == (clash.unit, clash.other as usize / WARP)
                            && old.write == earlier
                    };
                    let known = self.naive[granule].iter().zip(&all).any(is);
                    assert!(known, "{}: {clash:?}, {:?}", note(), self.naive[granule]);
                }
                None => {
                    let missed = all.contains(&Some(true));
                    let new: Vec<&Entry> = of_granule().collect();
                    assert!(
                        !missed,
                        "{}: {new:?} after {:?}, {all:?}",
                        note(),
                        self.naive[granule]
                    );
                }
            }
            // A finding is reported once: the entries that caused it are dropped.
            if found.is_some() && access.write {
                self.naive[granule].clear();
            }
        }
        for (granule, entry) in new {
            self.naive[granule].push(entry);
        }
        clashes.len()
    }

    /// Performs a lane's strong access of a flag, which releases or acquires.
    fn flag(&mut self, unit: usize, thread: usize, flag: usize, does: Does, scope: Scope) {
        let (warp, lane) = (thread / WARP, thread % WARP);
        let clocks = &mut self.clocks[unit];
        let strength = Strength {
            acquires: does != Does::Write,
            releases: does != Does::Read,
            scope,
            bytes: 0,
        };
        let now = match does {
            Does::Read => 0,
            _ => clocks.publish(warp, 1 << lane),
        };
        let home = Home {
            unit: unit as u32,
            rank: 0,
        };
        let how = (does, strength);
        self.places
            .access(clocks, (warp, lane), home, (1, flag), how, (now, 0));
    }

    fn synchronise(&mut self, random: &mut Random, unit: usize) {
        let clocks = &mut self.clocks[unit];
        let warp = random.below(WARPS);
        let thread = warp * WARP + random.below(WARP);
        match random.below(8) {
            0 => clocks.meet(&[u32::MAX; WARPS], true, &[]),
            1 => {
                let lanes: [u32; WARPS] =
                    std::array::from_fn(|w| if w == warp { 0 } else { u32::MAX });
                clocks.meet(&lanes, false, &[]);
            }
            2 => clocks.meet_lanes(warp, random.mask()),
            3 => {
                let mut arrived = Default::default();
                let now = clocks.publish(warp, u32::MAX);
                clocks.send(warp, now, &mut arrived);
                let lanes: [u32; WARPS] =
                    std::array::from_fn(|w| if w == warp { 0 } else { u32::MAX });
                clocks.meet(&lanes, false, &[arrived]);
            }
            4 => {
                let home = Home {
                    unit: unit as u32,
                    rank: 0,
                };
                let mask = random.mask();
                let scope = random.one_of(&[Scope::Block, Scope::Device]);
                releases::fence(clocks, (warp, mask), (scope, home, 0));
            }
            kind => {
                let does = match kind {
                    5 => Does::Write,
                    6 => Does::Read,
                    _ => Does::Modify,
                };
                let scope = random.one_of(&[Scope::Block, Scope::Device, Scope::Device]);
                let flag = random.below(2);
                self.flag(unit, thread, flag, does, scope);
            }
        }
    }
}

/// Runs the sequence of a seed. Returns how many granules raced, and how many accesses did not
/// race.
fn sequence(seed: u64) -> (usize, usize) {
    let mut random = Random(seed);
    let units = 1 + random.below(2);
    let mut world = World::new(units);
    let (mut racy, mut silent) = (0, 0);
    let mut again: Option<(Places32, usize)> = None;
    let writes = random.below(3) + 1;
    for site in 1..=60 {
        let unit = random.below(units);
        if random.below(3) == 0 {
            world.synchronise(&mut random, unit);
            continue;
        }
        let (places, warp) = match again.take() {
            Some(last) if random.below(2) == 0 => last,
            _ => {
                let mask = random.mask();
                (Places32::random(&mut random, mask), random.below(WARPS))
            }
        };
        let scope = random.one_of(&[Scope::Device, Scope::Device, Scope::Block]);
        let strong = (random.below(8) == 0).then_some(scope);
        let access = Access {
            bytes: strong.map_or(0, |_| random.one_of(&[0, 4, 4, 8])),
            home: Home {
                unit: unit as u32,
                rank: 0,
            },
            warp: warp as u32,
            block_warps: WARPS as u32,
            site,
            write: random.below(4) < writes,
            strong,
            bulk: false,
        };
        match world.access(&access, &places, seed) {
            0 => silent += 1,
            found => racy += found,
        }
        again = Some((places, warp));
    }
    (racy, silent)
}

#[test]
fn the_history_is_a_record_for_each_granule_and_thread() {
    let all = (0..12_000).into_par_iter().map(sequence);
    let (racy, silent) = all.reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    assert!(racy > 30_000 && silent > 30_000, "{racy} {silent}");
}

/// Checks that each of several places that several lanes of one store write together keeps its own
/// lanes.
#[test]
fn places_written_together_keep_their_lanes() {
    let mut world = World::new(1);
    let place = |mask: u32, at: &dyn Fn(usize) -> usize| Places32 {
        mask,
        granules: 1,
        first: std::array::from_fn(|lane| USED.start + at(lane)),
        stride: None,
    };
    let access = |site: u32, write: bool| Access {
        bytes: 0,
        home: Home { unit: 0, rank: 0 },
        warp: 0,
        block_warps: WARPS as u32,
        site,
        write,
        strong: None,
        bulk: false,
    };
    let at = |lane: usize| [5, 9][lane % 2];
    world.access(&access(1, true), &place(0x66, &at), 0);
    // Lane 3 is ordered after lanes 1 and 5, the writers of its place.
    world.clocks[0].meet_lanes(0, 0x2a);
    assert_eq!(world.access(&access(2, false), &place(8, &at), 0), 0);
    // Lane 4 is not ordered after any of the writers of its place.
    assert_eq!(world.access(&access(3, false), &place(0x10, &at), 0), 1);
}

//! Decides whether two accesses of one place are ordered, according to what the accessing thread
//! knows.

use super::record::{BULK, Record, STRONG, VAGUE, WRITE};
use super::{LINE, UNSETTLED};
use crate::fault::Earlier;
use crate::frame::{WARP, lanes};
use crate::ir::Scope;
use crate::memory::clocks::Clocks;
use crate::memory::foreign::Foreign;
use crate::memory::observed::{Event, Observations};
use crate::memory::releases::Home;

/// Two accesses that nothing orders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Clash {
    /// The clashing granules of the line.
    pub mask: u32,
    /// The lane that made the later access, at the lowest granule.
    pub lane: usize,
    pub earlier: Earlier,
    /// The other thread's number in its cluster.
    pub other: u32,
    pub unit: u32,
    /// The time of the earlier access, in its cluster's times.
    pub time: u32,
    pub site: u32,
    /// Whether several lanes made the new access in the line and only some of them may clash: the
    /// access of each lane is then noted separately.
    pub by_lanes: bool,
    /// The scopes of the two accesses, if both are strong and one scope does not include the
    /// other's thread.
    pub scopes: Option<(Scope, Scope)>,
    /// The sizes of the two accesses in bytes, if both are strong and the sizes differ.
    pub sizes: Option<(u8, u8)>,
    /// Whether the earlier access is a bulk copy's write that its thread has not waited for.
    pub unwaited: bool,
}

/// Decides which accesses are ordered, according to what the accessing thread knows.
pub(super) struct Judge<'a> {
    pub clocks: &'a Clocks,
    /// The writes that strong reads have observed, with the allocation and the line that are
    /// accessed.
    pub observed: Option<(&'a Observations, usize, usize)>,
    pub home: Home,
    pub shared: bool,
    pub block_warps: u32,
}

impl Judge<'_> {
    /// Whether a record is of a block that has ended, if each block has a history of its own.
    #[inline]
    pub fn is_stale(&self, old: &Record) -> bool {
        !self.shared && old.time <= self.clocks.base
    }

    /// Whether all accesses of the new record are ordered after all accesses of the old one.
    #[inline]
    pub fn is_behind(&self, old: &Record, new: &Record) -> bool {
        if old.unit != self.home.unit {
            return self.knows(old, new, old.lanes, new.lanes);
        }
        let (own, other) = (new.warp(), old.warp());
        own == other && (old.is_same_row(new) || old.is_same_lane(new))
            || self.clocks.warp_ordered(own, other, old.time)
            || self.first_unordered(old, new, true).is_none()
    }

    /// Whether the lanes `by` of the new access know what the lanes `lanes_of` of another cluster
    /// did.
    fn knows(&self, old: &Record, new: &Record, lanes_of: u32, by: u32) -> bool {
        let knows = |foreign: &Foreign, thread: u32| {
            let seen = foreign.of(old.unit);
            foreign.is_everything()
                || seen.is_some_and(|seen| match old.is(BULK) {
                    true => seen.knows_any(old.time),
                    false => seen.knows(thread, old.time),
                })
        };
        let first = (old.warp() * WARP) as u32;
        lanes(lanes_of).all(|lane| {
            let thread = first + lane as u32;
            self.clocks
                .all_know_foreign(new.warp(), by, |foreign| knows(foreign, thread))
        })
    }

    /// Whether the earlier access of a granule is a strong write which some read observed, and the
    /// new access is ordered after that read.
    fn is_observed(&self, old: &Record, granule: u32, thread: u32, before: u32) -> bool {
        let Some((observed, allocation, line)) = self.observed else {
            return false;
        };
        if !(old.is(STRONG) && old.is(WRITE)) || old.is(BULK) {
            return false;
        }
        let place = (allocation, line * LINE + granule as usize);
        let warp = thread as usize / WARP;
        let is_behind = |read: &Event| match read.home.unit == self.home.unit {
            true => self.clocks.ordered(thread, read.thread, read.time),
            false => self
                .clocks
                .all_know_foreign(warp, 1 << (thread % WARP as u32), |known| {
                    let seen = known.of(read.home.unit);
                    known.is_everything() || seen.is_some_and(|s| s.knows(read.thread, read.time))
                }),
        };
        observed.is_observed(place, (old.unit, before, old.time), is_behind)
    }

    /// Finds the first granule at which the two accesses are not ordered. Returns it with the new
    /// access's lane and the other thread. With `all`, a pair that may be unordered counts too: a
    /// pair of lanes whose granules are not known, and a pair that only an observation orders.
    fn first_unordered(&self, old: &Record, new: &Record, all: bool) -> Option<(u32, usize, u32)> {
        let (own, other) = (new.warp(), old.warp());
        let mut rest = old.mask & new.mask;
        while rest != 0 {
            let granule = rest.trailing_zeros();
            rest &= rest - 1;
            let (mine, theirs) = (new.lanes_at(granule), old.lanes_at(granule));
            for lane in lanes(mine) {
                let thread = (own * WARP + lane) as u32;
                // It is not known which of these lanes used the granule: it may be this lane
                // itself.
                let vague = (old.is(VAGUE) && theirs >> lane & 1 == 1)
                    || (new.is(VAGUE) && mine & theirs != 0);
                if own == other && vague && !all {
                    continue;
                }
                let unwaited = old.time == UNSETTLED && !new.is(BULK);
                let past = |before: usize| (other * WARP + before) as u32;
                let is_apart = |before: &usize| {
                    let past = past(*before);
                    past != thread
                        && !self.clocks.ordered(thread, past, old.time)
                        && (all || !self.is_observed(old, granule, thread, past))
                };
                // Any of these lanes may be the one that read, and it may be a lane that the new
                // access is ordered after.
                let some = old.is_scattered_read() && !all;
                if some && !lanes(theirs).all(|before| is_apart(&before)) {
                    continue;
                }
                let found = lanes(theirs).find(|before| unwaited || is_apart(before));
                if let Some(before) = found {
                    return Some((granule, lane, past(before)));
                }
            }
        }
        None
    }

    /// Whether several lanes made an access, it is not known which lane used which granule, and
    /// these lanes do not all know the same.
    fn is_one_of_many(&self, new: &Record) -> bool {
        let whole_write = new.is(WRITE) && !new.is(STRONG);
        new.is(VAGUE)
            && !whole_write
            && !new.lanes.is_power_of_two()
            && !self.clocks.apart(new.warp()).is_empty()
    }

    /// Returns the new access's lane and the other cluster's thread, if nothing orders the two
    /// accesses at a granule.
    fn first_unknown(&self, old: &Record, new: &Record, granule: u32) -> Option<(usize, u32)> {
        let (theirs, mine) = (old.lanes_at(granule), new.lanes_at(granule));
        let known = |lane: usize, by: u32| self.knows(old, new, 1 << lane, by);
        // Any of these lanes may be the one that read, and it may be a lane that the new access is
        // ordered after.
        if old.is_scattered_read() && lanes(theirs).any(|lane| known(lane, mine))
            || self.knows(old, new, theirs, mine)
        {
            return None;
        }
        let first = (old.warp() * WARP) as u32;
        lanes(mine).find_map(|lane| {
            let thread = (new.warp() * WARP + lane) as u32;
            let mut others = lanes(theirs).filter(|&other| !known(other, 1 << lane));
            let unobserved =
                |&other: &usize| !self.is_observed(old, granule, thread, first + other as u32);
            let other = others.find(unobserved)?;
            Some((lane, first + other as u32))
        })
    }

    /// Returns the clash if two accesses of one place, at least one of them a write, are a race.
    pub fn clash(&self, old: &Record, new: &Record) -> Option<Clash> {
        if self.is_stale(old) {
            return None;
        }
        let strong = old.who & new.who & STRONG != 0;
        let there = Home {
            unit: old.unit,
            rank: self.rank(old),
        };
        let reach = strong
            && self.home.reaches(new.scope(), there)
            && there.reaches(old.scope(), self.home);
        if reach && old.overlaps_completely(new) {
            return None;
        }
        let overlap = old.mask & new.mask;
        let by_lanes;
        // The copy's own thread is not ordered after the write either, except for its bulk
        // accesses.
        let unwaited = old.time == UNSETTLED && !new.is(BULK);
        let (granule, lane, other) = if old.unit == self.home.unit {
            if old.is(BULK) && !old.is(WRITE) {
                return None;
            }
            let (own, other) = (new.warp(), old.warp());
            // Lanes that issue one bulk store together store the same bytes.
            let one_copy =
                old.who & new.who & BULK != 0 && (old.site(), old.time) == (new.site(), new.time);
            let one = own == other && (one_copy || old.is_same_row(new) || old.is_same_lane(new));
            let one = one && !unwaited;
            if one || self.clocks.warp_ordered(own, other, old.time) {
                return None;
            }
            // Lanes that write one place together write the same value.
            if own == other && new.is(VAGUE) && (new.is(STRONG) || !new.is(WRITE)) {
                by_lanes = true;
                (0, 0, 0)
            } else {
                let found = self.first_unordered(old, new, false)?;
                by_lanes = self.is_one_of_many(new);
                found
            }
        } else {
            let unknown = (0..LINE as u32).find(|&granule| {
                overlap >> granule & 1 == 1 && self.first_unknown(old, new, granule).is_some()
            })?;
            let (lane, other) = self.first_unknown(old, new, unknown)?;
            by_lanes = self.is_one_of_many(new);
            (unknown, lane, other)
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
            time: old.time,
            site: old.site(),
            by_lanes,
            scopes: (strong && !reach).then(|| (old.scope(), new.scope())),
            sizes: reach.then(|| (old.bytes(), new.bytes())),
            unwaited: old.time == UNSETTLED,
        })
    }

    /// Returns the rank of a record's block in its cluster.
    fn rank(&self, old: &Record) -> u32 {
        old.warp() as u32 / self.block_warps
    }
}

//! Records which strong reads of a place observed which of its strong writes (PTX's observation
//! order).
//!
//! ```text
//! thread a   flag = 1 (relaxed)
//! thread b                        flag? (relaxed) reads 1     flag (weak): after thread a's write
//! thread c                                                    the same, once it is after thread b's read
//! ```
//!
//! Law: a strong read observes a strong write of the same bytes if it reads the write's value and
//! the scope of each includes the other's thread. It also observes the writes along a chain of
//! read-modify-writes. An access that is ordered after such a read is ordered after the write too,
//! if the access is to the same place; nothing else that the writer did is ordered by the
//! observation. A read-modify-write passes on what it observed, but orders nothing for its own
//! thread. This is less than PTX grants, since chance decides which of two comes first: a last
//! block that does not acquire is found whichever block is last. The last strong accesses of each
//! place are kept. An earlier write counts as observed, so that this limit never produces a
//! finding. Source: PTX ISA, "Memory Consistency Model", "Observation Order", "Causality Order".

use std::collections::HashMap;

use super::releases::{Does, Home};
use crate::ir::Scope;

/// The least number of strong accesses of a place that are kept.
const KEPT: usize = 64;

/// A strong access of a place, or a weak write.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Event {
    pub home: Home,
    /// The number of the thread in its cluster. `time` is the time that the thread's accesses
    /// carry.
    pub thread: u32,
    pub time: u32,
    pub does: Does,
    /// The scope of a strong access, or `None` for a weak write.
    pub scope: Option<Scope>,
    /// The bytes of the access, or 0 if it matches accesses of any size.
    pub bytes: u8,
}

impl Event {
    /// Whether two strong accesses of one place have the same bytes and reach each other's thread.
    fn is_morally_strong(&self, other: &Event) -> bool {
        let reaches = |from: &Event, to: &Event| {
            let scope = from.scope;
            scope.is_some_and(|scope| from.home.reaches(scope, to.home))
        };
        let same = self.bytes == other.bytes || self.bytes == 0 || other.bytes == 0;
        same && reaches(self, other) && reaches(other, self)
    }
}

/// Adds an event, and forgets the oldest events if there are many.
fn push(events: &mut Vec<Event>, event: Event) {
    if events.len() >= 2 * KEPT {
        events.drain(..KEPT);
    }
    events.push(event);
}

/// The strong accesses of places, in the order in which they happened, by allocation and granule.
#[derive(Debug, Default)]
pub(crate) struct Observations {
    of: HashMap<usize, HashMap<usize, Vec<Event>>>,
}

impl Observations {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.of.clear();
    }

    /// Returns the cluster of one of the accesses: all accesses of shared memory are of one
    /// cluster.
    pub fn unit(&self) -> Option<u32> {
        let mut events = self.of.values().flat_map(HashMap::values).flatten();
        events.next().map(|event| event.home.unit)
    }

    /// Whether an allocation has strong accesses.
    pub fn has(&self, allocation: usize) -> bool {
        self.of.contains_key(&allocation)
    }

    /// Notes a strong access of a granule.
    pub fn note(&mut self, (allocation, granule): (usize, usize), event: Event) {
        let places = self.of.entry(allocation).or_default();
        let events = places.entry(granule).or_default();
        // A poll reads the same value many times: one of these reads is enough.
        let reads = events.iter().rev().take_while(|old| old.does == Does::Read);
        if event.does == Does::Read && { reads }.any(|old| *old == event) {
            return;
        }
        push(events, event);
    }

    /// Notes a weak write of a granule: later strong reads observe no strong write before the weak
    /// one.
    pub fn overwritten(&mut self, (allocation, granule): (usize, usize), by: Event) {
        let places = self.of.get_mut(&allocation);
        if let Some(events) = places.and_then(|places| places.get_mut(&granule)) {
            // A second weak write has no further effect.
            if events.last().is_some_and(|last| last.scope.is_some()) {
                push(events, by);
            }
        }
    }

    /// Finds a strong write at `time` or later that `may_be` accepts, and a strong read by cluster
    /// `by` that observes it. Writes by `thread` are preferred. Returns the write and the read.
    pub fn flag(
        &self,
        may_be: impl Fn(&Event) -> bool,
        (thread, time): (u32, u32),
        by: u32,
    ) -> Option<(&Event, &Event)> {
        let mut found: Vec<(&Event, &Event)> = Vec::new();
        for events in self.of.values().flat_map(HashMap::values) {
            for (at, write) in events.iter().enumerate() {
                let writes = write.does != Does::Read && write.scope.is_some();
                if !writes || write.time < time || !may_be(write) {
                    continue;
                }
                let next = events[at + 1..].iter();
                let mut reads = next.take_while(|event| event.does == Does::Read);
                let other = |read: &Event| (read.home, read.thread) != (write.home, write.thread);
                let observes = |read: &&Event| {
                    read.home.unit == by && other(read) && write.is_morally_strong(read)
                };
                found.extend(reads.find(observes).map(|read| (write, read)));
            }
        }
        // The choice is the same in every run.
        found.into_iter().min_by_key(|(write, read)| {
            (
                write.thread != thread,
                write.time,
                read.home.rank,
                read.thread,
            )
        })
    }

    /// Whether a read has observed a strong write of a granule, and `is_behind` holds for this
    /// read. The thread `thread` of cluster `unit` made the write at `time`.
    pub fn is_observed(
        &self,
        (allocation, granule): (usize, usize),
        (unit, thread, time): (u32, u32, u32),
        is_behind: impl Fn(&Event) -> bool,
    ) -> bool {
        let places = self.of.get(&allocation);
        let Some(events) = places.and_then(|places| places.get(&granule)) else {
            return false;
        };
        let is_it = |event: &Event| {
            (event.home.unit, event.thread, event.time) == (unit, thread, time)
                && event.does != Does::Read
                && event.scope.is_some()
        };
        let mut writes = events.iter().enumerate().filter(|(_, event)| is_it(event));
        writes.all(|(at, write)| {
            let mut last = write;
            for event in &events[at + 1..] {
                match event.does {
                    Does::Read if last.is_morally_strong(event) && is_behind(event) => return true,
                    Does::Read => {}
                    Does::Modify if last.is_morally_strong(event) => last = event,
                    _ => return false,
                }
            }
            false
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_writes_between_strong_ones_do_not_make_the_events_of_a_place_grow() {
        let home = Home { unit: 0, rank: 0 };
        let event = |time: u32, scope| Event {
            home,
            thread: 0,
            time,
            does: Does::Write,
            scope,
            bytes: 4,
        };
        let mut all = Observations::default();
        for time in 0..1000 {
            all.note((0, 0), event(time, Some(Scope::Device)));
            if time % 3 != 0 {
                all.overwritten((0, 0), event(time, None));
            }
            assert!(all.of[&0][&0].len() <= 2 * KEPT);
        }
    }

    #[test]
    fn a_chain_of_read_modify_writes_is_observed_and_a_weak_write_ends_it() {
        let event = |thread: u32, does: Does, scope| Event {
            home: Home {
                unit: thread,
                rank: 0,
            },
            thread,
            time: 7,
            does,
            scope,
            bytes: 4,
        };
        let strong = Some(Scope::Device);
        let mut all = Observations::default();
        let place = (1, 5);
        all.note(place, event(0, Does::Write, strong));
        all.note(place, event(1, Does::Modify, strong));
        all.note(place, event(2, Does::Read, strong));
        let by = |all: &Observations, write: u32, read: u32| {
            all.is_observed(place, (write, write, 7), |event| event.thread == read)
        };
        assert!(!by(&all, 0, 1) && by(&all, 0, 2) && by(&all, 1, 2));
        assert!(!by(&all, 1, 0) && !by(&all, 0, 3));
        all.overwritten(place, event(3, Does::Write, None));
        all.note(place, event(4, Does::Read, strong));
        assert!(by(&all, 0, 2) && !by(&all, 0, 4) && !by(&all, 1, 4));
        // The scope of the write does not reach the reader.
        all.note(place, event(5, Does::Write, Some(Scope::Cluster)));
        all.note(place, event(6, Does::Read, strong));
        assert!(!by(&all, 5, 6));
    }
}

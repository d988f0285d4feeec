//! The mbarrier objects of a cluster: the data for which their 8 bytes in shared memory have no
//! space.
//!
//! ```text
//! offset 0x400 ─► Object { completed: 7 phases, pending 2 of 8 arrivals, 4096 bytes to come, clocks }
//!                 its bytes: valid | phase 7 | expected 8 | pending 2
//! ```
//!
//! Law: a phase is complete when no arrival and no byte is pending; the next one then waits for
//! `expected` arrivals. Phases are counted from 0 and never wrap here, so that a wait for a phase
//! long past is recognised. Source: PTX ISA, "mbarrier", "Phase of the mbarrier object", "Tracking
//! asynchronous operations".

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::shared::{ObjectPlace, Shared};
use crate::memory::clocks::Clocks;
use crate::memory::objects::Message;
use crate::memory::shadow::Shadow;

/// The largest count of arrivals and the largest count of bytes: 2^20 - 1.
pub(crate) const MOST: u64 = (1 << 20) - 1;
const VALID: u64 = 1 << 63;
const PHASES: u64 = (1 << 23) - 1;
/// The number of completions whose times are kept.
const KEPT: usize = 4;

/// Returns the phase in an object's bytes, or in the state of an arrival.
pub(super) fn phase(state: u64) -> u64 {
    state >> 40 & PHASES
}

/// Returns the number of phases from `then` to `now`, as the bytes count them.
pub(super) fn passed(now: u64, then: u64) -> u64 {
    phase(now).wrapping_sub(phase(then)) & PHASES
}

/// Returns the number of arrivals that the phase of a state still waits for.
pub(crate) fn pending(state: u64) -> u64 {
    state & MOST
}

pub(super) fn is_valid(state: u64) -> bool {
    state & VALID != 0
}

/// An mbarrier object.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object {
    /// The number of complete phases.
    pub completed: u64,
    pub expected: u64,
    pub pending: u64,
    /// The bytes that the phase waits for; negative if more arrived than were announced.
    pub bytes: i64,
    /// The object's column in the clocks.
    pub column: usize,
    /// The thread that made the object, the time (`made`), and the instruction (`site`).
    pub maker: u32,
    pub made: u32,
    pub site: u32,
    /// The lanes of the maker's warp that made the object by one instruction.
    pub lanes: u32,
    /// Whether a fence makes the object visible to asynchronous operations.
    pub shown: bool,
    /// The times at which the last phases were completed, by phase modulo [`KEPT`].
    times: [u32; KEPT],
    /// The knowledge of the arriving threads of the object's own block: in this phase, and in the
    /// last complete one (`published`).
    arrived: Message,
    published: Arc<Message>,
    /// The same for arriving threads of other blocks, if there are any.
    arrived_apart: Option<Box<Message>>,
    published_apart: Option<Arc<Message>>,
}

impl Object {
    /// Creates an object for `count` arrivals per phase. A thread made it at time `made`, by the
    /// instruction at `site`.
    pub fn new(count: u64, (maker, made): (u32, u32), site: u32) -> Object {
        Object {
            expected: count,
            pending: count,
            maker,
            made,
            site,
            ..Object::default()
        }
    }

    /// Whether the object is as `mbarrier.init` for `count` arrivals leaves it, that is, unused.
    pub fn is_fresh(&self, count: u64) -> bool {
        let unused = (self.completed, self.bytes) == (0, 0);
        unused && (self.expected, self.pending) == (count, count)
    }

    /// Returns the object's bytes, which are also the state that an arrival returns.
    pub fn state(&self) -> u64 {
        VALID | (self.completed & PHASES) << 40 | self.expected << 20 | self.pending
    }

    /// Adds the knowledge of a thread that arrives, or of an operation that completes at the
    /// object.
    pub fn tell(&mut self, by: impl FnOnce(&mut Message)) {
        by(&mut self.arrived);
    }

    /// Adds knowledge like [`tell`](Self::tell), for a thread of another block than the object's.
    pub fn tell_apart(&mut self, by: impl FnOnce(&mut Message)) {
        by(self.arrived_apart.get_or_insert_default());
    }

    /// Completes the phase if nothing is pending. Returns whether it did.
    pub fn complete_if_done(&mut self, clocks: Option<&mut Clocks>) -> bool {
        if self.pending != 0 || self.bytes != 0 {
            return false;
        }
        self.pending = self.expected;
        if let Some(clocks) = clocks {
            let time = clocks.advance();
            self.times[self.completed as usize % KEPT] = time;
            clocks.objects.note(&mut self.arrived, self.column, time);
            // Threads that arrive later know it too, because they waited for it.
            self.published = Arc::new(std::mem::take(&mut self.arrived));
            self.published_apart = self.arrived_apart.take().map(|apart| Arc::new(*apart));
        }
        self.completed += 1;
        true
    }

    /// Returns what a wait for the last complete phase learns: from the object's block, and from
    /// others.
    pub fn published(&self) -> (&Arc<Message>, Option<&Arc<Message>>) {
        (&self.published, self.published_apart.as_ref())
    }

    /// Returns the time at which the last complete phase completed.
    pub fn completed_at(&self) -> u32 {
        self.times[self.completed.wrapping_sub(1) as usize % KEPT]
    }

    /// Returns the number of phases that a warp can know to be complete if it knows the object's
    /// column up to `known`. The result is 0 if it knows of none. Times of phases long past are not
    /// kept: if the warp knows none of the kept phases, the result is the number of the others.
    pub fn known(&self, known: u32) -> u64 {
        let kept = self.completed.saturating_sub(KEPT as u64)..self.completed;
        let from = kept.start;
        let seen = kept
            .rev()
            .find(|&phase| self.times[phase as usize % KEPT] <= known);
        seen.map_or(from, |phase| phase + 1)
    }
}

/// The mbarrier objects, by their offset in the cluster's shared memory.
#[derive(Debug, Default)]
pub(crate) struct Table {
    objects: BTreeMap<usize, (ObjectPlace, Object)>,
    /// The columns assigned so far: an object that is made again at a place keeps the place's
    /// column.
    columns: BTreeMap<usize, usize>,
}

/// The write of an asynchronous operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written {
    pub at: usize,
    /// The number of bytes that complete.
    pub bytes: usize,
    /// The bytes from the first to the last, which are more if rows of a box are narrower than its
    /// swizzle.
    pub span: usize,
    /// The swizzle of the box, for the shadow.
    pub swizzle: u32,
    /// The number of a bulk reduction.
    pub reduction: Option<u64>,
}

impl Table {
    pub fn clear(&mut self) {
        self.objects.clear();
        self.columns.clear();
    }

    pub fn get(&self, at: usize) -> Option<&Object> {
        self.objects.get(&at).map(|(_, object)| object)
    }

    pub fn get_mut(&mut self, at: usize) -> Option<&mut Object> {
        self.objects.get_mut(&at).map(|(_, object)| object)
    }

    /// Returns the column for the reads of a group of four warps, which has no object.
    pub fn column_of_group(&mut self, group: usize) -> usize {
        let next = self.columns.len();
        *self.columns.entry(usize::MAX - group).or_insert(next)
    }

    /// Makes an object at a place.
    pub fn insert(&mut self, place: ObjectPlace, mut object: Object) {
        let next = self.columns.len();
        object.column = *self.columns.entry(place.at()).or_insert(next);
        self.objects.insert(place.at(), (place, object));
    }

    pub fn remove(&mut self, at: usize) {
        self.objects.remove(&at);
    }

    /// Completes the write of an operation of `issuer` at an object. If the object does not exist
    /// any more, this has no effect. Returns the object's column and the time if the order of
    /// threads is followed.
    pub fn complete(
        &mut self,
        shared: &mut Shared,
        shadow: Option<&mut Shadow>,
        at: usize,
        issuer: u32,
        written: Written,
    ) -> Option<(usize, u32)> {
        let (place, object) = self.objects.get_mut(&at)?;
        object.bytes -= written.bytes as i64;
        let mut completed = None;
        let clocks = shadow.map(|shadow| {
            let time = shadow.clocks.advance();
            completed = Some((object.column, time));
            let column = object.column;
            if let Some(id) = written.reduction {
                shadow.complete_reduction(id, column, time);
            } else if written.bytes > 0 {
                let place = (written.at, written.span);
                shadow.complete_write(issuer, place, written.swizzle, column, time);
            }
            let objects = &shadow.clocks.objects;
            object.tell(|message| objects.note(message, column, time));
            &mut shadow.clocks
        });
        object.complete_if_done(clocks);
        place.keep(shared, object);
        completed
    }

    /// Lets a commit arrive at an object. A wait for it then knows of all products of the
    /// committing thread so far, including those of earlier commits to other objects (`told`), and
    /// of what the thread had waited for when it committed (`waited`). `complete` gets the object
    /// as a thread, and the time.
    pub fn commit(
        &mut self,
        shared: &mut Shared,
        at: usize,
        shadow: Option<(&mut Shadow, Vec<u64>)>,
        (told, waited): (&mut Vec<(usize, u32)>, &Message),
        complete: impl FnOnce((u32, u32)),
    ) {
        let Some((place, object)) = self.objects.get_mut(&at) else {
            return;
        };
        object.pending = object.pending.saturating_sub(1);
        let clocks = shadow.map(|(shadow, readings)| {
            let time = shadow.clocks.advance();
            let column = object.column;
            for id in readings {
                shadow.end_group_reading(id, column, time);
            }
            complete((shadow.clocks.object_as_thread(column), time));
            told.retain(|&(other, _)| other != column);
            told.push((column, time));
            let objects = &shadow.clocks.objects;
            for &(column, time) in &*told {
                object.tell(|message| objects.note(message, column, time));
            }
            let base = shadow.clocks.base;
            object.tell(|message| message.join(waited, base));
            &mut shadow.clocks
        });
        object.complete_if_done(clocks);
        place.keep(shared, object);
    }

    /// Makes the objects whose maker `by` accepts visible to asynchronous operations, by a fence.
    pub fn show(&mut self, by: impl Fn(u32) -> bool) {
        for (_, object) in self.objects.values_mut() {
            object.shown |= by(object.maker);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(expected: u64) -> Object {
        Object {
            expected,
            pending: expected,
            ..Object::default()
        }
    }

    #[test]
    fn a_phase_waits_for_arrivals_and_bytes() {
        let mut one = object(2);
        one.bytes = 16;
        one.pending = 0;
        assert!(!one.complete_if_done(None));
        one.bytes = 0;
        assert!(one.complete_if_done(None));
        assert_eq!((one.completed, one.pending), (1, 2));
        assert_eq!(passed(one.state(), object(2).state()), 1);
    }

    #[test]
    fn what_is_known_of_phases_follows_their_times() {
        let mut clocks = Clocks::default();
        clocks.reset(1);
        let mut one = object(1);
        for _ in 0..6 {
            one.pending = 0;
            one.complete_if_done(Some(&mut clocks));
        }
        let times = [5, 4, 3, 2].map(|phase: usize| one.times[phase % KEPT]);
        assert_eq!(times.map(|time| one.known(time)), [6, 5, 4, 3]);
        // The time is earlier than all that are kept.
        assert_eq!(one.known(0), 2);
    }
}

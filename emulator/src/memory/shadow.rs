//! What is known about each place of shared memory: who wrote it, who read it, and when.
//!
//! ```text
//! time      1 ......... | bar.sync = 2 ......... | bar.sync = 3 ...
//! thread 5  write x @1  |                        |
//! thread 70             | read x @2: knows all of thread 5 up to time 1, fine
//! ```
//!
//! **The rule.** Two accesses of one byte by different threads, at least one of them a write, must be ordered. What
//! orders them: a barrier in which both threads take part (`bar.sync`, `bar.red`, `barrier`, and from `bar.arrive` to
//! the `bar.sync` that it completes), `bar.warp.sync` for threads of one warp in its mask, an atomic or ordered access
//! that reads what an atomic or ordered access wrote, and every chain of these. Nothing else does: threads of one warp
//! are not ordered by being in one warp, nor by `shfl` or `vote`, which PTX says order no memory. Exempt are two
//! atomic or ordered accesses, and a write of the value that is already there.
//!
//! A `cp.async` writes at some time between its issue and the wait of the thread that issued it: until then nobody may
//! touch its bytes, and after it the wait counts as the write.
//!
//! **Method.** A global time that every synchronisation advances. A thread's accesses carry the time of its last
//! synchronisation; each warp knows up to which time it is ordered behind each other warp, each lane behind each other
//! lane of its warp (happens-before with clocks for warps and lanes, after Flanagan and Freund, "FastTrack", 2009).
//! What is granted too generously, so that a right program is never accused: partial barriers order whole warps, and
//! of several read times of one warp the last counts.

use crate::fault::{Access, Earlier};
use crate::frame::WARP;

/// What is wrong with an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// Nothing wrote the byte.
    Uninitialised,
    /// Not ordered with what that thread did.
    Race { earlier: Earlier, other: u32 },
    /// A `cp.async` of that thread has not been waited for.
    Pending { issuer: u32 },
}

/// The last write of a granule.
#[derive(Debug, Clone, Copy, Default)]
struct Write {
    /// 0 for none.
    time: u32,
    thread: u16,
    /// By an atomic or ordered access.
    atomic: bool,
    /// By a `cp.async` that is still on its way.
    pending: bool,
}

/// The last reads of a granule by one warp.
#[derive(Debug, Clone, Copy, Default)]
struct Reads {
    time: u32,
    lanes: u32,
}

/// The shadow of a block's shared memory.
#[derive(Debug, Default)]
pub(crate) struct Shadow {
    /// Bytes of a granule: the smallest access of the kernel.
    shift: u32,
    granules: usize,
    warps: usize,
    writes: Vec<Write>,
    /// Time of the last read by anyone.
    last_read: Vec<u32>,
    /// By warp, then granule.
    reads: Vec<Reads>,
    time: u32,
    /// Times up to this one belong to earlier blocks.
    base: u32,
    /// Time of each thread's last synchronisation.
    since: Vec<u32>,
    /// What warp a knows of warp b, at `a * warps + b`.
    of_warps: Vec<u32>,
    /// What lane a knows of lane b, by warp.
    of_lanes: Vec<[[u32; WARP]; WARP]>,
    /// Up to this time a warp knows of everyone.
    of_all: Vec<u32>,
}

impl Shadow {
    /// A fresh block with that much memory, accessed in pieces of at least `granule` bytes.
    pub fn reset(&mut self, bytes: usize, granule: u32, warps: usize) {
        let shift = granule.trailing_zeros();
        let granules = bytes.div_ceil(granule as usize);
        // Old entries stay and are told by their times.
        if (self.shift, self.granules, self.warps) != (shift, granules, warps) || self.time > u32::MAX / 2 {
            *self = Shadow {
                shift,
                granules,
                warps,
                writes: vec![Write::default(); granules],
                last_read: vec![0; granules],
                reads: vec![Reads::default(); granules * warps],
                ..Shadow::default()
            };
        }
        self.base = self.time;
        self.time += 1;
        self.since = vec![self.time; warps * WARP];
        self.of_warps = vec![self.base; warps * warps];
        self.of_lanes = vec![[[self.base; WARP]; WARP]; warps];
        self.of_all = vec![self.base; warps];
    }

    /// Whether `thread` is ordered behind what `other` did at `time`.
    #[inline]
    fn ordered(&self, thread: u32, other: u32, time: u32) -> bool {
        let (warp, other_warp) = (thread as usize / WARP, other as usize / WARP);
        if time <= self.of_all[warp] || thread == other {
            true
        } else if warp != other_warp {
            self.of_warps[warp * self.warps + other_warp] >= time
        } else {
            self.of_lanes[warp][thread as usize % WARP][other as usize % WARP] >= time
        }
    }

    #[inline(always)]
    fn range(&self, at: usize, bytes: usize) -> std::ops::Range<usize> {
        at >> self.shift..(at + bytes - 1 >> self.shift) + 1
    }

    /// A read of `bytes` bytes at offset `at`. `atomic`: part of an atomic or ordered access.
    #[inline]
    pub fn read(&mut self, thread: u32, at: usize, bytes: usize, atomic: bool) -> Result<(), (usize, Problem)> {
        let warp = thread as usize / WARP;
        let (since, bit) = (self.since[thread as usize], 1u32 << (thread as usize % WARP));
        for granule in self.range(at, bytes) {
            let write = self.writes[granule];
            if write.time <= self.base {
                return Err((granule << self.shift, Problem::Uninitialised));
            }
            if write.pending {
                return Err((granule << self.shift, Problem::Pending { issuer: u32::from(write.thread) }));
            }
            if write.time > self.of_all[warp] && !self.ordered(thread, u32::from(write.thread), write.time) {
                if !(atomic && write.atomic) {
                    let problem = Problem::Race { earlier: Earlier::Wrote, other: u32::from(write.thread) };
                    return Err((granule << self.shift, problem));
                }
                self.learn(thread, u32::from(write.thread), write.time);
            }
            // An atomic read need not be ordered with atomic writes to come: it leaves no trace.
            if !atomic {
                let reads = &mut self.reads[warp * self.granules + granule];
                let lanes = if reads.time == since { reads.lanes } else { 0 };
                *reads = Reads { time: since, lanes: lanes | bit };
                self.last_read[granule] = self.last_read[granule].max(since);
            }
        }
        Ok(())
    }

    /// A write of `bytes` bytes at offset `at`; `same` says of a byte offset and length whether the value is the one
    /// already there.
    #[inline]
    pub fn write(
        &mut self,
        thread: u32,
        at: usize,
        bytes: usize,
        atomic: bool,
        same: impl Fn(usize, usize) -> bool,
    ) -> Result<(), (usize, Problem)> {
        let since = self.since[thread as usize];
        for granule in self.range(at, bytes) {
            self.check_write(thread, granule, atomic, &same)?;
            self.writes[granule] = Write { time: since, thread: thread as u16, atomic, pending: false };
        }
        Ok(())
    }

    /// A `cp.async` of `bytes` bytes to offset `at` is issued.
    pub fn issue(&mut self, thread: u32, at: usize, bytes: usize) -> Result<(), (usize, Problem)> {
        let since = self.since[thread as usize];
        for granule in self.range(at, bytes) {
            self.check_write(thread, granule, false, &|_, _| false)?;
            self.writes[granule] = Write { time: since, thread: thread as u16, atomic: false, pending: true };
        }
        Ok(())
    }

    /// The thread that issued a `cp.async` has waited for it.
    pub fn arrive(&mut self, thread: u32, at: usize, bytes: usize) {
        let since = self.since[thread as usize];
        for granule in self.range(at, bytes) {
            let write = &mut self.writes[granule];
            // Copies to one place by one thread arrive together; the place is no longer on its way.
            if write.pending && u32::from(write.thread) == thread {
                *write = Write { time: since, pending: false, ..*write };
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
        if write.time > self.base {
            if write.pending {
                return Err((at, Problem::Pending { issuer: u32::from(write.thread) }));
            }
            if write.time > self.of_all[warp]
                && !self.ordered(thread, u32::from(write.thread), write.time)
                && !(atomic && write.atomic)
                && !same(at, 1 << self.shift)
            {
                let problem = Problem::Race { earlier: Earlier::Wrote, other: u32::from(write.thread) };
                return Err((at, problem));
            }
        }
        if self.last_read[granule] <= self.of_all[warp] {
            return Ok(());
        }
        for reader in 0..self.warps {
            let Reads { time, lanes } = self.reads[reader * self.granules + granule];
            if time <= self.of_all[warp] {
                continue;
            }
            if reader != warp && self.of_warps[warp * self.warps + reader] >= time {
                continue;
            }
            for lane in (0..WARP as u32).filter(|lane| lanes >> lane & 1 == 1) {
                let other = reader as u32 * WARP as u32 + lane;
                if !self.ordered(thread, other, time) && !same(at, 1 << self.shift) {
                    return Err((at, Problem::Race { earlier: Earlier::Read, other }));
                }
            }
        }
        Ok(())
    }

    /// `thread` saw what `other` published at `time`: it is ordered behind it, and behind what that was behind.
    fn learn(&mut self, thread: u32, other: u32, time: u32) {
        let (warp, other_warp) = (thread as usize / WARP, other as usize / WARP);
        for x in 0..self.warps {
            let known = self.of_warps[other_warp * self.warps + x];
            let slot = &mut self.of_warps[warp * self.warps + x];
            *slot = (*slot).max(known);
        }
        if warp != other_warp {
            let slot = &mut self.of_warps[warp * self.warps + other_warp];
            *slot = (*slot).max(time);
        } else {
            let (lane, other) = (thread as usize % WARP, other as usize % WARP);
            let known = self.of_lanes[warp][other];
            let row = &mut self.of_lanes[warp][lane];
            for (mine, theirs) in row.iter_mut().zip(known) {
                *mine = (*mine).max(theirs);
            }
            row[other] = row[other].max(time);
        }
    }

    /// Lanes arrive at a barrier without waiting (`bar.arrive`): the time up to which others will know of their warp.
    pub fn publish(&mut self, warp: usize, lanes: u32) -> u32 {
        self.time += 1;
        for lane in (0..WARP).filter(|&lane| lanes >> lane & 1 == 1) {
            self.since[warp * WARP + lane] = self.time;
        }
        self.time - 1
    }

    /// Threads meet: `lanes[w]` are those of warp `w`. With `all`, they are all that the block still has. `arrived`
    /// are the warps that came to the same barrier by `publish`, and when.
    pub fn meet(&mut self, lanes: &[u32], all: bool, arrived: &[(usize, u32)]) {
        self.time += 1;
        let now = self.time - 1;
        let present = || (0..self.warps).filter(|&w| lanes[w] != 0);
        let mut known: Vec<u32> = vec![0; self.warps];
        for a in present() {
            for (b, known) in known.iter_mut().enumerate() {
                *known = (*known).max(self.of_warps[a * self.warps + b]);
            }
        }
        for &(b, time) in arrived {
            known[b] = known[b].max(time);
        }
        for b in present() {
            known[b] = now;
        }
        for a in (0..self.warps).filter(|&w| lanes[w] != 0) {
            let row = &mut self.of_warps[a * self.warps..(a + 1) * self.warps];
            for (mine, &met) in row.iter_mut().zip(&known) {
                *mine = (*mine).max(met);
            }
            if all {
                // Threads that have ended count as having met too.
                row.fill(now);
                self.of_all[a] = now;
            }
        }
        for (warp, &lanes) in lanes.iter().enumerate().filter(|(_, lanes)| **lanes != 0) {
            self.lanes_met(warp, lanes, now);
        }
    }

    /// Lanes of one warp meet.
    pub fn meet_lanes(&mut self, warp: usize, lanes: u32) {
        self.time += 1;
        self.lanes_met(warp, lanes, self.time - 1);
    }

    fn lanes_met(&mut self, warp: usize, lanes: u32, now: u32) {
        let members = || (0..WARP).filter(|&lane| lanes >> lane & 1 == 1);
        let mut known = [0; WARP];
        for a in members() {
            for (known, &theirs) in known.iter_mut().zip(&self.of_lanes[warp][a]) {
                *known = (*known).max(theirs);
            }
        }
        for a in members() {
            known[a] = now;
        }
        for a in members() {
            self.of_lanes[warp][a] = known;
            self.since[warp * WARP + a] = now + 1;
        }
    }

    /// What kind of access a problem is to be reported as.
    pub fn access(read: bool, atomic: bool) -> Access {
        match (read, atomic) {
            (_, true) => Access::Atomic,
            (true, _) => Access::Read,
            (false, _) => Access::Write,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFFERENT: fn(usize, usize) -> bool = |_, _| false;

    fn shadow() -> Shadow {
        let mut shadow = Shadow::default();
        shadow.reset(256, 4, 3);
        shadow
    }

    fn race(earlier: Earlier, other: u32) -> Problem {
        Problem::Race { earlier, other }
    }

    #[test]
    fn uninitialised_until_written() {
        let mut s = shadow();
        assert_eq!(s.read(0, 8, 4, false), Err((8, Problem::Uninitialised)));
        s.write(0, 8, 4, false, DIFFERENT).unwrap();
        s.read(0, 8, 4, false).unwrap();
        assert_eq!(s.read(0, 8, 8, false), Err((12, Problem::Uninitialised)));
        s.reset(256, 4, 3);
        assert_eq!(s.read(0, 8, 4, false), Err((8, Problem::Uninitialised)), "a new block");
    }

    #[test]
    fn a_barrier_orders_write_and_read() {
        let mut s = shadow();
        s.write(5, 0, 4, false, DIFFERENT).unwrap();
        assert_eq!(s.read(70, 0, 4, false), Err((0, race(Earlier::Wrote, 5))));
        s.meet(&[u32::MAX; 3], true, &[]);
        s.read(70, 0, 4, false).unwrap();
        assert_eq!(s.write(5, 0, 4, false, DIFFERENT), Err((0, race(Earlier::Read, 70))));
        s.meet(&[u32::MAX; 3], true, &[]);
        s.write(5, 0, 4, false, DIFFERENT).unwrap();
    }

    #[test]
    fn a_warp_is_not_ordered_by_itself_but_by_bar_warp_sync() {
        let mut s = shadow();
        s.write(1, 0, 4, false, DIFFERENT).unwrap();
        assert_eq!(s.read(2, 0, 4, false), Err((0, race(Earlier::Wrote, 1))));
        s.meet_lanes(0, 0b110);
        s.read(2, 0, 4, false).unwrap();
        assert_eq!(s.read(3, 0, 4, false), Err((0, race(Earlier::Wrote, 1))), "lane 3 was not there");
        // By way of lane 2.
        s.meet_lanes(0, 0b1100);
        s.read(3, 0, 4, false).unwrap();
    }

    #[test]
    fn named_barriers_order_their_warps_and_chains() {
        let mut s = shadow();
        s.write(0, 0, 4, false, DIFFERENT).unwrap();
        s.meet(&[u32::MAX, u32::MAX, 0], false, &[]);
        s.read(40, 0, 4, false).unwrap();
        assert_eq!(s.read(64, 0, 4, false), Err((0, race(Earlier::Wrote, 0))));
        s.meet(&[0, u32::MAX, u32::MAX], false, &[]);
        s.read(64, 0, 4, false).unwrap();
    }

    #[test]
    fn arriving_publishes_what_came_before_only() {
        let mut s = shadow();
        s.write(0, 0, 4, false, DIFFERENT).unwrap();
        let time = s.publish(0, u32::MAX);
        s.write(0, 4, 4, false, DIFFERENT).unwrap();
        s.meet(&[0, u32::MAX, 0], false, &[(0, time)]);
        s.read(40, 0, 4, false).unwrap();
        assert_eq!(s.read(40, 4, 4, false), Err((4, race(Earlier::Wrote, 0))));
    }

    #[test]
    fn the_same_value_and_atomics_are_no_race() {
        let mut s = shadow();
        s.write(0, 0, 4, false, DIFFERENT).unwrap();
        s.write(40, 0, 4, false, |_, _| true).unwrap();
        s.write(0, 4, 4, true, DIFFERENT).unwrap();
        s.write(40, 4, 4, true, DIFFERENT).unwrap();
        assert_eq!(s.read(41, 4, 4, false), Err((4, race(Earlier::Wrote, 40))));
    }

    #[test]
    fn what_an_atomic_publishes_is_ordered() {
        let mut s = shadow();
        s.write(0, 0, 4, false, DIFFERENT).unwrap();
        s.write(0, 4, 4, true, DIFFERENT).unwrap();
        s.read(40, 4, 4, true).unwrap();
        s.read(40, 0, 4, false).unwrap();
    }

    #[test]
    fn an_asynchronous_copy_is_pending_until_its_wait() {
        let mut s = shadow();
        s.issue(0, 0, 16).unwrap();
        assert_eq!(s.read(0, 4, 4, false), Err((4, Problem::Pending { issuer: 0 })));
        assert_eq!(s.write(40, 4, 4, false, DIFFERENT), Err((4, Problem::Pending { issuer: 0 })));
        s.arrive(0, 0, 16);
        s.read(0, 4, 4, false).unwrap();
        assert_eq!(s.read(40, 4, 4, false), Err((4, race(Earlier::Wrote, 0))), "waited for by another thread");
        s.meet(&[u32::MAX; 3], true, &[]);
        s.read(40, 4, 4, false).unwrap();
        assert_eq!(s.issue(1, 0, 16), Err((4, race(Earlier::Read, 40))), "still being read");
    }

    #[test]
    fn small_granules_tell_neighbours_apart() {
        let mut s = Shadow::default();
        s.reset(16, 2, 1);
        s.write(0, 0, 2, false, DIFFERENT).unwrap();
        s.write(1, 2, 2, false, DIFFERENT).unwrap();
        assert_eq!(s.read(1, 0, 4, false), Err((0, race(Earlier::Wrote, 0))));
    }
}

//! Decides which accesses of a block's threads are ordered (happens-before).
//!
//! ```text
//! time           1            2                3
//! warp 0   ------------- bar.sync ------- bar.sync ------
//! warp 1   ------------- bar.sync ------- bar.sync ------
//!          after the first: of_warps[1][0] = 1: warp 1 is ordered after warp 0 up to time 1
//! ```
//!
//! Law: every synchronisation advances a global time. An access carries the time of its thread's
//! last synchronisation. A warp knows, for each other warp, the time up to which it is ordered
//! after that warp's accesses; a lane knows such a time for each other lane of its warp. Threads
//! that meet share what they know. A barrier in which only some lanes of a warp take part orders
//! the whole warp: this is more than PTX grants, so that no finding is reported for a correct
//! program. A release passes on only what its own thread did and knows. Knowledge of other warps
//! that a thread acquires by a strong access belongs to this thread only, until it meets other
//! lanes of its warp ([`Apart`]). Method: vector clocks of warps and of lanes; after Flanagan and
//! Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", 2009.

use std::ops::Range;
use std::sync::Arc;

use super::apart::{Apart, Piece};
use super::foreign::{self, Foreign, Seen};
use super::objects::{Message, Objects};
use super::releases::Releasing;
use crate::frame::{FULL, WARP};

/// The clocks of a block.
#[derive(Debug, Default)]
pub(crate) struct Clocks {
    warps: usize,
    /// The global time, which every synchronisation advances.
    time: u32,
    /// Times up to this one belong to earlier blocks.
    pub base: u32,
    /// The time of each thread's last synchronisation.
    since: Vec<u32>,
    /// The time up to which warp `a` knows warp `b`, at `a * warps + b`.
    pub of_warps: Vec<u32>,
    /// The time up to which lane `a` knows lane `b`, as `[a][b]` of their warp.
    of_lanes: Vec<[[u32; WARP]; WARP]>,
    /// For each warp, threads of other warps, each with a time later than the one up to which the
    /// warp knows the thread's whole warp.
    beyond: Vec<Vec<(u32, u32)>>,
    /// For each warp, the time up to which all its lanes know each other.
    within: Vec<u32>,
    /// For each warp, what it knows of other clusters.
    foreign: Vec<Option<Arc<Foreign>>>,
    /// For each warp, the knowledge that only some of its lanes have.
    apart: Vec<Apart>,
    /// Empty knowledge, for pieces that concern only other clusters.
    nothing: Arc<Seen>,
    /// The releases that threads prepare by fences, and the releases that threads have observed and
    /// not acquired.
    pub releasing: Releasing,
    /// For each warp, a time up to which it knows every warp.
    pub of_all: Vec<u32>,
    /// Whether an asynchronous operation has written in this block.
    pub asynchronous: bool,
    /// The completions of asynchronous operations on mbarrier objects, and what warps know of them.
    pub objects: Objects,
}

impl Clocks {
    /// Whether the time is past half of its range, so that the clocks must be restarted.
    pub fn worn_out(&self) -> bool {
        self.time > u32::MAX / 2
    }

    /// Whether all times fit in an `i32` too.
    #[inline(always)]
    pub fn is_signed(&self) -> bool {
        self.time <= i32::MAX as u32
    }

    /// Begins a new block: all earlier times are before everything that the block does.
    pub fn reset(&mut self, warps: usize) {
        self.warps = warps;
        self.base = self.time;
        self.time += 1;
        self.since = vec![self.time; warps * WARP];
        self.of_warps = vec![self.base; warps * warps];
        self.of_lanes = vec![[[self.base; WARP]; WARP]; warps];
        self.of_all = vec![self.base; warps];
        self.within = vec![self.base; warps];
        self.beyond.clear();
        self.beyond.resize(warps, Vec::new());
        self.foreign.clear();
        self.foreign.resize(warps, None);
        self.apart.clear();
        self.apart.resize_with(warps, Apart::default);
        self.releasing.reset(warps);
        self.asynchronous = false;
        self.objects.reset(warps, self.base);
    }

    /// Advances the time. Returns the previous time; nothing that has happened is later than it.
    pub fn advance(&mut self) -> u32 {
        self.time += 1;
        self.time - 1
    }

    /// Returns the time that an access of the thread carries.
    #[inline(always)]
    pub fn since(&self, thread: u32) -> u32 {
        self.since[thread as usize]
    }

    /// Returns the times that accesses of a warp's lanes carry.
    #[inline(always)]
    pub fn of_warp(&self, warp: usize) -> &[u32; WARP] {
        &self.since.as_chunks().0[warp]
    }

    /// Returns the number of the thread that represents an mbarrier object, given the object's
    /// column.
    pub fn object_as_thread(&self, column: usize) -> u32 {
        ((self.warps + column) * WARP) as u32
    }

    /// Returns the column of the mbarrier object that a thread stands for, or `None` for other
    /// threads.
    pub fn column_of(&self, thread: u32) -> Option<usize> {
        (thread as usize / WARP).checked_sub(self.warps)
    }

    /// Whether `thread` is ordered after what `other` did at `time`.
    #[inline]
    pub fn ordered(&self, thread: u32, other: u32, time: u32) -> bool {
        let (warp, other_warp) = (thread as usize / WARP, other as usize / WARP);
        if other_warp >= self.warps {
            self.objects.known(warp, other_warp - self.warps) >= time
        } else if time <= self.of_all[warp] || thread == other {
            true
        } else if warp != other_warp {
            self.of_warps[warp * self.warps + other_warp] >= time
                || self.beyond[warp]
                    .iter()
                    .any(|&(known, until)| known == other && until >= time)
                || self
                    .of_lane(thread)
                    .any(|piece| piece.seen.knows(other, time))
        } else {
            self.of_lanes[warp][thread as usize % WARP][other as usize % WARP] >= time
        }
    }

    /// Whether all lanes of a warp are ordered after all that a warp did at `time`.
    #[inline(always)]
    pub fn warp_ordered(&self, warp: usize, other: usize, time: u32) -> bool {
        time <= self.of_all[warp]
            || time
                <= match warp == other {
                    true => self.within[warp],
                    false => self.of_warps[warp * self.warps + other],
                }
    }

    /// Returns the knowledge of other warps that a thread has and its whole warp does not have.
    fn of_lane(&self, thread: u32) -> impl Iterator<Item = &Piece> {
        self.apart[thread as usize / WARP].of(1 << (thread % WARP as u32))
    }

    /// Whether, for each of these lanes of a warp, `knows` holds for some of the lane's knowledge
    /// of other clusters.
    pub fn all_know_foreign(
        &self,
        warp: usize,
        mask: u32,
        knows: impl Fn(&Foreign) -> bool,
    ) -> bool {
        if self.foreign[warp].as_deref().is_some_and(&knows) {
            return true;
        }
        let pieces = self.apart[warp].of(mask);
        let known = pieces.filter(|piece| piece.foreign.as_deref().is_some_and(&knows));
        mask & !known.fold(0, |lanes, piece| lanes | piece.lanes) == 0
    }

    /// Returns what some lanes of a warp know and the whole warp does not.
    pub fn apart(&self, warp: usize) -> &Apart {
        &self.apart[warp]
    }

    /// Returns a thread of these warps that is ordered after what thread `other` did at `time`, or
    /// `None` if there is no such thread. Thread `other` is in the same cluster as these warps, or
    /// in cluster `unit` if that is given.
    pub fn who_knows(
        &self,
        mut warps: Range<usize>,
        unit: Option<u32>,
        (other, time): (u32, u32),
    ) -> Option<u32> {
        warps.find_map(|warp| {
            let lane = match unit {
                None => {
                    let threads = &self.beyond[warp];
                    let knows = self.of_warps[warp * self.warps + other as usize / WARP] >= time;
                    knows
                        || threads
                            .iter()
                            .any(|&known| known.0 == other && known.1 >= time)
                }
                Some(unit) => {
                    let known = self.foreign[warp].as_ref().and_then(|known| known.of(unit));
                    known.is_some_and(|seen| seen.knows(other, time))
                }
            };
            let whole = lane.then_some(0);
            let lane = whole.or_else(|| self.apart[warp].lane_that_knows(unit, other, time))?;
            Some((warp * WARP) as u32 + lane)
        })
    }

    /// Finds the thread among these warps that `thread` knows up to the latest time. Returns the
    /// thread with that time. The warps are in the cluster of `thread`, or in cluster `unit` if
    /// that is given.
    pub fn latest_known(
        &self,
        thread: u32,
        unit: Option<u32>,
        warps: Range<usize>,
    ) -> Option<(u32, u32)> {
        let warp = thread as usize / WARP;
        let seen = |seen: &Seen| -> Vec<(u32, u32)> {
            let of_warps = seen.warps.iter().enumerate();
            let of_warps = of_warps.map(|(warp, &time)| ((warp * WARP) as u32, time));
            of_warps.chain(seen.threads.iter().copied()).collect()
        };
        let mut known: Vec<(u32, u32)> = Vec::new();
        match unit {
            None => {
                let row = &self.of_warps[warp * self.warps..(warp + 1) * self.warps];
                let row = row.iter().enumerate();
                known.extend(row.map(|(warp, &time)| ((warp * WARP) as u32, time)));
                known.extend(&self.beyond[warp]);
                known.extend(self.of_lane(thread).flat_map(|piece| seen(&piece.seen)));
            }
            Some(unit) => {
                let whole = self.foreign[warp].iter();
                let apart = self
                    .of_lane(thread)
                    .filter_map(|piece| piece.foreign.as_ref());
                let of = whole.chain(apart).filter_map(|known| known.of(unit));
                known.extend(of.flat_map(|of| seen(of)));
            }
        }
        known.retain(|(thread, _)| warps.contains(&(*thread as usize / WARP)));
        known.into_iter().max_by_key(|(_, time)| *time)
    }

    /// Adds pieces that lanes knew to what their whole warp knows.
    fn share(&mut self, warp: usize, pieces: impl IntoIterator<Item = Piece>) {
        for piece in pieces {
            self.absorb(warp, &piece.seen.warps, &piece.seen.threads);
            foreign::join(&mut self.foreign[warp], &piece.foreign);
        }
    }

    /// Returns the time up to which each lane of a warp knows each other lane.
    pub fn lane_rows(&self, warp: usize) -> &[[u32; WARP]; WARP] {
        &self.of_lanes[warp]
    }

    /// Returns what a warp knows of all threads except its own lanes.
    pub fn known_of_others(&self, warp: usize) -> Message {
        let mut message = Message::default();
        let base = self.base;
        self.send_common(warp, base, &mut message);
        message.warps[warp] = base;
        message
    }

    /// Orders a thread after times of threads of its own cluster (`seen`) and of other clusters
    /// (`foreign`).
    pub fn acquire(
        &mut self,
        thread: u32,
        seen: Option<&Arc<Seen>>,
        foreign: Option<&Arc<Foreign>>,
    ) {
        let (warp, lane) = (thread as usize / WARP, thread as usize % WARP);
        if let Some(seen) = seen {
            self.acquire_of_own(warp, lane, seen);
        }
        let is_known = |seen: &Arc<Seen>| self.is_known(warp, seen);
        let same = |all: &Arc<Foreign>| {
            let known = self.foreign[warp].as_ref();
            known.is_some_and(|known| known.is_everything() || Arc::ptr_eq(known, all))
        };
        if seen.is_none_or(is_known) && foreign.is_none_or(same) {
            return;
        }
        let new = Piece {
            lanes: 1 << lane,
            seen: seen.cloned().unwrap_or_else(|| self.nothing.clone()),
            foreign: foreign.cloned(),
        };
        let whole = self.apart[warp].learn(new);
        self.share(warp, whole);
    }

    /// Whether a warp already knows everything that `seen` says of other warps of its cluster.
    fn is_known(&self, warp: usize, seen: &Seen) -> bool {
        let row = &self.of_warps[warp * self.warps..(warp + 1) * self.warps];
        let mut warps = row.iter().zip(&seen.warps).enumerate();
        let mut threads = seen.threads.iter();
        warps.all(|(other, (&mine, &theirs))| other == warp || mine >= theirs)
            && threads.all(|&(thread, time)| {
                let other = thread as usize / WARP;
                other == warp || row[other] >= time || self.beyond[warp].contains(&(thread, time))
            })
    }

    /// Adds to what a lane knows everything that `seen` says of the lanes of its own warp.
    fn acquire_of_own(&mut self, warp: usize, lane: usize, seen: &Seen) {
        let lanes = &mut self.of_lanes[warp][lane];
        if let Some(&sent) = seen.warps.get(warp) {
            lanes.iter_mut().for_each(|mine| *mine = (*mine).max(sent));
        }
        for &(thread, time) in &seen.threads {
            if thread as usize / WARP == warp {
                let mine = &mut lanes[thread as usize % WARP];
                *mine = (*mine).max(time);
            }
        }
    }

    /// Orders a thread after everything that its cluster did.
    pub fn acquire_all(&mut self, thread: u32) {
        let (warp, lane) = (thread as usize / WARP, thread as usize % WARP);
        self.of_warps[warp * self.warps..(warp + 1) * self.warps].fill(self.time);
        self.of_lanes[warp][lane].fill(self.time);
        self.time += 1;
    }

    /// Adds times of other warps and of their threads to what a warp knows.
    fn absorb(&mut self, warp: usize, warps: &[u32], threads: &[(u32, u32)]) {
        let row = &mut self.of_warps[warp * self.warps..(warp + 1) * self.warps];
        for (other, (mine, &sent)) in row.iter_mut().zip(warps).enumerate() {
            if other != warp {
                *mine = (*mine).max(sent);
            }
        }
        for &(thread, time) in threads {
            let other = thread as usize / WARP;
            if other != warp && self.of_warps[warp * self.warps + other] < time {
                foreign::join_threads(&mut self.beyond[warp], &[(thread, time)]);
            }
        }
        self.prune(warp);
    }

    /// Forgets times of single threads if as much is known of their whole warps.
    fn prune(&mut self, warp: usize) {
        let row = &self.of_warps[warp * self.warps..(warp + 1) * self.warps];
        self.beyond[warp].retain(|&(thread, time)| row[thread as usize / WARP] < time);
    }

    /// Orders a lane after everything that the lanes of its warp published.
    pub fn learn_lanes(&mut self, warp: usize, lane: usize) {
        let since = &self.since[warp * WARP..(warp + 1) * WARP];
        let row = &mut self.of_lanes[warp][lane];
        for (mine, &since) in row.iter_mut().zip(since) {
            *mine = (*mine).max(since - 1);
        }
    }

    /// Publishes what lanes of a warp did, as when they arrive at a barrier without waiting
    /// (`bar.arrive`). Returns the time up to which others will know of their warp.
    pub fn publish(&mut self, warp: usize, lanes: u32) -> u32 {
        self.time += 1;
        for lane in (0..WARP).filter(|&lane| lanes >> lane & 1 == 1) {
            self.since[warp * WARP + lane] = self.time;
        }
        self.time - 1
    }

    /// Performs a `fence.proxy.async` of lanes of a warp, which covers what each of them did and
    /// knows.
    pub fn fence(&mut self, warp: usize, lanes: u32) {
        let now = self.publish(warp, lanes);
        let fencing = || (0..WARP).filter(|&lane| lanes >> lane & 1 == 1);
        let mut own = [self.base; WARP];
        for lane in fencing() {
            for (own, &known) in own.iter_mut().zip(&self.of_lanes[warp][lane]) {
                *own = (*own).max(known);
            }
        }
        for lane in fencing() {
            own[lane] = now;
        }
        let row = &self.of_warps[warp * self.warps..(warp + 1) * self.warps];
        let apart = &self.apart[warp];
        self.objects.fence(warp, |thread| {
            if thread / WARP == warp {
                return own[thread % WARP];
            }
            let pieces = apart.of(lanes).map(|piece| piece.seen.until(thread as u32));
            pieces.fold(row[thread / WARP], u32::max)
        });
    }

    /// Returns what the fencing lanes of a warp did and know, by cluster; `unit` is their own
    /// cluster.
    pub fn fenced(&mut self, warp: usize, lanes: u32, unit: u32) -> Option<Arc<Foreign>> {
        let now = self.publish(warp, lanes);
        let mut message = self.known_of_others(warp);
        for lane in (0..WARP).filter(|&lane| lanes >> lane & 1 == 1) {
            message.tell_lane((warp, lane), &self.of_lanes[warp][lane], now);
        }
        self.apart[warp]
            .of(lanes)
            .for_each(|piece| message.tell(piece));
        let seen = Seen {
            warps: message.warps,
            threads: message.threads,
        };
        let mut known = message.foreign;
        foreign::add(&mut known, unit, &Arc::new(seen));
        known
    }

    /// Adds to a message what the lanes of a warp know. The warp itself is known up to `published`,
    /// a time that [`publish`](Self::publish) returned.
    pub fn send(&self, warp: usize, published: u32, message: &mut Message) {
        self.send_common(warp, published, message);
        self.apart[warp]
            .of(FULL)
            .for_each(|piece| message.tell(piece));
    }

    /// Adds to a message what all lanes of the warp know, as [`send`](Self::send) does.
    fn send_common(&self, warp: usize, published: u32, message: &mut Message) {
        let row = &self.of_warps[warp * self.warps..(warp + 1) * self.warps];
        message.warps.resize(self.warps, 0);
        for (sent, &known) in message.warps.iter_mut().zip(row) {
            *sent = (*sent).max(known);
        }
        message.warps[warp] = message.warps[warp].max(published);
        foreign::join_threads(&mut message.threads, &self.beyond[warp]);
        foreign::join(&mut message.foreign, &self.foreign[warp]);
        self.objects.send(warp, message);
    }

    /// Adds to a message what a lane knows. The lane itself is known up to `published`.
    pub fn send_lane(&self, (warp, lane): (usize, usize), published: u32, message: &mut Message) {
        message.join(&self.known_of_others(warp), self.base);
        self.apart[warp]
            .of(1 << lane)
            .for_each(|piece| message.tell(piece));
        let rows = &self.of_lanes[warp];
        message.tell_lane((warp, lane), &rows[lane], published);
    }

    /// Orders a thread after everything that the message says, and after what the lanes of its own
    /// warp published.
    pub fn receive(&mut self, thread: u32, message: &Message) {
        let (warp, lane) = (thread as usize / WARP, thread as usize % WARP);
        self.absorb(warp, &message.warps, &message.threads);
        foreign::join(&mut self.foreign[warp], &message.foreign);
        self.objects.receive(warp, message);
        self.learn_lanes(warp, lane);
    }

    /// Lets threads meet at a barrier: `lanes[w]` are those of warp `w`. With `all`, they are all
    /// threads of the block that have not ended. `arrived` is the knowledge of the warps that
    /// arrived at the same barrier without waiting.
    pub fn meet(&mut self, lanes: &[u32], all: bool, arrived: &[Message]) {
        self.time += 1;
        let now = self.time - 1;
        for w in (0..self.warps).filter(|&w| lanes[w] != 0) {
            if !self.apart[w].is_empty() {
                let pieces = self.apart[w].take();
                self.share(w, pieces);
            }
        }
        let present = || (0..self.warps).filter(|&w| lanes[w] != 0);
        let mut known: Vec<u32> = vec![0; self.warps];
        for a in present() {
            for (b, known) in known.iter_mut().enumerate() {
                *known = (*known).max(self.of_warps[a * self.warps + b]);
            }
        }
        for message in arrived {
            for (known, &sent) in known.iter_mut().zip(&message.warps) {
                *known = (*known).max(sent);
            }
        }
        for b in present() {
            known[b] = now;
        }
        if self.objects.is_used() {
            let by: Vec<usize> = present().collect();
            self.objects.meet(&by, &by);
        }
        self.meet_threads(lanes, &known, arrived);
        for a in (0..self.warps).filter(|&w| lanes[w] != 0) {
            let row = &mut self.of_warps[a * self.warps..(a + 1) * self.warps];
            for (mine, &met) in row.iter_mut().zip(&known) {
                *mine = (*mine).max(met);
            }
            if all {
                // Threads that have ended count as having met too.
                row.fill(now);
                // Only the objects know the writes of asynchronous operations.
                if !self.asynchronous {
                    self.of_all[a] = now;
                }
            }
        }
        for (warp, &lanes) in lanes.iter().enumerate().filter(|(_, lanes)| **lanes != 0) {
            self.lanes_met(warp, lanes, now);
        }
    }

    /// Shares, between warps that meet, what they know of single threads, of other clusters and of
    /// objects, and the knowledge of the warps that arrived without waiting.
    fn meet_threads(&mut self, lanes: &[u32], known: &[u32], arrived: &[Message]) {
        let present = || (0..self.warps).filter(|&w| lanes[w] != 0);
        let first = present().find_map(|w| self.foreign[w].as_ref());
        let same = |w: usize| match (&self.foreign[w], first) {
            (Some(own), Some(first)) => Arc::ptr_eq(own, first),
            (own, first) => own.is_none() && first.is_none(),
        };
        let quiet = present().all(|w| self.beyond[w].is_empty() && same(w));
        if quiet && arrived.is_empty() {
            return;
        }
        let mut met = Message::default();
        for w in present() {
            foreign::join_threads(&mut met.threads, &self.beyond[w]);
            foreign::join(&mut met.foreign, &self.foreign[w]);
        }
        for message in arrived {
            met.join(message, self.base);
        }
        let later = |&(thread, time): &(u32, u32)| known[thread as usize / WARP] < time;
        met.threads.retain(later);
        for w in present().collect::<Vec<_>>() {
            self.beyond[w].clone_from(&met.threads);
            self.beyond[w].retain(|(thread, _)| *thread as usize / WARP != w);
            self.foreign[w].clone_from(&met.foreign);
            if !arrived.is_empty() {
                self.objects.receive(w, &met);
            }
        }
    }

    /// Lets lanes of one warp meet.
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
        if lanes == u32::MAX {
            self.within[warp] = now;
        }
        if !self.apart[warp].is_empty() {
            let pieces = self.apart[warp].meet(lanes);
            self.share(warp, pieces);
        }
        for a in members() {
            self.of_lanes[warp][a] = known;
            self.since[warp * WARP + a] = now + 1;
        }
    }
}

//! The knowledge of warps about the phases of mbarrier objects and the fences between proxies.
//!
//! ```text
//! warp 0 ─ arrive ──► object: message ──phase completes──► completed ── wait ──► warp 1 knows it
//! copy ──── complete_tx ──► object's column: time 40       ── wait ──► warp 1 knows column up to 40
//! ```
//!
//! Law: each object has a column of times, as each warp has. A warp knows a phase of an object once
//! its time for the object's column has reached the time of that phase. It then also knows every
//! asynchronous write that had completed on the object by that time. A message holds, for each
//! column, the largest time that its senders knew. Writes of a thread are *fenced* for a warp up to
//! the time at which a `fence.proxy.async` came after them in the order that the warp knows.
//! Source: PTX ISA, "mbarrier", "Memory Consistency Model", "Proxy-preserved base causality order".

use std::sync::Arc;

use super::apart::Piece;
use super::foreign::{self, Foreign};
use crate::frame::WARP;

/// The knowledge of the senders of a message.
#[derive(Debug, Clone, Default)]
pub(crate) struct Message {
    /// The time up to which each warp is known.
    pub warps: Vec<u32>,
    /// The time up to which each object's column is known.
    objects: Vec<u32>,
    /// The time up to which each thread's writes are fenced.
    fenced: Vec<u32>,
    /// Threads that are known up to later times than their warps.
    pub threads: Vec<(u32, u32)>,
    /// The knowledge about other clusters.
    pub foreign: Option<Arc<Foreign>>,
}

impl Message {
    /// Adds what a lane knows about its own warp, which is in `row`, and about itself up to `now`.
    pub fn tell_lane(&mut self, (warp, lane): (usize, usize), row: &[u32; WARP], now: u32) {
        let own = |other: usize| if other == lane { now } else { row[other] };
        let least = (0..WARP).map(own).min().unwrap_or(0);
        if self.warps.len() <= warp {
            self.warps.resize(warp + 1, 0);
        }
        self.warps[warp] = self.warps[warp].max(least);
        let later = (0..WARP).filter(|&other| own(other) > least);
        let later: Vec<(u32, u32)> = later
            .map(|other| ((warp * WARP + other) as u32, own(other)))
            .collect();
        foreign::join_threads(&mut self.threads, &later);
    }

    /// Adds a piece of knowledge that only some lanes of a warp have.
    pub fn tell(&mut self, piece: &Piece) {
        join(&mut self.warps, &piece.seen.warps, 0);
        foreign::join_threads(&mut self.threads, &piece.seen.threads);
        foreign::join(&mut self.foreign, &piece.foreign);
    }

    /// Whether its senders knew what a thread did at a time.
    pub fn knows(&self, thread: u32, time: u32) -> bool {
        let of_warp = self.warps.get(thread as usize / WARP);
        let mut threads = self.threads.iter();
        of_warp.is_some_and(|&known| known >= time)
            || threads.any(|&(of, known)| of == thread && known >= time)
    }

    /// Whether its senders knew an object's column up to a time.
    pub fn knows_object(&self, column: usize, time: u32) -> bool {
        self.objects.get(column).is_some_and(|&known| known >= time)
    }

    /// Adds the contents of another message; `least` is before all times.
    pub fn join(&mut self, other: &Message, least: u32) {
        join(&mut self.warps, &other.warps, least);
        join(&mut self.objects, &other.objects, least);
        join(&mut self.fenced, &other.fenced, least);
        foreign::join_threads(&mut self.threads, &other.threads);
        foreign::join(&mut self.foreign, &other.foreign);
    }
}

/// The knowledge of each warp about objects and fences.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    warps: usize,
    base: u32,
    /// Whether any warp knows anything about objects or fences.
    used: bool,
    /// The time up to which a warp knows an object, by warp, then by object.
    columns: Vec<Vec<u32>>,
    /// The time up to which a thread's writes are fenced, by warp, then by thread; empty until the
    /// first fence.
    fenced: Vec<Vec<u32>>,
}

/// Raises each time to the time in the other row, if that is later.
fn join(row: &mut Vec<u32>, other: &[u32], least: u32) {
    if row.len() < other.len() {
        row.resize(other.len(), least);
    }
    for (mine, &theirs) in row.iter_mut().zip(other) {
        *mine = (*mine).max(theirs);
    }
}

impl Objects {
    /// Resets the state for a new block; all times up to `base` come before it.
    pub fn reset(&mut self, warps: usize, base: u32) {
        self.warps = warps;
        self.base = base;
        self.columns.clear();
        self.columns.resize(warps, Vec::new());
        self.fenced.clear();
        self.used = false;
    }

    /// Whether any warp knows anything about objects or fences.
    #[inline]
    pub fn is_used(&self) -> bool {
        self.used
    }

    /// Returns the time up to which a warp knows an object's column.
    pub fn known(&self, warp: usize, object: usize) -> u32 {
        let row = self.columns.get(warp);
        let known = row.and_then(|row| row.get(object));
        known.copied().unwrap_or(self.base)
    }

    /// Adds what a warp knows to a message.
    pub fn send(&self, warp: usize, message: &mut Message) {
        if let Some(row) = self.columns.get(warp) {
            join(&mut message.objects, row, self.base);
        }
        if let Some(row) = self.fenced.get(warp) {
            join(&mut message.fenced, row, self.base);
        }
    }

    /// Returns a message with what a warp knows about objects, and nothing else.
    pub fn of_warp(&self, warp: usize) -> Message {
        let mut all = Message::default();
        self.send(warp, &mut all);
        Message {
            objects: all.objects,
            ..Message::default()
        }
    }

    /// Adds the contents of a message to what a warp knows.
    pub fn receive(&mut self, warp: usize, message: &Message) {
        let base = self.base;
        self.used |= !message.objects.is_empty() || !message.fenced.is_empty();
        if let Some(row) = self.columns.get_mut(warp) {
            join(row, &message.objects, base);
        }
        if !message.fenced.is_empty() {
            join(&mut self.rows()[warp], &message.fenced, base);
        }
    }

    /// Lets a warp know an object's column up to a time.
    pub fn set(&mut self, warp: usize, object: usize, time: u32) {
        self.used = true;
        let mut message = Message::default();
        self.note(&mut message, object, time);
        self.receive(warp, &message);
    }

    /// Lets each of the warps `by` know what the warps `from` know.
    pub fn meet(&mut self, by: &[usize], from: &[usize]) {
        let mut message = Message::default();
        for &warp in from {
            self.send(warp, &mut message);
        }
        for &warp in by {
            self.receive(warp, &message);
        }
    }

    fn rows(&mut self) -> &mut Vec<Vec<u32>> {
        if self.fenced.is_empty() {
            self.fenced.resize(self.warps, Vec::new());
        }
        &mut self.fenced
    }

    /// Sets an object's column in a message.
    pub fn note(&self, message: &mut Message, object: usize, time: u32) {
        if message.objects.len() <= object {
            message.objects.resize(object + 1, self.base);
        }
        message.objects[object] = message.objects[object].max(time);
    }

    /// Performs a `fence.proxy.async` by lanes of a warp; `of_thread` returns the time up to which
    /// the warp knows a thread.
    pub fn fence(&mut self, warp: usize, of_thread: impl Fn(usize) -> u32) {
        let (threads, base) = (self.warps * WARP, self.base);
        self.used = true;
        let row = &mut self.rows()[warp];
        row.resize(threads, base);
        for (thread, fenced) in row.iter_mut().enumerate() {
            *fenced = (*fenced).max(of_thread(thread));
        }
    }

    /// Whether a thread's write at `time` is fenced for a warp.
    pub fn is_fenced(&self, warp: usize, thread: usize, time: u32) -> bool {
        let row = self.fenced.get(warp);
        row.and_then(|row| row.get(thread))
            .is_some_and(|&fenced| fenced >= time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_is_known_by_way_of_messages_and_meetings() {
        let mut objects = Objects::default();
        objects.reset(3, 5);
        assert_eq!(objects.known(1, 2), 5);
        let mut message = Message::default();
        objects.note(&mut message, 2, 9);
        objects.receive(0, &message);
        assert_eq!([0, 1].map(|warp| objects.known(warp, 2)), [9, 5]);
        objects.meet(&[1], &[0]);
        objects.meet(&[2], &[1]);
        assert_eq!([1, 2].map(|warp| objects.known(warp, 2)), [9, 9]);
    }

    #[test]
    fn a_fence_covers_what_the_fencing_thread_knew() {
        let mut objects = Objects::default();
        objects.reset(2, 0);
        assert!(!objects.is_fenced(0, 0, 1));
        objects.fence(0, |thread| if thread == 0 { 7 } else { 0 });
        assert!(objects.is_fenced(0, 0, 7) && !objects.is_fenced(0, 0, 8));
        assert!(!objects.is_fenced(0, 1, 1) && !objects.is_fenced(1, 0, 1));
        objects.meet(&[1], &[0]);
        assert!(objects.is_fenced(1, 0, 7));
    }
}

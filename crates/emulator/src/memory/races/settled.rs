//! The record of an allocation as one block sees it: whether an access would change it.
//!
//! ```text
//! 32 lanes ─► settled: nothing to note, nothing to object to
//!          └► Races::read, Races::write
//! ```

use std::sync::atomic::Ordering::SeqCst;

use super::place::{CHANGED, Place, SHARED, is_own};
use crate::frame::WARP;

/// The record of an allocation as one block sees it.
///
/// Law: where [`reads`](Self::reads), [`writes`](Self::writes) or [`repeats`](Self::repeats)
/// answers true, [`Races::read`](super::Races::read) or [`Races::write`](super::Races::write) of
/// each lane's plain access would note nothing and object to nothing.
#[derive(Clone, Copy)]
pub(crate) struct Settled<'a> {
    pub(super) shift: u32,
    pub(super) places: &'a [Place],
    pub(super) me: u32,
}

impl Settled<'_> {
    /// Calls `each` with every place that the lanes' accesses use. Lane `lane` uses `bytes` bytes
    /// from offset `at(lane)` on, a multiple of their number; with `consecutive` each lane's bytes
    /// are behind those of the one before.
    #[inline(always)]
    fn each(
        &self,
        at: impl Fn(usize) -> usize,
        bytes: usize,
        consecutive: bool,
        mut each: impl FnMut(usize, &Place),
    ) {
        let places = bytes >> self.shift;
        if consecutive && places >= 1 {
            let row = &self.places[at(0) >> self.shift..][..WARP * places];
            for (lane, of_lane) in row.chunks_exact(places).enumerate() {
                of_lane.iter().for_each(|place| each(lane, place));
            }
        } else if places <= 1 {
            for lane in 0..WARP {
                each(lane, &self.places[at(lane) >> self.shift]);
            }
        } else {
            for lane in 0..WARP {
                let of_lane = &self.places[at(lane) >> self.shift..][..places];
                of_lane.iter().for_each(|place| each(lane, place));
            }
        }
    }

    /// Whether the reads of all lanes are noted, or those of two other blocks are, in places that
    /// nobody else wrote.
    #[inline(always)]
    pub fn reads(&self, at: impl Fn(usize) -> usize, bytes: usize, consecutive: bool) -> bool {
        // Mostly the block was the first to read, and nobody wrote: one place says what all will.
        let is_other = |place: &Place| {
            let [first, _, writer] = entries(place);
            (first ^ self.me) | writer
        };
        let mut others = is_other(&self.places[at(0) >> self.shift]);
        if others == 0 {
            self.each(&at, bytes, consecutive, |_, place| {
                others |= is_other(place)
            });
            if others == 0 {
                return true;
            }
        }
        let mut open = false;
        self.each(at, bytes, consecutive, |_, place| {
            let [first, second, writer] = entries(place);
            let noted = (first == self.me) | (first != 0) & (second != 0);
            open |= !(noted & ((writer == 0) | is_own(writer, self.me)));
        });
        !open
    }

    /// Whether the writes of all lanes are to places that are only the block's, and that it has
    /// written several values to; or, with `held`, one.
    #[inline(always)]
    pub fn writes(
        &self,
        at: impl Fn(usize) -> usize,
        bytes: usize,
        consecutive: bool,
        held: bool,
    ) -> bool {
        let (ignored, wanted) = match held {
            true => (CHANGED | 1, self.me),
            false => (0, self.me | CHANGED),
        };
        let is_open = |place: &Place| {
            let [first, second, writer] = entries(place);
            (writer & !ignored ^ wanted) | self.foreign(first) | self.foreign(second)
        };
        // One place says mostly what all will.
        let mut open = is_open(&self.places[at(0) >> self.shift]);
        if open == 0 {
            self.each(at, bytes, consecutive, |_, place| open |= is_open(place));
        }
        open == 0
    }

    /// Whether the writes of all lanes are to places that are only the block's, or shared, where
    /// those that `held` does not name, the lanes that write the value which is there, have written
    /// several values.
    #[inline(always)]
    pub fn repeats(
        &self,
        at: impl Fn(usize) -> usize,
        bytes: usize,
        consecutive: bool,
        held: u32,
    ) -> bool {
        let mut open = false;
        self.each(at, bytes, consecutive, |lane, place| {
            let [first, second, writer] = entries(place);
            let read = self.foreign(first) | self.foreign(second);
            let own = is_own(writer, self.me) & (read == 0);
            let shared = (writer & SHARED != 0) & (first | second == 0);
            let changed = writer == self.me | CHANGED;
            open |= !((own | shared) & (changed | (held >> lane & 1 == 1)));
        });
        !open
    }

    /// 0 for nobody and for the block itself.
    #[inline(always)]
    fn foreign(&self, reader: u32) -> u32 {
        if reader == self.me { 0 } else { reader }
    }
}

/// Both readers of a place, and its writer.
#[inline(always)]
fn entries([first, second, writer]: &Place) -> [u32; 3] {
    [first.load(SeqCst), second.load(SeqCst), writer.load(SeqCst)]
}

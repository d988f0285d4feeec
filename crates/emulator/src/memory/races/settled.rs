//! Decides whether an access of one block would change the record of an allocation.
//!
//! ```text
//! 32 lanes ─► settled: nothing to note, no conflict
//!          └► Races::read, Races::write
//! ```

use std::sync::atomic::Ordering::SeqCst;

use super::place::{CHANGED, Place, SHARED, is_own};
use crate::frame::WARP;

/// The record of an allocation as one block sees it.
///
/// Law: if [`reads`](Self::reads), [`writes`](Self::writes) or [`repeats`](Self::repeats) returns
/// true, then [`Races::read`](super::Races::read) or [`Races::write`](super::Races::write) would
/// note nothing and find no conflict for each lane's plain access.
#[derive(Clone, Copy)]
pub(crate) struct Settled<'a> {
    pub(super) shift: u32,
    pub(super) places: &'a [Place],
    pub(super) me: u32,
}

impl Settled<'_> {
    /// Calls `each` with every place that the lanes' accesses use. Lane `lane` uses `bytes` bytes
    /// from offset `at(lane)` on, a multiple of their number. With `consecutive`, each lane's bytes
    /// follow those of the previous lane.
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

    /// Whether all lanes read places that no other block wrote, and for each place the block's own
    /// read is noted, or the reads of two other blocks are.
    #[inline(always)]
    pub fn reads(&self, at: impl Fn(usize) -> usize, bytes: usize, consecutive: bool) -> bool {
        // Usually the block was the first to read, and no block wrote: the first place is a quick
        // test.
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

    /// Whether all lanes write to places that only this block used, and to which it has written
    /// several values. With `held`, one value is enough.
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
        // The first place is a quick test: usually the result is the same for all places.
        let mut open = is_open(&self.places[at(0) >> self.shift]);
        if open == 0 {
            self.each(at, bytes, consecutive, |_, place| open |= is_open(place));
        }
        open == 0
    }

    /// Whether all lanes write to places that only this block used, or that are shared. A lane
    /// outside of `held` must also write to a place to which this block has written several values.
    /// The lanes in `held` write the value that is already there.
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

    /// Returns the reader, or 0 if the reader is no block or is the block itself.
    #[inline(always)]
    fn foreign(&self, reader: u32) -> u32 {
        if reader == self.me { 0 } else { reader }
    }
}

/// Returns both readers of a place, and its writer.
#[inline(always)]
fn entries([first, second, writer]: &Place) -> [u32; 3] {
    [first.load(SeqCst), second.load(SeqCst), writer.load(SeqCst)]
}

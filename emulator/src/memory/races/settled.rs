//! The record of an allocation as one block sees it: whether an access would change it.
//!
//! ```text
//! 32 lanes ─► settled: nothing to note, nothing to object to
//!          └► Races::read, Races::write
//! ```

use std::sync::atomic::Ordering::SeqCst;

use super::place::{CHANGED, Place, SHARED, WRITER, is_own};

/// The record of an allocation as one block sees it.
///
/// Law: where [`read`](Self::read) or [`write`](Self::write) answers true, [`Races::read`](super::Races::read) or [`Races::write`](super::Races::write) of the same
/// plain access would note nothing and object to nothing.
#[derive(Clone, Copy)]
pub(crate) struct Settled<'a> {
    pub(super) shift: u32,
    pub(super) places: &'a [Place],
    pub(super) me: u32,
}

impl Settled<'_> {
    #[inline(always)]
    fn places(&self, at: usize, bytes: usize) -> &[Place] {
        &self.places[at >> self.shift..((at + bytes - 1) >> self.shift) + 1]
    }

    /// Whether the block's reads of these places are noted, or two other readers are, and nobody else wrote them.
    #[inline(always)]
    pub fn read(&self, at: usize, bytes: usize) -> bool {
        self.places(at, bytes).iter().all(|place| {
            let (first, writer) = (place[0].load(SeqCst), place[WRITER].load(SeqCst));
            let noted = first == self.me || first != 0 && place[1].load(SeqCst) != 0;
            noted && (writer == 0 || is_own(writer, self.me))
        })
    }

    /// Whether these places are only the block's, and it has written several values; or only the block's or shared, and
    /// `same`: they hold the new value already.
    #[inline(always)]
    pub fn write(&self, at: usize, bytes: usize, same: impl Fn() -> bool) -> bool {
        let mut changes = true;
        let fits = self.places(at, bytes).iter().all(|place| {
            let writer = place[WRITER].load(SeqCst);
            let readers = [0, 1].map(|slot| place[slot].load(SeqCst));
            changes &= writer == self.me | CHANGED;
            if is_own(writer, self.me) {
                readers
                    .iter()
                    .all(|&reader| reader == 0 || reader == self.me)
            } else {
                writer & SHARED != 0 && readers == [0; 2]
            }
        });
        fits && (changes || same())
    }
}

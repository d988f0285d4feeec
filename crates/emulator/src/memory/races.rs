//! Finds races between the blocks of a launch: records which blocks accessed each place of global
//! memory.
//!
//! ```text
//!             a reader    another    last writer
//! granule     block 3     block 7    -               a write by block 5: a race, block 3 read the place
//! ```
//!
//! **The rule.** Two accesses of one byte by different blocks, at least one of them a write, must
//! be ordered. Blocks are ordered by an atomic or ordered access (`atom`, `red`, `ld.acquire`,
//! `st.release`, volatile accesses) that reads what another block's atomic or ordered access wrote:
//! everything that the writing block did before this write comes before everything that the reading
//! block does afterwards. The order is transitive. Two exceptions are not races: two atomic or
//! ordered accesses, and a write of the value that is already there. Scopes and fences are ignored,
//! and a release by one thread of a block counts for the whole block. This is more order than PTX
//! guarantees, so no finding is reported for a correct program. If threads are followed too
//! (`Config::check_races`) and blocks communicate, [`history`](super::history) and
//! [`releases`](super::releases) replace this check, with fences and scopes.
//!
//! Only two readers of a place are kept, so that every writer differs from at least one of them. If
//! atomics order the blocks, a race may be missed because of this. The device heap is not checked:
//! its pieces pass from block to block.
//!
//! Blocks on several CPU threads first note their own accesses and only then look for those of
//! others, so of two simultaneous accesses at least one sees the other. Chance decides which one
//! does, and also whether a value is already in memory. Therefore everything that may be a race in
//! some order of the blocks is suspected (the law of [`place`]), and the first contents of every
//! written buffer are kept. A launch with a suspicion is run again from these contents, block after
//! block, so that every run gives the same report.
//!
//! The place of an access in the code (its site) is kept only if blocks run one after the other: in
//! this second run, and whenever they may communicate. In the first run of other launches, sites
//! cost nothing.
//!
//! Method: epochs of blocks after Flanagan and Freund, "FastTrack: Efficient and Precise Dynamic
//! Race Detection", 2009.

mod order;
mod place;
mod settled;

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicU32, AtomicUsize,
    Ordering::{Relaxed, SeqCst},
};

use order::Order;
use place::{Content, Place, READERS, WRITER, block_of, is_own, note_read, write_at_once};
pub(crate) use settled::Settled;

use crate::fault::Earlier;
use crate::memory::allocation::{Allocation, Contents, Kind};
use crate::memory::global::Global;

/// The most blocks of a launch in which races are looked for.
const MOST_BLOCKS: u64 = 1 << 24;

/// A race: the first byte of the place, how the other block accessed it earlier, and the number of
/// that block.
pub(crate) type Conflict = (usize, Earlier, u32);

#[derive(Debug, Default)]
struct Buffer {
    /// One [`Place`] after another, in pages that the system allocates at their first use.
    places: OnceLock<Box<[AtomicU32]>>,
    epochs: OnceLock<Box<[AtomicU32]>>,
    /// For each entry of a place, the instruction that made the access.
    sites: OnceLock<Box<[AtomicU32]>>,
    before: OnceLock<Contents>,
}

/// The accesses of all blocks of a launch.
#[derive(Debug)]
pub(crate) struct Races {
    shift: u32,
    buffers: Vec<Buffer>,
    /// The order of the blocks, if they run in order on one thread and may communicate.
    order: Option<Order>,
    /// Whether the contents before the launch are kept.
    keep: bool,
    /// The instruction that executes, if sites are kept: blocks run one after the other.
    site: Option<AtomicU32>,
    /// The number of bytes for which the host had no memory. From then on no race is found, and the
    /// launch ends with an error.
    lacking: AtomicUsize,
}

impl Races {
    /// Creates the state for a launch of `blocks` blocks whose smallest access has `granule` bytes.
    /// With `communicates` its blocks use atomic or ordered accesses; with `parallel` they run at
    /// the same time. Returns `None` if there are too few blocks, or too many.
    pub fn new(
        global: &Global,
        granule: u32,
        blocks: u64,
        communicates: bool,
        parallel: bool,
    ) -> Option<Races> {
        (2..=MOST_BLOCKS).contains(&blocks).then(|| Races {
            shift: granule.trailing_zeros(),
            buffers: std::iter::repeat_with(Buffer::default)
                .take(global.len())
                .collect(),
            order: communicates.then(|| Order::new(blocks)),
            keep: parallel,
            site: (!parallel).then(AtomicU32::default),
            lacking: AtomicUsize::new(0),
        })
    }

    /// Returns the number of bytes for which the host had no memory, or `None` if there was enough.
    /// Without memory, races may be missed.
    pub fn lacking(&self) -> Option<usize> {
        Some(self.lacking.load(SeqCst)).filter(|&bytes| bytes != 0)
    }

    /// Allocates zeroed words. Returns an empty slice if the host has no memory for them.
    fn zeroed(&self, words: usize) -> Box<[AtomicU32]> {
        bytemuck::try_zeroed_slice_box(words).unwrap_or_else(|()| {
            self.lacking.store(4 * words, SeqCst);
            Box::default()
        })
    }

    /// Whether blocks run one after the other, so that sites are kept.
    pub fn in_order(&self) -> bool {
        self.site.is_some()
    }

    /// Sets the instruction that makes the accesses that follow.
    #[inline]
    pub fn at_site(&self, site: u32) {
        if let Some(slot) = &self.site {
            slot.store(site, Relaxed);
        }
    }

    /// Returns the site of the earlier access of a conflict in an allocation, or 0 if it is not
    /// known.
    pub fn site_of(&self, index: usize, &(at, earlier, other): &Conflict) -> u32 {
        let (Some(_), Some(buffer)) = (&self.site, self.buffers.get(index)) else {
            return 0;
        };
        let (Some(places), Some(sites)) = (buffer.places.get(), buffer.sites.get()) else {
            return 0;
        };
        let first = (at >> self.shift) * 3;
        let slot = match earlier {
            Earlier::Wrote => Some(WRITER),
            Earlier::Read => {
                let me = (other + 1) << 1;
                (0..READERS).find(|slot| places[first + slot].load(SeqCst) == me)
            }
        };
        let kept = slot.and_then(|slot| sites.get(first + slot));
        kept.map_or(0, |site| site.load(Relaxed))
    }

    /// Stores the current site for entry `slot` of a granule.
    #[inline]
    fn note_site(&self, buffer: &Buffer, places: usize, granule: usize, slot: usize) {
        if let Some(site) = &self.site {
            let sites = buffer.sites.get_or_init(|| self.zeroed(places * 3));
            if let Some(kept) = sites.get(granule * 3 + slot) {
                kept.store(site.load(Relaxed), Relaxed);
            }
        }
    }

    /// Stores the site of a write of the granule at offset `at`, for which
    /// [`write`](Self::write) found a race and so did not store it.
    pub fn write_anyway(&self, index: usize, at: usize) {
        if let Some(buffer) = self.buffers.get(index)
            && let Some(places) = buffer.places.get()
        {
            self.note_site(buffer, places.len() / 3, at >> self.shift, WRITER);
        }
    }

    /// Returns the number of bytes from offset `at` to the end of its granule.
    pub fn rest(&self, at: usize) -> usize {
        let granule = 1 << self.shift;
        granule - at % granule
    }

    /// Restores the contents that the buffers had before the launch.
    pub fn restore(&self, global: &Global) {
        for (index, buffer) in self.buffers.iter().enumerate() {
            if let (Some(before), Some(allocation)) = (buffer.before.get(), global.at(index)) {
                allocation.restore(before);
            }
        }
    }

    /// Returns the buffer of an allocation whose accesses are checked, or `None` for other kinds.
    fn watched(&self, index: usize, allocation: &Allocation) -> Option<&Buffer> {
        match allocation.kind {
            Kind::Buffer | Kind::Variable => self.buffers.get(index),
            Kind::Constant | Kind::Heap | Kind::Multicast => None,
        }
    }

    fn places<'a>(&self, buffer: &'a Buffer, allocation: &Allocation) -> &'a [Place] {
        let granules = allocation.size.div_ceil(1 << self.shift);
        let places = buffer.places.get_or_init(|| self.zeroed(granules * 3));
        places.as_chunks().0
    }

    fn epochs<'a>(&self, buffer: &'a Buffer, places: usize) -> Option<(&'a [Place], &Order)> {
        let order = self.order.as_ref()?;
        let epochs = buffer.epochs.get_or_init(|| self.zeroed(places * 3));
        Some((epochs.as_chunks().0, order)).filter(|(epochs, _)| !epochs.is_empty())
    }

    fn range(&self, at: usize, bytes: usize) -> Range<usize> {
        at >> self.shift..((at + bytes - 1) >> self.shift) + 1
    }

    /// Returns the state of an allocation, which tells whether a plain access of `block` changes
    /// it. Returns `None` if nothing was noted yet, or if the order of blocks or the sites of
    /// accesses are kept.
    #[inline]
    pub fn settled(
        &self,
        (index, allocation): (usize, &Allocation),
        block: u32,
    ) -> Option<Settled<'_>> {
        if self.order.is_some() || self.site.is_some() {
            return None;
        }
        let places = self.watched(index, allocation)?.places.get()?.as_chunks().0;
        // The places are empty if the host had no memory for them.
        places.first()?;
        Some(Settled {
            shift: self.shift,
            places,
            me: (block + 1) << 1,
        })
    }

    /// Notes that block `block` reads `bytes` bytes at offset `at`. Returns the conflict if there
    /// is one.
    #[inline]
    pub fn read(
        &self,
        (index, allocation): (usize, &Allocation),
        at: usize,
        bytes: usize,
        block: u32,
        atomic: bool,
    ) -> Result<(), Conflict> {
        let Some(buffer) = self.watched(index, allocation) else {
            return Ok(());
        };
        let places = self.places(buffer, allocation);
        if places.is_empty() {
            return Ok(());
        }
        let epochs = self.epochs(buffer, places.len());
        let me = (block + 1) << 1;
        for granule in self.range(at, bytes) {
            let place = &places[granule];
            // An atomic read need not be ordered with later atomic writes, so it is not noted.
            if !atomic
                && let Some(slot) =
                    note_read(place, me, epochs.map(|(e, order)| (&e[granule], order)))
            {
                self.note_site(buffer, places.len(), granule, slot);
            }
            let writer = place[WRITER].load(SeqCst);
            if writer == 0 || is_own(writer, me) {
                continue;
            }
            let other = block_of(writer);
            let ordered = epochs.is_some_and(|(epochs, order)| {
                let epoch = epochs[granule][WRITER].load(SeqCst);
                if atomic && writer & 1 == 1 {
                    order.learn(block, other, epoch);
                    return true;
                }
                order.ordered(block, other, epoch)
            });
            if !ordered {
                return Err((granule << self.shift, Earlier::Wrote, other));
            }
        }
        Ok(())
    }

    /// Notes that block `block` writes `bytes` bytes at offset `at`. `byte` returns, for an offset,
    /// the present byte and the new one, or `None` if they are not known. Returns the conflict if
    /// there is one; if blocks run at the same time, it is only a suspicion.
    #[inline]
    pub fn write(
        &self,
        (index, allocation): (usize, &Allocation),
        at: usize,
        bytes: usize,
        block: u32,
        atomic: bool,
        byte: impl Fn(usize) -> Option<(u8, u8)>,
    ) -> Result<(), Conflict> {
        let Some(buffer) = self.watched(index, allocation) else {
            return Ok(());
        };
        if self.keep {
            buffer.before.get_or_init(|| {
                allocation.contents().unwrap_or_else(|| {
                    self.lacking.store(allocation.size, SeqCst);
                    Contents::default()
                })
            });
        }
        let places = self.places(buffer, allocation);
        if places.is_empty() {
            return Ok(());
        }
        let epochs = self.epochs(buffer, places.len());
        let me = (block + 1) << 1;
        let mark = me | u32::from(atomic);
        for granule in self.range(at, bytes) {
            let place = &places[granule];
            let start = granule << self.shift;
            let part = at.max(start)..(at + bytes).min(start + (1 << self.shift));
            if let (true, Some(before)) = (self.keep, buffer.before.get()) {
                let content = PlaceContent {
                    part,
                    byte: &byte,
                    before,
                };
                if let Err((earlier, other)) = write_at_once(place, me, &content) {
                    return Err((start, earlier, other));
                }
                continue;
            }
            let same = || {
                part.clone()
                    .all(|at| byte(at).is_some_and(|(old, new)| old == new))
            };
            let last = place[WRITER].load(SeqCst);
            // A block that writes the present value again leaves no trace, since no reader can
            // notice.
            let again = last & !1 == me && epochs.is_none();
            if last != 0 && !again && !atomic && same() {
                continue;
            }
            let before = if last == mark {
                last
            } else {
                place[WRITER].swap(mark, SeqCst)
            };
            let order = epochs.map(|(epochs, order)| {
                let entry = &epochs[granule][WRITER];
                let epoch = order.epochs[block as usize].load(SeqCst);
                (entry.swap(epoch, SeqCst), &epochs[granule], order)
            });
            if before != 0 && before & !1 != me && !(atomic && before & 1 == 1) {
                let other = block_of(before);
                let ordered = order.is_some_and(|(epoch, _, o)| o.ordered(block, other, epoch));
                if !ordered && !same() {
                    return Err((granule << self.shift, Earlier::Wrote, other));
                }
            }
            for (slot, reader) in place[..READERS].iter().enumerate() {
                let reader = reader.load(SeqCst);
                if reader == 0 || reader == me {
                    continue;
                }
                let other = block_of(reader);
                let ordered = order.is_some_and(|(_, epochs, order)| {
                    order.ordered(block, other, epochs[slot].load(SeqCst))
                });
                if !ordered && !same() {
                    return Err((granule << self.shift, Earlier::Read, other));
                }
            }
            self.note_site(buffer, places.len(), granule, WRITER);
        }
        Ok(())
    }

    /// Notes that block `block` has executed an atomic or ordered write: this write does not order
    /// the later accesses of the block.
    pub fn publish(&self, block: u32) {
        if let Some(order) = &self.order {
            order.epochs[block as usize].fetch_add(1, SeqCst);
        }
    }
}

/// The part of a place that a write covers, with the contents before the launch.
struct PlaceContent<'a, F> {
    part: Range<usize>,
    byte: &'a F,
    before: &'a Contents,
}

impl<F: Fn(usize) -> Option<(u8, u8)>> Content for PlaceContent<'_, F> {
    fn is_same(&self) -> bool {
        let mut all = self.part.clone();
        all.all(|at| (self.byte)(at).is_some_and(|(old, new)| old == new))
    }

    fn is_fresh(&self) -> bool {
        // A store covers whole words, or less than a word.
        let changed =
            |at: usize| (self.byte)(at).is_some_and(|(_, new)| new != self.before.byte(at));
        let words = self.part.clone().step_by(4);
        words
            .into_iter()
            .all(|word| (word..self.part.end.min(word + 4)).any(changed))
    }
}

#[cfg(test)]
mod at_once;
#[cfg(test)]
mod tests;

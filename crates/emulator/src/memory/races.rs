//! Which blocks used each place of global memory: races between the blocks of a launch.
//!
//! ```text
//!             a reader    another    last writer
//! granule     block 3     block 7    -               a write by block 5: a race, block 3 read the place
//! ```
//!
//! **The rule.** Two accesses of one byte by different blocks, at least one of them a write, must
//! be ordered. What orders blocks is an atomic or ordered access (`atom`, `red`, `ld.acquire`,
//! `st.release`, volatile ones) that reads what another block's atomic or ordered access wrote: all
//! that the block did before that write lies behind all that this one does from here on, and so
//! along every chain of these. Exempt are two atomic or ordered accesses, and a write of the value
//! that is already there. Scopes and fences are not looked at, and what one thread of a block
//! publishes counts for all of it: more than PTX grants, so that a right program is never accused.
//! Where threads are followed too (`Config::check_races`) and blocks communicate,
//! [`history`](super::history) and [`releases`](super::releases) take the place of this record,
//! with fences and scopes.
//!
//! Of several readers two are kept, of which every writer differs from one; where blocks are
//! ordered by atomics a race may be missed by that. The device heap is left out: its pieces pass
//! from block to block.
//!
//! Blocks on several CPU threads note what they do and only then look what others did, so of two
//! accesses at the same time at least one sees the other. Which one is chance, and so is whether a
//! value is there already; therefore all that some order of the blocks may call a race is suspected
//! (the law of [`place`]), the first contents of every buffer that is written are kept, and a
//! launch with a suspicion is run again from them, block after block, for the same report in every
//! run.
//!
//! Where an access was (its site) is kept only where blocks run one after the other, which they do
//! in that second run and wherever they may communicate: the first run of the others costs nothing
//! for it.
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

/// Blocks of a launch beyond which races are not looked for.
const MOST_BLOCKS: u64 = 1 << 24;

/// A race: the first byte of the place, what the other block had done, and which it is.
pub(crate) type Conflict = (usize, Earlier, u32);

#[derive(Debug, Default)]
struct Buffer {
    /// A [`Place`] after the other, in pages that the system gives when they are first used.
    places: OnceLock<Box<[AtomicU32]>>,
    epochs: OnceLock<Box<[AtomicU32]>>,
    /// The instruction of each entry of a place.
    sites: OnceLock<Box<[AtomicU32]>>,
    before: OnceLock<Contents>,
}

/// The accesses of all blocks of a launch.
#[derive(Debug)]
pub(crate) struct Races {
    shift: u32,
    buffers: Vec<Buffer>,
    /// Where blocks run in order on one thread and may communicate.
    order: Option<Order>,
    /// Whether the contents before the launch are kept.
    keep: bool,
    /// The instruction that executes, where sites are kept: blocks run one after the other.
    site: Option<AtomicU32>,
    /// Bytes that the host had no memory for; from then on nothing is found, and the launch ends
    /// with an error.
    lacking: AtomicUsize,
}

impl Races {
    /// For a launch of so many blocks whose smallest access is `granule` bytes. `communicates`: its
    /// blocks use atomic or ordered accesses; `parallel`: they run at the same time. `None` where
    /// there are too few blocks, or too many.
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

    /// Bytes that the host had no memory for, where that happened: what was found is not all.
    pub fn lacking(&self) -> Option<usize> {
        Some(self.lacking.load(SeqCst)).filter(|&bytes| bytes != 0)
    }

    /// Zeros; none where the host has no memory for them.
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

    /// The accesses that follow are by the instruction of that site.
    #[inline]
    pub fn at_site(&self, site: u32) {
        if let Some(slot) = &self.site {
            slot.store(site, Relaxed);
        }
    }

    /// The site of the earlier access of a conflict in an allocation; 0 where it is not known.
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

    /// Where the site of entry `slot` of a granule is kept.
    #[inline]
    fn note_site(&self, buffer: &Buffer, places: usize, granule: usize, slot: usize) {
        if let Some(site) = &self.site {
            let sites = buffer.sites.get_or_init(|| self.zeroed(places * 3));
            if let Some(kept) = sites.get(granule * 3 + slot) {
                kept.store(site.load(Relaxed), Relaxed);
            }
        }
    }

    /// Notes a write of the granule at offset `at` that [`write`](Self::write) objected to.
    pub fn write_anyway(&self, index: usize, at: usize) {
        if let Some(buffer) = self.buffers.get(index)
            && let Some(places) = buffer.places.get()
        {
            self.note_site(buffer, places.len() / 3, at >> self.shift, WRITER);
        }
    }

    /// Bytes from offset `at` to the end of its granule.
    pub fn rest(&self, at: usize) -> usize {
        let granule = 1 << self.shift;
        granule - at % granule
    }

    /// Puts the buffers back to what they held before the launch.
    pub fn restore(&self, global: &Global) {
        for (index, buffer) in self.buffers.iter().enumerate() {
            if let (Some(before), Some(allocation)) = (buffer.before.get(), global.at(index)) {
                allocation.restore(before);
            }
        }
    }

    /// Whether accesses of this allocation are looked at.
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

    /// The record of an allocation, to ask whether a plain access of `block` changes it. `None`
    /// where nothing is noted yet, and where the order of blocks or the sites of accesses are kept.
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
        // None where the host had no memory for them.
        places.first()?;
        Some(Settled {
            shift: self.shift,
            places,
            me: (block + 1) << 1,
        })
    }

    /// Block `block` reads `bytes` bytes at offset `at`.
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
            // An atomic read need not be ordered with atomic writes to come: it leaves no trace.
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

    /// Block `block` writes `bytes` bytes at offset `at`. `byte` gives the byte that the place at
    /// an offset holds and the one that it is to hold; none where that is not known. Of blocks at
    /// the same time a conflict is one that is suspected.
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
            // Who writes again what is there leaves no trace, as no reader can tell.
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

    /// Block `block` has done an atomic or ordered write: what it does from now on is not behind
    /// that.
    pub fn publish(&self, block: u32) {
        if let Some(order) = &self.order {
            order.epochs[block as usize].fetch_add(1, SeqCst);
        }
    }
}

/// The part of a place that a write is about, with the contents before the launch.
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
        // A store is one of words, or of less.
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

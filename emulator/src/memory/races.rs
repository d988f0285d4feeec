//! Which blocks used each place of global memory: races between the blocks of a launch.
//!
//! ```text
//!             a reader    another    last writer
//! granule     block 3     block 7    -               a write by block 5: a race, block 3 read the place
//! ```
//!
//! **The rule.** Two accesses of one byte by different blocks, at least one of them a write, must be ordered. What
//! orders blocks is an atomic or ordered access (`atom`, `red`, `ld.acquire`, `st.release`, volatile ones) that reads
//! what another block's atomic or ordered access wrote: all that the block did before that write lies behind all that
//! this one does from here on, and so along every chain of these. Exempt are two atomic or ordered accesses, and a
//! write of the value that is already there. Scopes and fences are not looked at, and what one thread of a block
//! publishes counts for all of it: more than PTX grants, so that a right program is never accused.
//!
//! Of several readers two are kept, of which every writer differs from one; where blocks are ordered by atomics a race
//! may be missed by that. The device heap is left out: its pieces pass from block to block.
//!
//! Blocks on several CPU threads note what they do and only then look what others did, so of two accesses at the same
//! time at least one sees the other. Which one is chance; therefore the first contents of every buffer that is written
//! are kept, and a launch with a race is run again from them, block after block, for the same report in every run.
//!
//! Where an access was (its site) is kept only where blocks run one after the other, which they do in that second run and
//! wherever they may communicate: the first run of the others costs nothing for it.
//!
//! Method: epochs of blocks after Flanagan and Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", 2009.

use std::collections::HashMap;
use std::sync::atomic::{
    AtomicU32, AtomicUsize,
    Ordering::{Relaxed, SeqCst},
};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::global::{Allocation, Contents, Global, Kind};
use crate::fault::Earlier;

/// Blocks of a launch beyond which races are not looked for.
const MOST_BLOCKS: u64 = 1 << 24;
/// What all blocks together may know of each other before some are taken to know everything.
const MOST_KNOWN: usize = 1 << 18;

/// A race: the first byte of the place, what the other block had done, and which it is.
pub(crate) type Conflict = (usize, Earlier, u32);

/// Two readers and the last writer of a granule. A block is kept as `block + 1` shifted by one, the writer's lowest bit
/// says that it was an atomic or ordered access; 0 is nobody. Or the epochs of these accesses.
type Place = [AtomicU32; 3];
const READERS: usize = 2;
const WRITER: usize = 2;

#[derive(Debug, Default)]
struct Buffer {
    /// A [`Place`] after the other, in pages that the system gives when they are first used.
    places: OnceLock<Box<[AtomicU32]>>,
    epochs: OnceLock<Box<[AtomicU32]>>,
    /// The instruction of each entry of a place.
    sites: OnceLock<Box<[AtomicU32]>>,
    before: OnceLock<Contents>,
}

/// What a block knows of the others: all that they did up to an epoch.
#[derive(Debug, Default)]
struct Knowledge {
    /// Epoch, and how much the other knew when its knowledge was taken over.
    of: HashMap<u32, (u32, usize)>,
    everything: bool,
    /// How often it learned.
    version: usize,
}

/// The order of blocks that atomics make.
#[derive(Debug)]
struct Order {
    /// The epoch of each block: it grows with everything that the block publishes.
    epochs: Box<[AtomicU32]>,
    known: Mutex<(HashMap<u32, Knowledge>, usize)>,
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
    /// Bytes that the host had no memory for; from then on nothing is found, and the launch ends with an error.
    lacking: AtomicUsize,
}

impl Races {
    /// For a launch of so many blocks whose smallest access is `granule` bytes. `communicates`: its blocks use atomic or
    /// ordered accesses; `parallel`: they run at the same time. `None` where there are too few blocks, or too many.
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
            order: communicates.then(|| Order {
                epochs: (0..blocks).map(|_| AtomicU32::new(1)).collect(),
                known: Mutex::default(),
            }),
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
            Kind::Constant | Kind::Heap => None,
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

    fn range(&self, at: usize, bytes: usize) -> std::ops::Range<usize> {
        at >> self.shift..((at + bytes - 1) >> self.shift) + 1
    }

    /// The record of an allocation, to ask whether a plain access of `block` changes it. `None` where nothing is noted
    /// yet, and where the order of blocks or the sites of accesses are kept.
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
            if writer == 0 || writer & !1 == me {
                continue;
            }
            let other = (writer >> 1) - 1;
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

    /// Block `block` writes `bytes` bytes at offset `at`; `same` says whether they hold the new value already.
    #[inline]
    pub fn write(
        &self,
        (index, allocation): (usize, &Allocation),
        at: usize,
        bytes: usize,
        block: u32,
        atomic: bool,
        same: impl Fn() -> bool,
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
                let other = (before >> 1) - 1;
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
                let other = (reader >> 1) - 1;
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

    /// Block `block` has done an atomic or ordered write: what it does from now on is not behind that.
    pub fn publish(&self, block: u32) {
        if let Some(order) = &self.order {
            order.epochs[block as usize].fetch_add(1, SeqCst);
        }
    }
}

/// The entry of the place that it was noted in, if it was.
fn note_read(place: &Place, me: u32, order: Option<(&Place, &Order)>) -> Option<usize> {
    let block = (me >> 1) - 1;
    let epoch = order.map_or(0, |(_, order)| order.epochs[block as usize].load(SeqCst));
    for (slot, reader) in place[..READERS].iter().enumerate() {
        let before = match reader.load(SeqCst) {
            0 => reader.compare_exchange(0, me, SeqCst, SeqCst).err(),
            before => Some(before),
        };
        let mine = match (before, order) {
            (None, _) => true,
            (Some(before), _) if before == me => true,
            // It is behind that read: whoever is behind this one is behind both.
            (Some(before), Some((epochs, order))) => {
                let read = epochs[slot].load(SeqCst);
                let behind = order.ordered(block, (before >> 1) - 1, read);
                if behind {
                    reader.store(me, SeqCst);
                }
                behind
            }
            (Some(_), None) => false,
        };
        if mine {
            if let Some((epochs, _)) = order {
                epochs[slot].store(epoch, SeqCst);
            }
            return Some(slot);
        }
    }
    None
}

/// The record of an allocation as one block sees it.
///
/// Law: where [`read`](Self::read) or [`write`](Self::write) answers true, [`Races::read`] or [`Races::write`] of the same
/// plain access would note nothing and object to nothing.
#[derive(Clone, Copy)]
pub(crate) struct Settled<'a> {
    shift: u32,
    places: &'a [Place],
    me: u32,
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
            noted && (writer == 0 || writer & !1 == self.me)
        })
    }

    /// Whether the block was the last that wrote these places, and nobody else read them; or another block wrote them,
    /// and `same`: they hold the new value already.
    #[inline(always)]
    pub fn write(&self, at: usize, bytes: usize, same: impl Fn() -> bool) -> bool {
        let mine = |reader: u32| reader == 0 || reader == self.me;
        self.places(at, bytes).iter().all(|place| {
            let writer = place[WRITER].load(SeqCst);
            if writer == self.me {
                mine(place[0].load(SeqCst)) && mine(place[1].load(SeqCst))
            } else {
                writer != 0 && writer & !1 != self.me && same()
            }
        })
    }
}

impl Order {
    fn lock(&self) -> MutexGuard<'_, (HashMap<u32, Knowledge>, usize)> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether what `other` did in `epoch` lies behind all that `block` does now.
    fn ordered(&self, block: u32, other: u32, epoch: u32) -> bool {
        self.lock().0.get(&block).is_some_and(|mine| {
            mine.everything || mine.of.get(&other).is_some_and(|known| known.0 >= epoch)
        })
    }

    /// `block` saw what `other` published in `epoch`.
    fn learn(&self, block: u32, other: u32, epoch: u32) {
        let (known, total) = &mut *self.lock();
        let mut mine = known.remove(&block).unwrap_or_default();
        let before = mine.of.len();
        let theirs = known.get(&other);
        let version = theirs.map_or(0, |theirs| theirs.version);
        if !mine.everything {
            let new = (epoch, version);
            let old = mine.of.insert(other, new);
            if old.is_none_or(|old| old < new) {
                mine.version += 1;
            }
            if let Some((old, _)) = old.filter(|old| old.0 > epoch) {
                mine.of.insert(other, (old, version));
            }
            if let Some(theirs) = theirs
                && old.is_none_or(|old| old.1 != version)
            {
                mine.everything |= theirs.everything;
                for (&third, &(epoch, _)) in theirs.of.iter().filter(|(third, _)| **third != block)
                {
                    let slot = mine.of.entry(third).or_default();
                    slot.0 = slot.0.max(epoch);
                }
            }
            *total += mine.of.len() - before;
            if mine.everything || *total > MOST_KNOWN {
                *total -= mine.of.len();
                mine.everything = true;
                mine.of = HashMap::new();
            }
        }
        known.insert(block, mine);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGES: fn() -> bool = || false;

    fn launch(communicates: bool) -> (Global, Races) {
        let mut global = Global::default();
        global.allocate(64, 1, Kind::Buffer, 1000).unwrap();
        let races = Races::new(&global, 4, 10, communicates, false).unwrap();
        (global, races)
    }

    #[test]
    fn reads_are_no_race_and_a_write_is_one_with_each() {
        let (global, races) = launch(false);
        let a = (0, global.at(0).unwrap());
        for block in [3, 7, 8] {
            races.read(a, 8, 8, block, false).unwrap();
        }
        for (block, other) in [(3, 7), (7, 3), (8, 3), (9, 3)] {
            let found = races.write(a, 12, 4, block, false, CHANGES);
            assert_eq!(found, Err((12, Earlier::Read, other)));
            races.write(a, 12, 4, block, false, || true).unwrap();
            races.buffers[0].places.get().unwrap()[3 * 3 + WRITER].store(0, SeqCst);
        }
        races.write(a, 16, 4, 5, false, CHANGES).unwrap();
        races.write(a, 16, 4, 5, false, CHANGES).unwrap();
        races.read(a, 16, 4, 5, false).unwrap();
        assert_eq!(races.read(a, 16, 4, 6, false), Err((16, Earlier::Wrote, 5)));
        assert_eq!(
            races.write(a, 16, 4, 6, false, CHANGES),
            Err((16, Earlier::Wrote, 5))
        );
    }

    /// Random accesses of three blocks: what is settled is noted already, and nothing is objected to.
    #[test]
    fn settled_accesses_change_nothing() {
        let mut global = Global::default();
        global.allocate(64, 1, Kind::Buffer, 1000).unwrap();
        let races = Races::new(&global, 4, 10, false, true).unwrap();
        let a = (0, global.at(0).unwrap());
        let state = || -> Vec<u32> {
            let places = races.buffers[0].places.get();
            places.map_or(Vec::new(), |all| {
                all.iter().map(|x| x.load(SeqCst)).collect()
            })
        };
        let mut seed = 1u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
            (seed >> 8) % below
        };
        let mut settled = [0; 2];
        for _ in 0..4000 {
            let (block, at, bytes) = (
                random(3),
                random(14) as usize * 4,
                [4, 8][random(2) as usize],
            );
            let (read, same, before) = (random(4) != 0, random(8) == 0, state());
            // Blocks keep to places of their own but for some accesses, so that most is right.
            let at = if read || same {
                at
            } else {
                block as usize * 16 + at % 8
            };
            let view = races.settled(a, block);
            let fine = view.is_some_and(|view| {
                if read {
                    view.read(at, bytes)
                } else {
                    view.write(at, bytes, || same)
                }
            });
            let found = if read {
                races.read(a, at, bytes, block, false)
            } else {
                races.write(a, at, bytes, block, false, || same)
            };
            settled[usize::from(fine)] += 1;
            if fine {
                assert_eq!((found, state()), (Ok(()), before));
            }
        }
        assert!(settled[0] > 100 && settled[1] > 100, "{settled:?}");
    }

    #[test]
    fn an_atomic_orders_what_came_before_it() {
        let (global, races) = launch(true);
        let a = (0, global.at(0).unwrap());
        let publish = |block| {
            races.read(a, 0, 4, block, true).unwrap();
            races.write(a, 0, 4, block, true, CHANGES).unwrap();
            races.publish(block);
        };
        races.write(a, 16, 4, 1, false, CHANGES).unwrap();
        publish(1);
        races.write(a, 20, 4, 1, false, CHANGES).unwrap();
        races.write(a, 24, 4, 2, false, CHANGES).unwrap();
        publish(2);
        // Block 3 saw block 2, and through it block 1; but not what block 1 did after.
        publish(3);
        races.read(a, 16, 4, 3, false).unwrap();
        races.write(a, 24, 4, 3, false, CHANGES).unwrap();
        assert_eq!(races.read(a, 20, 4, 3, false), Err((20, Earlier::Wrote, 1)));
        // Block 1 has seen neither.
        assert_eq!(races.read(a, 24, 4, 1, false), Err((24, Earlier::Wrote, 3)));
        assert_eq!(
            races.write(a, 16, 4, 1, false, CHANGES),
            Err((16, Earlier::Read, 3))
        );
    }

    #[test]
    fn the_earlier_access_has_its_site_where_blocks_run_in_order() {
        let (global, races) = launch(false);
        let a = (0, global.at(0).unwrap());
        races.at_site(7);
        races.write(a, 16, 4, 5, false, CHANGES).unwrap();
        races.at_site(8);
        races.read(a, 20, 4, 1, false).unwrap();
        races.at_site(9);
        let found = races.read(a, 16, 4, 6, false).unwrap_err();
        assert_eq!((found.1, races.site_of(0, &found)), (Earlier::Wrote, 7));
        let found = races.write(a, 20, 4, 6, false, CHANGES).unwrap_err();
        assert_eq!((found.1, races.site_of(0, &found)), (Earlier::Read, 8));
        races.write_anyway(0, 20);
        let found = races.write(a, 20, 4, 7, false, CHANGES).unwrap_err();
        assert_eq!((found.2, races.site_of(0, &found)), (6, 9));
        let parallel = Races::new(&global, 4, 10, false, true).unwrap();
        parallel.at_site(7);
        parallel.write(a, 16, 4, 5, false, CHANGES).unwrap();
        let found = parallel.read(a, 16, 4, 6, false).unwrap_err();
        assert_eq!(parallel.site_of(0, &found), 0, "not known");
    }

    #[test]
    fn what_blocks_know_stays_bounded() {
        let mut global = Global::default();
        global.allocate(64, 1, Kind::Buffer, 1000).unwrap();
        let races = Races::new(&global, 4, 2000, true, false).unwrap();
        let a = (0, global.at(0).unwrap());
        for block in 0..2000 {
            races.read(a, 0, 4, block, true).unwrap();
            races.write(a, 0, 4, block, true, CHANGES).unwrap();
            races.publish(block);
        }
        let order = races.order.as_ref().unwrap();
        let (known, total) = &*order.lock();
        let count: usize = known.values().map(|k| k.of.len()).sum();
        assert!(*total <= MOST_KNOWN && *total == count, "{total} {count}");
        assert!(known[&1999].everything);
    }
}

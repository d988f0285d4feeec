//! The order of blocks that atomics make.
//!
//! ```text
//! block 1 writes x, publishes a      block 2 sees a: what block 1 did up to then lies behind it
//! ```
//!
//! Law: what a block learns it learns of all that the other knew. All blocks together keep at most
//! [`MOST_KNOWN`] entries; a block beyond is taken to know everything, so that nobody is accused
//! for want of memory.

use std::collections::HashMap;
use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What all blocks together may know of each other before some are taken to know everything.
pub(super) const MOST_KNOWN: usize = 1 << 18;

/// What a block knows of the others: all that they did up to an epoch.
#[derive(Debug, Default)]
pub(super) struct Knowledge {
    /// Epoch, and how much the other knew when its knowledge was taken over.
    pub(super) of: HashMap<u32, (u32, usize)>,
    pub(super) everything: bool,
    /// How often it learned.
    version: usize,
}

/// The order of blocks that atomics make.
#[derive(Debug)]
pub(super) struct Order {
    /// The epoch of each block: it grows with everything that the block publishes.
    pub(super) epochs: Box<[AtomicU32]>,
    known: Mutex<(HashMap<u32, Knowledge>, usize)>,
}

impl Order {
    /// Of so many blocks, which know nothing of each other.
    pub(super) fn new(blocks: u64) -> Order {
        Order {
            epochs: (0..blocks).map(|_| AtomicU32::new(1)).collect(),
            known: Mutex::default(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, (HashMap<u32, Knowledge>, usize)> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether what `other` did in `epoch` lies behind all that `block` does now.
    pub(super) fn ordered(&self, block: u32, other: u32, epoch: u32) -> bool {
        self.lock().0.get(&block).is_some_and(|mine| {
            mine.everything || mine.of.get(&other).is_some_and(|known| known.0 >= epoch)
        })
    }

    /// `block` saw what `other` published in `epoch`.
    pub(super) fn learn(&self, block: u32, other: u32, epoch: u32) {
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

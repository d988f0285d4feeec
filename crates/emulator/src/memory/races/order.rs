//! The order of blocks that atomics establish.
//!
//! ```text
//! block 1 writes x, publishes a      block 2 sees a: ordered after what block 1 did up to then
//! ```
//!
//! Law: a block that learns from another block learns everything that the other block knew. All
//! blocks together keep at most [`MOST_KNOWN`] entries. A block beyond this limit is assumed to
//! know everything, so that this limit never produces a finding.

use std::collections::HashMap;
use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most entries that all blocks together may keep before some are assumed to know everything.
pub(super) const MOST_KNOWN: usize = 1 << 18;

/// The knowledge of a block about the others: for each other block, an epoch up to which all is
/// known.
#[derive(Debug, Default)]
pub(super) struct Knowledge {
    /// For each other block, the epoch up to which that block is known, and that block's `version`
    /// when its knowledge was copied.
    pub(super) of: HashMap<u32, (u32, usize)>,
    pub(super) everything: bool,
    /// The number of times that the block learned something.
    version: usize,
}

/// The order of blocks that atomics establish.
#[derive(Debug)]
pub(super) struct Order {
    /// The epoch of each block, which grows with each atomic or ordered write of the block.
    pub(super) epochs: Box<[AtomicU32]>,
    known: Mutex<(HashMap<u32, Knowledge>, usize)>,
}

impl Order {
    /// Creates the order of `blocks` blocks that know nothing about each other.
    pub(super) fn new(blocks: u64) -> Order {
        Order {
            epochs: (0..blocks).map(|_| AtomicU32::new(1)).collect(),
            known: Mutex::default(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, (HashMap<u32, Knowledge>, usize)> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the accesses of `other` in `epoch` come before the present access of `block`.
    pub(super) fn ordered(&self, block: u32, other: u32, epoch: u32) -> bool {
        self.lock().0.get(&block).is_some_and(|mine| {
            mine.everything || mine.of.get(&other).is_some_and(|known| known.0 >= epoch)
        })
    }

    /// Notes that `block` read an atomic or ordered write that `other` made in `epoch`.
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

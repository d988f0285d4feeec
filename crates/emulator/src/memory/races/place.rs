//! A place of global memory: which blocks read it, and which block wrote it last.
//!
//! ```text
//! [reader, another reader, last writer]   each `block + 1` shifted by one; 0 is nobody
//!
//! blocks at the same time:    nobody ──► A wrote ──A writes another value──► A changed it
//!                                           └─────B writes the same value──► shared
//! ```
//!
//! Law of reads: a read is noted in the first entry that is free or belongs to the block. If both
//! entries belong to other blocks, every writer differs from one of them, and the read needs no
//! entry.
//!
//! Law of simultaneous blocks: as long as nothing is suspected, running the blocks one after
//! another, in any order, finds no race. For then each place is one of the following:
//! - read only;
//! - written by one block, and read by no other;
//! - shared: written by several blocks, each time with the same value, and read by none.
//!
//! Everything else is suspected, even if it may be correct: two blocks write the same value, but
//! one of them wrote another value before; or a block reads the value that two blocks write. In
//! these cases the order of the blocks decides.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use super::order::Order;
use crate::fault::Earlier;

/// Two readers and the last writer of a granule, or the epochs of these accesses. A block is stored
/// as `block + 1`, shifted left by one; 0 means no block. The lowest bit of the writer says whether
/// the write was atomic or ordered.
pub(crate) type Place = [AtomicU32; 3];
pub(super) const READERS: usize = 2;
pub(super) const WRITER: usize = 2;
/// Bit of a writer's entry: the block wrote more than one value. Like [`SHARED`], this bit is used
/// only if blocks run at the same time.
pub(super) const CHANGED: u32 = 1 << 31;
/// Bit of a writer's entry: other blocks wrote the same value.
pub(super) const SHARED: u32 = 1 << 30;

/// Returns the block of an entry that is not 0.
pub(super) fn block_of(entry: u32) -> u32 {
    ((entry & !(CHANGED | SHARED)) >> 1) - 1
}

/// Whether the last writer is the block of that entry, and no other block wrote.
#[inline(always)]
pub(super) fn is_own(writer: u32, me: u32) -> bool {
    writer & !(CHANGED | 1) == me
}

/// The contents of the place that a write by a simultaneous block finds.
pub(super) trait Content {
    /// Whether the place holds the value that is about to be written.
    fn is_same(&self) -> bool;
    /// Whether this value, if the place holds it, was written in this launch: every word of it
    /// differs from the place's contents before the launch. Otherwise the block that wrote last may
    /// not have stored yet the value that it noted.
    fn is_fresh(&self) -> bool;
}

/// Notes a write of a block that runs at the same time as others. Returns the suspected conflict,
/// if there is one.
pub(super) fn write_at_once(
    place: &Place,
    me: u32,
    content: &impl Content,
) -> Result<(), (Earlier, u32)> {
    let mut last = place[WRITER].load(SeqCst);
    let now = loop {
        let next = if last == 0 {
            me
        } else if last == me | CHANGED {
            break last;
        } else if last == me {
            if content.is_same() {
                break last;
            }
            me | CHANGED
        } else if last & CHANGED != 0 || !content.is_same() {
            return Err((Earlier::Wrote, block_of(last)));
        } else if last & SHARED != 0 {
            break last;
        } else if content.is_fresh() {
            last | SHARED
        } else {
            return Err((Earlier::Wrote, block_of(last)));
        };
        match place[WRITER].compare_exchange(last, next, SeqCst, SeqCst) {
            Ok(_) => break next,
            Err(seen) => last = seen,
        }
    };
    for reader in &place[..READERS] {
        let reader = reader.load(SeqCst);
        if reader != 0 && (reader != me || now & SHARED != 0) {
            return Err((Earlier::Read, block_of(reader)));
        }
    }
    Ok(())
}

/// Notes a read. Returns the entry of the place in which the read was noted, or `None` if the read
/// needs no entry.
pub(super) fn note_read(place: &Place, me: u32, order: Option<(&Place, &Order)>) -> Option<usize> {
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
            // The read comes after that earlier read: an access after this read is after both.
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

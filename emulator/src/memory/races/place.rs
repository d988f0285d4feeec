//! A place of global memory in the record: which blocks read it, and which one wrote it last.
//!
//! ```text
//! [reader, another reader, last writer]   each `block + 1` shifted by one; 0 is nobody
//! ```
//!
//! Law: a read is noted in the first entry that is free or the block's own; with two others there, every writer differs
//! from one of them, and the read needs no entry.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use super::order::Order;

/// Two readers and the last writer of a granule. A block is kept as `block + 1` shifted by one, the writer's lowest bit
/// says that it was an atomic or ordered access; 0 is nobody. Or the epochs of these accesses.
pub(crate) type Place = [AtomicU32; 3];
pub(super) const READERS: usize = 2;
pub(super) const WRITER: usize = 2;

/// The entry of the place that it was noted in, if it was.
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

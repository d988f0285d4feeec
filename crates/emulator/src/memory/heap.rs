//! The device heap: what `malloc` and `free` in a kernel give and take.
//!
//! ```text
//! | taken 32 | free 64 | taken 16 | free ...
//! ```
//!
//! Law: pieces that are taken do not overlap, begin at multiples of 16 and stay until they are freed, also from one
//! launch to the next. Of the pieces that fit, the one with the lowest address is taken, so that a kernel gets the
//! same addresses in every run. The heap is one allocation: an access past a piece is found only at the heap's end,
//! but a read of what was not written since `malloc` is found anywhere.
//! Source: CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and Operations".

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::exec::global::Allocation;

const ALIGNMENT: usize = 16;

/// The heap of a device.
#[derive(Debug)]
pub(crate) struct Heap {
    memory: Arc<Allocation>,
    pieces: Mutex<Pieces>,
}

#[derive(Debug)]
struct Pieces {
    /// Offset and size of each piece that is taken.
    taken: BTreeMap<usize, usize>,
    /// The least size that found no room since a piece was last given back: no larger one does.
    refused: usize,
}

impl Heap {
    pub fn new(memory: Arc<Allocation>) -> Self {
        Heap {
            memory,
            pieces: Mutex::new(Pieces {
                taken: BTreeMap::new(),
                refused: usize::MAX,
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Pieces> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The address of `size` bytes, or 0 where there is no room.
    pub fn take(&self, size: u64) -> u64 {
        let Ok(size) = usize::try_from(size) else {
            return 0;
        };
        if size > self.memory.size {
            return 0;
        }
        let size = size.max(1).next_multiple_of(ALIGNMENT);
        let mut pieces = self.lock();
        if size >= pieces.refused {
            return 0;
        }
        let mut at = 0;
        for (&start, &length) in &pieces.taken {
            if start - at >= size {
                break;
            }
            at = start + length;
        }
        if at + size > self.memory.size {
            pieces.refused = size;
            return 0;
        }
        pieces.taken.insert(at, size);
        self.memory.unmark(at, size);
        self.memory.base + at as u64
    }

    /// Gives a piece back. Whether `address` was the start of one; 0 is none and no mistake.
    pub fn give(&self, address: u64) -> bool {
        if address == 0 {
            return true;
        }
        let at = address.wrapping_sub(self.memory.base);
        let removed = usize::try_from(at).ok().and_then(|at| {
            let mut pieces = self.lock();
            let size = pieces.taken.remove(&at)?;
            pieces.refused = usize::MAX;
            Some((at, size))
        });
        if let Some((at, size)) = removed {
            self.memory.unmark(at, size);
        }
        removed.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::global::{HostMemory, Kind};

    #[test]
    fn pieces_do_not_overlap_and_come_back() {
        let mut global = HostMemory::default();
        let heap = Heap::new(global.allocate(128, 16, Kind::Heap, 1000).unwrap());
        let a = heap.take(1);
        let b = heap.take(40);
        let c = heap.take(64);
        assert_eq!((b - a, c - a), (16, 64));
        assert_eq!(heap.take(1), 0, "full");
        assert!(heap.give(b) && !heap.give(b) && !heap.give(c + 16) && heap.give(0));
        assert_eq!(heap.take(48), b);
        assert_eq!(heap.take(u64::MAX), 0);
    }
}

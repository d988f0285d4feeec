//! The device heap, on which `malloc` and `free` in a kernel work.
//!
//! ```text
//! | taken 32 | free 64 | taken 16 | free ...
//! ```
//!
//! Law: allocated pieces do not overlap, begin at multiples of 16 and stay until they are freed,
//! even from one launch to the next. `malloc` takes the piece with the lowest address that is large
//! enough, so that a kernel gets the same addresses in every run; the time for this does not grow
//! with the number of allocated pieces. The heap is one allocation: an access past a piece is found
//! only at the heap's end, but a use of a freed piece, and a read of bytes that were not written
//! since `malloc`, are found anywhere. Source: CUDA C++ Programming Guide, "Dynamic Global Memory
//! Allocation and Operations".

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::memory::allocation::Allocation;

const ALIGNMENT: usize = 16;

/// The heap of a device.
#[derive(Debug)]
pub(crate) struct Heap {
    memory: Arc<Allocation>,
    pieces: Mutex<Pieces>,
}

/// The allocated and the free pieces; neighbouring free pieces are merged.
#[derive(Debug)]
struct Pieces {
    /// Offset and size of each allocated piece.
    taken: BTreeMap<usize, usize>,
    /// Offset and size of each free piece.
    free: BTreeMap<usize, usize>,
    /// The offsets of the free pieces of each size. There are few sizes: n different sizes need
    /// n^2 / 2 units of the heap.
    by_size: BTreeMap<usize, BTreeSet<usize>>,
    /// The offset and size of each piece that was freed and has not been allocated again, wholly or
    /// partly.
    given: BTreeMap<usize, usize>,
}

impl Pieces {
    fn new(size: usize) -> Self {
        let mut pieces = Pieces {
            taken: BTreeMap::new(),
            free: BTreeMap::new(),
            by_size: BTreeMap::new(),
            given: BTreeMap::new(),
        };
        if size > 0 {
            pieces.add_free(0, size);
        }
        pieces
    }

    fn add_free(&mut self, at: usize, size: usize) {
        self.free.insert(at, size);
        self.by_size.entry(size).or_default().insert(at);
    }

    fn remove_free(&mut self, at: usize) -> Option<usize> {
        let size = self.free.remove(&at)?;
        if let Some(offsets) = self.by_size.get_mut(&size) {
            offsets.remove(&at);
            if offsets.is_empty() {
                self.by_size.remove(&size);
            }
        }
        Some(size)
    }

    /// Allocates the first `size` bytes of the lowest piece that is large enough. Returns its
    /// offset.
    fn take(&mut self, size: usize) -> Option<usize> {
        let fitting = self.by_size.range(size..);
        let at = fitting.filter_map(|(_, offsets)| offsets.first()).min();
        let at = *at?;
        let whole = self.remove_free(at)?;
        if whole > size {
            self.add_free(at + size, whole - size);
        }
        self.taken.insert(at, size);
        while let Some((&start, &length)) = self.given.range(..at + size).next_back()
            && start + length > at
        {
            self.given.remove(&start);
        }
        Some(at)
    }

    /// Frees the piece at an offset. Returns its size.
    fn give(&mut self, at: usize) -> Option<usize> {
        let size = self.taken.remove(&at)?;
        self.given.insert(at, size);
        let (mut start, mut end) = (at, at + size);
        if let Some((&before, &length)) = self.free.range(..at).next_back()
            && before + length == at
        {
            self.remove_free(before);
            start = before;
        }
        if let Some(length) = self.remove_free(end) {
            end += length;
        }
        self.add_free(start, end - start);
        Some(size)
    }

    /// Returns the offset and size of the freed piece that holds one of `bytes` bytes at an offset.
    fn given_back(&self, at: usize, bytes: usize) -> Option<(usize, usize)> {
        let (&start, &size) = self.given.range(..at + bytes).next_back()?;
        (start + size > at).then_some((start, size))
    }
}

impl Heap {
    pub fn new(memory: Arc<Allocation>) -> Self {
        Heap {
            pieces: Mutex::new(Pieces::new(memory.size / ALIGNMENT * ALIGNMENT)),
            memory,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Pieces> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates `size` bytes. Returns their address, or 0 if the heap has no piece that is large
    /// enough.
    pub fn take(&self, size: u64) -> u64 {
        let Ok(size) = usize::try_from(size) else {
            return 0;
        };
        if size > self.memory.size {
            return 0;
        }
        let size = size.max(1).next_multiple_of(ALIGNMENT);
        let Some(at) = self.lock().take(size) else {
            return 0;
        };
        self.memory.unmark(at, size);
        self.memory.base + at as u64
    }

    /// Frees a piece. Returns whether `address` was the start of an allocated piece; with 0 it does
    /// nothing and returns true.
    pub fn give(&self, address: u64) -> bool {
        if address == 0 {
            return true;
        }
        let at = address.wrapping_sub(self.memory.base);
        let given = usize::try_from(at).ok().and_then(|at| {
            let size = self.lock().give(at)?;
            Some((at, size))
        });
        if let Some((at, size)) = given {
            self.memory.unmark(at, size);
        }
        given.is_some()
    }

    /// Returns the offset in a freed piece and the size of that piece, if one of `bytes` bytes at
    /// an address lies in a freed piece.
    pub fn given_back(&self, address: u64, bytes: usize) -> Option<(u64, usize)> {
        let at = address.checked_sub(self.memory.base)? as usize;
        let (start, size) = self.lock().given_back(at, bytes)?;
        Some((at.saturating_sub(start) as u64, size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::allocation::Kind;
    use crate::memory::global::HostMemory;

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

    /// Compares with the definition, which looks at every unit.
    #[test]
    fn the_lowest_piece_that_fits_is_taken() {
        const UNITS: usize = 64;
        let mut global = HostMemory::default();
        let memory = global.allocate(UNITS * ALIGNMENT, 16, Kind::Heap, 1 << 20);
        let heap = Heap::new(memory.unwrap());
        let base = heap.memory.base;
        let (mut used, mut living, mut seed) = ([false; UNITS], Vec::new(), 1u64);
        for _ in 0..4000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let random = (seed >> 33) as usize;
            if random.is_multiple_of(3) && !living.is_empty() {
                let (at, n): (usize, usize) = living.swap_remove(random / 3 % living.len());
                assert!(heap.give(base + (at * ALIGNMENT) as u64));
                used[at..at + n].fill(false);
                let known = heap.given_back(base + (at * ALIGNMENT) as u64 + 4, 4);
                assert_eq!(known, Some((4, n * ALIGNMENT)));
                continue;
            }
            let n = 1 + random / 7 % 9;
            let fits = (0..=UNITS - n).find(|&at| used[at..at + n].iter().all(|used| !used));
            let found = heap.take((n * ALIGNMENT) as u64);
            assert_eq!(found, fits.map_or(0, |at| base + (at * ALIGNMENT) as u64));
            if let Some(at) = fits {
                used[at..at + n].fill(true);
                living.push((at, n));
                assert_eq!(heap.given_back(found, n * ALIGNMENT), None);
            }
        }
    }
}

//! Global memory: allocations, each apart from the others.
//!
//! ```text
//! GLOBAL_START          +256              +256
//!      | buffer | guard   | buffer | guard  | variable of a module ...
//! ```
//!
//! Law: an access belongs to the allocation that holds its first byte, and must end in it. Addresses are never used
//! twice, so an access to freed memory is known as such. A byte counts as initialised once the host or a kernel wrote
//! it; before that it reads as 0 where the check is off.
//!
//! Words are atomics with relaxed order: blocks on several CPU threads may use one buffer at the same time, as blocks
//! on a GPU may, and each word stays whole. Plain accesses of a GPU promise no more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use crate::address::{CONST_START, GLOBAL_START};
use crate::error::MemoryError;

const ALIGNMENT: u64 = 256;

/// What an allocation is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// From `alloc`.
    Buffer,
    /// A `.global` variable.
    Variable,
    /// A `.const` variable.
    Constant,
    /// What `malloc` in kernels takes from.
    Heap,
}

/// What an allocation held at some time.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    words: Box<[u32]>,
    initialised: Box<[u32]>,
    complete: bool,
}

impl Contents {
    /// The byte at an offset; 0 where the copy has none, because the host had no memory for it.
    pub fn byte(&self, at: usize) -> u8 {
        let word = self.words.get(at / 4).copied().unwrap_or(0);
        word.to_le_bytes()[at % 4]
    }
}

/// A piece of global memory.
#[derive(Debug)]
pub(crate) struct Allocation {
    pub base: u64,
    pub size: usize,
    pub kind: Kind,
    words: Box<[AtomicU32]>,
    /// One bit for each byte.
    initialised: Box<[AtomicU32]>,
    /// Every byte is initialised: the bits need not be read.
    complete: AtomicBool,
}

impl Allocation {
    /// Zeros, in pages that the system gives when they are first used; `None` where the host has not as many.
    fn new(base: u64, size: usize, kind: Kind) -> Option<Self> {
        let zeroed = |words| bytemuck::try_zeroed_slice_box::<AtomicU32>(words).ok();
        Some(Allocation {
            base,
            size,
            kind,
            words: zeroed(size.div_ceil(4))?,
            initialised: zeroed(size.div_ceil(32))?,
            complete: AtomicBool::new(false),
        })
    }

    /// 1, 2, 4 or 8 bytes at a multiple of their number, inside the allocation.
    #[inline(always)]
    pub fn load(&self, at: usize, bytes: usize) -> u64 {
        let word = u64::from(self.words[at / 4].load(Relaxed));
        match bytes {
            4 => word,
            8 => word | u64::from(self.words[at / 4 + 1].load(Relaxed)) << 32,
            2 => word >> (at % 4 * 8) & 0xffff,
            _ => word >> (at % 4 * 8) & 0xff,
        }
    }

    /// 1, 2, 4 or 8 bytes at a multiple of their number, inside the allocation.
    #[inline(always)]
    pub fn store(&self, at: usize, bytes: usize, value: u64) {
        let word = &self.words[at / 4];
        match bytes {
            4 => word.store(value as u32, Relaxed),
            8 => {
                word.store(value as u32, Relaxed);
                self.words[at / 4 + 1].store((value >> 32) as u32, Relaxed);
            }
            _ => {
                // Another block may write the other bytes of the word at the same time.
                let (shift, mask) = (at % 4 * 8, (1u32 << (bytes * 8)) - 1);
                let change =
                    |old: u32| Some(old & !(mask << shift) | (value as u32 & mask) << shift);
                let _ = word.fetch_update(Relaxed, Relaxed, change);
            }
        }
    }

    /// Whether all of `bytes` bytes (at most 32, at a multiple of their number) were written.
    #[inline(always)]
    pub fn is_initialised(&self, at: usize, bytes: usize) -> bool {
        if self.complete.load(Relaxed) {
            return true;
        }
        let wanted = mask(at, bytes);
        self.initialised[at / 32].load(Relaxed) & wanted == wanted
    }

    /// The first byte of `at..at + bytes` that was not written.
    pub fn first_uninitialised(&self, at: usize, bytes: usize) -> Option<usize> {
        (at..at + bytes).find(|&byte| !self.is_initialised(byte, 1))
    }

    /// Notes that `bytes` bytes (at most 32, at a multiple of their number) are written.
    #[inline(always)]
    pub fn mark(&self, at: usize, bytes: usize) {
        if !self.complete.load(Relaxed) {
            self.mark_bits(at / 32, mask(at, bytes));
        }
    }

    #[inline]
    fn mark_bits(&self, word: usize, bits: u32) {
        let word = &self.initialised[word];
        if word.load(Relaxed) & bits != bits {
            word.fetch_or(bits, Relaxed);
        }
    }

    /// Whether all of `bytes` bytes, any number, were written.
    pub fn is_initialised_span(&self, at: usize, bytes: usize) -> bool {
        let mut byte = at;
        while byte < at + bytes {
            let stop = (at + bytes).min((byte / 32 + 1) * 32);
            let wanted = mask(byte, stop - byte);
            if self.initialised[byte / 32].load(Relaxed) & wanted != wanted {
                return false;
            }
            byte = stop;
        }
        true
    }

    /// The word at a multiple of 4.
    #[inline(always)]
    pub fn word(&self, at: usize) -> u32 {
        self.words[at / 4].load(Relaxed)
    }

    /// Writes the word at a multiple of 4.
    #[inline(always)]
    pub fn set_word(&self, at: usize, value: u32) {
        self.words[at / 4].store(value, Relaxed);
    }

    /// Whether every byte was written.
    #[inline(always)]
    pub fn is_complete(&self) -> bool {
        self.complete.load(Relaxed)
    }

    /// Forgets that bytes were written; both ends at multiples of 16.
    pub fn unmark(&self, at: usize, length: usize) {
        for half in (at / 16)..(at + length) / 16 {
            self.initialised[half / 2].fetch_and(!(0xffff << (half % 2 * 16)), Relaxed);
        }
    }

    /// Forgets that bytes were written, both ends at multiples of 16, also where every byte was. No other block may use
    /// the allocation at the same time.
    pub fn discard(&self, at: usize, length: usize) {
        if self.complete.swap(false, Relaxed) {
            for bits in &self.initialised {
                bits.store(u32::MAX, Relaxed);
            }
        }
        self.unmark(at, length);
    }

    /// Notes that every byte is written: what nobody wrote is 0.
    pub fn complete(&self) {
        self.complete.store(true, Relaxed);
    }

    /// Notes that `length` bytes, any number, are written.
    pub fn mark_range(&self, at: usize, length: usize) {
        if length == self.size {
            self.complete.store(true, Relaxed);
            return;
        }
        let end = at + length;
        let mut byte = at;
        while byte < end {
            let stop = end.min((byte / 32 + 1) * 32);
            self.mark_bits(byte / 32, mask(byte, stop - byte));
            byte = stop;
        }
    }

    /// All that it holds; `None` where the host has no memory for a copy.
    pub fn contents(&self) -> Option<Contents> {
        let copy = |words: &[AtomicU32]| {
            let mut copy = Vec::new();
            copy.try_reserve_exact(words.len()).ok()?;
            copy.extend(words.iter().map(|word| word.load(Relaxed)));
            Some(copy.into_boxed_slice())
        };
        Some(Contents {
            words: copy(&self.words)?,
            initialised: copy(&self.initialised)?,
            complete: self.complete.load(Relaxed),
        })
    }

    /// Puts back what it held.
    pub fn restore(&self, contents: &Contents) {
        let put = |words: &[AtomicU32], values: &[u32]| {
            for (word, &value) in words.iter().zip(values) {
                word.store(value, Relaxed);
            }
        };
        put(&self.words, &contents.words);
        put(&self.initialised, &contents.initialised);
        self.complete.store(contents.complete, Relaxed);
    }

    fn write(&self, at: usize, bytes: &[u8]) {
        let mut byte = 0;
        while byte < bytes.len() {
            let place = at + byte;
            if place.is_multiple_of(4) && bytes.len() - byte >= 4 {
                let word = u32::from_le_bytes([
                    bytes[byte],
                    bytes[byte + 1],
                    bytes[byte + 2],
                    bytes[byte + 3],
                ]);
                self.words[place / 4].store(word, Relaxed);
                byte += 4;
            } else {
                self.store(place, 1, u64::from(bytes[byte]));
                byte += 1;
            }
        }
        self.mark_range(at, bytes.len());
    }

    fn read(&self, at: usize, bytes: &mut [u8]) {
        let mut byte = 0;
        while byte < bytes.len() {
            let place = at + byte;
            if place.is_multiple_of(4) && bytes.len() - byte >= 4 {
                let word = self.words[place / 4].load(Relaxed);
                bytes[byte..byte + 4].copy_from_slice(&word.to_le_bytes());
                byte += 4;
            } else {
                bytes[byte] = self.load(place, 1) as u8;
                byte += 1;
            }
        }
    }
}

/// The bits of `bytes` bytes from `at` on, in their word.
#[inline(always)]
fn mask(at: usize, bytes: usize) -> u32 {
    (u32::MAX >> (32 - bytes)) << (at % 32)
}

/// All allocations of a device, living and freed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Global {
    /// By address.
    living: Vec<Arc<Allocation>>,
    /// Base and size, by address.
    freed: Vec<(u64, usize)>,
    /// Where the last allocation and its guard ended: constants, and the rest.
    next_constant: u64,
    next: u64,
    used: usize,
}

impl Global {
    pub fn allocate(
        &mut self,
        size: usize,
        align: usize,
        kind: Kind,
        total: usize,
    ) -> Result<Arc<Allocation>, MemoryError> {
        if size == 0 {
            return Err(MemoryError::Empty);
        }
        let free = total - self.used;
        if size > free {
            return Err(MemoryError::OutOfMemory {
                requested: size,
                free,
                total,
            });
        }
        let (start, next) = match kind {
            Kind::Constant => (CONST_START, &mut self.next_constant),
            _ => (GLOBAL_START, &mut self.next),
        };
        let base = start
            .max(*next)
            .next_multiple_of(ALIGNMENT.max(align as u64));
        let allocation = Allocation::new(base, size, kind)
            .map(Arc::new)
            .ok_or(MemoryError::Host { requested: size })?;
        // The guard behind it: an access past the end hits nothing.
        *next = base + size as u64 + ALIGNMENT;
        self.used += size;
        let place = self.living.partition_point(|other| other.base < base);
        self.living.insert(place, allocation.clone());
        Ok(allocation)
    }

    pub fn free(&mut self, address: u64) -> Result<(), MemoryError> {
        let (index, allocation) = self.of(address, 1)?;
        let (base, size) = (allocation.base, allocation.size);
        if allocation.kind != Kind::Buffer {
            return Err(MemoryError::ModuleVariable {
                address,
                operation: "freed",
            });
        }
        if base != address {
            return Err(MemoryError::NotTheStart {
                address,
                base,
                size,
            });
        }
        self.living.remove(index);
        let place = self.freed.partition_point(|&(freed, _)| freed < base);
        self.freed.insert(place, (base, size));
        self.used -= size;
        Ok(())
    }

    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let (_, allocation) = self.of(address, bytes.len())?;
        allocation.write((address - allocation.base) as usize, bytes);
        Ok(())
    }

    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryError> {
        let (_, allocation) = self.of(address, bytes.len())?;
        allocation.read((address - allocation.base) as usize, bytes);
        Ok(())
    }

    /// The allocation of `length` bytes at `address`.
    fn of(&self, address: u64, length: usize) -> Result<(usize, &Allocation), MemoryError> {
        let index = self
            .find(address)
            .ok_or_else(|| match self.find_freed(address) {
                Some((base, size)) => MemoryError::Freed {
                    address,
                    base,
                    size,
                },
                None => MemoryError::Unmapped { address },
            })?;
        let allocation = &self.living[index];
        let (base, size) = (allocation.base, allocation.size);
        if length as u64 > size as u64 - (address - base) {
            return Err(MemoryError::OutOfBounds {
                address,
                length,
                base,
                size,
            });
        }
        Ok((index, allocation))
    }

    /// The index of the allocation that holds the byte at `address`.
    #[inline]
    pub fn find(&self, address: u64) -> Option<usize> {
        let index = self
            .living
            .partition_point(|a| a.base <= address)
            .checked_sub(1)?;
        (address - self.living[index].base < self.living[index].size as u64).then_some(index)
    }

    /// The freed allocation that held the byte at `address`.
    pub fn find_freed(&self, address: u64) -> Option<(u64, usize)> {
        let index = self
            .freed
            .partition_point(|&(base, _)| base <= address)
            .checked_sub(1)?;
        let (base, size) = self.freed[index];
        (address - base < size as u64).then_some((base, size))
    }

    /// How many allocations live.
    pub fn len(&self) -> usize {
        self.living.len()
    }

    #[inline(always)]
    pub fn at(&self, index: usize) -> Option<&Allocation> {
        self.living.get(index).map(|allocation| &**allocation)
    }

    /// Start and size of the allocation nearest to `address`, and the distance.
    pub fn nearest(&self, address: u64) -> Option<(u64, usize, u64)> {
        let distance = |a: &Arc<Allocation>| {
            let last = a.base + a.size as u64 - 1;
            if address < a.base {
                a.base - address
            } else {
                address.saturating_sub(last)
            }
        };
        self.living
            .iter()
            .min_by_key(|a| distance(a))
            .map(|a| (a.base, a.size, distance(a)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_apart_and_errors_name_them() {
        let mut global = Global::default();
        let a = global.allocate(100, 1, Kind::Buffer, 1000).unwrap().base;
        let b = global.allocate(8, 1, Kind::Buffer, 1000).unwrap().base;
        assert!(a.is_multiple_of(256) && b.is_multiple_of(256) && b >= a + 356);
        assert_eq!(
            global.allocate(893, 1, Kind::Buffer, 1000).unwrap_err(),
            MemoryError::OutOfMemory {
                requested: 893,
                free: 892,
                total: 1000
            }
        );
        assert_eq!(
            global.allocate(0, 1, Kind::Buffer, 1000).unwrap_err(),
            MemoryError::Empty
        );
        global.write(a + 3, &[1, 2, 3, 4, 5, 6]).unwrap();
        let mut out = [0; 9];
        global.read(a + 2, &mut out).unwrap();
        assert_eq!(out, [0, 1, 2, 3, 4, 5, 6, 0, 0]);
        let error = global.write(a + 99, &[0; 2]).unwrap_err();
        assert_eq!(
            error,
            MemoryError::OutOfBounds {
                address: a + 99,
                length: 2,
                base: a,
                size: 100
            }
        );
        assert_eq!(
            global.read(a + 100, &mut out).unwrap_err(),
            MemoryError::Unmapped { address: a + 100 }
        );
        let error = global.free(a + 4).unwrap_err();
        assert_eq!(
            error,
            MemoryError::NotTheStart {
                address: a + 4,
                base: a,
                size: 100
            }
        );
        global.free(a).unwrap();
        assert_eq!(
            global.free(a).unwrap_err(),
            MemoryError::Freed {
                address: a,
                base: a,
                size: 100
            }
        );
        assert_eq!(global.nearest(a), Some((b, 8, b - a)));
    }

    #[test]
    fn initialised_bytes_are_those_written() {
        let mut global = Global::default();
        let a = global.allocate(200, 1, Kind::Buffer, 1000).unwrap();
        global.write(a.base + 30, &[7; 70]).unwrap();
        for byte in 0..200 {
            assert_eq!(
                a.is_initialised(byte, 1),
                (30..100).contains(&byte),
                "{byte}"
            );
        }
        a.mark(104, 8);
        assert!(a.is_initialised(104, 8) && !a.is_initialised(96, 8));
        assert!(a.is_initialised_span(30, 70) && !a.is_initialised_span(30, 71));
        assert!(!a.is_initialised_span(29, 2));
        assert_eq!(a.first_uninitialised(96, 8), Some(100));
        global.write(a.base, &[0; 200]).unwrap();
        assert!(a.is_complete() && a.is_initialised(199, 1));
    }

    #[test]
    fn narrow_stores_keep_their_neighbours() {
        let mut global = Global::default();
        let a = global.allocate(16, 1, Kind::Buffer, 1000).unwrap();
        a.store(0, 8, 0x1122_3344_5566_7788);
        a.store(2, 2, 0xabcd);
        a.store(7, 1, 0xee);
        assert_eq!(a.load(0, 8), 0xee22_3344_abcd_7788);
        assert_eq!((a.load(6, 2), a.load(5, 1)), (0xee22, 0x33));
    }
}

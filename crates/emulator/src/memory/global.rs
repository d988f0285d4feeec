//! Global memory: separate allocations.
//!
//! ```text
//! GLOBAL_START          +256              +256
//!      | buffer | guard   | buffer | guard  | variable of a module ...
//! ```
//!
//! Law: an access belongs to the allocation that holds its first byte, and must end in it.
//! Addresses are never reused, so an access to freed memory is recognised. The host reads and
//! writes through its [`HostMemory`]; a launch has a [`Global`], which only knows where allocations
//! are.

use std::ops::Deref;
use std::sync::Arc;

use super::allocation::{Allocation, Kind, RawBytes};
use crate::address::{CONST_START, GLOBAL_START};
use crate::error::MemoryError;

const ALIGNMENT: u64 = 256;

/// The places of all allocations of a device, live and freed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Global {
    /// The live allocations, by address.
    living: Vec<Arc<Allocation>>,
    /// The base and size of each freed allocation, by address.
    freed: Vec<(u64, usize)>,
    /// The address after the last constant and its guard; `next` is the same address for the other
    /// allocations.
    next_constant: u64,
    next: u64,
    used: usize,
}

/// Reads and writes bytes of one allocation without a check, for `exec::global`, which checks
/// first, and for the host.
pub(crate) trait RawSpans {
    /// Writes bytes, which must lie in one live allocation.
    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), MemoryError>;
    /// Reads bytes, which must lie in one live allocation.
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryError>;
}

impl RawSpans for Global {
    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let (_, allocation) = self.of(address, bytes.len())?;
        allocation.write((address - allocation.base) as usize, bytes);
        Ok(())
    }

    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryError> {
        let (_, allocation) = self.of(address, bytes.len())?;
        allocation.read((address - allocation.base) as usize, bytes);
        Ok(())
    }
}

impl Global {
    /// Returns the allocation that contains the `length` bytes at `address`, and its index.
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
        if allocation.kind == Kind::Multicast {
            return Err(MemoryError::Unmapped { address });
        }
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

    /// Returns the index of the allocation that holds the byte at `address`.
    #[inline]
    pub fn find(&self, address: u64) -> Option<usize> {
        let index = self
            .living
            .partition_point(|a| a.base <= address)
            .checked_sub(1)?;
        (address - self.living[index].base < self.living[index].size as u64).then_some(index)
    }

    /// Returns the base and size of the freed allocation that held the byte at `address`.
    pub fn find_freed(&self, address: u64) -> Option<(u64, usize)> {
        let index = self
            .freed
            .partition_point(|&(base, _)| base <= address)
            .checked_sub(1)?;
        let (base, size) = self.freed[index];
        (address - base < size as u64).then_some((base, size))
    }

    /// Returns the number of live allocations.
    pub fn len(&self) -> usize {
        self.living.len()
    }

    #[inline(always)]
    pub fn at(&self, index: usize) -> Option<&Allocation> {
        self.living.get(index).map(|allocation| &**allocation)
    }

    /// Returns start and size of the allocation nearest to `address`, and the distance to it.
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

/// Global memory as the host uses it: the host allocates, frees and copies.
#[derive(Debug, Clone, Default)]
pub(crate) struct HostMemory {
    global: Global,
}

impl Deref for HostMemory {
    type Target = Global;

    fn deref(&self) -> &Global {
        &self.global
    }
}

impl HostMemory {
    /// Returns the memory as a launch sees it.
    pub fn launched(&self) -> Global {
        self.global.clone()
    }

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
        let free = total - self.global.used;
        if size > free {
            return Err(MemoryError::OutOfMemory {
                requested: size,
                free,
                total,
            });
        }
        let (start, next) = match kind {
            Kind::Constant => (CONST_START, &mut self.global.next_constant),
            _ => (GLOBAL_START, &mut self.global.next),
        };
        let base = start
            .max(*next)
            .next_multiple_of(ALIGNMENT.max(align as u64));
        let allocation = Allocation::new(base, size, kind)
            .map(Arc::new)
            .ok_or(MemoryError::Host { requested: size })?;
        // A guard follows the allocation: an access past the end hits no other allocation.
        *next = base + size as u64 + ALIGNMENT;
        self.global.used += size;
        let place = self
            .global
            .living
            .partition_point(|other| other.base < base);
        self.global.living.insert(place, allocation.clone());
        Ok(allocation)
    }

    /// Returns the allocation that contains the `length` bytes at an address, and the offset of the
    /// first byte in it.
    pub fn part(
        &self,
        address: u64,
        length: usize,
    ) -> Result<(Arc<Allocation>, usize), MemoryError> {
        let (index, allocation) = self.global.of(address, length)?;
        let at = (address - allocation.base) as usize;
        Ok((self.global.living[index].clone(), at))
    }

    /// Creates a multicast address of `size` bytes for parts of several devices.
    pub fn multicast(&mut self, size: usize, members: Vec<(Arc<Allocation>, usize)>) -> u64 {
        let base = GLOBAL_START
            .max(self.global.next)
            .next_multiple_of(ALIGNMENT);
        self.global.next = base + size as u64 + ALIGNMENT;
        let allocation = Arc::new(Allocation::multicast(base, size, members));
        let living = &mut self.global.living;
        let place = living.partition_point(|other| other.base < base);
        living.insert(place, allocation);
        base
    }

    pub fn free(&mut self, address: u64) -> Result<(), MemoryError> {
        let (index, allocation) = self.global.of(address, 1)?;
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
        self.global.living.remove(index);
        let place = self
            .global
            .freed
            .partition_point(|&(freed, _)| freed < base);
        self.global.freed.insert(place, (base, size));
        self.global.used -= size;
        Ok(())
    }

    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        self.global.write(address, bytes)
    }

    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryError> {
        self.global.read(address, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_apart_and_errors_name_them() {
        let mut global = HostMemory::default();
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
        let mut global = HostMemory::default();
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
        let mut global = HostMemory::default();
        let a = global.allocate(16, 1, Kind::Buffer, 1000).unwrap();
        a.store(0, 8, 0x1122_3344_5566_7788);
        a.store(2, 2, 0xabcd);
        a.store(7, 1, 0xee);
        assert_eq!(a.load(0, 8), 0xee22_3344_abcd_7788);
        assert_eq!((a.load(6, 2), a.load(5, 1)), (0xee22, 0x33));
    }
}

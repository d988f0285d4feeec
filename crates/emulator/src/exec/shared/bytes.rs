//! The bytes of a cluster's shared memory.
//!
//! ```text
//! rank 0   SHARED_START            | static variables | dynamic array | end
//! rank 1   SHARED_START + 1 << 24  | static variables | dynamic array | end
//! ```
//!
//! Law: an address names its block by the bits from 24 on. An offset counts through the memories of
//! all blocks, one after the other. A block's own addresses are those of its rank. Every module may
//! convert between addresses and offsets, but only the modules of this folder read and write the
//! bytes.

use crate::address::{RANK_SHIFT, SHARED_START};
use crate::exec::access::Addresses;
use crate::frame::Row32;

/// The shared memory of the cluster that runs.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    bytes: Vec<u8>,
    /// The number of bytes of each block. `stride` is the distance from the start of one block to
    /// the next.
    length: usize,
    stride: usize,
    /// For the block whose warp runs: the address of its first byte, and that byte's offset
    /// (`base`).
    start: u64,
    base: usize,
}

/// Returns the distance in bytes from the start of one block's memory to the next, for blocks of
/// `bytes` bytes.
pub(crate) fn stride(bytes: usize) -> usize {
    bytes.next_multiple_of(1024)
}

impl Shared {
    /// Resets the memory to zeros for `ranks` blocks of `bytes` bytes each.
    pub fn reset(&mut self, bytes: usize, ranks: usize) {
        self.bytes.clear();
        (self.length, self.stride) = (bytes, stride(bytes));
        self.bytes.resize(self.stride * (ranks - 1) + bytes, 0);
        self.select(0);
    }

    /// Selects the block of a rank, whose warp runs next.
    #[inline]
    pub fn select(&mut self, rank: usize) {
        self.start = u64::from(SHARED_START) + ((rank as u64) << RANK_SHIFT);
        self.base = rank * self.stride;
    }

    /// Returns the number of bytes of a block.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns the address of the block's first byte.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Returns the number to subtract from an address of the block to get its offset.
    #[inline(always)]
    pub(super) fn bias(&self) -> u64 {
        self.start.wrapping_sub(self.base as u64)
    }

    /// Returns the offset of `bytes` bytes at a shared address of the block, if all of them are
    /// inside.
    #[inline(always)]
    pub fn offset(&self, address: u64, bytes: usize) -> Option<usize> {
        let offset = address.wrapping_sub(self.start);
        let end = self.length.checked_sub(bytes)?;
        (offset <= end as u64).then_some(self.base + offset as usize)
    }

    /// Returns the rank and the offset of `bytes` bytes at an address of any block, if all of them
    /// are inside.
    pub(super) fn offset_of_any(&self, address: u64, bytes: usize) -> Option<(usize, usize)> {
        let rank = (address >> RANK_SHIFT) as usize;
        let at = (address & ((1 << RANK_SHIFT) - 1)).checked_sub(u64::from(SHARED_START))? as usize;
        let ranks = (self.bytes.len() - self.length) / self.stride.max(1) + 1;
        let inside = rank < ranks && at.checked_add(bytes)? <= self.length;
        inside.then(|| (rank, rank * self.stride + at))
    }

    /// Returns the address of an offset.
    pub fn address(&self, at: usize) -> u64 {
        let stride = self.stride.max(1);
        ((at / stride) as u64) << RANK_SHIFT | (u64::from(SHARED_START) + (at % stride) as u64)
    }

    /// Returns the rank of the block that contains an offset.
    pub fn rank(&self, at: usize) -> usize {
        at / self.stride.max(1)
    }

    /// Returns the block's address with these low bits, as a descriptor has them.
    pub fn own_address(&self, low: usize) -> u64 {
        self.start - u64::from(SHARED_START) + low as u64
    }

    /// Returns the same offset in the block of a rank.
    pub fn in_block(&self, at: usize, rank: usize) -> usize {
        rank * self.stride + at % self.stride.max(1)
    }

    /// Converts an offset to the offset in its own block's memory.
    pub fn within(&self, at: usize) -> u64 {
        (at % self.stride.max(1)) as u64
    }

    /// Returns bytes from an offset on.
    pub(super) fn bytes(&self, at: usize, length: usize) -> &[u8] {
        &self.bytes[at..at + length]
    }

    /// Returns bytes from an offset on, to be written.
    pub(super) fn bytes_mut(&mut self, at: usize, length: usize) -> &mut [u8] {
        &mut self.bytes[at..at + length]
    }

    /// Loads 1, 2, 4 or 8 bytes.
    #[inline(always)]
    pub(super) fn load(&self, at: usize, bytes: usize) -> u64 {
        match bytes {
            4 => u64::from(u32::from_le_bytes(self.take(at))),
            8 => u64::from_le_bytes(self.take(at)),
            2 => u64::from(u16::from_le_bytes(self.take(at))),
            _ => u64::from(self.bytes[at]),
        }
    }

    /// Stores 1, 2, 4 or 8 bytes.
    #[inline(always)]
    pub(super) fn store(&mut self, at: usize, bytes: usize, value: u64) {
        self.bytes[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }

    /// Returns the word at an offset.
    #[inline(always)]
    pub(super) fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.take(at))
    }

    /// Writes the word at an offset.
    #[inline(always)]
    pub(super) fn set_word(&mut self, at: usize, value: u32) {
        self.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// Writes word `k` of each lane; the lanes' words begin at these offsets, which are multiples
    /// of 4.
    #[inline(always)]
    pub(super) fn set_words(&mut self, offsets: &Addresses, k: usize, row: &Row32) {
        let words = self.bytes.as_chunks_mut::<4>().0;
        for (&at, &value) in offsets.iter().zip(row) {
            words[at as usize / 4 + k] = value.to_le_bytes();
        }
    }

    /// Returns 16 bytes as words.
    #[inline(always)]
    pub(super) fn row(&self, at: usize) -> [u32; 4] {
        let bytes: [u8; 16] = self.take(at);
        std::array::from_fn(|i| {
            u32::from_le_bytes([
                bytes[4 * i],
                bytes[4 * i + 1],
                bytes[4 * i + 2],
                bytes[4 * i + 3],
            ])
        })
    }

    #[inline(always)]
    fn take<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.bytes[at..at + N]);
        bytes
    }
}

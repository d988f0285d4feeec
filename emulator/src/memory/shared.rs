//! The bytes of a block's shared memory.
//!
//! ```text
//! SHARED_START   | static variables | dynamic array | end
//! ```

use crate::address::SHARED_START;

/// Shared memory of the block that runs.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    bytes: Vec<u8>,
}

impl Shared {
    /// Zeros, as many as the block has.
    pub fn reset(&mut self, bytes: usize) {
        self.bytes.clear();
        self.bytes.resize(bytes, 0);
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The offset of `bytes` bytes at a shared address, if all of them are inside.
    #[inline(always)]
    pub fn offset(&self, address: u64, bytes: usize) -> Option<usize> {
        let offset = address.wrapping_sub(u64::from(SHARED_START));
        let end = self.bytes.len().checked_sub(bytes)?;
        (offset <= end as u64).then_some(offset as usize)
    }

    /// 1, 2, 4 or 8 bytes.
    #[inline(always)]
    pub fn load(&self, at: usize, bytes: usize) -> u64 {
        match bytes {
            4 => u64::from(u32::from_le_bytes(self.take(at))),
            8 => u64::from_le_bytes(self.take(at)),
            2 => u64::from(u16::from_le_bytes(self.take(at))),
            _ => u64::from(self.bytes[at]),
        }
    }

    /// 1, 2, 4 or 8 bytes.
    #[inline(always)]
    pub fn store(&mut self, at: usize, bytes: usize, value: u64) {
        self.bytes[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }

    /// The word at an offset.
    #[inline(always)]
    pub fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.take(at))
    }

    /// Writes the word at an offset.
    #[inline(always)]
    pub fn set_word(&mut self, at: usize, value: u32) {
        self.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// 16 bytes as words.
    #[inline(always)]
    pub fn row(&self, at: usize) -> [u32; 4] {
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

    /// 16 bytes as words.
    #[inline(always)]
    pub fn set_row(&mut self, at: usize, row: &[u32; 4]) {
        for (place, word) in self.bytes[at..at + 16].chunks_exact_mut(4).zip(row) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    }

    #[inline(always)]
    fn take<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.bytes[at..at + N]);
        bytes
    }
}

//! Memory that is private to each lane of a warp: local variables and parameters of calls.
//!
//! ```text
//!            lane 0  1  2 ... 31
//! bytes 0-3  [     one row      ]      as on a device: the same word of all lanes lies together
//! bytes 4-7  [     one row      ]
//! ```
//!
//! Law: a load returns the byte that the same lane stored last, or 0 before the first store.

use crate::frame::{Row32, WARP};

/// Bytes for each of 32 lanes.
#[derive(Debug, Clone, Default)]
pub(crate) struct LaneMemory {
    rows: Vec<Row32>,
    /// For each byte of a row, the lanes that wrote it; empty if the launch does not check this.
    written: Vec<[u32; 4]>,
}

impl LaneMemory {
    /// Creates `bytes` zeros for every lane.
    pub fn new(bytes: usize) -> Self {
        LaneMemory {
            rows: vec![[0; WARP]; bytes.div_ceil(4)],
            written: Vec::new(),
        }
    }

    /// Notes that a lane wrote `bytes` bytes.
    pub fn mark(&mut self, lane: usize, at: usize, bytes: usize) {
        if self.written.len() < self.rows.len() {
            self.written.resize(self.rows.len(), [0; 4]);
        }
        for byte in at..at + bytes {
            self.written[byte / 4][byte % 4] |= 1 << lane;
        }
    }

    /// Returns the first of `bytes` bytes that a lane did not [`mark`](Self::mark).
    pub fn first_unwritten(&self, lane: usize, at: usize, bytes: usize) -> Option<usize> {
        (at..at + bytes).find(|&byte| {
            let by = self.written.get(byte / 4).map_or(0, |row| row[byte % 4]);
            by >> lane & 1 == 0
        })
    }

    /// Forgets what the lanes of `mask` wrote from offset `at` on.
    pub fn forget(&mut self, at: usize, mask: u32) {
        for row in self.written.iter_mut().skip(at / 4) {
            for byte in row {
                *byte &= !mask;
            }
        }
    }

    /// Grows the memory to at least `bytes` for every lane; new bytes are 0.
    pub fn grow(&mut self, bytes: usize) {
        let rows = bytes.div_ceil(4);
        if rows > self.rows.len() {
            self.rows.resize(rows, [0; WARP]);
        }
    }

    /// Returns the number of bytes of a lane.
    pub fn len(&self) -> usize {
        self.rows.len() * 4
    }

    /// Loads 1, 2, 4 or 8 bytes at a multiple of their number.
    #[inline]
    pub fn load(&self, lane: usize, at: usize, bytes: usize) -> u64 {
        let word = u64::from(self.rows[at / 4][lane]);
        match bytes {
            8 => word | u64::from(self.rows[at / 4 + 1][lane]) << 32,
            4 => word,
            2 => word >> (at % 4 * 8) & 0xffff,
            _ => word >> (at % 4 * 8) & 0xff,
        }
    }

    /// Stores 1, 2, 4 or 8 bytes at a multiple of their number.
    #[inline]
    pub fn store(&mut self, lane: usize, at: usize, bytes: usize, value: u64) {
        if bytes == 8 {
            self.rows[at / 4 + 1][lane] = (value >> 32) as u32;
        }
        let word = &mut self.rows[at / 4][lane];
        if bytes >= 4 {
            *word = value as u32;
        } else {
            let (shift, mask) = (at % 4 * 8, (1u32 << (bytes * 8)) - 1);
            *word = *word & !(mask << shift) | (value as u32 & mask) << shift;
        }
    }

    /// Copies `bytes` bytes at `from` of `source` to `to`, for the lanes of `mask`.
    pub fn copy_from(
        &mut self,
        to: usize,
        source: &LaneMemory,
        from: usize,
        bytes: usize,
        mask: u32,
    ) {
        let step = [8, 4, 2, 1]
            .into_iter()
            .find(|step| (to | from | bytes).is_multiple_of(*step))
            .unwrap_or(1);
        for lane in (0..WARP).filter(|lane| mask >> lane & 1 == 1) {
            for i in (0..bytes).step_by(step) {
                let value = source.load(lane, from + i, step);
                self.store(lane, to + i, step, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_apart_and_bytes_keep_their_places() {
        let mut memory = LaneMemory::new(16);
        memory.store(3, 8, 8, 0x1122_3344_5566_7788);
        memory.store(4, 8, 8, u64::MAX);
        memory.store(3, 10, 2, 0xabcd);
        memory.store(3, 15, 1, 0xee);
        assert_eq!(memory.load(3, 8, 8), 0xee22_3344_abcd_7788);
        assert_eq!(memory.load(3, 12, 1), 0x44);
        assert_eq!(memory.load(4, 8, 4), 0xffff_ffff);
        assert_eq!(memory.load(5, 8, 8), 0);
        memory.mark(3, 6, 4);
        assert_eq!(memory.first_unwritten(3, 6, 4), None);
        assert_eq!(memory.first_unwritten(3, 6, 6), Some(10));
        assert_eq!(memory.first_unwritten(4, 6, 4), Some(6));
        memory.forget(8, 1 << 3);
        assert_eq!(memory.first_unwritten(3, 6, 4), Some(8));
        let mut other = LaneMemory::new(8);
        other.copy_from(1, &memory, 9, 7, 1 << 3);
        assert_eq!(other.load(3, 0, 8), 0xee22_3344_abcd_7700);
        assert_eq!(other.load(4, 0, 8), 0);
    }
}

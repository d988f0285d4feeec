//! Reads choices from bytes, one or a few bytes for each choice: equal bytes make equal choices.

/// A string of bytes from which choices are read. After its end every byte is 0, which is the
/// plainest choice.
pub struct Source<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Source<'b> {
    /// Returns the choices that these bytes make.
    pub fn new(bytes: &'b [u8]) -> Self {
        Source { bytes, at: 0 }
    }

    /// Whether all bytes have been read.
    pub fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Returns the next byte.
    pub fn byte(&mut self) -> u8 {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }

    /// Returns a number below `n`, which is at most 256, or 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) * n / 256
    }

    /// Returns true for `n` of the 256 values of the next byte.
    pub fn rarely(&mut self, n: u8) -> bool {
        // The plainest choice, 0, is false.
        self.byte() >= 255 - (n - 1)
    }

    /// Returns an element of a list of at most 256 elements.
    pub fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Returns eight bytes as a number.
    pub fn word(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// Returns a size, which is small in most cases and sometimes at the limit of a type or
    /// resource.
    pub fn size(&mut self) -> u64 {
        const EDGES: [u64; 20] = [
            0,
            1,
            255,
            4095,
            4096,
            32_764,
            49_152,
            65_535,
            65_536,
            232_448,
            1 << 20,
            1 << 24,
            (1 << 31) - 1,
            1 << 31,
            (1 << 32) - 1,
            (1 << 32) + 16,
            1 << 40,
            (1 << 40) + 1,
            1 << 62,
            u64::MAX,
        ];
        if self.rarely(10) {
            self.of(&EDGES)
        } else {
            1 + self.below(64) as u64
        }
    }
}

//! Choices that are read from bytes, one or a few bytes a choice: equal bytes make equal choices.

/// A string of bytes that choices are read from; behind its end every byte is 0, which stands for
/// the plainest choice.
pub struct Source<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Source<'b> {
    /// Choices from these bytes.
    pub fn new(bytes: &'b [u8]) -> Self {
        Source { bytes, at: 0 }
    }

    /// Whether all bytes are read.
    pub fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }

    /// A number below `n`, which is at most 256; 0 where `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) * n / 256
    }

    /// True `n` times in 256.
    pub fn rarely(&mut self, n: u8) -> bool {
        // The plainest choice is no.
        self.byte() >= 255 - (n - 1)
    }

    /// One of a list of at most 256.
    pub fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Eight bytes as a number.
    pub fn word(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// A size: small mostly, sometimes at the edge of what some type holds.
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

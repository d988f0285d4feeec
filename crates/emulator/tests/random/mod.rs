//! A small generator (xorshift64*), so that every run of the tests draws the same numbers.

#![allow(dead_code, reason = "each test file draws its own kinds")]

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a float of `exponent_bits` and `fraction_bits`: any bits, or an edge, or a number
    /// near `like`, or one with a short fraction.
    pub fn float(&mut self, exponent_bits: u32, fraction_bits: u32, like: u64) -> u64 {
        let bits = self.next();
        let width = 1 + exponent_bits + fraction_bits;
        let all = u64::MAX >> (64 - width);
        let top = ((1u64 << exponent_bits) - 1) << fraction_bits;
        let sign = (self.next() & 1) << (width - 1);
        match self.next() >> 60 {
            0 => {
                sign | [
                    0,
                    1,
                    top,
                    top - 1,
                    1 << fraction_bits,
                    (1 << fraction_bits) - 1,
                ][(bits % 6) as usize]
            }
            1..4 => (like ^ sign).wrapping_add(bits % 5).wrapping_sub(2) & all,
            4..7 => (like ^ sign ^ (bits & ((1 << fraction_bits) - 1))) & all,
            7..9 => {
                // The exponent is near that of `like`, and the fraction is random.
                let near = (like & top).wrapping_add((bits % 64) << fraction_bits);
                (near.wrapping_sub(32 << fraction_bits) & top)
                    | sign
                    | self.next() & ((1 << fraction_bits) - 1)
            }
            9..11 => bits & all & !((1 << (fraction_bits - 4)) - 1),
            11 => sign | bits & ((1 << fraction_bits) - 1),
            _ => bits & all,
        }
    }
}

//! Operands of `wgmma` and `tcgen05.mma`: the bits of small whole numbers, and the canonical layouts
//! of PTX in shared memory.

/// Bits of a small whole number in a float with so many bits of exponent and fraction.
pub fn float_bits(value: i32, exponent: u32, fraction: u32) -> u32 {
    if value == 0 {
        return 0;
    }
    let size = value.unsigned_abs();
    let log = 31 - size.leading_zeros();
    let bias = (1 << (exponent - 1)) - 1;
    let below = (size - (1 << log)) << fraction >> log;
    u32::from(value < 0) << (exponent + fraction) | (bias + log) << fraction | below
}

/// Bits of a small whole number in an element; of TF32 with those set that are ignored.
pub fn bits(ty: &str, value: i32) -> u32 {
    match ty {
        "f16" => float_bits(value, 5, 10),
        "bf16" => float_bits(value, 8, 7),
        "tf32" => float_bits(value, 8, 23) | 0x1fff,
        "f32" => float_bits(value, 8, 23),
        "e4m3" => float_bits(value, 4, 3),
        "e5m2" => float_bits(value, 5, 2),
        "s8" | "u8" => value as u32 & 0xff,
        _ => value as u32,
    }
}

/// Bytes of an element.
pub fn bytes(ty: &str) -> usize {
    match ty {
        "f16" | "bf16" => 2,
        "tf32" => 4,
        _ => 1,
    }
}

/// How an operand lies in shared memory: a canonical layout of PTX.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Bytes of the swizzle, 16 for none.
    pub width: usize,
    /// Rows of A, columns of B, lie together, else those of k.
    pub transposed: bool,
    /// Bytes of an element.
    pub bytes: usize,
    /// The leading byte offset.
    pub leading: usize,
}

/// The stride byte offset.
const STRIDE: usize = 2048;

impl Layout {
    /// The byte of element (mn, k), from the operand's first byte, a multiple of 1024, on: shapes
    /// and strides as PTX has them.
    pub fn at(&self, mn: usize, k: usize) -> usize {
        let t = 16 / self.bytes;
        // The coordinate in each mode of ((..), (..)), with the strides of the modes, in bytes.
        let modes = match (self.transposed, self.width) {
            // ((8,m),(T,2k)):((1T,SBO),(1,LBO))
            (false, 16) => [
                (mn % 8, 16),
                (mn / 8, STRIDE),
                (k % t, self.bytes),
                (k / t, self.leading),
                (0, 0),
            ],
            // ((8,m),(T,2k)):((2T|4T|8T,SBO),(1,T))
            (false, width) => [
                (mn % 8, width),
                (mn / 8, STRIDE),
                (k % t, self.bytes),
                (k / t, 16),
                (0, 0),
            ],
            // ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))
            (true, 16) => [
                (mn % t, self.bytes),
                (mn / t, STRIDE),
                (k % 8, 16),
                (k / 8, self.leading),
                (0, 0),
            ],
            // ((T,2|4|8,m),(8,k)):((1,T,LBO),(2T|4T|8T,SBO))
            (true, width) => [
                (mn % t, self.bytes),
                (mn / t % (width / 16), 16),
                (mn / t / (width / 16), self.leading),
                (k % 8, width),
                (k / 8, STRIDE),
            ],
        };
        let plain: usize = modes.iter().map(|(i, stride)| i * stride).sum();
        // Sw<0..3,4,3> on bytes.
        plain ^ (plain >> 7 & (self.width / 16 - 1)) << 4
    }

    /// The descriptor of an operand that begins at an address, as `wgmma` takes it.
    pub fn descriptor(&self, address: usize) -> u64 {
        let mode = match self.width {
            16 => 0,
            128 => 1,
            64 => 2,
            _ => 3,
        };
        let field = |x: usize| (x as u64 & 0x3ffff) >> 4;
        field(address) | field(self.leading) << 16 | field(STRIDE) << 32 | mode << 62
    }

    /// The same as `tcgen05` takes it: its version is 1.
    pub fn blackwell_descriptor(&self, address: usize) -> u64 {
        self.descriptor(address) | 1 << 46
    }
}

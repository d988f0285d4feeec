//! Operands of `wgmma` and `tcgen05.mma`: the bits of small whole numbers, and the canonical
//! layouts of PTX in shared memory.

/// Returns the bits of a small whole number in a float with this many bits of exponent and
/// fraction.
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

/// Returns the bits of a small whole number in an element. For TF32 the ignored bits are set.
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

/// Returns how many exponent and fraction bits a float type of 8 bits or fewer has.
fn fields(ty: &str) -> (u32, u32) {
    match ty {
        "e4m3" | "ue4m3" => (4, 3),
        "e5m2" => (5, 2),
        "e2m3" => (2, 3),
        "e3m2" => (3, 2),
        "e2m1" => (2, 1),
        other => panic!("no narrow float: {other}"),
    }
}

/// Returns the number of bits in a float type of 8 bits or fewer.
pub fn width(ty: &str) -> usize {
    let (exponent, fraction) = fields(ty);
    (1 + exponent + fraction) as usize
}

/// Returns the value of a float of 8 bits or fewer, or of a scale factor.
pub fn narrow(ty: &str, bits: u32) -> f64 {
    if ty == "ue8m0" {
        return match bits {
            255 => f64::NAN,
            _ => f64::powi(2.0, bits as i32 - 127),
        };
    }
    let (exponent, fraction) = fields(ty);
    let (most, bias) = ((1 << exponent) - 1, (1 << (exponent - 1)) - 1);
    let (field, below) = (bits >> fraction & most, bits & ((1 << fraction) - 1));
    let all = below == (1 << fraction) - 1;
    let size = match ty {
        "e5m2" if field == most && below == 0 => f64::INFINITY,
        "e5m2" if field == most => f64::NAN,
        "e4m3" | "ue4m3" if field == most && all => f64::NAN,
        _ => {
            let digits = below + (u32::from(field != 0) << fraction);
            let place = field.max(1) as i32 - bias - fraction as i32;
            f64::from(digits) * f64::powi(2.0, place)
        }
    };
    match ty != "ue4m3" && bits >> (exponent + fraction) & 1 == 1 {
        true => -size,
        false => size,
    }
}

/// Returns the number of bytes of an element.
pub fn bytes(ty: &str) -> usize {
    match ty {
        "f16" | "bf16" => 2,
        "tf32" => 4,
        _ => 1,
    }
}

/// The layout of an operand in shared memory: a canonical layout of PTX.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The number of bytes of the swizzle, or 16 for none.
    pub width: usize,
    /// Whether rows of A and columns of B are contiguous; otherwise elements along k are.
    pub transposed: bool,
    /// The number of bytes of an element.
    pub bytes: usize,
    /// The leading byte offset.
    pub leading: usize,
}

/// The stride byte offset.
const STRIDE: usize = 2048;

impl Layout {
    /// Returns the byte of element (mn, k), counted from the operand's first byte, which is at a
    /// multiple of 1024. Shapes and strides are those of PTX.
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

    /// Returns the descriptor of an operand that begins at an address, in the form of `wgmma`.
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

    /// Returns the descriptor in the form of `tcgen05`: its version is 1.
    pub fn blackwell_descriptor(&self, address: usize) -> u64 {
        self.descriptor(address) | 1 << 46
    }
}

/// Returns the layout of rows of 16 or 32 bytes along k, as `tcgen05.cp` takes them.
pub fn layout_of_rows(width: usize) -> Layout {
    Layout {
        width,
        transposed: false,
        bytes: 1,
        leading: 32768,
    }
}

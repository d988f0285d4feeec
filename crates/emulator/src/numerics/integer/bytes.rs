//! `prmt`, `lop3`, `dp4a`, `dp2a`: the bytes and bits of 32-bit words.
//!
//! ```text
//!   prmt   bytes of {b, a}:   7 6 5 4 | 3 2 1 0     each byte of d is one of them, or copies of its sign
//! ```
//!
//! Law: the results are those of PTX ISA, "prmt", "lop3", "dp4a", "dp2a"; sums wrap to 32 bits.

/// The modes of `prmt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Permute {
    /// No mode: `c` holds four selectors of 4 bits. The lower three bits are a byte number, and the
    /// top bit says whether to copy that byte's sign.
    Generic,
    /// `.f4e`: four bytes upwards from byte `c`.
    Forward4,
    /// `.b4e`: four bytes downwards from byte `c`, wrapping.
    Backward4,
    /// `.rc8`: byte `c` four times.
    Replicate8,
    /// `.ecl`: bytes 0 to 3, those below `c` replaced by byte `c`.
    EdgeLeft,
    /// `.ecr`: bytes 0 to 3, those above `c` replaced by byte `c`.
    EdgeRight,
    /// `.rc16`: half `c` twice.
    Replicate16,
}

impl Permute {
    /// Returns the mode that PTX writes as `name`, without the dot.
    pub fn from_modifier(name: &str) -> Option<Self> {
        Some(match name {
            "f4e" => Self::Forward4,
            "b4e" => Self::Backward4,
            "rc8" => Self::Replicate8,
            "ecl" => Self::EdgeLeft,
            "ecr" => Self::EdgeRight,
            "rc16" => Self::Replicate16,
            _ => return None,
        })
    }

    /// Returns the selectors of the four bytes, the lowest first.
    #[inline]
    fn selectors(self, c: u32) -> [u32; 4] {
        let s = c & 3;
        let each = |f: fn(u32, u32) -> u32| [f(s, 0), f(s, 1), f(s, 2), f(s, 3)];
        match self {
            Self::Generic => [c & 15, c >> 4 & 15, c >> 8 & 15, c >> 12 & 15],
            Self::Forward4 => each(|s, byte| s + byte),
            Self::Backward4 => each(|s, byte| s.wrapping_sub(byte) & 7),
            Self::Replicate8 => each(|s, _| s),
            Self::EdgeLeft => each(|s, byte| byte.max(s)),
            Self::EdgeRight => each(|s, byte| byte.min(s)),
            Self::Replicate16 => each(|s, byte| (s & 1) * 2 + (byte & 1)),
        }
    }
}

/// Computes `prmt.b32{.mode} d, a, b, c`.
///
/// ```
/// use emulator::numerics::integer::bytes::{Permute, prmt};
/// assert_eq!(prmt(Permute::Generic, 0x3322_1100, 0x7766_5584, 0xc410), 0xff84_1100);
/// assert_eq!(prmt(Permute::Forward4, 0x3322_1100, 0x7766_5544, 3), 0x6655_4433);
/// ```
#[inline]
pub fn prmt(mode: Permute, a: u32, b: u32, c: u32) -> u32 {
    let source = (b as u64) << 32 | a as u64;
    let byte = |selector: u32| {
        let byte = (source >> (8 * (selector & 7))) as u8;
        if selector & 8 == 0 {
            byte
        } else {
            (byte as i8 >> 7) as u8
        }
    };
    u32::from_le_bytes(mode.selectors(c).map(byte))
}

/// Computes `lop3.b32 d, a, b, c, table`. For each bit position, the bits of `a` (4), `b` (2) and
/// `c` (1) form a number, and the result is that entry of `table`.
///
/// ```
/// use emulator::numerics::integer::bytes::lop3;
/// assert_eq!(lop3(0b1100, 0b1010, 0xffff, 0xf0 & 0xcc ^ 0xaa), 0b1100 & 0b1010 ^ 0xffff);
/// ```
#[inline]
pub fn lop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    let mut out = 0;
    for entry in 0..8u32 {
        if table >> entry & 1 == 1 {
            let pick = |x: u32, bit: u32| if entry & bit == 0 { !x } else { x };
            out |= pick(a, 4) & pick(b, 2) & pick(c, 1);
        }
    }
    out
}

#[inline]
fn byte(word: u32, index: u32, signed: bool) -> i32 {
    let byte = (word >> (8 * index)) as u8;
    if signed {
        byte as i8 as i32
    } else {
        byte as i32
    }
}

/// Computes `dp4a.atype.btype d, a, b, c`: `c` plus the products of the four bytes of `a` and `b`.
///
/// ```
/// use emulator::numerics::integer::bytes::dp4a;
/// assert_eq!(dp4a(0x0102_03ff, 0x0101_0102, 10, true, false), 10 + 1 + 2 + 3 - 2);
/// ```
#[inline]
pub fn dp4a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    (0..4).fold(c, |sum, i| {
        sum.wrapping_add((byte(a, i, a_signed) * byte(b, i, b_signed)) as u32)
    })
}

/// Computes `dp2a.{lo,hi}.atype.btype d, a, b, c`: `c` plus the products of the two halves of `a`
/// and the two lower (`high`: upper) bytes of `b`.
#[inline]
pub fn dp2a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool, high: bool) -> u32 {
    (0..2).fold(c, |sum, i| {
        let half = (a >> (16 * i)) as u16;
        let half = if a_signed {
            half as i16 as i32
        } else {
            half as i32
        };
        sum.wrapping_add(half.wrapping_mul(byte(b, i + 2 * u32::from(high), b_signed)) as u32)
    })
}

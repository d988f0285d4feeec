//! Integer instructions whose PTX semantics differ from Rust's operators.
//!
//! ```text
//!   shift     shl shr shf       amounts clamp or wrap, nothing panics
//!   field     bfe bfi bfind bmsk szext fns     bit fields
//!   bytes     prmt dp4a dp2a lop3              bytes and bits of words
//!   here      mul24 mad24 sad div rem
//! ```
//!
//! Law: each function is total: it returns what PTX defines for every operand. If PTX leaves the
//! result undefined (a divisor of zero, an operand of `mul24` beyond 24 bits), the function's
//! documentation says what is returned.

pub mod bytes;
pub mod field;
pub mod shift;

/// The overflow modes of `shf`, `bmsk` and `szext`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// `.clamp`: an amount of 32 or more counts as 32.
    Clamp,
    /// `.wrap`: the amount modulo 32.
    Wrap,
}

/// Computes `mul24.{hi,lo}.{u32,s32}`: multiplies the lower 24 bits, as unsigned or signed numbers,
/// and returns the upper 32 (`high`) or the lower 32 of the product's 48 bits.
///
/// ```
/// use emulator::numerics::integer;
/// assert_eq!(integer::mul24(0x00ff_ffff, 2, true, false) as i32, -2);
/// assert_eq!(integer::mul24(0x00ff_ffff, 0x00ff_ffff, false, true), 0xffff_fe00);
/// ```
#[inline]
pub fn mul24(a: u32, b: u32, signed: bool, high: bool) -> u32 {
    let operand = |x: u32| {
        if signed {
            ((x << 8) as i32 >> 8) as i64
        } else {
            (x & 0x00ff_ffff) as i64
        }
    };
    let product = operand(a) * operand(b);
    (if high { product >> 16 } else { product }) as u32
}

/// Computes `mad24`: [`mul24`] plus `c`, wrapped to 32 bits.
#[inline]
pub fn mad24(a: u32, b: u32, c: u32, signed: bool, high: bool) -> u32 {
    mul24(a, b, signed, high).wrapping_add(c)
}

/// Computes `mad24.hi.sat.s32`: the sum is clamped to the range of `s32`.
#[inline]
pub fn mad24_hi_sat(a: u32, b: u32, c: u32) -> u32 {
    (mul24(a, b, true, true) as i32).saturating_add(c as i32) as u32
}

/// Computes `sad` of unsigned operands: `c + |a - b|`, wrapped. For narrower types, zero-extend the
/// operands and take the lower bits of the result.
#[inline]
pub fn sad_unsigned(a: u64, b: u64, c: u64) -> u64 {
    c.wrapping_add(a.abs_diff(b))
}

/// Computes `sad` of signed operands: `c + |a - b|`, wrapped. For narrower types, sign-extend the
/// operands and take the lower bits of the result.
#[inline]
pub fn sad_signed(a: i64, b: i64, c: i64) -> i64 {
    c.wrapping_add(a.abs_diff(b) as i64)
}

macro_rules! division {
    ($divide:ident, $remainder:ident, $type:ty) => {
        /// Computes `div`, which rounds towards zero. A divisor of zero gives all ones, as the
        /// hardware does (PTX leaves it undefined). The only quotient out of range, the least
        /// number by -1, wraps.
        #[inline]
        pub fn $divide(a: $type, b: $type) -> $type {
            if b == 0 { !0 } else { a.wrapping_div(b) }
        }

        /// Computes `rem`: the remainder of `div`, with the sign of `a`. A divisor of zero gives
        /// all ones, as on an H200 (PTX leaves it undefined).
        #[inline]
        pub fn $remainder(a: $type, b: $type) -> $type {
            if b == 0 { !0 } else { a.wrapping_rem(b) }
        }
    };
}

division!(div_u16, rem_u16, u16);
division!(div_s16, rem_s16, i16);
division!(div_u32, rem_u32, u32);
division!(div_s32, rem_s32, i32);
division!(div_u64, rem_u64, u64);
division!(div_s64, rem_s64, i64);

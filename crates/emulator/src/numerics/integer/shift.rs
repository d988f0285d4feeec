//! `shl`, `shr` and the funnel shift `shf`.
//!
//! ```text
//!   shf.l   [ b : a ] << n   its upper 32 bits
//!   shf.r   [ b : a ] >> n   its lower 32 bits
//! ```
//!
//! Law (PTX ISA, "shl", "shr", "shf"): an amount beyond the width counts as the width. All bits are
//! then shifted out, and the result is zero, or copies of the sign in a signed `shr`. `shf.wrap`
//! takes the amount modulo 32.

use super::Overflow;

macro_rules! shifts {
    ($left:ident, $right:ident, $right_signed:ident, $unsigned:ty, $signed:ty) => {
        /// Computes `shl`; the result is zero for amounts from the width on.
        #[inline(always)]
        pub fn $left(a: $unsigned, amount: u32) -> $unsigned {
            a.checked_shl(amount).unwrap_or(0)
        }

        /// Computes `shr` of `.b` and `.u` types; the result is zero for amounts from the width on.
        #[inline(always)]
        pub fn $right(a: $unsigned, amount: u32) -> $unsigned {
            a.checked_shr(amount).unwrap_or(0)
        }

        /// Computes `shr` of `.s` types; the result is copies of the sign for amounts from the
        /// width on.
        #[inline(always)]
        pub fn $right_signed(a: $signed, amount: u32) -> $signed {
            a >> amount.min(<$signed>::BITS - 1)
        }
    };
}

shifts!(shl_16, shr_u16, shr_s16, u16, i16);
shifts!(shl_32, shr_u32, shr_s32, u32, i32);
shifts!(shl_64, shr_u64, shr_s64, u64, i64);

#[inline(always)]
fn funnel_amount(amount: u32, mode: Overflow) -> u32 {
    match mode {
        Overflow::Clamp => amount.min(32),
        Overflow::Wrap => amount & 31,
    }
}

/// Computes `shf.l.{clamp,wrap}.b32 d, a, b, c`: the upper word of `[b : a]` shifted left.
///
/// ```
/// use emulator::numerics::integer::{Overflow, shift};
/// assert_eq!(shift::shf_left(0x8000_0000, 1, 1, Overflow::Wrap), 3);
/// assert_eq!(shift::shf_left(7, 1, 40, Overflow::Clamp), 7);
/// ```
#[inline(always)]
pub fn shf_left(a: u32, b: u32, amount: u32, mode: Overflow) -> u32 {
    let wide = (b as u64) << 32 | a as u64;
    (wide << funnel_amount(amount, mode) >> 32) as u32
}

/// Computes `shf.r.{clamp,wrap}.b32 d, a, b, c`: the lower word of `[b : a]` shifted right.
#[inline(always)]
pub fn shf_right(a: u32, b: u32, amount: u32, mode: Overflow) -> u32 {
    let wide = (b as u64) << 32 | a as u64;
    (wide >> funnel_amount(amount, mode)) as u32
}

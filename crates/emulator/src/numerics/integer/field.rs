//! Bit fields: `bfe`, `bfi`, `bfind`, `bmsk`, `szext`, `fns`.
//!
//! ```text
//!   bfe   a = [ .... field .... ]  ->  d = [ 0 or sign | field ]      field: len bits from bit pos on
//! ```
//!
//! Law (PTX ISA, at each instruction): positions and lengths are numbers from 0 to 255. A field
//! that extends beyond the operand is cut there, and the sign of a cut field is the operand's. PTX
//! leaves numbers from 256 on open; an H200 takes the lowest 8 bits for 32-bit operands (the
//! functions `*_32`) and the whole number for 64-bit ones.

use super::Overflow;

/// Computes `bfe.u32`, with the lowest 8 bits of position and length.
///
/// ```
/// use emulator::numerics::integer::field;
/// assert_eq!(field::bfe_u32(0xabcd, 4, 8), 0xbc);
/// assert_eq!(field::bfe_u32(0xabcd, 4, 0), 0);
/// assert_eq!(field::bfe_u32(0xabcd, 0x104, 0x308), 0xbc);
/// ```
#[inline]
pub fn bfe_u32(a: u32, position: u32, length: u32) -> u32 {
    bfe_u64(a as u64, position & 0xff, length & 0xff) as u32
}

/// Computes `bfe.u64`.
///
/// ```
/// use emulator::numerics::integer::field;
/// assert_eq!(field::bfe_u64(0xabcd, 4, 8), 0xbc);
/// assert_eq!(field::bfe_u64(0xabcd, 0x104, 8), 0);
/// ```
#[inline]
pub fn bfe_u64(a: u64, position: u32, length: u32) -> u64 {
    a.checked_shr(position).unwrap_or(0) & low_mask(length)
}

/// Computes `bfe.s32`. If the field is cut at the operand's end, its sign is the operand's, and the
/// sign extension continues that.
#[inline]
pub fn bfe_s32(a: i32, position: u32, length: u32) -> i32 {
    bfe_s64(a as i64, position & 0xff, length & 0xff) as i32
}

/// Computes `bfe.s64`, like [`bfe_s32`].
#[inline]
pub fn bfe_s64(a: i64, position: u32, length: u32) -> i64 {
    if length == 0 {
        return 0;
    }
    let shifted = a >> position.min(63);
    let unused = 64 - length.min(64);
    shifted << unused >> unused
}

/// Computes `bfi.b32 f, a, b, c, d`: inserts `length` bits of `a` into `b` from bit `position` on.
///
/// ```
/// use emulator::numerics::integer::field;
/// assert_eq!(field::bfi_32(0xff, 0, 28, 8), 0xf000_0000);
/// ```
#[inline]
pub fn bfi_32(a: u32, b: u32, position: u32, length: u32) -> u32 {
    bfi_64(a as u64, b as u64, position & 0xff, length & 0xff) as u32
}

/// Computes `bfi.b64`.
#[inline]
pub fn bfi_64(a: u64, b: u64, position: u32, length: u32) -> u64 {
    let mask = low_mask(length).checked_shl(position).unwrap_or(0);
    let inserted = a.checked_shl(position).unwrap_or(0);
    (b & !mask) | (inserted & mask)
}

/// Returns a mask with the `length` lowest bits set, or with all bits set if `length` is 64 or
/// more.
#[inline]
fn low_mask(length: u32) -> u64 {
    1u64.checked_shl(length).map_or(!0, |bit| bit - 1)
}

macro_rules! bfind {
    ($unsigned_name:ident, $signed_name:ident, $unsigned:ty, $signed:ty) => {
        /// Computes `bfind{.shiftamt}` of an unsigned operand: the position of the highest set bit,
        /// or with `shiftamt` the shift that moves it to the top. Returns `0xffffffff` if no bit is
        /// set.
        #[inline]
        pub fn $unsigned_name(a: $unsigned, shiftamt: bool) -> u32 {
            match a.leading_zeros() {
                <$unsigned>::BITS => u32::MAX,
                zeros if shiftamt => zeros,
                zeros => <$unsigned>::BITS - 1 - zeros,
            }
        }

        /// Computes `bfind{.shiftamt}` of a signed operand: as for an unsigned operand, but for the
        /// complement if the operand is negative.
        #[inline]
        pub fn $signed_name(a: $signed, shiftamt: bool) -> u32 {
            $unsigned_name((if a < 0 { !a } else { a }) as $unsigned, shiftamt)
        }
    };
}

bfind!(bfind_u32, bfind_s32, u32, i32);
bfind!(bfind_u64, bfind_s64, u64, i64);

/// Computes `bmsk.{clamp,wrap}.b32`: a mask with `width` bits set from bit `position` on.
///
/// ```
/// use emulator::numerics::integer::{Overflow, field};
/// assert_eq!(field::bmsk(1, 2, Overflow::Wrap), 0b110);
/// assert_eq!(field::bmsk(8, 100, Overflow::Clamp), 0xffff_ff00);
/// assert_eq!(field::bmsk(40, 1, Overflow::Clamp), 0);
/// ```
#[inline]
pub fn bmsk(position: u32, width: u32, mode: Overflow) -> u32 {
    let (position, width) = match mode {
        Overflow::Clamp => (position, width.min(32)),
        Overflow::Wrap => (position & 31, width & 31),
    };
    (low_mask(width) as u32).checked_shl(position).unwrap_or(0)
}

/// Computes `szext.{clamp,wrap}.{u32,s32}`: the lowest `bits` bits of `a`, zero- or sign-extended
/// to 32.
///
/// ```
/// use emulator::numerics::integer::{Overflow, field};
/// assert_eq!(field::szext(0x1f0, 8, true, Overflow::Clamp), 0xffff_fff0);
/// assert_eq!(field::szext(0x1f0, 32, true, Overflow::Wrap), 0);
/// ```
#[inline]
pub fn szext(a: u32, bits: u32, signed: bool, mode: Overflow) -> u32 {
    let bits = match mode {
        Overflow::Clamp => bits.min(32),
        Overflow::Wrap => bits & 31,
    };
    if bits == 0 {
        return 0;
    }
    let unused = 32 - bits;
    if signed {
        ((a << unused) as i32 >> unused) as u32
    } else {
        a << unused >> unused
    }
}

/// Computes `fns.b32 d, mask, base, offset`: the position of the `offset`-th set bit of `mask` from
/// bit `base` on, upwards if `offset` is positive and downwards if it is negative. With `offset` 0,
/// the result is `base` if its bit is set. Returns `0xffffffff` if there is no such bit, and if
/// `base` is above 31 (PTX leaves that open).
///
/// ```
/// use emulator::numerics::integer::field;
/// assert_eq!(field::fns(0xaaaa_aaaa, 2, 1), 3);
/// assert_eq!(field::fns(0xaaaa_aaaa, 2, -1), 1);
/// ```
#[inline]
pub fn fns(mask: u32, base: u32, offset: i32) -> u32 {
    if base > 31 {
        return u32::MAX;
    }
    let one = |position: &u32| mask >> position & 1 == 1;
    let count = offset.unsigned_abs().max(1) as usize - 1;
    let found = match offset {
        0 => Some(base).filter(one),
        1.. => (base..32).filter(one).nth(count),
        _ => (0..=base).rev().filter(one).nth(count),
    };
    found.unwrap_or(u32::MAX)
}

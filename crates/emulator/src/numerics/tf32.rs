//! `.tf32`: an `f32` with 10 bits of fraction, held in 32 bits whose last 13 are zero.
//!
//! ```text
//!   31 30      23 22        13 12           0
//!   s  eeeeeeee   ffffffffff   0000000000000
//! ```
//!
//! Law: narrowing rounds once to 10 bits of fraction; the exponent range is `f32`'s.

use super::rounding::Rounding;
use super::soft;

const DROPPED: u32 = 13;
/// The bits that a `.tf32` register carries.
pub const MASK: u32 = !((1 << DROPPED) - 1);

/// Converts by `cvt.rna.tf32.f32`: rounds to nearest, ties away from zero. Infinity and NaN are
/// only truncated, as `ptxas` compiles it for sm_80 to sm_90: a NaN whose payload is only in the
/// dropped bits becomes an infinity.
///
/// ```
/// use emulator::numerics::tf32;
/// assert_eq!(f32::from_bits(tf32::from_f32_away((1.0f32 + 1.0 / 2048.0).to_bits())), 1.0 + 1.0 / 1024.0);
/// ```
#[inline(always)]
pub fn from_f32_away(bits: u32) -> u32 {
    let special = bits & 0x7fff_ffff >= 0x7f80_0000;
    (if special {
        bits
    } else {
        bits.wrapping_add(1 << (DROPPED - 1))
    }) & MASK
}

/// Converts by `cvt.{rn,rz,rna}.tf32.f32`. For `.rn` and `.rz` a NaN becomes canonical:
/// `0x7fffffff` with the dropped bits cleared.
#[inline]
pub fn from_f32(bits: u32, rounding: Rounding) -> u32 {
    if rounding == Rounding::NearestAway {
        from_f32_away(bits)
    } else {
        (soft::convert(soft::F32, soft::TF32, bits as u64, rounding) as u32) << DROPPED
    }
}

/// Converts like [`from_f32`], with `.satfinite`: infinities and numbers out of range become the
/// largest finite number.
///
/// For `.rna` an H200 subtracts one unit in the last place from any result that has the top
/// exponent after rounding. Therefore an infinity becomes the largest finite number, and a NaN
/// becomes the pattern below it; for the smallest NaN this is an infinity. PTX does not specify NaN
/// here.
///
/// ```
/// use emulator::numerics::{rounding::Rounding, tf32};
/// let away = |bits| tf32::from_f32_saturating(bits, Rounding::NearestAway);
/// assert_eq!(away(0x7f80_0000), 0x7f7f_e000);
/// assert_eq!(away(0x7fc0_0000), 0x7fbf_e000);
/// ```
#[inline]
pub fn from_f32_saturating(bits: u32, rounding: Rounding) -> u32 {
    if rounding == Rounding::NearestAway {
        let rounded = from_f32_away(bits);
        let special = rounded & 0x7fff_ffff >= 0x7f80_0000;
        return rounded - (u32::from(special) << DROPPED);
    }
    let value = soft::unpack(soft::F32, bits as u64);
    (soft::pack_saturating(soft::TF32, value, rounding) as u32) << DROPPED
}

/// Returns the number that a tensor core reads from a `.tf32` register: the dropped bits are
/// ignored. If such bits are set, PTX leaves the result undefined; the hardware ignores them.
#[inline(always)]
pub fn operand(bits: u32) -> u32 {
    bits & MASK
}

//! `.f16`, `.bf16` and their pairs: add, sub, mul, fma, neg, abs.
//!
//! ```text
//!   f16  -> f64: exact     f64 op, odd-rounded where not exact     -> f16, rounded once
//! ```
//!
//! Law: the result is the exact one rounded once, to nearest even (PTX has no other mode here),
//! including subnormals; a NaN is the canonical `0x7fff`. For a pair `.f16x2` or `.bf16x2` each
//! half is computed separately ([`pairs`], [`pairs3`]).
//!
//! Computing in `f32` would round twice, which for `fma` can change the last place. Here products
//! are exact in `f64` and sums are rounded to odd ([`float32`](super::float32)), so only one
//! rounding remains.

use super::float32::sum_to_odd;
use super::rounding::Rounding;
use super::{bf16, half, soft};

/// One of the two 16-bit formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HalfKind {
    /// `.f16`
    F16,
    /// `.bf16`
    Bf16,
}

/// The modifiers of a 16-bit float instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct HalfMode {
    /// `.ftz`: subnormal operands and results become zeros of their sign.
    pub ftz: bool,
    /// `.sat`: the result is clamped to `[0.0, 1.0]`, NaN becomes `+0.0`.
    pub sat: bool,
    /// `.relu`: negative results become `+0.0`, NaN stays canonical NaN.
    pub relu: bool,
}

impl HalfKind {
    /// Returns the exponent field, which is the encoding of infinity.
    #[inline(always)]
    pub const fn infinity(self) -> u16 {
        match self {
            HalfKind::F16 => 0x7c00,
            HalfKind::Bf16 => 0x7f80,
        }
    }

    /// Returns the encoding of one.
    #[inline(always)]
    pub const fn one(self) -> u16 {
        match self {
            HalfKind::F16 => half::ONE,
            HalfKind::Bf16 => bf16::ONE,
        }
    }

    /// Converts the number to `f32` bits, exactly.
    #[inline(always)]
    pub fn to_f32(self, bits: u16) -> u32 {
        match self {
            HalfKind::F16 => half::to_f32(bits),
            HalfKind::Bf16 => bf16::to_f32(bits),
        }
    }

    #[inline(always)]
    fn value(self, bits: u16, mode: HalfMode) -> f64 {
        let bits = if mode.ftz { self.flush(bits) } else { bits };
        f32::from_bits(self.to_f32(bits)) as f64
    }

    /// Applies `.ftz` to one value: a subnormal becomes the zero of its sign.
    #[inline(always)]
    pub fn flush(self, bits: u16) -> u16 {
        if bits & self.infinity() == 0 {
            bits & 0x8000
        } else {
            bits
        }
    }

    /// Returns `bits`, or the canonical NaN if they are any NaN.
    #[inline(always)]
    pub fn canonical(self, bits: u16) -> u16 {
        if bits & 0x7fff > self.infinity() {
            half::NAN
        } else {
            bits
        }
    }

    /// Rounds an `f64` to nearest even, once.
    #[inline(always)]
    pub fn round(self, value: f64) -> u16 {
        match self {
            HalfKind::F16 => half::from_f64_nearest(value),
            HalfKind::Bf16 => bf16::from_f64_nearest(value),
        }
    }

    /// Applies `.ftz` to a result that was rounded from `value` ([`soft::is_tiny`]).
    #[inline(always)]
    fn flush_result(self, bits: u16, value: f64) -> u16 {
        let (format, smallest) = match self {
            HalfKind::F16 => (soft::F16, 0x0400),
            HalfKind::Bf16 => (soft::BF16, 0x0080),
        };
        // Only the smallest normal number may result from rounding a smaller number up.
        let exact = || soft::unpack(soft::F64, value.to_bits());
        if bits & 0x7fff == smallest && soft::is_tiny(format, exact(), Rounding::NearestEven) {
            bits & 0x8000
        } else {
            self.flush(bits)
        }
    }

    /// Rounds a number, with the modifiers of a result.
    #[inline(always)]
    fn finish(self, value: f64, mode: HalfMode) -> u16 {
        let bits = self.round(value);
        let bits = if mode.ftz {
            self.flush_result(bits, value)
        } else {
            bits
        };
        let nan = bits & 0x7fff > self.infinity();
        let negative = bits & 0x8000 != 0;
        if mode.sat {
            return if nan || negative {
                0
            } else {
                bits.min(self.one())
            };
        }
        if mode.relu && negative && !nan {
            0
        } else {
            bits
        }
    }
}

/// Computes `add{.rn}{.ftz}{.sat}`.
#[inline(always)]
pub fn add(kind: HalfKind, a: u16, b: u16, mode: HalfMode) -> u16 {
    kind.finish(sum_to_odd(kind.value(a, mode), kind.value(b, mode)), mode)
}

/// Computes `sub{.rn}{.ftz}{.sat}`: `a - b`.
#[inline(always)]
pub fn sub(kind: HalfKind, a: u16, b: u16, mode: HalfMode) -> u16 {
    add(kind, a, b ^ 0x8000, mode)
}

/// Computes `mul{.rn}{.ftz}{.sat}`.
#[inline(always)]
pub fn mul(kind: HalfKind, a: u16, b: u16, mode: HalfMode) -> u16 {
    kind.finish(kind.value(a, mode) * kind.value(b, mode), mode)
}

/// Computes `fma.rn{.ftz}{.sat}{.relu}`: `a * b + c`, rounded once.
///
/// ```
/// use emulator::numerics::half_math::{self, HalfKind, HalfMode};
/// // 1.5 * 1.5 + 0.25
/// let d = half_math::fma(HalfKind::F16, 0x3e00, 0x3e00, 0x3400, HalfMode::default());
/// assert_eq!(d, 0x4100);
/// ```
#[inline(always)]
pub fn fma(kind: HalfKind, a: u16, b: u16, c: u16, mode: HalfMode) -> u16 {
    let product = kind.value(a, mode) * kind.value(b, mode);
    kind.finish(sum_to_odd(product, kind.value(c, mode)), mode)
}

/// Computes `neg{.ftz}`: the sign flips; NaN becomes canonical.
#[inline(always)]
pub fn neg(kind: HalfKind, a: u16, ftz: bool) -> u16 {
    let a = if ftz { kind.flush(a) } else { a };
    kind.canonical(a ^ 0x8000)
}

/// Computes `abs{.ftz}`: the sign clears; NaN becomes canonical.
#[inline(always)]
pub fn abs(kind: HalfKind, a: u16, ftz: bool) -> u16 {
    let a = if ftz { kind.flush(a) } else { a };
    kind.canonical(a & 0x7fff)
}

/// Applies a function of one 16-bit value to both halves of a register.
#[inline(always)]
pub fn both(a: u32, f: impl Fn(u16) -> u16) -> u32 {
    (f((a >> 16) as u16) as u32) << 16 | f(a as u16) as u32
}

/// Applies a function of two 16-bit values to both halves of two registers.
///
/// ```
/// use emulator::numerics::half_math::{self, HalfKind, HalfMode};
/// let sum = half_math::pairs(0x3c00_4000, 0x3c00_3c00, |a, b| {
///     half_math::add(HalfKind::F16, a, b, HalfMode::default())
/// });
/// assert_eq!(sum, 0x4000_4200);
/// ```
#[inline(always)]
pub fn pairs(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    (f((a >> 16) as u16, (b >> 16) as u16) as u32) << 16 | f(a as u16, b as u16) as u32
}

/// Applies a function of three 16-bit values to both halves of three registers.
#[inline(always)]
pub fn pairs3(a: u32, b: u32, c: u32, f: impl Fn(u16, u16, u16) -> u16) -> u32 {
    let upper = f((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16);
    (upper as u32) << 16 | f(a as u16, b as u16, c as u16) as u32
}

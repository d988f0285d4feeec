//! The approximate instructions: `rcp.approx`, `sqrt.approx`, `sin.approx`, `ex2.approx`,
//! `div.full` and their like.
//!
//! ```text
//!   .f32 operand --.ftz--> f64 function --rounded to nearest--> f32 --.ftz--> result
//! ```
//!
//! **Not bit-exact with hardware**, which PTX does not define: it bounds the error of each
//! instruction (PTX ISA, at each), nowhere closer than `2^-23` relative. The results here are the
//! `f64` function rounded to nearest. They are within `2^-24` relative where the result is normal,
//! and so inside every bound. For zeros, infinities and NaN the results are those of PTX's tables;
//! NaN is canonical. On every fifth of all operands, the results differed from an H200's by at most
//! one unit in the last place (`rcp`, `sqrt`, all of halves), two (`rsqrt`, `ex2`) or 133 (`tanh`),
//! or in absolute terms by 3.6e-7 (`sin`, `cos`) or 1.6e-5 (`lg2`).
//!
//! `sin` and `cos` of `.f32` convert their operand to turns, as `ptxas` compiles them: they
//! multiply the operand by `1 / 2 pi` in `.f32`, towards zero. Therefore a large operand has the
//! hardware's error, up to a whole turn from about `2^26` on.

use super::float32::{self, Mode};
use super::half_math::HalfKind;
use super::rounding::Rounding;

/// One of the functions of a single operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `rcp.approx`: `1 / x`; `+-0` to `+-infinity`.
    Rcp,
    /// `sqrt.approx`: a negative number gives NaN, and `-0` stays.
    Sqrt,
    /// `rsqrt.approx`: `1 / sqrt(x)`; a negative number gives NaN, and `+-0` give `+-infinity`.
    Rsqrt,
    /// `sin.approx` of an angle in radians; an infinity gives NaN.
    Sin,
    /// `cos.approx` of an angle in radians; an infinity gives NaN.
    Cos,
    /// `ex2.approx`: `2^x`.
    Ex2,
    /// `lg2.approx`: the logarithm to base 2; zeros give minus infinity, a negative number gives
    /// NaN.
    Lg2,
    /// `tanh.approx`: the hyperbolic tangent.
    Tanh,
}

impl Function {
    /// Returns the function that PTX's opcode names.
    pub fn from_opcode(name: &str) -> Option<Self> {
        Some(match name {
            "rcp" => Self::Rcp,
            "sqrt" => Self::Sqrt,
            "rsqrt" => Self::Rsqrt,
            "sin" => Self::Sin,
            "cos" => Self::Cos,
            "ex2" => Self::Ex2,
            "lg2" => Self::Lg2,
            "tanh" => Self::Tanh,
            _ => return None,
        })
    }

    #[inline]
    fn value(self, x: f64) -> f64 {
        match self {
            Self::Rcp => 1.0 / x,
            Self::Sqrt => x.sqrt(),
            Self::Rsqrt => 1.0 / x.sqrt(),
            Self::Sin => x.sin(),
            Self::Cos => x.cos(),
            Self::Ex2 => x.exp2(),
            Self::Lg2 => x.log2(),
            Self::Tanh => x.tanh(),
        }
    }

    /// Computes `*.approx{.ftz}.f32`.
    ///
    /// ```
    /// use emulator::numerics::approx::Function;
    /// assert_eq!(Function::Ex2.f32(3.0f32.to_bits(), false), 8.0f32.to_bits());
    /// assert_eq!(Function::Rsqrt.f32((-0.0f32).to_bits(), true), f32::NEG_INFINITY.to_bits());
    /// ```
    #[inline]
    pub fn f32(self, bits: u32, ftz: bool) -> u32 {
        let bits = if ftz { float32::flush(bits) } else { bits };
        let operand = match self {
            Self::Sin | Self::Cos => radians(bits, ftz),
            _ => f32::from_bits(bits) as f64,
        };
        let result = float32::from_f64(self.value(operand), Rounding::NearestEven);
        if ftz { float32::flush(result) } else { result }
    }

    /// Computes `*.approx{.ftz}` of `.f16` or `.bf16`, which PTX has for `ex2` and `tanh`.
    #[inline]
    pub fn half(self, kind: HalfKind, bits: u16, ftz: bool) -> u16 {
        let bits = if ftz { kind.flush(bits) } else { bits };
        let value = self.value(f32::from_bits(kind.to_f32(bits)) as f64);
        let result = kind.round(value);
        if ftz { kind.flush(result) } else { result }
    }

    /// Computes `rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64`. The operand's lower 32 bits are
    /// not read, and the result's are zero (PTX ISA, "rcp.approx.ftz.f64"); subnormals become
    /// zeros.
    #[inline]
    pub fn f64_coarse(self, bits: u64) -> u64 {
        const UPPER: u64 = 0xffff_ffff_0000_0000;
        const EXPONENT: u64 = 0x7ff << 52;
        let flush = |bits: u64| {
            if bits & EXPONENT == 0 {
                bits & 1 << 63
            } else {
                bits
            }
        };
        let result = self.value(f64::from_bits(flush(bits & UPPER)));
        if result.is_nan() {
            return 0x7fff_ffff_0000_0000;
        }
        // Rounds to nearest with 20 bits of fraction: a carry into the exponent gives the next
        // power of two.
        flush(result.to_bits().wrapping_add(1 << 31) & UPPER)
    }

    /// Computes `rsqrt.approx.f64`, the only other approximation of `.f64`.
    #[inline]
    pub fn f64(self, bits: u64) -> u64 {
        let result = self.value(f64::from_bits(bits));
        if result.is_nan() {
            super::float64::NAN
        } else {
            result.to_bits()
        }
    }
}

/// Returns the angle whose sine the hardware computes: the operand in turns, without its whole
/// turns.
#[inline]
fn radians(bits: u32, ftz: bool) -> f64 {
    const TURNS: u32 = 0x3e22_f983;
    let toward_zero = Mode {
        rounding: Rounding::Zero,
        ftz,
        sat: false,
    };
    let turns = f32::from_bits(float32::mul(bits, TURNS, toward_zero)) as f64;
    turns % 1.0 * core::f64::consts::TAU
}

/// Computes `div.full{.ftz}.f32`: here the correctly rounded quotient (PTX: within 2 units in the
/// last place).
#[inline]
pub fn div_full(a: u32, b: u32, ftz: bool) -> u32 {
    float32::div(
        a,
        b,
        Mode {
            ftz,
            ..Mode::default()
        },
    )
}

/// Computes `div.approx{.ftz}.f32`, the quotient. For a finite divisor above `2^126` in magnitude
/// the result is NaN if `a` is infinite and a zero otherwise, because the hardware multiplies by a
/// reciprocal that is flushed (PTX ISA, "div").
///
/// ```
/// use emulator::numerics::approx;
/// let (one, huge) = (1.0f32.to_bits(), 2f32.powi(127).to_bits());
/// assert_eq!(approx::div_approx(one, huge, false), 0);
/// assert_eq!(approx::div_approx(one, 4.0f32.to_bits(), false), 0.25f32.to_bits());
/// ```
#[inline]
pub fn div_approx(a: u32, b: u32, ftz: bool) -> u32 {
    const SIGN: u32 = 1 << 31;
    const TWO_126: u32 = (126 + 127) << 23;
    const INFINITY: u32 = 0x7f80_0000;
    let divisor = b & !SIGN;
    if divisor > TWO_126 && divisor < INFINITY {
        return if a & !SIGN >= INFINITY {
            float32::NAN
        } else {
            (a ^ b) & SIGN
        };
    }
    div_full(a, b, ftz)
}

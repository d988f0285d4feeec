//! The approximate instructions: `rcp.approx`, `sqrt.approx`, `sin.approx`, `ex2.approx`,
//! `div.full` and their like.
//!
//! ```text
//!   .f32 operand --.ftz--> f64 function --rounded to nearest--> f32 --.ftz--> result
//! ```
//!
//! **Not bit-exact with hardware**, which PTX does not define: it bounds the error of each
//! instruction (PTX ISA, at each), nowhere closer than `2^-23` relative. The results here are the
//! `f64` function rounded to nearest, within `2^-24` relative where the result is normal, and so
//! inside every bound. Special operands, zeros, infinities and NaN, give what PTX's tables say; NaN
//! is canonical. From an H200's results they were at most one unit in the last place apart (`rcp`,
//! `sqrt`, all of halves), two (`rsqrt`, `ex2`), 133 (`tanh`), or 3.6e-7 (`sin`, `cos`) and 1.6e-5
//! (`lg2`) absolute, on every fifth of all operands.
//!
//! `sin` and `cos` of `.f32` take their operand in turns, as `ptxas` compiles them: multiplied by
//! `1 / 2 pi` in `.f32`, towards zero. So a large operand has the hardware's error, up to a whole
//! turn from about `2^26` on.

use super::float32::{self, Mode};
use super::half_math::HalfKind;
use super::rounding::Rounding;

/// One of the functions of a single operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `rcp.approx`: `1 / x`; `+-0` to `+-infinity`.
    Rcp,
    /// `sqrt.approx`: of a negative number NaN, `-0` stays.
    Sqrt,
    /// `rsqrt.approx`: `1 / sqrt(x)`; of a negative number NaN, `+-0` to `+-infinity`.
    Rsqrt,
    /// `sin.approx`, of radians; of an infinity NaN.
    Sin,
    /// `cos.approx`, of radians; of an infinity NaN.
    Cos,
    /// `ex2.approx`: `2^x`.
    Ex2,
    /// `lg2.approx`: the logarithm to base 2; of zeros minus infinity, of a negative number NaN.
    Lg2,
    /// `tanh.approx`: the hyperbolic tangent.
    Tanh,
}

impl Function {
    /// The function that PTX's opcode names.
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

    /// `*.approx{.ftz}.f32`
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

    /// `*.approx{.ftz}` of `.f16` or `.bf16`: `ex2` and `tanh` in PTX.
    #[inline]
    pub fn half(self, kind: HalfKind, bits: u16, ftz: bool) -> u16 {
        let bits = if ftz { kind.flush(bits) } else { bits };
        let value = self.value(f32::from_bits(kind.to_f32(bits)) as f64);
        let result = kind.round(value);
        if ftz { kind.flush(result) } else { result }
    }

    /// `rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64`: the operand's lower 32 bits are not read,
    /// the result's are zero (PTX ISA, "rcp.approx.ftz.f64"), subnormals become zeros.
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
        // Nearest with 20 bits of fraction: a carry into the exponent is the next power of two.
        flush(result.to_bits().wrapping_add(1 << 31) & UPPER)
    }

    /// `rsqrt.approx.f64`, the one other approximation of `.f64`.
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

/// The angle that the hardware takes the sine of: the operand in turns, its whole turns left out.
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

/// `div.full{.ftz}.f32`: here the correctly rounded quotient (PTX: within 2 units in the last
/// place).
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

/// `div.approx{.ftz}.f32`: the quotient, but for a divisor beyond `2^126` in magnitude NaN if `a`
/// is infinite and a zero otherwise, because the hardware multiplies by a reciprocal that is
/// flushed (PTX ISA, "div").
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

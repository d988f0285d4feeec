//! `min` and `max` of floats: `.ftz`, `.NaN`, `.xorsign.abs`, and three operands.
//!
//! ```text
//!               a, b numbers    one NaN       both NaN
//!   min         the smaller     the number    canonical NaN
//!   min.NaN     the smaller     canonical NaN canonical NaN
//! ```
//!
//! Laws (PTX ISA, "min", "max"; IEEE 754-2019 minimumNumber and minimum): `-0.0` is less than `+0.0`; the result is
//! one of the operands, to the bit, unless it is NaN. With `.xorsign.abs` magnitudes are compared and the result has
//! the exclusive or of the signs.

/// The modifiers of `min` and `max`.
///
/// ```
/// use emulator::numerics::minmax::{self, MinMax};
/// let (one, nan) = (1.0f32.to_bits(), f32::NAN.to_bits());
/// assert_eq!(minmax::f32(one, nan, MinMax::MIN), one);
/// assert_eq!(minmax::f32(one, nan, MinMax { nan: true, ..MinMax::MAX }), 0x7fff_ffff);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MinMax {
    /// `max` instead of `min`.
    pub max: bool,
    /// `.ftz`: subnormal operands become zeros of their sign (not for `.bf16` and `.f64`, which have no `.ftz`).
    pub ftz: bool,
    /// `.NaN`: any NaN operand makes the result NaN.
    pub nan: bool,
    /// `.xorsign.abs`
    pub xorsign_abs: bool,
}

impl MinMax {
    /// `min` without modifiers.
    pub const MIN: Self = MinMax {
        max: false,
        ftz: false,
        nan: false,
        xorsign_abs: false,
    };
    /// `max` without modifiers.
    pub const MAX: Self = MinMax {
        max: true,
        ..Self::MIN
    };
}

macro_rules! minmax {
    ($(#[$doc:meta])* $name:ident, $(#[$doc3:meta])* $three:ident, $bits:ty, $signed:ty, $infinity:expr, $nan:expr) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(a: $bits, b: $bits, mode: MinMax) -> $bits {
            const INFINITY: $bits = $infinity;
            const NAN: $bits = $nan;
            const SIGN: $bits = 1 << (<$bits>::BITS - 1);
            let flush = |bits: $bits| if mode.ftz && bits & INFINITY == 0 { bits & SIGN } else { bits };
            let (a, b) = (flush(a), flush(b));
            let (a, b, sign) =
                if mode.xorsign_abs { (a & !SIGN, b & !SIGN, (a ^ b) & SIGN) } else { (a, b, 0) };
            let (a_nan, b_nan) = (a & !SIGN > INFINITY, b & !SIGN > INFINITY);
            // As two's complement integers in the order of the numbers, -0.0 below +0.0.
            let key = |bits: $bits| bits as $signed ^ (((bits as $signed) >> (<$bits>::BITS - 1)) & <$signed>::MAX);
            let pick_a = if mode.max { key(a) >= key(b) } else { key(a) <= key(b) };
            if a_nan && b_nan || mode.nan && (a_nan || b_nan) {
                NAN
            } else if b_nan || pick_a && !a_nan {
                a | sign
            } else {
                b | sign
            }
        }

        $(#[$doc3])*
        #[inline(always)]
        pub fn $three(a: $bits, b: $bits, c: $bits, mode: MinMax) -> $bits {
            $name($name(a, b, mode), c, mode)
        }
    };
}

minmax!(
    /// `min` or `max` of `.f32`.
    f32,
    /// `min` or `max` of three `.f32` (PTX ISA 8.6).
    f32_3,
    u32, i32, 0x7f80_0000, 0x7fff_ffff
);
minmax!(
    /// `min` or `max` of `.f64`.
    f64,
    /// `min` or `max` of three `.f64`.
    f64_3,
    u64, i64, 0x7ff0_0000_0000_0000, 0xfff8_0000_0000_0000
);
minmax!(
    /// `min` or `max` of `.f16`; of `.f16x2` by [`pairs`](super::half_math::pairs).
    f16,
    /// `min` or `max` of three `.f16`.
    f16_3,
    u16, i16, 0x7c00, 0x7fff
);
minmax!(
    /// `min` or `max` of `.bf16`; of `.bf16x2` by [`pairs`](super::half_math::pairs).
    bf16,
    /// `min` or `max` of three `.bf16`.
    bf16_3,
    u16, i16, 0x7f80, 0x7fff
);

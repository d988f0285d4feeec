//! `min` and `max` of floats: `.ftz`, `.NaN`, `.abs`, `.xorsign`, and three operands of `.f32`.
//!
//! ```text
//!               a, b numbers    one NaN       both NaN
//!   min         the smaller     the number    canonical NaN
//!   min.NaN     the smaller     canonical NaN canonical NaN
//! ```
//!
//! Laws (PTX ISA, "min", "max"; IEEE 754-2019 minimumNumber and minimum): `-0.0` is less than
//! `+0.0`; the result has exactly the bits of one of the operands, unless it is NaN. With `.abs`
//! magnitudes are compared and returned; with `.xorsign.abs` the result's sign is the exclusive or
//! of the operands' signs.

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
    /// `.ftz`: subnormal operands become zeros of their sign (not for `.bf16` and `.f64`, which
    /// have no `.ftz`).
    pub ftz: bool,
    /// `.NaN`: any NaN operand makes the result NaN.
    pub nan: bool,
    /// `.abs`: compares and returns magnitudes.
    pub abs: bool,
    /// `.xorsign`, only with `.abs`: the result's sign is the exclusive or of the operands'.
    pub xorsign: bool,
}

impl MinMax {
    /// `min` without modifiers.
    pub const MIN: Self = MinMax {
        max: false,
        ftz: false,
        nan: false,
        abs: false,
        xorsign: false,
    };
    /// `max` without modifiers.
    pub const MAX: Self = MinMax {
        max: true,
        ..Self::MIN
    };
}

macro_rules! minmax {
    ($(#[$doc:meta])* $name:ident, $bits:ty, $signed:ty, $infinity:expr, $nan:expr) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(a: $bits, b: $bits, mode: MinMax) -> $bits {
            const INFINITY: $bits = $infinity;
            const NAN: $bits = $nan;
            const SIGN: $bits = 1 << (<$bits>::BITS - 1);
            let flush = |bits: $bits| if mode.ftz && bits & INFINITY == 0 { bits & SIGN } else { bits };
            let (a, b) = (flush(a), flush(b));
            let sign = if mode.xorsign { (a ^ b) & SIGN } else { 0 };
            let (a, b) = if mode.abs { (a & !SIGN, b & !SIGN) } else { (a, b) };
            let (a_nan, b_nan) = (a & !SIGN > INFINITY, b & !SIGN > INFINITY);
            // Keys are two's complement integers in the order of the numbers, with -0.0 below +0.0.
            let key = |bits: $bits| {
                bits as $signed ^ (((bits as $signed) >> (<$bits>::BITS - 1)) & <$signed>::MAX)
            };
            let pick_a = if mode.max { key(a) >= key(b) } else { key(a) <= key(b) };
            if a_nan && b_nan || mode.nan && (a_nan || b_nan) {
                NAN
            } else if b_nan || pick_a && !a_nan {
                a | sign
            } else {
                b | sign
            }
        }
    };
}

minmax!(
    /// Computes `min` or `max` of `.f32`.
    f32, u32, i32, 0x7f80_0000, 0x7fff_ffff
);
minmax!(
    /// Computes `min` or `max` of `.f64`.
    f64, u64, i64, 0x7ff0_0000_0000_0000, 0xfff8_0000_0000_0000
);
minmax!(
    /// Computes `min` or `max` of `.f16`; for `.f16x2`, apply it with
    /// [`pairs`](super::half_math::pairs).
    f16, u16, i16, 0x7c00, 0x7fff
);
minmax!(
    /// Computes `min` or `max` of `.bf16`; for `.bf16x2`, apply it with
    /// [`pairs`](super::half_math::pairs).
    bf16, u16, i16, 0x7f80, 0x7fff
);

/// Computes `min` or `max` of three `.f32` (PTX ISA 8.8).
#[inline(always)]
pub fn f32_of_three(a: u32, b: u32, c: u32, mode: MinMax) -> u32 {
    f32(f32(a, b, mode), c, mode)
}

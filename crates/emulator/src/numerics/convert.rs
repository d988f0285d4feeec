//! `cvt`: conversions between integers and floats of every width, with every modifier.
//!
//! ```text
//!   register bits --cut to the source type--> value --round, clamp--> destination type --extend--> register bits
//!
//!               to integer                  to float
//!   integer     cut, or clamp with .sat     round (.rn .rz .rm .rp)
//!   float       round (.rni ...), clamp     round, .ftz, .sat, .relu, .satfinite
//! ```
//!
//! Laws (PTX ISA, "cvt"): float to integer always clamps to the destination's range. A NaN becomes
//! 0, but with `.f64` as source or 64 bits as destination it becomes `1 << (bits - 1)`: the
//! hardware's 32-bit unit has the zero, its 64-bit unit does not (`F2I` with and without `.NTZ` in
//! the machine code of sm_80 and sm_90).
//!
//! A narrow destination is extended to 64 bits by its own signedness, as a wider register holds it.

use super::rounding::Rounding;
use super::{bf16, float32, float64, half, integral, soft};

/// The types of the basic `cvt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are PTX's")]
pub enum Type {
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    Bf16,
    F32,
    F64,
}

impl Type {
    const ALL: [(Type, &'static str, u32); 12] = [
        (Type::U8, "u8", 8),
        (Type::U16, "u16", 16),
        (Type::U32, "u32", 32),
        (Type::U64, "u64", 64),
        (Type::S8, "s8", 8),
        (Type::S16, "s16", 16),
        (Type::S32, "s32", 32),
        (Type::S64, "s64", 64),
        (Type::F16, "f16", 16),
        (Type::Bf16, "bf16", 16),
        (Type::F32, "f32", 32),
        (Type::F64, "f64", 64),
    ];

    /// Returns the type that PTX writes as `name`, without the dot.
    pub fn from_modifier(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|entry| entry.1 == name)
            .map(|entry| entry.0)
    }

    /// Returns the width of the type in bits.
    #[inline]
    pub fn bits(self) -> u32 {
        Self::ALL[self as usize].2
    }

    /// Whether the type is one of the four float types.
    #[inline]
    pub fn is_float(self) -> bool {
        matches!(self, Type::F16 | Type::Bf16 | Type::F32 | Type::F64)
    }

    /// Whether the type is a signed integer.
    #[inline]
    pub fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64)
    }

    /// Returns the least and the greatest value of an integer type.
    #[inline]
    fn range(self) -> (i128, i128) {
        let bits = self.bits();
        if self.is_signed() {
            (-1 << (bits - 1), (1 << (bits - 1)) - 1)
        } else {
            (0, (1 << bits) - 1)
        }
    }

    /// Cuts `bits` to this integer type and extends them to 64 bits again by its signedness.
    ///
    /// ```
    /// use emulator::numerics::convert::Type;
    /// assert_eq!(Type::S8.extend(0x1ff), u64::MAX);
    /// assert_eq!(Type::U8.extend(0x1ff), 0xff);
    /// ```
    #[inline]
    pub fn extend(self, bits: u64) -> u64 {
        let unused = 64 - self.bits();
        if self.is_signed() {
            ((bits << unused) as i64 >> unused) as u64
        } else {
            bits << unused >> unused
        }
    }

    /// Returns the value of an integer type's register bits.
    #[inline]
    fn integer(self, bits: u64) -> i128 {
        let bits = self.extend(bits);
        if self.is_signed() {
            bits as i64 as i128
        } else {
            bits as i128
        }
    }

    #[inline]
    fn format(self) -> soft::Format {
        match self {
            Type::F16 => soft::F16,
            Type::Bf16 => soft::BF16,
            Type::F64 => soft::F64,
            _ => soft::F32,
        }
    }
}

/// A `cvt` between two scalar types, with its modifiers.
///
/// ```
/// use emulator::numerics::convert::{Cvt, Type};
/// use emulator::numerics::rounding::Rounding;
/// let cvt = Cvt { rounding: Rounding::Zero, ..Cvt::new(Type::S32, Type::F32) };
/// assert_eq!(cvt.apply((-2.75f32).to_bits() as u64) as i32, -2);
/// assert_eq!(cvt.apply(3e9f32.to_bits() as u64) as i32, i32::MAX);
/// assert_eq!(cvt.apply(f32::NAN.to_bits() as u64) as i32, 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cvt {
    /// The destination type.
    pub to: Type,
    /// The source type.
    pub from: Type,
    /// The rounding modifier, integer (`.rni`) or float (`.rn`).
    pub rounding: Rounding,
    /// Whether a float of the same type is rounded to an integer (`.rni` and its like between equal
    /// types).
    pub integral: bool,
    /// `.ftz`: subnormal `.f32` operands and results become zeros.
    pub ftz: bool,
    /// `.sat`: integers are clamped to the destination's range, floats to `[0.0, 1.0]` (NaN to
    /// `+0.0`).
    pub sat: bool,
    /// `.relu`: negative results become `+0.0`, NaN stays canonical NaN.
    pub relu: bool,
    /// `.satfinite`: infinities and numbers out of range become the largest finite number.
    pub satfinite: bool,
}

impl Cvt {
    /// Creates the conversion without modifiers. A float to integer conversion needs a rounding
    /// modifier in PTX; here it rounds to nearest until another one is set.
    pub const fn new(to: Type, from: Type) -> Self {
        Cvt {
            to,
            from,
            rounding: Rounding::NearestEven,
            integral: false,
            ftz: false,
            sat: false,
            relu: false,
            satfinite: false,
        }
    }

    /// Returns the destination register's bits for the source register's bits, both in 64 bits.
    /// Bits above the source type are ignored; the result is extended by the destination's
    /// signedness.
    #[inline]
    pub fn apply(&self, bits: u64) -> u64 {
        match (self.from.is_float(), self.to.is_float()) {
            (false, false) => integer_to_integer(self.from, self.to, bits, self.sat),
            (false, true) => self.finish(
                bits,
                integer_to_float(self.from, self.to, bits, self.rounding),
            ),
            (true, false) => float_to_integer(self.from, self.to, self.input(bits), self.rounding),
            (true, true) => self.float_to_float(bits),
        }
    }

    #[inline]
    fn input(&self, bits: u64) -> u64 {
        if self.ftz && self.from == Type::F32 {
            float32::flush(bits as u32) as u64
        } else {
            bits
        }
    }

    #[inline]
    fn float_to_float(&self, bits: u64) -> u64 {
        let bits = self.input(bits);
        let result = if self.integral {
            round_to_integral(self.from, bits, self.rounding)
        } else if self.satfinite {
            let value = soft::unpack(self.from.format(), bits);
            soft::pack_saturating(self.to.format(), value, self.rounding)
        } else {
            float_to_float(self.from, self.to, bits, self.rounding)
        };
        self.finish(bits, result)
    }

    /// Applies the modifiers that act on a float result of `from`.
    #[inline]
    fn finish(&self, from: u64, bits: u64) -> u64 {
        let mut bits = bits;
        if self.ftz && self.to == Type::F32 {
            // A small result has been rounded only if the source is `.f64`.
            let exact = || soft::unpack(self.from.format(), from);
            bits = if self.from == Type::F64 {
                float32::flush_result(bits as u32, exact, self.rounding) as u64
            } else {
                float32::flush(bits as u32) as u64
            };
        }
        if self.sat {
            bits = saturate(self.to, bits);
        }
        if self.relu {
            bits = relu(self.to, bits);
        }
        bits
    }
}

/// Converts an integer to an integer: cuts the value to the destination's bits, or clamps it to the
/// destination's range with `.sat`.
#[inline]
pub fn integer_to_integer(from: Type, to: Type, bits: u64, sat: bool) -> u64 {
    if sat {
        let (least, greatest) = to.range();
        from.integer(bits).clamp(least, greatest) as u64
    } else {
        to.extend(from.extend(bits))
    }
}

/// Converts an integer to a float, rounded once.
#[inline]
pub fn integer_to_float(from: Type, to: Type, bits: u64, rounding: Rounding) -> u64 {
    let wide = from.extend(bits);
    match (to, rounding) {
        (Type::F32, Rounding::NearestEven) if from.is_signed() => {
            (wide as i64 as f32).to_bits() as u64
        }
        (Type::F32, Rounding::NearestEven) => (wide as f32).to_bits() as u64,
        (Type::F64, Rounding::NearestEven) if from.is_signed() => (wide as i64 as f64).to_bits(),
        (Type::F64, Rounding::NearestEven) => (wide as f64).to_bits(),
        _ => soft::pack(
            to.format(),
            soft::Value::from_integer(from.integer(bits)),
            rounding,
        ),
    }
}

/// Converts a float to an integer: rounds it in the given mode, and clamps it to the destination's
/// range. The result for NaN is described at the head of this file.
#[inline]
pub fn float_to_integer(from: Type, to: Type, bits: u64, rounding: Rounding) -> u64 {
    // Every float is an f64, and an f64 rounded to an integer is an f64 again: both steps are
    // exact.
    let value = integral::round_f64(f64::from_bits(widen(from, bits)), rounding);
    if value.is_nan() {
        let keeps_zero = from != Type::F64 && to.bits() < 64;
        return to.extend(if keeps_zero { 0 } else { 1 << (to.bits() - 1) });
    }
    // Rust's `as` clamps to the range of 64 bits, then the narrower types clamp again.
    let (least, greatest) = to.range();
    if to == Type::U64 {
        value as u64
    } else {
        (value as i64).clamp(least as i64, greatest as i64) as u64
    }
}

/// Converts a float type's bits to the bits of the same number in `.f64`.
#[inline]
fn widen(from: Type, bits: u64) -> u64 {
    match from {
        Type::F16 => half::to_f64(bits as u16),
        Type::Bf16 => bf16::to_f64(bits as u16),
        Type::F64 => bits,
        _ => float64::from_f32(bits as u32),
    }
}

/// Converts a float to a float, rounded once; between equal types it copies the bits.
#[inline]
pub fn float_to_float(from: Type, to: Type, bits: u64, rounding: Rounding) -> u64 {
    match (from, to) {
        (Type::F16, Type::F32) => half::to_f32(bits as u16) as u64,
        (Type::F32, Type::F16) => half::from_f32(bits as u32, rounding) as u64,
        (Type::Bf16, Type::F32) => bf16::to_f32(bits as u16) as u64,
        (Type::F32, Type::Bf16) => bf16::from_f32(bits as u32, rounding) as u64,
        (Type::F64, Type::F32 | Type::F16) if float64::is_nan(bits) => narrow_nan(to, bits),
        (Type::F64, Type::F32) => float32::from_f64(f64::from_bits(bits), rounding) as u64,
        (_, Type::F64) => widen(from, bits),
        (Type::F64, Type::F16) => half::from_f64(bits, rounding) as u64,
        (Type::F64, Type::Bf16) => bf16::from_f64(bits, rounding) as u64,
        // The widening to f32 is exact, so that only the narrowing rounds.
        (Type::F16, Type::Bf16) => bf16::from_f32(half::to_f32(bits as u16), rounding) as u64,
        (Type::Bf16, Type::F16) => half::from_f32(bf16::to_f32(bits as u16), rounding) as u64,
        _ => bits,
    }
}

/// Converts a NaN of `.f64` to a narrower type as an H200 does (PTX leaves it open). In `.f32` the
/// result has the sign and the upper part of the payload, and is quiet; in `.f16` it has the sign
/// and is otherwise canonical.
#[inline]
fn narrow_nan(to: Type, bits: u64) -> u64 {
    if to == Type::F16 {
        (bits >> 63) << 15 | half::NAN as u64
    } else {
        (bits >> 63) << 31 | 0x7fc0_0000 | bits >> 29 & 0x007f_ffff
    }
}

/// Rounds by `cvt.rni` and its like between equal float types; NaN becomes canonical in all types
/// but `.f64`.
#[inline]
pub fn round_to_integral(float: Type, bits: u64, rounding: Rounding) -> u64 {
    let single = |bits: u32| integral::round_f32(f32::from_bits(bits), rounding).to_bits();
    match float {
        // The integers next to a half are halves: above 2048 every half is an integer.
        Type::F16 => half::from_f32_nearest(single(half::to_f32(bits as u16))) as u64,
        Type::Bf16 => bf16::from_f32_nearest(single(bf16::to_f32(bits as u16))) as u64,
        Type::F64 => integral::round_f64(f64::from_bits(bits), rounding).to_bits(),
        _ => float32::canonical(single(bits as u32)) as u64,
    }
}

/// Applies `.sat` to a value of any float type.
#[inline]
pub fn saturate(float: Type, bits: u64) -> u64 {
    match float {
        Type::F16 => half::from_f32_nearest(float32::saturate(half::to_f32(bits as u16))) as u64,
        Type::Bf16 => (float32::saturate(bf16::to_f32(bits as u16)) >> 16) as u64,
        Type::F64 => float64::saturate(bits),
        _ => float32::saturate(bits as u32) as u64,
    }
}

/// Applies `.relu` to a value of any float type: NaN becomes canonical; other negative values (and
/// `-0.0`) become `+0.0`.
#[inline]
pub fn relu(float: Type, bits: u64) -> u64 {
    let format = float.format();
    let bits = bits & (format.sign_bit() | (format.sign_bit() - 1));
    if bits & (format.sign_bit() - 1) > format.overflow {
        format.nan
    } else if bits & format.sign_bit() != 0 {
        0
    } else {
        bits
    }
}

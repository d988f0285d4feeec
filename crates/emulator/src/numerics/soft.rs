//! Floating point in integer arithmetic: any binary format, any rounding mode, each operation
//! rounded exactly once.
//!
//! ```text
//!   bits --unpack--> Value (sign, significand * 2^exponent)          exact
//!   op on Values     significands in 128 bits, the lost tail jammed into the last bit
//!   Value --pack---> bits, rounded once
//! ```
//!
//! Law: `pack(op(unpack(a), unpack(b)))` is the exact result of `op` rounded in the given mode,
//! subnormals and overflow included (IEEE 754-2019, clauses 4 and 7). This is the reference of the
//! other files here and the slow path of the directed modes; round-to-nearest in `f32` and `f64`
//! uses the processor, and tests check that its results equal this file's.
//!
//! *Jamming*: an operand or quotient that does not fit in 128 bits is cut, and its last kept bit is
//! set if anything was lost. Every comparison with a neighbour or a midpoint of the target format
//! then has the same result, as long as at least two bits are below the target's last place; each
//! function's comment shows that this holds.

pub use super::format::{BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, F32, F64, Format, TF32};
use super::rounding::Rounding;
use core::cmp::Ordering;

/// A decoded number, which does not depend on a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// NaN.
    Nan,
    /// An infinity.
    Infinity {
        /// Whether the infinity is negative.
        negative: bool,
    },
    /// `(-1)^negative * significand * 2^exponent`; a zero has `significand` 0 and keeps its sign.
    Finite {
        /// The sign.
        negative: bool,
        /// The weight of the significand's last bit.
        exponent: i32,
        /// The magnitude in units of `2^exponent`.
        significand: u128,
    },
}

impl Value {
    /// Converts the integer `n`, exactly.
    pub fn from_integer(n: i128) -> Self {
        Value::Finite {
            negative: n < 0,
            exponent: 0,
            significand: n.unsigned_abs(),
        }
    }
}

/// Returns the value that `bits` encode in `format`; bits above the format's sign are ignored.
#[inline]
pub fn unpack(format: Format, bits: u64) -> Value {
    let negative = bits & format.sign_bit() != 0;
    let magnitude = bits & (format.sign_bit() - 1);
    if magnitude >= format.overflow {
        return if magnitude == format.overflow && format.has_infinity {
            Value::Infinity { negative }
        } else {
            Value::Nan
        };
    }
    let fraction = magnitude & ((1 << format.fraction_bits) - 1);
    let field = (magnitude >> format.fraction_bits) as i32;
    let (field, significand) = if field == 0 {
        (1, fraction)
    } else {
        (field, fraction | 1 << format.fraction_bits)
    };
    let exponent = field - 1 + format.min_exponent() - format.fraction_bits as i32;
    Value::Finite {
        negative,
        exponent,
        significand: significand as u128,
    }
}

/// Rounds `value` to `format`. Out of range the result is an infinity or the largest finite number,
/// depending on `rounding` (IEEE 754, 7.4); in a format without infinities, NaN or the largest
/// number.
#[inline]
pub fn pack(format: Format, value: Value, rounding: Rounding) -> u64 {
    let (negative, exponent, significand) = match value {
        Value::Nan => return format.nan,
        Value::Infinity { .. } if !format.has_infinity => return format.nan,
        Value::Infinity { negative } => return format.signed(negative, format.overflow),
        Value::Finite {
            negative,
            exponent,
            significand,
        } => (negative, exponent, significand),
    };
    let magnitude = pack_magnitude(format, negative, exponent, significand, rounding);
    if magnitude < format.overflow {
        return format.signed(negative, magnitude);
    }
    let to_infinity = match rounding {
        Rounding::NearestEven | Rounding::NearestAway => true,
        Rounding::Zero => false,
        Rounding::Down => negative,
        Rounding::Up => !negative,
    };
    match (to_infinity, format.has_infinity) {
        (true, true) => format.signed(negative, format.overflow),
        (true, false) => format.nan,
        (false, _) => format.signed(negative, format.max_finite()),
    }
}

/// Rounds like [`pack`], except that infinities and numbers out of range become the largest finite
/// number of their sign: `.satfinite`.
#[inline]
pub fn pack_saturating(format: Format, value: Value, rounding: Rounding) -> u64 {
    match value {
        Value::Nan => format.nan,
        Value::Infinity { negative } => format.signed(negative, format.max_finite()),
        Value::Finite {
            negative,
            exponent,
            significand,
        } => {
            let magnitude = pack_magnitude(format, negative, exponent, significand, rounding);
            format.signed(negative, magnitude.min(format.max_finite()))
        }
    }
}

/// Returns the rounded encoding without sign. An encoding of `format.overflow` or more is out of
/// range.
#[inline]
fn pack_magnitude(
    format: Format,
    negative: bool,
    exponent: i32,
    significand: u128,
    rounding: Rounding,
) -> u64 {
    if significand == 0 {
        return 0;
    }
    // The exponent of the leading bit, not less than that of the smallest normal number: a
    // subnormal keeps its last place.
    let leading = exponent + 127 - significand.leading_zeros() as i32;
    let anchor = leading.max(format.min_exponent());
    let last_place = anchor - format.fraction_bits as i32;
    let shift = last_place - exponent;
    let kept = if shift <= 0 {
        // `significand` has at most fraction_bits + 1 bits after the shift, because
        // `anchor >= leading`.
        (significand << -shift) as u64
    } else {
        let (kept, rest) = split(significand, shift as u32);
        kept as u64
            + u64::from(match rest {
                None => false,
                Some(rest) => rounding.increments(negative, kept & 1 == 1, rest),
            })
    };
    // A normal number's hidden bit adds the missing one to the exponent field, and a carry out of
    // the fraction does the same, so one sum serves normal and subnormal numbers.
    let field = (anchor - format.min_exponent()) as u64;
    if field >= 1 << format.exponent_bits {
        return format.overflow;
    }
    (field << format.fraction_bits) + kept
}

/// Returns `significand / 2^shift`, and how the rest compares with one half, or `None` if there is
/// no rest.
#[inline]
fn split(significand: u128, shift: u32) -> (u128, Option<Ordering>) {
    if shift > 128 {
        return (0, (significand != 0).then_some(Ordering::Less));
    }
    let kept = if shift == 128 {
        0
    } else {
        significand >> shift
    };
    let rest = if shift == 128 {
        significand
    } else {
        significand & ((1 << shift) - 1)
    };
    (kept, (rest != 0).then(|| rest.cmp(&(1 << (shift - 1)))))
}

/// Returns `significand / 2^shift`, with the last bit set if anything was lost.
#[inline]
fn shift_right_jam(significand: u128, shift: u32) -> u128 {
    if shift >= 128 {
        return u128::from(significand != 0);
    }
    (significand >> shift) | u128::from(significand & ((1u128 << shift) - 1) != 0)
}

/// Whether `.ftz` makes this result a zero: rounded to the format's significand, but with an
/// exponent of any size, it is below the smallest normal number.
///
/// The flush therefore comes before the rounding to a subnormal's coarser last place: a result that
/// would round *up* there to the smallest normal number is still a zero, unless it is closer than
/// half a unit of the finer last place. An H200 does so in `mul` and `fma` of `.f32` and `.f16` in
/// every rounding mode; PTX does not specify it. For formats of at most 8 exponent bits.
#[inline]
pub fn is_tiny(format: Format, value: Value, rounding: Rounding) -> bool {
    let unbounded = Format::ieee(11, format.fraction_bits, 0);
    let smallest = (format.min_exponent() - unbounded.min_exponent() + 1) as u64;
    let rounded = pack(unbounded, value, rounding) & (unbounded.sign_bit() - 1);
    rounded < smallest << format.fraction_bits
}

/// Rounds `bits` of `from` to `to`.
#[inline]
pub fn convert(from: Format, to: Format, bits: u64, rounding: Rounding) -> u64 {
    pack(to, unpack(from, bits), rounding)
}

/// Computes `a + b`, rounded once.
#[inline]
pub fn add(format: Format, a: u64, b: u64, rounding: Rounding) -> u64 {
    pack(
        format,
        add_values(unpack(format, a), unpack(format, b), rounding),
        rounding,
    )
}

/// Computes `a * b`, rounded once.
#[inline]
pub fn mul(format: Format, a: u64, b: u64, rounding: Rounding) -> u64 {
    pack(
        format,
        mul_values(unpack(format, a), unpack(format, b)),
        rounding,
    )
}

/// Computes `a * b + c`, rounded once.
#[inline]
pub fn fma(format: Format, a: u64, b: u64, c: u64, rounding: Rounding) -> u64 {
    let product = mul_values(unpack(format, a), unpack(format, b));
    pack(
        format,
        add_values(product, unpack(format, c), rounding),
        rounding,
    )
}

/// Computes `a / b`, rounded once.
#[inline]
pub fn div(format: Format, a: u64, b: u64, rounding: Rounding) -> u64 {
    pack(
        format,
        div_values(unpack(format, a), unpack(format, b)),
        rounding,
    )
}

/// Computes the square root of `a`, rounded once.
#[inline]
pub fn sqrt(format: Format, a: u64, rounding: Rounding) -> u64 {
    pack(format, sqrt_value(unpack(format, a)), rounding)
}

/// Computes the exact product. Both significands must have at most 64 bits, as every unpacked one
/// has.
pub fn mul_values(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) => Value::Nan,
        (
            Value::Finite {
                negative: x,
                exponent: p,
                significand: s,
            },
            Value::Finite {
                negative: y,
                exponent: q,
                significand: t,
            },
        ) => Value::Finite {
            negative: x != y,
            exponent: p + q,
            significand: s * t,
        },
        (Value::Infinity { negative: x }, Value::Infinity { negative: y }) => {
            Value::Infinity { negative: x != y }
        }
        (
            Value::Infinity { negative: x },
            Value::Finite {
                negative: y,
                significand,
                ..
            },
        )
        | (
            Value::Finite {
                negative: x,
                significand,
                ..
            },
            Value::Infinity { negative: y },
        ) => {
            if significand == 0 {
                Value::Nan
            } else {
                Value::Infinity { negative: x != y }
            }
        }
    }
}

/// Computes the sum, exact or jammed, of values with significands of at most 106 bits. `rounding`
/// only chooses the sign of an exact zero (IEEE 754, 6.3: minus in round-down, plus otherwise,
/// unless both are zeros of the same sign).
///
/// The operand with the larger leading exponent is shifted up to bit 125. If the other operand then
/// loses bits, its leading bit is at least 20 places lower (126 - 106), so at most one leading bit
/// cancels and over 100 bits remain above the jammed one.
pub fn add_values(a: Value, b: Value, rounding: Rounding) -> Value {
    let (x, p, s, y, q, t) = match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) => return Value::Nan,
        (Value::Infinity { negative: x }, Value::Infinity { negative: y }) if x != y => {
            return Value::Nan;
        }
        (Value::Infinity { negative }, _) | (_, Value::Infinity { negative }) => {
            return Value::Infinity { negative };
        }
        (
            Value::Finite {
                negative: x,
                exponent: p,
                significand: s,
            },
            Value::Finite {
                negative: y,
                exponent: q,
                significand: t,
            },
        ) => (x, p, s, y, q, t),
    };
    if s == 0 || t == 0 {
        return match (s, t) {
            (0, 0) => Value::Finite {
                negative: if x == y {
                    x
                } else {
                    rounding == Rounding::Down
                },
                exponent: p,
                significand: 0,
            },
            (0, _) => b,
            _ => a,
        };
    }
    let leading = |exponent: i32, significand: u128| exponent - significand.leading_zeros() as i32;
    // (x, p, s) is the operand with the larger leading exponent from here on.
    let (x, p, s, y, q, t) = if leading(p, s) >= leading(q, t) {
        (x, p, s, y, q, t)
    } else {
        (y, q, t, x, p, s)
    };
    let up = s.leading_zeros() - 2;
    let (p, s) = (p - up as i32, s << up);
    // t << (q - p) has no more leading bits than s, so it fits.
    let t = if q >= p {
        t << (q - p)
    } else {
        shift_right_jam(t, p.abs_diff(q))
    };
    let (negative, significand) = if x == y {
        (x, s + t)
    } else if s >= t {
        (x, s - t)
    } else {
        (y, t - s)
    };
    let negative = if significand == 0 {
        rounding == Rounding::Down
    } else {
        negative
    };
    Value::Finite {
        negative,
        exponent: p,
        significand,
    }
}

/// Computes the quotient, exact or jammed. The dividend is shifted up to bit 127, so the quotient
/// of two significands of at most 53 bits has at least 75, and the remainder is jammed into the
/// last.
pub fn div_values(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) | (Value::Infinity { .. }, Value::Infinity { .. }) => {
            Value::Nan
        }
        (Value::Infinity { negative: x }, Value::Finite { negative: y, .. }) => {
            Value::Infinity { negative: x != y }
        }
        (Value::Finite { negative: x, .. }, Value::Infinity { negative: y }) => Value::Finite {
            negative: x != y,
            exponent: 0,
            significand: 0,
        },
        (
            Value::Finite {
                negative: x,
                exponent: p,
                significand: s,
            },
            Value::Finite {
                negative: y,
                exponent: q,
                significand: t,
            },
        ) => match (s, t) {
            (0, 0) => Value::Nan,
            (_, 0) => Value::Infinity { negative: x != y },
            (0, _) => Value::Finite {
                negative: x != y,
                exponent: 0,
                significand: 0,
            },
            _ => {
                let up = s.leading_zeros();
                let s = s << up;
                let significand = (s / t) | u128::from(s % t != 0);
                Value::Finite {
                    negative: x != y,
                    exponent: p - up as i32 - q,
                    significand,
                }
            }
        },
    }
}

/// Computes the square root, exact or jammed. The operand is shifted up to an even exponent and at
/// least 126 bits, so the root has at least 63.
pub fn sqrt_value(a: Value) -> Value {
    match a {
        Value::Finite { significand: 0, .. } => a,
        Value::Infinity { negative: false } => a,
        Value::Finite {
            negative: false,
            exponent,
            significand,
        } => {
            let mut up = significand.leading_zeros();
            if (exponent - up as i32) % 2 != 0 {
                up -= 1;
            }
            let radicand = significand << up;
            let root = radicand.isqrt();
            Value::Finite {
                negative: false,
                exponent: (exponent - up as i32) / 2,
                significand: root | u128::from(root * root != radicand),
            }
        }
        _ => Value::Nan,
    }
}

//! Video instructions: arithmetic on bytes and half-words of 32-bit registers.
//!
//! ```text
//!   vadd.s32.u32.s32.sat.min d, a.b1, b.h0, c      a part of a, a part of b ─► sum ─► saturated ─► min with c
//!   vadd.s32.u32.s32.sat d.h1, a.b1, b.h0, c       ... ─► saturated to 16 bits ─► c with its upper half replaced
//!   vadd4.s32.u32.u32 d.b20, a.b7654, b, c         four bytes of a and b each; bytes 2 and 0 of d, the rest from c
//! ```
//!
//! Law: an operation is exact in 64 bits or more before it is saturated or truncated to the
//! destination; no result is undefined.
//!
//! Source: PTX ISA, "Video Instructions" (scalar: `vadd` to `vset`) and "SIMD Video Instructions"
//! (`vadd2` to `vset4`).

mod encoding;

/// The operation on each pair of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// a + b.
    Add,
    /// a - b.
    Sub,
    /// (a + b) / 2, with halves rounded up; for a negative sum, down.
    Average,
    /// |a - b|.
    AbsoluteDifference,
    /// The smaller of a and b.
    Min,
    /// The larger of a and b.
    Max,
    /// a << b.
    ShiftLeft,
    /// a >> b.
    ShiftRight,
    /// a b + c.
    MultiplyAdd,
    /// 1 if the comparison holds, otherwise 0.
    Set(Comparison),
}

/// A comparison of `vset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// a = b.
    Equal,
    /// a ≠ b.
    NotEqual,
    /// a < b.
    Less,
    /// a ≤ b.
    LessEqual,
    /// a > b.
    Greater,
    /// a ≥ b.
    GreaterEqual,
}

impl Comparison {
    fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::Less => a < b,
            Self::LessEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterEqual => a >= b,
        }
    }
}

/// The operation on a result and the third operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secondary {
    /// The sum of the result and the operand.
    Add,
    /// The smaller of the result and the operand.
    Min,
    /// The larger of the result and the operand.
    Max,
}

/// A part of a 32-bit register: `bits` bits from bit `at` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The lowest bit.
    pub at: u32,
    /// The number of bits: 8, 16 or 32.
    pub bits: u32,
}

impl Part {
    /// The whole register.
    pub const ALL: Self = Self { at: 0, bits: 32 };

    /// Returns the part that `b0` to `b3`, `h0` or `h1` names.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "b0" | "b1" | "b2" | "b3" => Self {
                at: 8 * u32::from(name.as_bytes()[1] - b'0'),
                bits: 8,
            },
            "h0" => Self { at: 0, bits: 16 },
            "h1" => Self { at: 16, bits: 16 },
            _ => return None,
        })
    }

    fn of(self, word: u32, signed: bool) -> i64 {
        extended(word >> self.at, self.bits, signed)
    }
}

/// Returns the low `bits` bits of a word as a number.
fn extended(word: u32, bits: u32, signed: bool) -> i64 {
    let shift = 32 - bits;
    if signed {
        i64::from((word << shift) as i32 >> shift)
    } else {
        i64::from(word << shift >> shift)
    }
}

/// Clamps `value` to the range of numbers with `bits` bits.
fn saturated(value: i128, bits: u32, signed: bool) -> i128 {
    let (low, high) = if signed {
        (-1 << (bits - 1), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    };
    value.clamp(low, high)
}

/// A scalar video instruction, or one on two or four parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Video {
    /// The operation.
    pub operation: Operation,
    /// Whether d, a and b are `.s32`.
    pub signed: [bool; 3],
    /// Whether results are saturated.
    pub saturate: bool,
    /// The operands to which it applies.
    pub form: Form,
}

/// An operation on one part or on several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `vadd` to `vset`.
    Scalar {
        /// The parts of a and b.
        parts: [Part; 2],
        /// The part of d that receives the result; the rest of d is c's.
        merge: Option<Part>,
        /// The operation that follows with c.
        secondary: Option<Secondary>,
        /// Whether a shift's count is taken modulo 32 instead of clamped to 32.
        wrap: bool,
    },
    /// `vmad`.
    Multiply {
        /// The parts of a and b.
        parts: [Part; 2],
        /// Whether the product a b, and whether c, is negated.
        negated: [bool; 2],
        /// Whether 1 is added (`.po`).
        plus_one: bool,
        /// The distance by which the sum is shifted to the right: 0, 7 or 15.
        shift: u32,
    },
    /// `vadd2` to `vset4`.
    Simd {
        /// The number of parts: 2 or 4.
        lanes: u32,
        /// For each lane, which part of the concatenation of a (lower) and b is the first operand,
        /// and which is the second.
        select: [[u8; 4]; 2],
        /// The lanes that are written or added.
        mask: u8,
        /// Whether the lanes are added to c.
        accumulate: bool,
    },
}

impl Video {
    fn primary(&self, a: i64, b: i64, wrap: bool) -> i128 {
        let (wide_a, wide_b) = (i128::from(a), i128::from(b));
        // The count is unsigned in both modes.
        let count = if wrap { b & 31 } else { b.min(32) } as u32;
        match self.operation {
            Operation::Add => wide_a + wide_b,
            Operation::Sub => wide_a - wide_b,
            Operation::Average if a + b >= 0 => (wide_a + wide_b + 1) >> 1,
            Operation::Average => (wide_a + wide_b) >> 1,
            Operation::AbsoluteDifference => (wide_a - wide_b).abs(),
            Operation::Min => wide_a.min(wide_b),
            Operation::Max => wide_a.max(wide_b),
            Operation::ShiftLeft => wide_a << count,
            Operation::ShiftRight => wide_a >> count,
            Operation::MultiplyAdd => wide_a * wide_b,
            Operation::Set(comparison) => i128::from(comparison.holds(a, b)),
        }
    }

    /// Computes d from a, b and c.
    pub fn execute(&self, a: u32, b: u32, c: u32) -> u32 {
        let [signed, signed_a, signed_b] = self.signed;
        match self.form {
            Form::Scalar {
                parts,
                merge,
                secondary,
                wrap,
            } => {
                let (x, y) = (parts[0].of(a, signed_a), parts[1].of(b, signed_b));
                let mut result = self.primary(x, y, wrap);
                if self.saturate {
                    let bits = merge.map_or(32, |part| part.bits);
                    result = saturated(result, bits, signed);
                }
                if let Some(part) = merge {
                    let mask = ((1u64 << part.bits) - 1) as u32;
                    return (result as u32 & mask) << part.at | c & !(mask << part.at);
                }
                let (result, c) = (extended(result as u32, 32, signed), extended(c, 32, signed));
                let result = match secondary {
                    None => result,
                    Some(Secondary::Add) => result + c,
                    Some(Secondary::Min) => result.min(c),
                    Some(Secondary::Max) => result.max(c),
                };
                result as u32
            }
            Form::Multiply {
                parts,
                negated,
                plus_one,
                shift,
            } => {
                let (x, y) = (parts[0].of(a, signed_a), parts[1].of(b, signed_b));
                let [negate_product, negate_c] = negated;
                let signed_sum = signed_a || signed_b || negate_product || negate_c;
                let mut product = i128::from(x) * i128::from(y);
                if negate_product {
                    product = -product;
                }
                let mut addend = i128::from(extended(c, 32, signed_sum));
                if negate_c {
                    addend = -addend;
                }
                let sum = (product + addend + i128::from(plus_one)) >> shift;
                let sum = if self.saturate {
                    saturated(sum, 32, signed_sum)
                } else {
                    sum
                };
                sum as u32
            }
            Form::Simd {
                lanes,
                select,
                mask,
                accumulate,
            } => {
                let bits = 32 / lanes;
                let part = |which: u8, signed: bool| {
                    let which = u32::from(which);
                    let word = if which < lanes { a } else { b };
                    extended(word >> (which % lanes * bits), bits, signed)
                };
                let low = ((1u64 << bits) - 1) as u32;
                let mut d = c;
                for lane in 0..lanes {
                    if mask >> lane & 1 == 0 {
                        continue;
                    }
                    let i = lane as usize;
                    let (x, y) = (part(select[0][i], signed_a), part(select[1][i], signed_b));
                    let mut result = self.primary(x, y, false);
                    if self.saturate {
                        result = saturated(result, bits, signed);
                    }
                    if accumulate {
                        d = d.wrapping_add(result as u32);
                    } else {
                        let at = lane * bits;
                        d = d & !(low << at) | (result as u32 & low) << at;
                    }
                }
                d
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(operation: Operation, signed: [bool; 3]) -> Video {
        Video {
            operation,
            signed,
            saturate: false,
            form: Form::Scalar {
                parts: [Part::ALL; 2],
                merge: None,
                secondary: None,
                wrap: false,
            },
        }
    }

    /// Checks values that were computed by hand.
    #[test]
    fn values_from_the_definition() {
        let all_signed = [true; 3];
        let add = scalar(Operation::Add, all_signed);
        assert_eq!(add.execute(0x7fff_ffff, 1, 0), 0x8000_0000);
        let saturated = Video {
            saturate: true,
            ..add
        };
        assert_eq!(saturated.execute(0x7fff_ffff, 1, 0), 0x7fff_ffff);
        assert_eq!(saturated.execute(0x8000_0000, u32::MAX, 0), 0x8000_0000);
        // The byte of a is -1, and that of b is 255.
        let parts = Video {
            signed: [true, true, false],
            form: Form::Scalar {
                parts: [Part::parse("b3").unwrap(), Part::parse("b0").unwrap()],
                merge: Part::parse("h1"),
                secondary: None,
                wrap: false,
            },
            ..add
        };
        assert_eq!(parts.execute(0xff00_0000, 0xff, 0x1234_5678), 0x00fe_5678);
        let shift = scalar(Operation::ShiftLeft, [false; 3]);
        assert_eq!(shift.execute(3, 31, 0), 0x8000_0000);
        assert_eq!(shift.execute(3, 99, 0), 0);
        let shift = scalar(Operation::ShiftRight, [true, true, false]);
        assert_eq!(shift.execute(0x8000_0000, 99, 0), u32::MAX);
        let average = |signed| Video {
            operation: Operation::Average,
            signed: [signed; 3],
            saturate: false,
            form: Form::Simd {
                lanes: 4,
                select: [[0, 1, 2, 3], [4, 5, 6, 7]],
                mask: 15,
                accumulate: false,
            },
        };
        // 1 and 2: 1.5 to 2. 255 and 254: 254.5 to 255. As signed numbers -1 and -2: -1.5 to -2.
        assert_eq!(average(false).execute(0x01ff, 0x02fe, 0), 0x02ff);
        assert_eq!(average(true).execute(0x01ff, 0x02fe, 0), 0x02fe);
        let multiply = Video {
            operation: Operation::MultiplyAdd,
            signed: [true; 3],
            saturate: true,
            form: Form::Multiply {
                parts: [Part::ALL; 2],
                negated: [true, false],
                plus_one: false,
                shift: 7,
            },
        };
        // -(1000 · 1000) + 28 = -999,972; / 128 rounded down: -7,813.
        assert_eq!(multiply.execute(1000, 1000, 28) as i32, -7813);
        assert_eq!(
            multiply.execute(i32::MAX as u32, 1 << 30, 0) as i32,
            i32::MIN
        );
    }
}

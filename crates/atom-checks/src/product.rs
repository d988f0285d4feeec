//! `D = A B + C` by its definition, and the error that a matrix instruction may have.
//!
//! ```text
//!   D(m, n) = sum over k of A(m, k) B(n, k) + C(m, n)      column-major: A(m, k) at m + M k, B(n, k) at n + N k
//! ```
//!
//! Law: integers are exact, then wrapped to 32 bits or clamped; bits are combined and counted;
//! floats are summed in f64. For whole numbers of moderate size that sum is exact, so any order of
//! summation gives the same number.
//!
//! Source: PTX ISA, *Multiply-and-Accumulate Instruction: mma*: the semantics of each type, with
//! `.satfinite`, `.xor.popc` and `.and.popc`.

use crate::format::Format;

/// An instruction's arithmetic, as its name states it.
#[derive(Clone, Copy, Debug)]
pub struct AtomProduct {
    /// M, N and K.
    pub shape: [usize; 3],
    /// The format of A.
    pub a: Format,
    /// The format of B.
    pub b: Format,
    /// The format of C and D.
    pub c: Format,
    /// The rule by which elements are multiplied and summed.
    pub rule: Rule,
}

/// The rule by which elements are multiplied and summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Floats are multiplied and added.
    Float,
    /// Integers wrap to 32 bits.
    Wrap,
    /// Integers are clamped to 32 bits.
    Clamp,
    /// The number of bits that differ, added to C.
    XorPopc,
    /// The number of common 1 bits, added to C.
    AndPopc,
}

/// The operands of one thread group as bits, column-major.
#[derive(Clone, Debug)]
pub struct AtomOperands {
    /// A, of modes (M,K).
    pub a: Vec<u64>,
    /// B, of modes (N,K).
    pub b: Vec<u64>,
    /// C, of modes (M,N).
    pub c: Vec<u64>,
}

/// The expected element of D.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expected {
    /// The element has exactly these bits.
    Bits(u64),
    /// The element is this number up to this error, and is infinite or NaN if the number is.
    Near(f64, f64),
}

impl Expected {
    /// Whether the bits are the expected element.
    #[must_use]
    pub fn admits(self, format: Format, bits: u64) -> bool {
        match self {
            Self::Bits(expected) => bits == expected,
            Self::Near(number, error) => {
                let found = format.value(bits);
                if number.is_finite() {
                    (found - number).abs() <= error
                } else {
                    found == number || found.is_nan() && number.is_nan()
                }
            }
        }
    }
}

impl AtomProduct {
    /// Returns the arithmetic of an instruction, from its formats and its PTX name, or `None` if a
    /// format is unknown.
    ///
    /// ```
    /// use atom_checks::product::{AtomProduct, Rule};
    /// let name = "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32";
    /// let product = AtomProduct::of(name, [8, 8, 16], ["s32", "s8", "u8", "s32"]).unwrap();
    /// assert_eq!(product.rule, Rule::Clamp);
    /// ```
    #[must_use]
    pub fn of(ptx: &str, shape: [usize; 3], [_, a, b, c]: [&str; 4]) -> Option<Self> {
        let [a, b, c] = [Format::named(a)?, Format::named(b)?, Format::named(c)?];
        let rule = if c.is_float() {
            Rule::Float
        } else if ptx.ends_with(".xor.popc") {
            Rule::XorPopc
        } else if ptx.ends_with(".and.popc") {
            Rule::AndPopc
        } else if ptx.contains(".satfinite.") {
            Rule::Clamp
        } else {
            Rule::Wrap
        };
        Some(Self {
            shape,
            a,
            b,
            c,
            rule,
        })
    }

    /// Computes every element of D, column-major. `exact` says that A, B and C are whole numbers so
    /// small that no sum is rounded.
    #[must_use]
    pub fn reference(&self, operands: &AtomOperands, exact: bool) -> Vec<Expected> {
        let [m, n, _] = self.shape;
        (0..m * n)
            .map(|i| {
                let (row, column) = (i % m, i / m);
                match self.rule {
                    Rule::Float => self.float(operands, row, column, exact),
                    _ => Expected::Bits(self.integer(operands, row, column)),
                }
            })
            .collect()
    }

    /// Returns the bits of A's and B's elements, in pairs, whose products an element of D adds.
    fn pairs<'a>(
        &self,
        operands: &'a AtomOperands,
        row: usize,
        column: usize,
    ) -> impl Iterator<Item = (u64, u64)> + 'a {
        let [m, n, k] = self.shape;
        (0..k).map(move |k| (operands.a[row + m * k], operands.b[column + n * k]))
    }

    fn integer(&self, operands: &AtomOperands, row: usize, column: usize) -> u64 {
        let terms = self
            .pairs(operands, row, column)
            .map(|(a, b)| match self.rule {
                Rule::XorPopc => i64::from((a ^ b).count_ones()),
                Rule::AndPopc => i64::from((a & b).count_ones()),
                _ => self.a.value(a) as i64 * self.b.value(b) as i64,
            });
        let c = operands.c[row + self.shape[0] * column] as u32 as i32;
        let sum = terms.sum::<i64>() + i64::from(c);
        let result = match self.rule {
            Rule::Clamp => sum.clamp(i32::MIN.into(), i32::MAX.into()) as i32,
            _ => sum as i32,
        };
        u64::from(result as u32)
    }

    fn float(&self, operands: &AtomOperands, row: usize, column: usize, exact: bool) -> Expected {
        let c = self.c.value(operands.c[row + self.shape[0] * column]);
        let (mut sum, mut sizes, mut largest) = (c, c.abs(), c.abs());
        for (a, b) in self.pairs(operands, row, column) {
            let term = self.a.value(a) * self.b.value(b);
            sum += term;
            sizes += term.abs();
            largest = largest.max(term.abs());
        }
        let whole = (sum.fract() == 0.0).then(|| self.c.bits(sum as i64));
        match whole.flatten() {
            // -0 + 0 is +0, so there is only one zero.
            Some(bits) if exact => Expected::Bits(if sum == 0.0 { 0 } else { bits }),
            _ => {
                assert!(!exact, "{sum} is not exact in the format of D");
                Expected::Near(sum, self.error(sizes, largest))
            }
        }
    }

    /// Returns the largest allowed distance from the exact sum. The absolute values of the terms
    /// add up to `sizes`, and the largest is `largest`. Tensor cores align the terms to the largest
    /// one, cut off the bits below its last kept bit, add, and round.
    fn error(&self, sizes: f64, largest: f64) -> f64 {
        let k = self.shape[2] as f64;
        // 8-bit products are summed with 13 bits on Hopper, other products with at least f32's 23
        // bits; f64 behaves as `fma`.
        let kept = match (self.a.width(), self.c.width()) {
            (8, _) => 12,
            (_, 64) => 52,
            _ => 22,
        };
        let digits = self.c.mantissa() as i32;
        let smallest = match self.c.width() {
            16 => 2.0_f64.powi(-24),
            _ => 0.0,
        };
        (k + 1.0) * largest * 2.0_f64.powi(-kept) + 2.0 * sizes * 2.0_f64.powi(-digits) + smallest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, types: [&str; 4], a: u64, b: u64, c: u64) -> Expected {
        let product = AtomProduct::of(name, [1, 1, 1], types).unwrap();
        let operands = AtomOperands {
            a: vec![a],
            b: vec![b],
            c: vec![c],
        };
        product.reference(&operands, true)[0]
    }

    #[test]
    fn integers_wrap_or_are_clamped() {
        let types = ["s32", "s8", "u8", "s32"];
        let least = u64::from(i32::MIN as u32);
        assert_eq!(
            one("mma.s32", types, 0xff, 0xff, least),
            Expected::Bits(u64::from((i32::MIN).wrapping_sub(255) as u32))
        );
        assert_eq!(
            one("mma.satfinite.s32", types, 0xff, 0xff, least),
            Expected::Bits(least)
        );
    }

    #[test]
    fn bits_are_combined_and_counted() {
        let types = ["s32", "b1", "b1", "s32"];
        assert_eq!(one("mma.xor.popc", types, 1, 1, 5), Expected::Bits(5));
        assert_eq!(one("mma.and.popc", types, 1, 1, 5), Expected::Bits(6));
        assert_eq!(one("mma.xor.popc", types, 1, 0, 5), Expected::Bits(6));
    }

    #[test]
    fn floats_are_exact_or_near() {
        let types = ["f32", "e5m2", "e4m3", "f32"];
        let [two, three, one_half] = [0x40, 0x44, 0x3f00_0000];
        assert_eq!(
            one("mma.f32", types, two, three, 0x4080_0000),
            Expected::Bits(10.0_f32.to_bits().into())
        );
        let product = AtomProduct::of("mma.f32", [1, 1, 1], types).unwrap();
        let operands = AtomOperands {
            a: vec![two],
            b: vec![three],
            c: vec![one_half],
        };
        let near = product.reference(&operands, false)[0];
        let f32s = Format::named("f32").unwrap();
        assert!(near.admits(f32s, 6.5_f32.to_bits().into()));
        assert!(!near.admits(f32s, 6.6_f32.to_bits().into()));
        assert!(!near.admits(f32s, f32::NAN.to_bits().into()));
        let nothing = Expected::Near(f64::NAN, 1.0);
        assert!(nothing.admits(f32s, f32::NAN.to_bits().into()) && !nothing.admits(f32s, 0));
    }
}

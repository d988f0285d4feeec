//! The `mma.sync` instructions that exist: shapes, types, registers, names.
//!
//! ```text
//!   mma.sync.aligned . m16n8k16 . row . col . f32 . f16 . f16 . f32
//!                      shape      A     B     D     A     B     C
//! ```
//!
//! Law: every [`Mma`] made here is an instruction of PTX, and [`Mma::parse`] of its display gives
//! the same [`Mma`]. The table is that of the PTX ISA ("mma", syntax and restrictions), checked
//! combination by combination against what `ptxas` accepts.

use super::{Mma, Rounding};
use std::fmt;

/// The sizes of D = A * B + C: A is `m x k`, B is `k x n`, C and D are `m x n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows of A, C and D.
    pub m: usize,
    /// Columns of B, C and D.
    pub n: usize,
    /// Columns of A, rows of B.
    pub k: usize,
}

/// The type of A's or B's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are PTX's")]
pub enum Element {
    F16,
    Bf16,
    Tf32,
    F64,
    E4m3,
    E5m2,
    S8,
    U8,
    S4,
    U4,
    B1,
}

/// The type of C's or D's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are PTX's")]
pub enum Accumulator {
    F16,
    F32,
    F64,
    S32,
}

/// How a matrix is stored over the lanes of `m8n8k4`; elsewhere A is row-major and B column-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// `.row`
    Row,
    /// `.col`
    Col,
}

/// The operation on an element of A and one of B before summing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// Their product.
    Multiply,
    /// `.xor.popc`: the number of differing bits.
    XorPopc,
    /// `.and.popc`: the number of common ones.
    AndPopc,
}

/// The number of registers of each operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// The number of registers of A.
    pub a: usize,
    /// The number of registers of B.
    pub b: usize,
    /// The number of registers of C.
    pub c: usize,
    /// The number of registers of D.
    pub d: usize,
    /// The number of bits of each register: 64 for `.f64`, otherwise 32.
    pub bits: u32,
}

/// The reason why an `mma.sync` cannot be named or executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MmaError {
    /// The name does not have the form of the family's names.
    #[error("`{name}` is not an mma.sync instruction: {what}")]
    Name {
        /// The name as given.
        name: String,
        /// The part that does not fit.
        what: String,
    },
    /// PTX has no such combination of shape, types, layouts and modifiers.
    #[error("PTX has no `{name}`")]
    NoSuchInstruction {
        /// The full name.
        name: String,
    },
    /// An operand has too few or too many registers.
    #[error("operand {operand} of `{name}` has {found} registers, the instruction takes {wanted}")]
    RegisterCount {
        /// The full name.
        name: String,
        /// `a`, `b`, `c` or `d`.
        operand: &'static str,
        /// The number of registers that were given.
        found: usize,
        /// The number of registers that the instruction takes.
        wanted: usize,
    },
    /// The registers have the wrong width.
    #[error("the registers of `{name}` have {bits} bits")]
    RegisterWidth {
        /// The full name.
        name: String,
        /// The right width.
        bits: u32,
    },
}

impl Element {
    const ALL: [(Element, &'static str, u32); 11] = [
        (Element::F16, "f16", 16),
        (Element::Bf16, "bf16", 16),
        (Element::Tf32, "tf32", 32),
        (Element::F64, "f64", 64),
        (Element::E4m3, "e4m3", 8),
        (Element::E5m2, "e5m2", 8),
        (Element::S8, "s8", 8),
        (Element::U8, "u8", 8),
        (Element::S4, "s4", 4),
        (Element::U4, "u4", 4),
        (Element::B1, "b1", 1),
    ];

    /// Returns the number of bits of one element in a register (`.tf32` takes 32).
    #[inline]
    pub fn bits(self) -> u32 {
        Self::ALL[self as usize].2
    }

    fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|entry| entry.1 == name)
            .map(|entry| entry.0)
    }
}

impl Accumulator {
    /// Returns the number of bits of one element.
    #[inline]
    pub fn bits(self) -> u32 {
        match self {
            Accumulator::F16 => 16,
            Accumulator::F32 | Accumulator::S32 => 32,
            Accumulator::F64 => 64,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Accumulator::F16 => "f16",
            Accumulator::F32 => "f32",
            Accumulator::F64 => "f64",
            Accumulator::S32 => "s32",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        [Self::F16, Self::F32, Self::F64, Self::S32]
            .into_iter()
            .find(|t| t.name() == name)
    }
}

impl Shape {
    /// Creates a shape from `m`, `n`, `k` in PTX's order.
    pub const fn new(m: usize, n: usize, k: usize) -> Self {
        Shape { m, n, k }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        let rest = name.strip_prefix('m')?;
        let (m, rest) = rest.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some(Shape::new(
            m.parse().ok()?,
            n.parse().ok()?,
            k.parse().ok()?,
        ))
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m{}n{}k{}", self.m, self.n, self.k)
    }
}

impl Mma {
    /// Creates the instruction with `.row` A and `.col` B, and without modifiers.
    ///
    /// # Errors
    /// [`MmaError::NoSuchInstruction`] if PTX has no such combination.
    pub fn new(
        shape: Shape,
        a: Element,
        b: Element,
        c: Accumulator,
        d: Accumulator,
    ) -> Result<Self, MmaError> {
        Mma {
            shape,
            a,
            b,
            c,
            d,
            a_order: Order::Row,
            b_order: Order::Col,
            satfinite: false,
            combine: if a == Element::B1 {
                Combine::XorPopc
            } else {
                Combine::Multiply
            },
            rounding: Rounding::NearestEven,
        }
        .checked()
    }

    /// Parses a full PTX name, from `mma.sync.aligned` to the last modifier.
    ///
    /// ```
    /// use emulator::numerics::mma::Mma;
    /// let name = "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32";
    /// assert_eq!(Mma::parse(name).unwrap().to_string(), name);
    /// assert!(Mma::parse("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32").is_err());
    /// ```
    ///
    /// # Errors
    /// [`MmaError::Name`] for a name of another form, [`MmaError::NoSuchInstruction`] for a
    /// combination that PTX does not have.
    pub fn parse(name: &str) -> Result<Self, MmaError> {
        let error = |what: &str| MmaError::Name {
            name: name.to_string(),
            what: what.to_string(),
        };
        let rest = name
            .strip_prefix("mma.sync.aligned.")
            .ok_or_else(|| error("it does not begin with `mma.sync.aligned.`"))?;
        let mut words: Vec<&str> = rest
            .split('.')
            .filter(|word| *word != "kind::f8f6f4")
            .collect();
        let mut take = |word: &str| {
            let found = words.iter().position(|w| *w == word);
            found.map(|at| words.remove(at)).is_some()
        };
        let satfinite = take("satfinite");
        let combine = match (take("xor"), take("and"), take("popc")) {
            (false, false, false) => Combine::Multiply,
            (true, false, true) => Combine::XorPopc,
            (false, true, true) => Combine::AndPopc,
            _ => return Err(error("the bit operation is `.xor.popc` or `.and.popc`")),
        };
        let rounding = ["rn", "rz", "rm", "rp"].into_iter().find(|word| take(word));
        let rounding = rounding
            .and_then(Rounding::from_modifier)
            .unwrap_or_default();
        let [shape, a_order, b_order, d, a, b, c] = words[..] else {
            return Err(error("shape, two layouts and four types are needed"));
        };
        let order = |word: &str| match word {
            "row" => Ok(Order::Row),
            "col" => Ok(Order::Col),
            _ => Err(error(&format!("`{word}` is neither `row` nor `col`"))),
        };
        let element = |word: &str| {
            Element::parse(word).ok_or_else(|| error(&format!("`{word}` is no element type")))
        };
        let accumulator = |word: &str| {
            Accumulator::parse(word)
                .ok_or_else(|| error(&format!("`{word}` is no accumulator type")))
        };
        Mma {
            shape: Shape::parse(shape).ok_or_else(|| error(&format!("`{shape}` is no shape")))?,
            a: element(a)?,
            b: element(b)?,
            c: accumulator(c)?,
            d: accumulator(d)?,
            a_order: order(a_order)?,
            b_order: order(b_order)?,
            satfinite,
            combine,
            rounding,
        }
        .checked()
    }

    /// Returns every instruction of the family, without the variants of rounding mode.
    pub fn all() -> Vec<Self> {
        use Accumulator::{F16, F32, F64, S32};
        let mut out = Vec::new();
        let shapes = [
            (8, [4, 16, 32, 128].as_slice()),
            (16, &[4, 8, 16, 32, 64, 128, 256]),
        ];
        for (m, ks) in shapes {
            for &k in ks {
                for (a, _, _) in Element::ALL {
                    for (b, _, _) in Element::ALL {
                        for (c, d) in [(F16, F16), (F16, F32), (F32, F32), (F64, F64), (S32, S32)] {
                            let Ok(base) = Mma::new(Shape::new(m, 8, k), a, b, c, d) else {
                                continue;
                            };
                            for satfinite in [false, true] {
                                for combine in
                                    [Combine::Multiply, Combine::XorPopc, Combine::AndPopc]
                                {
                                    for (a_order, b_order) in [
                                        (Order::Row, Order::Col),
                                        (Order::Row, Order::Row),
                                        (Order::Col, Order::Col),
                                        (Order::Col, Order::Row),
                                    ] {
                                        let mma = Mma {
                                            satfinite,
                                            combine,
                                            a_order,
                                            b_order,
                                            ..base
                                        };
                                        out.extend(mma.checked());
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        out
    }

    /// Whether this is the `m8n8k4` of sm_70: four products in one warp, each by eight lanes.
    #[inline]
    pub fn is_volta(&self) -> bool {
        self.a == Element::F16 && self.shape.k == 4
    }

    /// Returns the lowest compute capability (times ten) that has the instruction.
    ///
    /// ```
    /// use emulator::numerics::mma::Mma;
    /// let mma = Mma::parse("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64").unwrap();
    /// assert_eq!(mma.minimum_capability(), 90);
    /// ```
    pub fn minimum_capability(&self) -> u32 {
        let Shape { m, k, .. } = self.shape;
        match self.a {
            Element::F16 if k == 4 => 70,
            Element::F16 if k == 8 => 75,
            Element::F64 if m == 16 => 90,
            Element::E4m3 | Element::E5m2 => 89,
            Element::B1 if self.combine == Combine::AndPopc => 80,
            Element::S8 | Element::U8 | Element::S4 | Element::U4 | Element::B1 if m == 8 => 75,
            _ => 80,
        }
    }

    /// Returns the number of registers of each operand.
    #[inline]
    pub fn registers(&self) -> Registers {
        let Shape { m, n, k } = self.shape;
        let bits = if self.a == Element::F64 { 64 } else { 32 };
        // m8n8k4 of sm_70 has eight lanes for each of its four products.
        let lanes = if self.is_volta() { 8 } else { 32 };
        let count = |elements: usize, element_bits: u32| {
            elements * element_bits as usize / (lanes * bits as usize)
        };
        Registers {
            a: count(m * k, self.a.bits()),
            b: count(n * k, self.b.bits()),
            c: count(m * n, self.c.bits()),
            d: count(m * n, self.d.bits()),
            bits,
        }
    }

    fn checked(self) -> Result<Self, MmaError> {
        if self.exists() {
            Ok(self)
        } else {
            Err(MmaError::NoSuchInstruction {
                name: self.to_string(),
            })
        }
    }

    fn exists(&self) -> bool {
        use Accumulator as Acc;
        use Element::{B1, Bf16, E4m3, E5m2, F16, F64, S4, S8, Tf32, U4, U8};
        let Shape { m, n, k } = self.shape;
        let integer = matches!(self.a, S8 | U8 | S4 | U4);
        let same_sums = self.c == self.d;
        let half_or_single =
            matches!(self.c, Acc::F16 | Acc::F32) && matches!(self.d, Acc::F16 | Acc::F32);
        let types = match (self.a, self.b) {
            (F16, F16) if (m, k) == (8, 4) => {
                half_or_single && (self.c, self.d) != (Acc::F32, Acc::F16)
            }
            (F16, F16) => m == 16 && matches!(k, 8 | 16) && half_or_single && same_sums,
            (Bf16, Bf16) => {
                m == 16 && matches!(k, 8 | 16) && (self.c, self.d) == (Acc::F32, Acc::F32)
            }
            (Tf32, Tf32) => {
                m == 16 && matches!(k, 4 | 8) && (self.c, self.d) == (Acc::F32, Acc::F32)
            }
            (E4m3 | E5m2, E4m3 | E5m2) => {
                m == 16 && matches!(k, 16 | 32) && half_or_single && same_sums
            }
            (F64, F64) => {
                matches!((m, k), (8, 4) | (16, 4 | 8 | 16))
                    && (self.c, self.d) == (Acc::F64, Acc::F64)
            }
            (S8 | U8, S8 | U8) => {
                matches!((m, k), (8, 16) | (16, 16 | 32))
                    && (self.c, self.d) == (Acc::S32, Acc::S32)
            }
            (S4 | U4, S4 | U4) => {
                matches!((m, k), (8, 32) | (16, 32 | 64))
                    && (self.c, self.d) == (Acc::S32, Acc::S32)
            }
            (B1, B1) => {
                matches!((m, k), (8, 128) | (16, 128 | 256))
                    && (self.c, self.d) == (Acc::S32, Acc::S32)
            }
            _ => false,
        };
        types
            && n == 8
            && (self.is_volta() || (self.a_order, self.b_order) == (Order::Row, Order::Col))
            && (!self.satfinite || integer)
            && (self.combine == Combine::Multiply) == (self.a != B1)
            && (self.rounding == Rounding::NearestEven
                || self.a == F64 && self.rounding != Rounding::NearestAway)
    }
}

impl fmt::Display for Mma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = |order: Order| if order == Order::Row { "row" } else { "col" };
        write!(
            f,
            "mma.sync.aligned.{}.{}.{}",
            self.shape,
            order(self.a_order),
            order(self.b_order)
        )?;
        if self.satfinite {
            f.write_str(".satfinite")?;
        }
        f.write_str(match self.rounding {
            Rounding::NearestEven => "",
            Rounding::Zero => ".rz",
            Rounding::Down => ".rm",
            Rounding::Up => ".rp",
            Rounding::NearestAway => ".rna",
        })?;
        write!(
            f,
            ".{}.{}.{}.{}",
            self.d.name(),
            self.a.name(),
            self.b.name(),
            self.c.name()
        )?;
        f.write_str(match self.combine {
            Combine::Multiply => "",
            Combine::XorPopc => ".xor.popc",
            Combine::AndPopc => ".and.popc",
        })
    }
}

//! Comparisons of `setp`, `set`, `slct` and the tests of `testp`.
//!
//! ```text
//!                  numbers        a NaN among them
//!   eq ne lt ...   as in algebra  false   (ne too: ordered)
//!   equ neu ltu    as in algebra  true    (unordered)
//!   num  nan       true  false    false  true
//! ```
//!
//! Law (PTX ISA, "Comparisons", "setp"): `xu` is `x or nan`, and `x` implies `num`, for each of the
//! six relations. `lo ls hi hs` are `lt le gt ge` of unsigned integers.

use std::cmp::Ordering;

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are PTX's")]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Lo,
    Ls,
    Hi,
    Hs,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    Num,
    Nan,
}

impl Comparison {
    const ALL: [(Comparison, &'static str); 18] = [
        (Comparison::Eq, "eq"),
        (Comparison::Ne, "ne"),
        (Comparison::Lt, "lt"),
        (Comparison::Le, "le"),
        (Comparison::Gt, "gt"),
        (Comparison::Ge, "ge"),
        (Comparison::Lo, "lo"),
        (Comparison::Ls, "ls"),
        (Comparison::Hi, "hi"),
        (Comparison::Hs, "hs"),
        (Comparison::Equ, "equ"),
        (Comparison::Neu, "neu"),
        (Comparison::Ltu, "ltu"),
        (Comparison::Leu, "leu"),
        (Comparison::Gtu, "gtu"),
        (Comparison::Geu, "geu"),
        (Comparison::Num, "num"),
        (Comparison::Nan, "nan"),
    ];

    /// Returns the operator that PTX writes as `name`, without the dot.
    pub fn from_modifier(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|entry| entry.1 == name)
            .map(|entry| entry.0)
    }

    /// Whether the relation of two operands satisfies the operator; the relation is `None` if one
    /// is NaN.
    #[inline(always)]
    pub fn holds(self, relation: Option<Ordering>) -> bool {
        use Comparison::*;
        let Some(relation) = relation else {
            return matches!(self, Equ | Neu | Ltu | Leu | Gtu | Geu | Nan);
        };
        match self {
            Eq | Equ => relation == Ordering::Equal,
            Ne | Neu => relation != Ordering::Equal,
            Lt | Lo | Ltu => relation == Ordering::Less,
            Le | Ls | Leu => relation != Ordering::Greater,
            Gt | Hi | Gtu => relation == Ordering::Greater,
            Ge | Hs | Geu => relation != Ordering::Less,
            Num => true,
            Nan => false,
        }
    }

    /// Compares integers, already of the type (and so signedness) that the instruction compares.
    ///
    /// ```
    /// use emulator::numerics::compare::Comparison;
    /// assert!(Comparison::Lt.integers(-1i32, 0));
    /// assert!(Comparison::Hi.integers(-1i32 as u32, 0));
    /// ```
    #[inline(always)]
    pub fn integers<T: Ord>(self, a: T, b: T) -> bool {
        self.holds(Some(a.cmp(&b)))
    }

    /// Compares two `.f32`, with `.ftz` if requested.
    ///
    /// ```
    /// use emulator::numerics::compare::Comparison;
    /// let nan = f32::NAN.to_bits();
    /// assert!(!Comparison::Ne.f32(nan, 0, false) && Comparison::Neu.f32(nan, 0, false));
    /// assert!(Comparison::Eq.f32(1, 0, true));
    /// ```
    #[inline(always)]
    pub fn f32(self, a: u32, b: u32, ftz: bool) -> bool {
        let value = |bits| {
            f32::from_bits(if ftz {
                super::float32::flush(bits)
            } else {
                bits
            })
        };
        self.holds(value(a).partial_cmp(&value(b)))
    }

    /// Compares two `.f64`.
    #[inline(always)]
    pub fn f64(self, a: u64, b: u64) -> bool {
        self.holds(f64::from_bits(a).partial_cmp(&f64::from_bits(b)))
    }

    /// Compares two `.f16` or `.bf16`, with `.ftz` if requested.
    #[inline(always)]
    pub fn half(self, kind: super::half_math::HalfKind, a: u16, b: u16, ftz: bool) -> bool {
        let value = |bits| f32::from_bits(kind.to_f32(if ftz { kind.flush(bits) } else { bits }));
        self.holds(value(a).partial_cmp(&value(b)))
    }
}

/// A property that `testp` tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// `.finite`: neither infinite nor NaN.
    Finite,
    /// `.infinite`
    Infinite,
    /// `.number`: not NaN.
    Number,
    /// `.notanumber`
    NotANumber,
    /// `.normal`: finite and not subnormal; zeros count as normal.
    Normal,
    /// `.subnormal`
    Subnormal,
}

impl Property {
    /// Returns the property that PTX writes as `name`, without the dot.
    pub fn from_modifier(name: &str) -> Option<Self> {
        Some(match name {
            "finite" => Self::Finite,
            "infinite" => Self::Infinite,
            "number" => Self::Number,
            "notanumber" => Self::NotANumber,
            "normal" => Self::Normal,
            "subnormal" => Self::Subnormal,
            _ => return None,
        })
    }

    #[inline(always)]
    fn of(self, class: std::num::FpCategory) -> bool {
        use std::num::FpCategory as Class;
        match self {
            Self::Finite => !matches!(class, Class::Nan | Class::Infinite),
            Self::Infinite => class == Class::Infinite,
            Self::Number => class != Class::Nan,
            Self::NotANumber => class == Class::Nan,
            Self::Normal => matches!(class, Class::Normal | Class::Zero),
            Self::Subnormal => class == Class::Subnormal,
        }
    }

    /// Tests an `.f32` by `testp.*.f32`.
    ///
    /// ```
    /// use emulator::numerics::compare::Property;
    /// assert!(Property::Normal.f32(0) && !Property::Normal.f32(1));
    /// ```
    #[inline(always)]
    pub fn f32(self, bits: u32) -> bool {
        self.of(f32::from_bits(bits).classify())
    }

    /// Tests an `.f64` by `testp.*.f64`.
    #[inline(always)]
    pub fn f64(self, bits: u64) -> bool {
        self.of(f64::from_bits(bits).classify())
    }
}

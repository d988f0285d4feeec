//! The element types of a GEMM's operands, and the orders of their elements.
//!
//! ```text
//!   Majors   A              B                      Major: the extent along which elements are contiguous
//!   Tn       row-major      column-major           K   K
//!   Nn       column-major   column-major           Mn  K
//!   Tt       row-major      row-major              K   Mn
//!   Nt       column-major   row-major              Mn  Mn
//! ```

/// The element type of A and B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputType {
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// f32, multiplied as TF32, with 10 bits of fraction. Values are rounded to nearest with ties
    /// away from zero. Hopper's kernels round ties to even, as tensor maps do.
    Tf32,
    /// Signed 8-bit integers.
    S8,
    /// 8-bit floats with 4 exponent and 3 fraction bits, without infinities.
    E4m3,
    /// 8-bit floats with 5 exponent and 2 fraction bits.
    E5m2,
}

impl InputType {
    /// All types.
    pub const ALL: [Self; 6] = [
        Self::F16,
        Self::Bf16,
        Self::Tf32,
        Self::S8,
        Self::E4m3,
        Self::E5m2,
    ];

    /// Returns the size of an element in bytes.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::Tf32 => 4,
            Self::S8 | Self::E4m3 | Self::E5m2 => 1,
        }
    }

    /// Returns the default accumulator type of a product with these inputs: s32 for s8, f32 for all
    /// others.
    #[must_use]
    pub const fn default_accumulator(self) -> AccumulatorType {
        match self {
            Self::S8 => AccumulatorType::S32,
            Self::F16 | Self::Bf16 | Self::Tf32 | Self::E4m3 | Self::E5m2 => AccumulatorType::F32,
        }
    }

    /// Returns the default type of D: bf16 for 8-bit floats, otherwise the inputs' type.
    #[must_use]
    pub const fn default_output(self) -> OutputType {
        match self {
            Self::E4m3 | Self::E5m2 => OutputType::Bf16,
            Self::F16 | Self::Bf16 | Self::Tf32 | Self::S8 => OutputType::Same,
        }
    }

    /// Whether an element is an 8-bit float.
    #[must_use]
    pub const fn is_fp8(self) -> bool {
        matches!(self, Self::E4m3 | Self::E5m2)
    }
}

/// The type of the accumulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccumulatorType {
    /// f32, for all floating-point inputs.
    F32,
    /// binary16, for binary16 inputs.
    F16,
    /// 32-bit integers, for 8-bit inputs. Sums wrap on overflow.
    S32,
}

impl AccumulatorType {
    /// Whether an MMA instruction accumulates products of `input` in this type (PTX ISA,
    /// `mma.sync`).
    #[must_use]
    pub const fn accepts(self, input: InputType) -> bool {
        match self {
            Self::F32 => !matches!(input, InputType::S8),
            Self::F16 => matches!(input, InputType::F16),
            Self::S32 => matches!(input, InputType::S8),
        }
    }
}

/// The element type of C and D.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputType {
    /// The inputs' type, rounded to nearest even. 8-bit integers are clamped to -128..=127, and
    /// 8-bit floats to the largest finite number.
    Same,
    /// bf16, for inputs of 8-bit floats.
    Bf16,
    /// f32.
    F32,
    /// The 32-bit integer accumulator, unchanged, without an epilogue. For s8 only.
    S32,
}

impl OutputType {
    /// Returns the size of an element in bytes, for inputs of the type `input`.
    #[must_use]
    pub const fn bytes(self, input: InputType) -> u32 {
        match self {
            Self::Same => input.bytes(),
            Self::Bf16 => 2,
            Self::F32 | Self::S32 => 4,
        }
    }
}

/// The order of a matrix's elements in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Row-major: a row's elements are contiguous.
    #[default]
    Rows,
    /// Column-major: a column's elements are contiguous.
    Columns,
}

impl core::fmt::Display for Order {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Rows => "row-major",
            Self::Columns => "column-major",
        })
    }
}

/// The extent along which an operand's elements are contiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Major {
    /// k: A is row-major, B column-major.
    K,
    /// m or n: A is column-major, B row-major.
    Mn,
}

/// The majors of A and B, named by BLAS's letters as in CuTe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Majors {
    /// A row-major, B column-major: both K-major.
    Tn,
    /// A column-major, B column-major.
    Nn,
    /// A row-major, B row-major.
    Tt,
    /// A column-major, B row-major.
    Nt,
}

impl Majors {
    /// Returns the major of A.
    #[must_use]
    pub const fn a(self) -> Major {
        match self {
            Self::Tn | Self::Tt => Major::K,
            Self::Nn | Self::Nt => Major::Mn,
        }
    }

    /// Returns the major of B.
    #[must_use]
    pub const fn b(self) -> Major {
        match self {
            Self::Tn | Self::Nn => Major::K,
            Self::Tt | Self::Nt => Major::Mn,
        }
    }

    /// Returns the majors for these orders of A and B.
    #[must_use]
    pub const fn of(a: Order, b: Order) -> Self {
        match (a, b) {
            (Order::Rows, Order::Columns) => Self::Tn,
            (Order::Columns, Order::Columns) => Self::Nn,
            (Order::Rows, Order::Rows) => Self::Tt,
            (Order::Columns, Order::Rows) => Self::Nt,
        }
    }

    /// Returns the orders of A and B.
    #[must_use]
    pub const fn orders(self) -> [Order; 2] {
        match self {
            Self::Tn => [Order::Rows, Order::Columns],
            Self::Nn => [Order::Columns, Order::Columns],
            Self::Tt => [Order::Rows, Order::Rows],
            Self::Nt => [Order::Columns, Order::Rows],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn majors_and_orders_are_one_to_one() {
        for majors in [Majors::Tn, Majors::Nn, Majors::Tt, Majors::Nt] {
            let [a, b] = majors.orders();
            assert_eq!(Majors::of(a, b), majors);
            // A (m, k) is contiguous along k if it is row-major, B (k, n) if it is column-major.
            assert_eq!(majors.a() == Major::K, a == Order::Rows);
            assert_eq!(majors.b() == Major::K, b == Order::Columns);
        }
    }

    #[test]
    fn the_default_accumulator_accepts_its_inputs() {
        for input in InputType::ALL {
            assert!(input.default_accumulator().accepts(input));
            assert!(!(AccumulatorType::F16.accepts(input) && input != InputType::F16));
        }
    }
}

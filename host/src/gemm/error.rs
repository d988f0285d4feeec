//! Why operands have no product, or not the one that a launch was planned for.
//!
//! ```text
//!   operands ─ check ─► CheckedOperands ─ prepare ─► launch
//!                 └─► GemmError ◄──────────┘            which operand, the values found and allowed
//! ```

use super::matrix::PlacementError;
use crate::error::Error;
use kernel_abi::gemm::{GemmProblem, InputType};
use thiserror::Error as ThisError;

/// Why operands have no product, or not the one that a launch was planned for.
#[derive(ThisError)]
#[non_exhaustive]
pub enum GemmError {
    /// An operand is not a matrix of its buffer.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// No operand is an argument of a kernel.
    #[error("no operand is the kernel's argument `{name}`")]
    Argument {
        /// The argument.
        name: &'static str,
    },
    /// Two operands' extents differ.
    #[error("{first} has {found} {what}, {second} has {expected} {other}: they must be equal")]
    Extents {
        /// The first operand.
        first: &'static str,
        /// The second operand.
        second: &'static str,
        /// What is counted of the first.
        what: &'static str,
        /// What is counted of the second.
        other: &'static str,
        /// How many the first has.
        found: usize,
        /// How many the second has.
        expected: usize,
    },
    /// D or C is column-major: `Dᵀ = Bᵀ·Aᵀ` is the product to compute.
    #[error(
        "{name} is column-major; kernels write rows. Compute the transpose: exchange A and B, each in the other order"
    )]
    Order {
        /// Which operand.
        name: &'static str,
    },
    /// An extent is beyond 32 bits.
    #[error("{what} is {given}; a product's extents are at most {}", u32::MAX)]
    TooLarge {
        /// Which extent.
        what: &'static str,
        /// Its value.
        given: usize,
    },
    /// The bias is not one number per column.
    #[error(
        "the bias has {}; D has {}",
        emulator::counted(given, "element"),
        emulator::counted(expected, "column")
    )]
    Bias {
        /// Elements of the bias.
        given: usize,
        /// Columns of D.
        expected: usize,
    },
    /// Scales of blocks where there is not one for each.
    #[error(
        "{name} has {}; the product needs {expected}, one for each block of 128",
        emulator::counted(given, "scale")
    )]
    Scales {
        /// Whose they are.
        name: &'static str,
        /// How many there are.
        given: usize,
        /// How many blocks there are.
        expected: u64,
    },
    /// Scales of blocks of another type.
    #[error("scales of blocks are for e4m3 floats, not for {input:?}")]
    ScalesOf {
        /// The type of A and B.
        input: InputType,
    },
    /// A grouped product without groups, or with what it has not.
    #[error(
        "a grouped product has at least one group, and neither C nor scales of blocks; this one has {}",
        emulator::counted(groups, "group")
    )]
    Groups {
        /// Its groups.
        groups: usize,
    },
    /// A list of M, N and K of other than three numbers a group.
    #[error(
        "the list of a grouped product with extents of its own has M, N and K of each group; this one has {}, no multiple of 3",
        emulator::counted(listed, "number")
    )]
    GroupExtents {
        /// Numbers of the list.
        listed: usize,
    },
    /// The operands are those of another problem than the launch was planned for.
    #[error("the launch was planned for {planned:?}; the operands are those of {found:?}")]
    OtherProblem {
        /// The problem of the operands.
        found: Box<GemmProblem>,
        /// The problem of the plan.
        planned: Box<GemmProblem>,
    },
    /// The device, the module or the launch.
    #[error(transparent)]
    Host(#[from] Error),
}

/// As `Display`: a test that ends with this error prints its sentence.
impl std::fmt::Debug for GemmError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

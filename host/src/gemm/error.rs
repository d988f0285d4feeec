//! Why operands form no product, or a product other than the one for which a launch was planned.
//!
//! ```text
//!   operands ─ check ─► CheckedOperands ─ prepare ─► launch
//!                 └─► GemmError ◄──────────┘            which operand, the values found and allowed
//! ```

use super::matrix::PlacementError;
use crate::error::Error;
use kernel_abi::gemm::{GemmProblem, InputType};
use thiserror::Error as ThisError;

/// Why operands form no product, or a product other than the one for which a launch was planned.
#[derive(ThisError)]
#[non_exhaustive]
pub enum GemmError {
    /// An operand does not fit into its buffer as a matrix.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// No operand provides an argument of a kernel.
    #[error("no operand is the kernel's argument `{name}`")]
    Argument {
        /// The name of the argument.
        name: &'static str,
    },
    /// Two operands' extents differ.
    #[error("{first} has {found} {what}, {second} has {expected} {other}: they must be equal")]
    Extents {
        /// The name of the first operand.
        first: &'static str,
        /// The name of the second operand.
        second: &'static str,
        /// What is counted for the first operand.
        what: &'static str,
        /// What is counted for the second operand.
        other: &'static str,
        /// The number that the first operand has.
        found: usize,
        /// The number that the second operand has.
        expected: usize,
    },
    /// D or C is column-major, which kernels do not support. The caller can compute `Dᵀ = Bᵀ·Aᵀ`
    /// instead.
    #[error(
        "{name} is column-major; kernels write rows. Compute the transpose: exchange A and B, each in the other order"
    )]
    Order {
        /// The name of the operand.
        name: &'static str,
    },
    /// An extent does not fit in 32 bits.
    #[error("{what} is {given}; a product's extents are at most {}", u32::MAX)]
    TooLarge {
        /// The name of the extent.
        what: &'static str,
        /// The value of the extent.
        given: usize,
    },
    /// The bias does not have one number per column.
    #[error(
        "the bias has {}; D has {}",
        emulator::counted(given, "element"),
        emulator::counted(expected, "column")
    )]
    Bias {
        /// The number of elements of the bias.
        given: usize,
        /// The number of columns of D.
        expected: usize,
    },
    /// Scales of blocks do not have one number for each block.
    #[error(
        "{name} has {}; the product needs {expected}, one for each block of 128",
        emulator::counted(given, "scale")
    )]
    Scales {
        /// The operand to which the scales belong.
        name: &'static str,
        /// The number of scales that were given.
        given: usize,
        /// The number of blocks.
        expected: u64,
    },
    /// Scales of blocks are given for an element type that has no such scales.
    #[error("scales of blocks are for e4m3 floats, not for {input:?}")]
    ScalesOf {
        /// The type of A and B.
        input: InputType,
    },
    /// A grouped product has no groups, or has an operand that grouped products do not have.
    #[error(
        "a grouped product has at least one group, and neither C nor scales of blocks; this one has {}",
        emulator::counted(groups, "group")
    )]
    Groups {
        /// The number of groups.
        groups: usize,
    },
    /// A list of M, N and K does not have three numbers for each group.
    #[error(
        "the list of a grouped product with extents of its own has M, N and K of each group; this one has {}, no multiple of 3",
        emulator::counted(listed, "number")
    )]
    GroupExtents {
        /// The number of elements of the list.
        listed: usize,
    },
    /// The operands describe another problem than the one for which the launch was planned.
    #[error("the launch was planned for {planned:?}; the operands are those of {found:?}")]
    OtherProblem {
        /// The problem of the operands.
        found: Box<GemmProblem>,
        /// The problem of the plan.
        planned: Box<GemmProblem>,
    },
    /// An error of the device, the module or the launch.
    #[error(transparent)]
    Host(#[from] Error),
}

/// Writes the same as `Display`: a test that ends with this error prints its sentence.
impl std::fmt::Debug for GemmError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

//! Matrix products on a device: operands whose shapes are checked once, and launches that the crate
//! with the kernels plans.
//!
//! ```text
//!   Matrix a, b, c, MatrixMut d ─ check ─► CheckedOperands ─ problem ─► GemmProblem        or a GemmError
//!                                                │                          │  crate with the kernels
//!                                                │                          ▼
//!                                             prepare ◄────────────────── Plan
//!                                                └─► PreparedGemm: run, or enqueue again and again
//! ```
//!
//! This crate contains neither the kernels nor the layout algebra. It contains the requirements on
//! a product's operands, and the arguments of a GEMM kernel: D, A, B, C, the bias, the workspace,
//! and [`GemmParams`](kernel_abi::gemm::GemmParams).
//!
//! Law: the operands of a prepared product fit each other and lie in their buffers, a written
//! operand does not overlap itself, and the workspace has the size and contents that the plan
//! states.

mod element;
mod error;
mod matrix;
mod operands;
mod prepared;
mod scales;

pub use crate::workspace::Workspace;
pub use element::{InputElement, OutputElement};
pub use error::GemmError;
pub use kernel_abi::gemm::Order;
pub use matrix::{Matrix, MatrixMut, Placement, PlacementError};
pub use operands::{BorrowedOperands, CheckedOperands, Operands, PlanBuffers};
pub use prepared::PreparedGemm;
pub use scales::BlockScales;

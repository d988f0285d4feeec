//! Matrix products on a device: operands whose shapes are checked once, and launches whose plan
//! comes from a crate that knows the kernels.
//!
//! ```text
//!   Matrix a, b, c, MatrixMut d ─ check ─► CheckedOperands ─ problem ─► GemmProblem        or a GemmError
//!                                                │                          │  a crate that knows the kernels
//!                                                │                          ▼
//!                                             prepare ◄────────────────── Plan
//!                                                └─► PreparedGemm: run, or enqueue again and again
//! ```
//!
//! This crate knows no kernel and no algebra. It knows how a product's operands have to lie, and
//! the arguments of a GEMM kernel: D, A, B, C, the bias, the workspace, and
//! [`GemmParams`](kernel_abi::gemm::GemmParams).
//!
//! Law: the operands of a prepared product fit each other and lie in their buffers, no two elements
//! of D share a place, and the workspace has the size and contents that the plan states.

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

//! `mma.sync` of Volta: each quarter of a warp multiplies 8×4 by 4×8 f16.
//!
//! ```text
//!   lanes 0..4 and 16..20 are one quarter, 4..8 and 20..24 the next, ..      A and B row- or column-major: tn, nt, nn, tt
//! ```
//!
//! Law: four products `D = A·B + C` at once, a quarter's of its own lanes' registers only. From sm_80 on it runs, slowly.
//!
//! Source: PTX ISA, *Matrix Fragments for mma.m8n8k4 with .f16 floating point type*; CuTe `cute/arch/mma_sm70.hpp`.

pub use super::generated::mma_sm70::*;

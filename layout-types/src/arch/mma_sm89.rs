//! `mma.sync` of Ada: 8-bit floats with k = 32.
//!
//! ```text
//!   lane 4 g + t:   A rows g and g + 8, B column g, four bytes from 4 t and four from 4 t + 16 on along k
//! ```
//!
//! Law: `D = A·B + C` with products exact and sums in f32 or f16, rounded as the hardware does.
//!
//! Source: PTX ISA, *Matrix Fragments for mma.m16n8k32*; CuTe `cute/arch/mma_sm89.hpp`.

pub use super::generated::mma_sm89::*;

//! `mma.sync` of Hopper: f64 with 16 rows.
//!
//! ```text
//!   lane 4 g + t:   A rows g and g + 8, B column g, elements t, t + 4, .. along k
//! ```
//!
//! Law: `D = A·B + C`, as chains of `fma` along k.
//!
//! Source: PTX ISA, *Matrix Fragments for mma.m16n8k4 .. m16n8k16 with .f64*; CuTe `cute/arch/mma_sm90.hpp`.

pub use super::generated::mma_sm90::*;

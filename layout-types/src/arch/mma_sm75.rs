//! `mma.sync` of Turing: f16 with k = 8, 8-bit integers with k = 16.
//!
//! ```text
//!   lane 4 g + t:   A rows g (and g + 8), B column g, both along k from t on;   C row g (and g + 8), columns 2 t, 2 t + 1
//! ```
//!
//! Law: `D = A·B + C`; integers are exact and wrap.
//!
//! Source: PTX ISA, *Matrix Fragments for mma.m16n8k8*, *mma.m8n8k16*; CuTe `cute/arch/mma_sm75.hpp`.

pub use super::generated::mma_sm75::*;

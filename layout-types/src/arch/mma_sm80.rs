//! `mma.sync` of Ampere: a warp multiplies an m×k fragment by a k×8 fragment and adds an m×8 fragment.
//!
//! ```text
//!            B (k, n)
//!           ┌───────┐ 8        lane l holds rows l/4 and l/4+8, columns 2(l%4) and 2(l%4)+1 of C and D;
//!  A (m, k) │       │          A and B in 32-bit registers, neighbours along k in each, the lower k first
//!  ┌──────┐ ├───────┤
//!  │      │ │ C, D  │ 16
//!  └──────┘ └───────┘
//! ```
//!
//! Law: `D = A·B + C`. Of floats the products are exact and the sum is rounded as the hardware does (its order is not
//! specified), f64 excepted, which is a chain of `fma`; integers are exact and wrap, or with `satfinite` are clamped; of
//! bits the products are `xor` or `and` and are counted.
//!
//! Source: PTX ISA, *Warp-level matrix instructions: mma*; CuTe `cute/arch/mma_sm80.hpp`.

pub use super::generated::mma_sm80::*;

//! The arithmetic of PTX as pure functions over bits: no registers, no memory, no state.
//!
//! ```text
//!   soft       every format and rounding mode in integer arithmetic      the reference
//!   float32 float64 half_math     add, mul, fma, div, ... rounded once   what instructions call
//!   half bf16 tf32 fp8 ue8m0 convert    formats and `cvt`
//!   mma  matrix                   tensor cores and matrix moves, by their fragment layouts
//!   integer                       shifts, bit fields, permutes, dot products
//!   video                         bytes and half-words of registers
//! ```
//!
//! Law: if PTX defines a result, the function returns exactly its bits. If PTX leaves it undefined
//! (approximations, NaN payloads, the order of a tensor core's sum), the function's documentation
//! says what is returned.
//!
//! A value is passed as its bits (`u16`, `u32`, `u64`), as a register holds it.

pub mod approx;
pub mod bf16;
pub mod compare;
pub mod convert;
pub mod float32;
pub mod float64;
pub mod format;
pub mod fp8;
pub mod half;
pub mod half_math;
pub mod integer;
pub mod integral;
pub mod matrix;
pub mod minmax;
pub mod mma;
pub mod packed;
pub mod rounding;
pub mod soft;
pub mod tf32;
pub mod ue8m0;
pub mod video;

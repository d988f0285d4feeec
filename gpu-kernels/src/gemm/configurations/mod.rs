//! The configurations of this crate's kernels.

#[cfg(feature = "reference")]
mod reference;
#[cfg(feature = "gemm-s8")]
mod s8;
#[cfg(any(feature = "gemm-f16-small", feature = "gemm-bf16"))]
mod sixteen_bit;
#[cfg(feature = "gemm-tf32")]
mod tf32;

#[cfg(feature = "reference")]
pub use reference::{Reference, ReferenceS2rA, ReferenceS2rB};
#[cfg(feature = "gemm-s8")]
pub use s8::*;
#[cfg(any(feature = "gemm-f16-small", feature = "gemm-bf16"))]
pub use sixteen_bit::*;
#[cfg(feature = "gemm-tf32")]
pub use tf32::*;

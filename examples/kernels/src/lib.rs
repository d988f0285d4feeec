//! The kernels of the examples, from a copy to a convolution.
//!
//! ```text
//!   examples/NN_name.rs ──► host::Device ──► PTX of this crate (by example-ptx) ──► GPU or emulator
//! ```
//!
//! Law: each kernel's module says what it computes and how it must be launched; the examples check
//! it against plain code.

pub mod convolution;
pub mod fused_gemm;
pub mod hgemm;
pub mod loader_stages;
pub mod own_attention;
pub mod reduce;
pub mod relu_gemm;
pub mod rows;
pub mod softmax;
pub mod stream;

//! A kernel for each algorithm on tensors that needs a GPU, on one tile of data.
//!
//! ```text
//!   copies     global ─► swizzled shared ─► registers ─► global       ldmatrix, stmatrix, cp.async, as wide as layouts prove
//!   products   D += A Bᵀ of a tile, by tiled MMAs                     f16, tf32, s8, f64, and threads' own multiply-adds
//!   elements   axpby, transform, reduce, fill                         each thread its part
//! ```
//!
//! Law: no kernel computes an index: the kernel's types determine the thread that holds each
//! element. `atom-checks` computes the expected results by loops.

pub mod copies;
pub mod elements;
pub mod products;

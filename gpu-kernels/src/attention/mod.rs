//! Attention: what its kernels for all architectures share.
//!
//! ```text
//!   score            what becomes of a score before the softmax: a user's own function
//!   value, mask      elements, and where a thread's scores are
//!   softmax, quad, epilogue, tile_scheduler
//! ```
//!
//! Law: that of [`kernel_abi::attention`]. Key blocks that a mask cuts come first, in a loop of their own.

pub mod epilogue;
pub mod mask;
pub mod quad;
pub mod score;
pub mod softmax;
pub mod tile_scheduler;
pub mod value;

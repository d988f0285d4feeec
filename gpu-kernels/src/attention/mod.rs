//! Attention: what its kernels for all architectures share, and those by `mma.sync`, for every GPU from Ampere on.
//!
//! ```text
//!   shared with Hopper's   score            what becomes of a score before the softmax: a user's own function
//!                          value, mask      elements, and where a thread's scores are
//!                          softmax, quad, epilogue, tile_scheduler
//!                          sequences        which rows are of one sequence: all of one length, or packed
//!                          backward         the gradients, whose kernels share a part as well
//!   by mma.sync            configurations   the table of kernels; config says what a configuration is, multistage_attention implements one
//!                          soft_cap         the table of those with a soft cap
//!                          packed           the table of those of packed sequences
//!                          mainloop         blocks of keys, one after the other
//!                          collective       a thread's tensors, and the two products
//!                          fragments        scores, probabilities and O in registers
//!                          layouts
//! ```
//!
//! Law: that of [`kernel_abi::attention`]. Key blocks that a mask cuts come first, in a loop of their own.

pub mod backward;
pub mod collective;
pub mod config;
#[cfg(any(
    feature = "attention",
    feature = "attention-soft-cap",
    feature = "attention-packed",
    not(target_arch = "nvptx64")
))]
pub mod configurations;
pub mod epilogue;
pub mod fragments;
pub mod layouts;
pub mod mainloop;
pub mod mask;
#[cfg(any(
    feature = "attention",
    feature = "attention-soft-cap",
    feature = "attention-packed",
    feature = "attention-backward",
    not(target_arch = "nvptx64")
))]
mod multistage_attention;
#[cfg(any(feature = "attention-packed", not(target_arch = "nvptx64")))]
pub mod packed;
pub mod quad;
pub mod score;
pub mod sequences;
#[cfg(any(feature = "attention-soft-cap", not(target_arch = "nvptx64")))]
pub mod soft_cap;
pub mod softmax;
pub mod tile_scheduler;
pub mod value;

#[cfg(not(target_arch = "nvptx64"))]
pub use backward::BACKWARD_CONFIGURATIONS;
#[cfg(not(target_arch = "nvptx64"))]
pub use configurations::CONFIGURATIONS;
#[cfg(not(target_arch = "nvptx64"))]
pub use packed::PACKED_CONFIGURATIONS;
#[cfg(not(target_arch = "nvptx64"))]
pub use soft_cap::SOFT_CAP_CONFIGURATIONS;

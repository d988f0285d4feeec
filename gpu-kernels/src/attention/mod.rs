//! Attention: what its kernels for all architectures share, and those by `mma.sync`, for every GPU from Ampere on.
//!
//! ```text
//!   shared with Hopper's   score            what becomes of a score before the softmax: a user's own function
//!                          value, mask      elements, and where a thread's scores are
//!                          softmax, quad, epilogue, tile_scheduler
//!                          sequences        which rows are of one sequence: all of one length, or packed
//!                          backward         the gradients, whose kernels share a part as well
//!   by mma.sync            configurations   the table of kernels; config says what a configuration is, multistage_attention implements one
//!                          variants         the tables of those with a soft cap, of packed sequences, and of both
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
    feature = "attention-packed-backward",
    not(target_arch = "nvptx64")
))]
mod multistage_attention;
pub mod quad;
pub mod score;
pub mod sequences;
pub mod softmax;
pub mod tile_scheduler;
pub mod value;
#[cfg(any(
    feature = "attention-soft-cap",
    feature = "attention-packed",
    not(target_arch = "nvptx64")
))]
pub mod variants;

#[cfg(not(target_arch = "nvptx64"))]
pub use backward::{BACKWARD_CONFIGURATIONS, PACKED_BACKWARD_CONFIGURATIONS};
#[cfg(not(target_arch = "nvptx64"))]
pub use configurations::CONFIGURATIONS;
#[cfg(not(target_arch = "nvptx64"))]
pub use variants::{
    PACKED_CONFIGURATIONS, PACKED_SOFT_CAP_CONFIGURATIONS, SOFT_CAP_CONFIGURATIONS,
};

//! Attention: what its kernels for all architectures share, and those by `mma.sync`, for every GPU
//! from Ampere on.
//!
//! ```text
//!   shared with Hopper's   score            what becomes of a score before the softmax: a user's own function
//!                          value, mask      elements, and where a thread's scores are
//!                          softmax, quad, epilogue, tile_scheduler
//!                          sequences        which rows are of one sequence: all of one length, or packed
//!                          backward         the gradients, whose kernels share a part as well
//!   by mma.sync            table            a line a head dimension: every kernel, and the tables that the host plans by
//!                          attention_kernel configurations and kernels of a line, or of one's own; config says what a configuration is
//!                          head_dimension   how rows of D lie in shared memory, and how they are copied
//!                          mainloop         blocks of keys, one after the other
//!                          collective       a thread's tensors, and the two products
//!                          fragments        scores, probabilities and O in registers
//!                          layouts          tiled copies and tiled MMAs
//! ```
//!
//! Law: that of [`kernel_abi::attention`]. Key blocks that a mask cuts come first, in a loop of
//! their own.

mod attention_kernel;
pub mod backward;
pub mod collective;
pub mod config;
pub mod epilogue;
pub mod fragments;
pub mod head_dimension;
pub mod layouts;
pub mod mainloop;
pub mod mask;
pub mod quad;
#[doc(hidden)]
pub mod scope;
pub mod score;
pub mod sequences;
pub mod softmax;
#[cfg(any(
    feature = "attention",
    feature = "attention-soft-cap",
    feature = "attention-packed",
    feature = "attention-score-parts",
    feature = "attention-backward",
    feature = "attention-packed-backward",
    not(target_arch = "nvptx64")
))]
pub mod table;
pub mod tile_scheduler;
pub mod value;
#[cfg(any(feature = "attention-score-parts", not(target_arch = "nvptx64")))]
pub mod value_dims;

#[cfg(not(target_arch = "nvptx64"))]
pub use table::{
    BACKWARD_CONFIGURATIONS, CONFIGURATIONS, ON_DEMAND, PACKED_BACKWARD_CONFIGURATIONS,
    PACKED_CONFIGURATIONS, PACKED_SOFT_CAP_CONFIGURATIONS, SCORE_BACKWARD_CONFIGURATIONS,
    SCORE_CONFIGURATIONS, SOFT_CAP_CONFIGURATIONS,
};
#[cfg(not(target_arch = "nvptx64"))]
pub use value_dims::VALUE_DIM_CONFIGURATIONS;

//! Attention: the parts that the kernels for all architectures share, and the kernels by
//! `mma.sync`, for every GPU from Ampere on.
//!
//! ```text
//!   shared with Hopper's   score            functions of a score before the softmax, also a user's own
//!                          value, mask      elements, and the coordinates of a thread's scores
//!                          softmax, quad, epilogue, tile_scheduler
//!                          sequences        the rows of each sequence: all of one length, or packed
//!                          backward         the gradients, with a shared part of their own
//!   by mma.sync            table            all kernels, one line per head dimension, and the tables from which the host plans
//!                          attention_kernel configurations and kernels of a line, or a user's own; config defines a configuration
//!                          head_dimension   the layout of rows of D in shared memory, and their tiled copies
//!                          mainloop         blocks of keys, one after the other
//!                          collective       the tensors of a thread, and the two products
//!                          fragments        scores, probabilities and O in registers
//!                          layouts          tiled copies and tiled MMAs
//! ```
//!
//! Law: the results are those that [`kernel_abi::attention`] defines. Masked key blocks come first,
//! in a loop of their own.

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

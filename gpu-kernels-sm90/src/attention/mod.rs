//! Attention for Hopper: `O = softmax(scale Q Kᵀ + mask) V` by TMA, `wgmma` and an online softmax.
//!
//! ```text
//!   warp group 0     producer     three threads: Q once a tile, blocks of K and of V in stages
//!   warp groups 1..  consumers    64 queries each:   S = Q Kᵀ ─ softmax ─ P in registers ─ O += P V ─► O, rounded
//!                                 S of the next block is issued before P V of this block, and the softmax runs meanwhile
//!
//!   configurations, packed, soft_cap   the tables of kernels; config says what a configuration is
//!   composed        a configuration with a score function, of packed sequences, or both
//!   kernel          the roles                                                  the kernel's body: these two
//!   mainloop        loads, and the two products
//!   cta_problem     a CTA's tiles, their blocks of keys, and the functions of scores
//!   fragments       scores, probabilities and O in registers
//!   output          O on its way through the blocks, in the accumulator or in f32 beside it
//!   epilogue        O and the log-sum-exp
//!   score           the function of a score before the softmax, which may be a user's own
//!   sequences       which rows are of one sequence: all of one length, or packed
//!   tiles           Q, K and V in shared memory, and their loads: Blackwell's too
//!   pipelines, smem_tile
//!   softmax, tile_scheduler, value   those of `gpu_kernels`, as Ampere's kernels have them
//!   decode          one query a sequence, keys in pages, in 16 bits or 8, or latent
//!   fp8             Q, K and V in 8-bit floats
//!   backward        the gradients
//! ```
//!
//! Law: the law of [`kernel_abi::attention`] holds. Key blocks that a mask cuts come first, in a
//! loop of their own.

// As in `gemm`: a build for an architecture without `wgmma` does not compile code that names its
// instructions.
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub mod backward;
pub mod composed;
pub mod config;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub mod configurations;
pub mod cta_problem;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub mod decode;
pub mod epilogue;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub mod fp8;
pub mod fragments;
pub mod kernel;
pub mod mainloop;
pub mod output;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub mod packed;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub mod paged;
pub mod pipelines;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
#[doc(hidden)]
pub mod scope;
pub mod score;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub mod score_parts;
pub mod sequences;
pub mod smem_tile;
pub mod tiles;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub mod value_dims;

#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub use backward::{
    BACKWARD_CONFIGURATIONS, FUSED_BACKWARD_CONFIGURATIONS, PACKED_BACKWARD_CONFIGURATIONS,
    PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS, SCORE_BACKWARD_CONFIGURATIONS,
    SOFT_CAP_BACKWARD_CONFIGURATIONS,
};
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub use configurations::CONFIGURATIONS;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub use decode::{
    DECODE_CONFIGURATIONS, E4M3_DECODE_CONFIGURATIONS, LATENT_DECODE_CONFIGURATIONS,
    SOFT_CAP_DECODE_CONFIGURATIONS, SOFT_CAP_E4M3_DECODE_CONFIGURATIONS,
};
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub use fp8::FP8_CONFIGURATIONS;
pub use gpu_kernels::attention::{softmax, tile_scheduler, value};
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub use packed::PACKED_CONFIGURATIONS;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub use paged::PAGED_CONFIGURATIONS;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub use score_parts::{SCORE_CONFIGURATIONS, SOFT_CAP_CONFIGURATIONS};
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub use value_dims::VALUE_DIM_CONFIGURATIONS;

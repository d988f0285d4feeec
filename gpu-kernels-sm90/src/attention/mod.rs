//! Attention for Hopper: `O = softmax(scale Q Kᵀ + mask) V` by TMA, `wgmma` and an online softmax.
//!
//! ```text
//!   warp group 0     producer     three threads: Q once a tile, blocks of K and of V in stages
//!   warp groups 1..  consumers    64 queries each:   S = Q Kᵀ ─ softmax ─ P in registers ─ O += P V ─► O, rounded
//!                                 S of the next block is issued before P V of this one, and the softmax runs under that
//!
//!   configurations  the table of kernels: each a module of types, into which the files below that name them are included
//!   kernel          the roles                     (included)
//!   mainloop        loads, and the two products   (included)
//!   epilogue        O and the log-sum-exp         (included)
//!   softmax, mask, quad, tile_scheduler
//! ```
//!
//! Law: that of [`kernel_abi::attention`]. Key blocks that a mask cuts come first, in a loop of their own.

pub mod configurations;
pub mod mask;
pub mod quad;
pub mod softmax;
pub mod tile_scheduler;

pub use configurations::CONFIGURATIONS;

//! Algorithms on tensors: copies, matrix products, and operations on each element.
//!
//! ```text
//!   copy(G2s::default(), &t_ag, &t_as)      one atom after the other, as the tiled copy says
//!   copy(AutoVectorizingCopy::default(), &s, &r)      by the widest accesses that both layouts prove
//!   gemm(Mma::default(), &a, &b, &c)        c += a b, over M, N and K of the fragments
//! ```
//!
//! Law: every loop is unrolled by type recursion ([`unroll_type`](crate::unroll::unroll_type)), so
//! that fragments stay in registers. The types of the layouts determine which element is copied
//! where, and how wide the accesses are.
//!
//! A function that all threads of a warp have to call together is `unsafe`, since the compiler
//! cannot check that they do. A function that a single thread can call is not.
//!
//! Source: CuTe `cute/algorithm/`.

pub mod chunks;
mod copy;
mod copy_widths;
mod elementwise;
mod gemm;
pub mod pipeline_async;
mod pipeline_stages;
pub mod pipeline_tma;
pub mod pipeline_umma;
pub mod tile_load;
mod tile_roles;
pub mod warpgroup;

pub use copy::{Atoms, CopyBy, PredicatedCopy, SameCount, copy, copy_if};
pub use copy_widths::copy_atom::{CopyCall, PredicatedCall};
pub use copy_widths::copy_auto::{ByVectors, CopyVectors, Vectors, WordBits};
pub use elementwise::axpby;
pub use elementwise::convert_type;
pub use elementwise::cooperative_copy;
pub use elementwise::prefetch;
pub use elementwise::reduce;
pub use elementwise::{clear, fill};
pub use elementwise::{transform, transform_in_place, transform_with};
pub use gemm::{GemmBy, IsElement, IsOperand, MMA_K, MMA_M, MMA_N, WholeRegisters, gemm};
pub use tile_roles::{chunk_shape, global_matrix, k_block, partial_tile};

pub use crate::arch::copy_sm80::{cp_async_fence, cp_async_wait, cp_async_wait_type};

use crate::layout::LayoutFn;
use crate::tree::ModeTree;
use crate::unroll::Unroll;

/// A layout whose elements a loop can count.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a layout that an algorithm can walk",
    label = "algorithms walk static layouts: fix or slice the run-time modes first"
)]
#[doc(hidden)]
pub trait Walk: LayoutFn {
    /// The number of elements.
    type Count: Unroll;
}
impl<L: LayoutFn> Walk for L
where
    <L::Modes as ModeTree>::Size: Unroll,
{
    type Count = <L::Modes as ModeTree>::Size;
}

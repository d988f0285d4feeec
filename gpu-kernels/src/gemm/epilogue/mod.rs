//! The epilogue: from the accumulator to D.
//!
//! ```text
//!   element   conversions between the accumulator's elements, f32 and D's
//!   op        operations on its values
//!   store     any operation and any D, by way of shared memory, chunk after chunk
//!   staged    the identity into a staging buffer for all of a tile, which is stored later, beside the next tile's mainloop
//! ```

pub mod element;
pub mod op;
pub mod staged;
mod store;

use kernel_abi::gemm::{GemmParams, flags};
use op::EpilogueOp;

/// Whether the epilogue is the identity into a D of the inputs' type, whose rows can be stored by vectors.
#[inline(always)]
pub fn is_identity<Op: EpilogueOp>(params: &GemmParams) -> bool {
    params.epilogue & flags::WIDE == 0
        && Op::is_identity(params)
        && params.epilogue & flags::VECTORS != 0
}

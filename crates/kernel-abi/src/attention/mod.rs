//! Attention: `O = softmax(scale Q Kᵀ + mask) V`, for every head in every batch.
//!
//! ```text
//!   S = scale Q Kᵀ       P = e^(S - maximum of the row)       O = P V / sum of the row       LSE = maximum + ln(sum)
//! ```
//!
//! Law: O differs from the float64 result only by the rounding of P to the elements' type, the
//! rounding of sums in f32, and one rounding of O. A query that sees no key has a row of zeros, and
//! -inf for its log-sum-exp. If a query sees some keys of a block, all rows of V in this block must
//! be finite, because the kernel multiplies the whole block, with weights of 0 for the keys that
//! the query does not see.

mod arguments;
mod backward;
mod choose;
mod decode;
mod fp8;
mod packed;
mod paged;
mod params;
mod parts;
mod plan;
mod problem;
mod scale;

pub use arguments::{AttentionArgument, AttentionKernel};
pub use backward::{
    AttentionBackwardConfiguration, AttentionBackwardParams, AttentionBackwardPlan,
    AttentionBackwardProblem, FusedBackwardConfiguration, FusedBackwardPlan, GradientKernel,
    GradientPlan, GradientReads, PackedBackwardPlan, PackedBackwardProblem, ROWS_THREADS,
    SINK_THREADS, SinkGradientConfiguration, SinkGradientPlan,
};
pub use choose::{cheapest, choose};
pub use decode::{
    COMBINE_THREADS, CacheElement, DecodeConfiguration, DecodeParams, DecodePlan, DecodeProblem,
    MAX_GROUP, MIN_PAGE,
};
pub use fp8::{Fp8AttentionPlan, Fp8AttentionProblem, TransposeParams};
pub use packed::{PackedAttentionPlan, PackedAttentionProblem};
pub use paged::{PageParams, PagedAttentionPlan, PagedAttentionProblem, rows_of_box};
pub use params::{AttentionParams, AttentionReads, flags};
pub use parts::{AttentionParts, KernelSequences};
pub use plan::{AttentionConfiguration, AttentionLoads, AttentionMapPlan, AttentionPlan};
pub use problem::{AttentionMask, AttentionProblem, AttentionStrides, AttentionType, MAX_ROWS};
pub use scale::{EXPONENTS_OF_FP8, EXPONENTS_OF_GRADIENTS, EXPONENTS_OF_HALF, SUMS};

//! Attention with a soft cap: `O = softmax(cap tanh(scale Q Kᵀ / cap) + mask) V`.
//!
//! ```text
//!   AttentionOptions { soft_cap: Some(30.0), .. } ─► SoftCap::new ─► kernel of the table of soft caps, its last argument
//!
//!   attention           AttentionPlan          ─┬─► Hopper's kernel of the element type and the head dimension: one for both plans
//!   attention_packed    PackedAttentionPlan    ─┴─► every other GPU's: one for each plan
//!
//!   attention_decode    DecodePlan             ───► Hopper's kernel of the blocks of keys (`decode.rs`)
//! ```
//!
//! The kernels of the gradients with a soft cap are those with any score part (`backward.rs`).

use super::distinct;
use crate::CutletError;
use gpu_kernels_sm90::attention::score::SoftCap;
use kernel_abi::ProblemError;

pub use gpu_kernels::attention::PACKED_SOFT_CAP_CONFIGURATIONS as MMA_PACKED_SOFT_CAP_CONFIGURATIONS;
pub use gpu_kernels::attention::SOFT_CAP_CONFIGURATIONS as MMA_SOFT_CAP_CONFIGURATIONS;
pub use gpu_kernels_sm90::attention::SOFT_CAP_CONFIGURATIONS;

/// The largest soft cap: a score has an error of up to 2^-20 of the cap, which at this cap is as
/// large as the rounding error of a probability in f16.
pub const MOST_SOFT_CAP: u32 = 1024;

/// Returns the score function of a cap, which must be above 0 and at most [`MOST_SOFT_CAP`].
pub(super) fn score(cap: f32) -> Result<SoftCap, ProblemError> {
    let what = "the soft cap";
    let score = SoftCap::new(cap).ok_or(ProblemError::NotPositive {
        what,
        bits: cap.to_bits(),
    })?;
    if cap > MOST_SOFT_CAP as f32 {
        return Err(ProblemError::TooLarge {
            what,
            given: cap.ceil() as u64,
            max: MOST_SOFT_CAP.into(),
        });
    }
    Ok(score)
}

/// Returns the error for a soft cap that has no kernel for `of`. `dims` are the head dimensions
/// that have a kernel.
pub(super) fn no_soft_cap(of: String, dims: impl Iterator<Item = u32>) -> CutletError {
    let dims = distinct(dims);
    CutletError::NoSoftCap { of, dims }
}

/// Returns the error for a soft cap with an element type that has no kernel with a soft cap.
pub(super) fn no_soft_cap_of_any(of: String) -> CutletError {
    let all = SOFT_CAP_CONFIGURATIONS.iter();
    no_soft_cap(of, all.chain(MMA_SOFT_CAP_CONFIGURATIONS).map(|of| of.dim))
}

//! Prefill from pages with a score function of this crate: ALiBi at head dimension 128.
//!
//! ```text
//!   S - slope(head) |query - key|      slopes 2^(-8/heads), 2^(-16/heads), ...; keys in pages of a cache
//! ```
//!
//! Law: the law of `kernel_abi::attention` holds with these scores, for the first keys of each
//! sequence's pages. `PagedAlibi::CONFIGURATION.plan_paged` gives the launch.

use cuda_std::float::approx::exp2;
use gpu_kernels_sm90::attention::configurations::Bf16D128;
use gpu_kernels_sm90::attention::score::{ScoreAt, ScoreFunction};

/// Attention with linear biases (Press et al. 2022): a score decreases by the head's slope for each
/// place between query and key.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Alibi {
    /// `-8 / heads`.
    pub log2_ratio: f32,
}

impl ScoreFunction for Alibi {
    #[inline(always)]
    fn score(self, score: f32, at: ScoreAt) -> f32 {
        let slope = exp2(self.log2_ratio * (at.head + 1) as f32);
        score - slope * at.distance.abs()
    }
}

gpu_kernels_sm90::paged_attention_kernel! {
    /// The kernel, and the row by which the host plans it.
    pub PagedAlibi = attention_paged_alibi: Bf16D128 with Alibi;
}

//! Attention by `mma.sync` with a head dimension and a score function of this crate: ALiBi at head
//! dimension 160.
//!
//! ```text
//!   S - slope(head) |query - key|      slopes 2^(-8/heads), 2^(-16/heads), ...
//! ```
//!
//! Law: the law of `kernel_abi::attention` holds with these scores. `AlibiD160::CONFIGURATION.plan`
//! gives the launch.

use cuda_std::float::approx::exp2;
use gpu_kernels::attention::score::{ScoreAt, ScoreFunction};
use half::bf16;

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

gpu_kernels::attention_kernel! {
    /// The kernel, and the row by which the host plans it.
    pub AlibiD160 = attention_alibi_bf16_d160: bf16 with Alibi, d 160, tile 64 x 64, stages 1, lazy();
}

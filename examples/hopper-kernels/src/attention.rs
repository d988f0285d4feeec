//! Attention with your own score functions: each kernel is a kernel of `gpu-kernels-sm90` with a
//! function between Q Kᵀ and the softmax.
//!
//! ```text
//!   attention_alibi      bf16, d 128    S - slope(head) |query - key|      a bias of coordinates
//!   attention_document   bf16, d 64     S, or -inf                         a mask: queries see keys of their own document
//!   attention_soft_cap   f16,  d 64     cap tanh(S / cap)                  the library's function
//! ```
//!
//! Law: the law of [`gpu_kernels_sm90::attention::score`] holds. The configurations below plan the
//! launches. `docs/attention.md` has the story.

#![cfg_attr(not(target_arch = "nvptx64"), allow(unused_imports))]

use cuda_std::float::approx::exp2;
use cuda_std::kernel;
use gpu_kernels_sm90::attention::configurations::{Bf16D64Short, Bf16D128, F16D64Short};
use gpu_kernels_sm90::attention::kernel::run;
use gpu_kernels_sm90::attention::score::{ScoreAt, ScoreFunction, SoftCap, With};
use gpu_kernels_sm90::attention::sequences::Uniform;
use half::{bf16, f16};
use kernel_abi::attention::{AttentionConfiguration, AttentionParams};
use layout_types::arch::copy_sm90_tma::TensorMap;

/// Attention with linear biases (ALiBi, Press et al. 2022): a score decreases by the head's slope
/// for each place between query and key. The slopes are 2^(-8/heads), 2^(-16/heads), ...
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Alibi {
    /// `-8 / heads`.
    pub log2_ratio: f32,
}

impl Alibi {
    /// Returns the function with the slopes for `heads` heads.
    #[must_use]
    pub fn new(heads: u32) -> Self {
        Self {
            log2_ratio: -8.0 / heads as f32,
        }
    }
}

impl ScoreFunction for Alibi {
    #[inline(always)]
    fn score(self, score: f32, at: ScoreAt) -> f32 {
        let slope = exp2(self.log2_ratio * (at.head + 1) as f32);
        score - slope * at.distance.abs()
    }
}

/// Documents of one length follow one another in a sequence. A query sees the keys of its own
/// document, which the band of a launch cannot express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Documents {
    /// A document's queries and keys, a power of two, as its binary logarithm.
    pub log2_length: u32,
}

impl ScoreFunction for Documents {
    const MASKS: bool = true;
    #[inline(always)]
    fn score(self, score: f32, at: ScoreAt) -> f32 {
        if at.query >> self.log2_length == at.key >> self.log2_length {
            score
        } else {
            f32::NEG_INFINITY
        }
    }
}

/// The configuration of the kernel with [`Alibi`].
pub const ALIBI: AttentionConfiguration = AttentionConfiguration {
    kernel: "attention_alibi",
    ..Bf16D128::CONFIGURATION
};
/// The configuration of the kernel with [`Documents`].
pub const DOCUMENTS: AttentionConfiguration = AttentionConfiguration {
    kernel: "attention_document",
    ..Bf16D64Short::CONFIGURATION
};
/// The configuration of the kernel with [`SoftCap`]. It has two consumer groups, because three have
/// no registers left for a function.
pub const SOFT_CAP: AttentionConfiguration = AttentionConfiguration {
    kernel: "attention_soft_cap",
    ..F16D64Short::CONFIGURATION
};

/// Computes attention whose scores have [`Alibi`]'s bias.
///
/// # Safety
/// The launch is the one that the plan of [`ALIBI`] gives.
#[cfg(target_arch = "nvptx64")]
#[kernel(threads = 384, min_blocks = 1)]
pub unsafe fn attention_alibi(
    o: *mut bf16,
    lse: *mut f32,
    params: AttentionParams,
    #[grid_constant] map_q: &TensorMap,
    #[grid_constant] map_k: &TensorMap,
    #[grid_constant] map_v: &TensorMap,
    score: Alibi,
) {
    let maps = [map_q, map_k, map_v];
    // SAFETY: the launch is the plan's by the function's contract.
    unsafe { run::<With<Bf16D128, Alibi>, 2, 8, 2>((o, lse), &params, maps, (score, Uniform)) }
}

/// Computes attention within documents.
///
/// # Safety
/// The launch is the one that the plan of [`DOCUMENTS`] gives.
#[cfg(target_arch = "nvptx64")]
#[kernel(threads = 384, min_blocks = 1)]
pub unsafe fn attention_document(
    o: *mut bf16,
    lse: *mut f32,
    params: AttentionParams,
    #[grid_constant] map_q: &TensorMap,
    #[grid_constant] map_k: &TensorMap,
    #[grid_constant] map_v: &TensorMap,
    score: Documents,
) {
    let maps = [map_q, map_k, map_v];
    // SAFETY: the launch is the plan's by the function's contract.
    unsafe {
        run::<With<Bf16D64Short, Documents>, 2, 8, 2>((o, lse), &params, maps, (score, Uniform))
    }
}

/// Computes attention whose scores have a soft cap.
///
/// # Safety
/// The launch is the one that the plan of [`SOFT_CAP`] gives.
#[cfg(target_arch = "nvptx64")]
#[kernel(threads = 384, min_blocks = 1)]
pub unsafe fn attention_soft_cap(
    o: *mut f16,
    lse: *mut f32,
    params: AttentionParams,
    #[grid_constant] map_q: &TensorMap,
    #[grid_constant] map_k: &TensorMap,
    #[grid_constant] map_v: &TensorMap,
    score: SoftCap,
) {
    let maps = [map_q, map_k, map_v];
    // SAFETY: the launch is the plan's by the function's contract.
    unsafe { run::<With<F16D64Short, SoftCap>, 2, 8, 2>((o, lse), &params, maps, (score, Uniform)) }
}

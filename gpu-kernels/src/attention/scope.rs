//! The names that the body of `attention_kernel!` uses wherever it is expanded. They are not for
//! direct use.

pub use super::config::{MultistageAttention, MultistageAttentionKernel, Tuning, With};
pub use super::head_dimension::{ColumnsOfD, CopyOfD, RowsOfD, load_bytes};
pub use super::layouts::{CToA, MmaElement, Warps4};
pub use super::mainloop::run;
pub use super::score::{Identity, ScoreFunction};
pub use super::sequences::{PackedSequences, Uniform};
pub use crate::gemm::layouts::{ColumnsB, RowsA, RowsB};
pub use crate::gemm::mainloop::Operand;
pub use cuda_std::{for_kernel, kernel};
pub use kernel_abi::attention::{
    AttentionConfiguration, AttentionLoads, AttentionParams, AttentionParts, AttentionReads,
};
pub use layout_types::num::Nat;
pub use layout_types::prelude::*;
pub use layout_types::tiled::{OperandA, OperandB, OperandC, PartitionFragmentOf};
pub use layout_types::typenum::{U16, U32, U64};
pub use layout_types::{self, assert_bank_conflict_free, assert_contiguous, assert_covers};

/// The number of threads in a CTA: four warps.
pub const THREADS: u32 = 128;
/// The number of CTAs that share a multiprocessor.
pub const CTAS: u32 = 2;

/// Returns a kernel's bytes of shared memory for rows of `dim` elements of 16 bits: `fixed`
/// resident rows, and `stages` stages of `streamed` rows.
#[must_use]
pub const fn shared_bytes(dim: u32, fixed: u32, stages: u32, streamed: u32) -> u32 {
    2 * dim * (fixed + stages * streamed)
}

//! Why tensors have no attention.

use crate::error::Error;
use kernel_abi::attention::{AttentionBackwardProblem, AttentionProblem};
use thiserror::Error as ThisError;

/// Why tensors have no attention, or not the one that a launch was planned for.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum AttentionError {
    /// Two tensors' extents differ.
    #[error("{first} has {found} {what}, {second} has {expected}: they must be equal")]
    Extents {
        /// The first tensor.
        first: &'static str,
        /// The second tensor.
        second: &'static str,
        /// What is counted.
        what: &'static str,
        /// How many the first has.
        found: u32,
        /// How many the second has.
        expected: u32,
    },
    /// A tensor is not inside its buffer.
    #[error("{name} reaches over {needed} elements; its buffer has {found}")]
    Reach {
        /// Which tensor.
        name: &'static str,
        /// Elements from its first to its last.
        needed: u64,
        /// Elements of the buffer.
        found: usize,
    },
    /// The log-sum-exp has another length.
    #[error("the log-sum-exp has {found} elements; there are {expected} rows of O")]
    Lse {
        /// Its length.
        found: usize,
        /// Rows of all heads of all batches.
        expected: u64,
    },
    /// There are not as many starts of sequences as the launch was planned for.
    #[error(
        "the starts of {name} have {found} elements; {expected} are those of the planned sequences and the end of the last"
    )]
    Starts {
        /// Of what: queries, or keys.
        name: &'static str,
        /// Elements found.
        found: usize,
        /// One more than there are sequences.
        expected: u64,
    },
    /// The tensors are those of another problem than the launch was planned for.
    #[error("the launch was planned for {planned:?}; the tensors are those of {found:?}")]
    OtherProblem {
        /// The problem of the tensors.
        found: Box<AttentionProblem>,
        /// The problem of the plan.
        planned: Box<AttentionProblem>,
    },
    /// The gradients' tensors are those of another problem than the launches were planned for.
    #[error("the launches were planned for {planned:?}; the tensors are those of {found:?}")]
    OtherGradients {
        /// The problem of the tensors.
        found: Box<AttentionBackwardProblem>,
        /// The problem of the plan.
        planned: Box<AttentionBackwardProblem>,
    },
    /// The device, the module or the launch.
    #[error(transparent)]
    Host(#[from] Error),
}

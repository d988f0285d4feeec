//! Why tensors have no attention.

use crate::error::Error;
use kernel_abi::attention::{
    AttentionBackwardProblem, AttentionParts, AttentionProblem, DecodeProblem,
};
use thiserror::Error as ThisError;

/// Why tensors have no attention, or not the one that a launch was planned for.
#[derive(ThisError)]
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
    /// A tensor of 8-bit floats has another number of scales.
    #[error(
        "there are {found} scales of {name}; there is one, or {of_heads} of each head of keys, of Q, K and V alike"
    )]
    Scales {
        /// Which tensor.
        name: &'static str,
        /// Scales found.
        found: usize,
        /// Heads of keys of all batches.
        of_heads: u64,
    },
    /// The scales of a cache in e4m3 are neither one of each tensor nor one for each key head.
    #[error(
        "there are {found} scales of {name}; a cache in e4m3 has one of K and one of V, or {key_heads} of each: one for each key head"
    )]
    CacheScales {
        /// Which tensor.
        name: &'static str,
        /// Scales found.
        found: usize,
        /// Heads of keys.
        key_heads: u32,
    },
    /// Scales were given for a cache that has none.
    #[error("K and V have Q's type, so there are no scales: only a cache in e4m3 has them")]
    NoScales,
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
    /// A part has another number of elements than there are heads.
    #[error("{name} are {found}; there is one for each of {heads} heads")]
    OfHeads {
        /// What is of each head.
        name: &'static str,
        /// Elements found.
        found: usize,
        /// Heads of Q.
        heads: u32,
    },
    /// The operands are not those of the kernel's parts.
    #[error("the kernel computes {kernel:?}; the operands are those of {given:?}")]
    Parts {
        /// The kernel's parts.
        kernel: AttentionParts,
        /// The parts whose operands were given.
        given: AttentionParts,
    },
    /// No operand is an argument of the kernel.
    #[error("no operand is the kernel's argument `{name}`")]
    Argument {
        /// The argument.
        name: &'static str,
    },
    /// There are not as many lengths as sequences.
    #[error("there are {found} lengths; there are {expected} sequences")]
    Lengths {
        /// Lengths found.
        found: usize,
        /// Sequences.
        expected: u32,
    },
    /// The page table does not have as many pages for each sequence.
    #[error(
        "the page table has {found} elements, which are not as many for each of {sequences} sequences"
    )]
    Table {
        /// Its length.
        found: usize,
        /// Sequences.
        sequences: u32,
    },
    /// A sequence has more keys than its pages.
    #[error(
        "sequence {sequence} has {length} keys, which are {needed} pages of {page_size}; it has {found}"
    )]
    TooFewPages {
        /// The sequence.
        sequence: usize,
        /// Its keys.
        length: u32,
        /// Keys of a page.
        page_size: u32,
        /// Pages that it needs.
        needed: u64,
        /// Pages that it has.
        found: usize,
    },
    /// A page is not one of the cache.
    #[error("page {index} of sequence {sequence} is {page}; the cache has {pages}")]
    NoSuchPage {
        /// The sequence.
        sequence: usize,
        /// Which of its pages.
        index: usize,
        /// The page.
        page: u32,
        /// Pages of the cache.
        pages: u32,
    },
    /// The tensors are those of another problem than the launches of decoding were planned for.
    #[error("the launches were planned for {planned:?}; the tensors are those of {found:?}")]
    OtherDecoding {
        /// The problem of the tensors.
        found: Box<DecodeProblem>,
        /// The problem of the plan.
        planned: Box<DecodeProblem>,
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

/// As `Display`: a test that ends with this error prints its sentence.
impl std::fmt::Debug for AttentionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

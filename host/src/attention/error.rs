//! The errors of tensors that describe no attention.

use crate::error::Error;
use kernel_abi::attention::{
    AttentionBackwardProblem, AttentionParts, AttentionProblem, DecodeProblem,
};
use thiserror::Error as ThisError;

/// Why tensors describe no attention, or an attention other than the one for which a launch was
/// planned.
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
        /// The number that the first tensor has.
        found: u32,
        /// The number that the second tensor has.
        expected: u32,
    },
    /// A tensor is not inside its buffer.
    #[error("{name} reaches over {needed} elements; its buffer has {found}")]
    Reach {
        /// The tensor's name.
        name: &'static str,
        /// The number of elements from the tensor's first to its last.
        needed: u64,
        /// The number of elements of the buffer.
        found: usize,
    },
    /// The log-sum-exp has another length.
    #[error("the log-sum-exp has {found} elements; there are {expected} rows of O")]
    Lse {
        /// The length of the log-sum-exp.
        found: usize,
        /// The number of rows in all heads of all batches.
        expected: u64,
    },
    /// A tensor of 8-bit floats has another number of scales.
    #[error(
        "there are {found} scales of {name}; there is one, or {of_heads} of each head of keys, of Q, K and V alike"
    )]
    Scales {
        /// The tensor's name.
        name: &'static str,
        /// The number of scales that were given.
        found: usize,
        /// The number of key heads of all batches.
        of_heads: u64,
    },
    /// The scales of a cache in e4m3 are neither one for each tensor nor one for each key head of
    /// each tensor.
    #[error(
        "there are {found} scales of {name}; a cache in e4m3 has one of K and one of V, or {key_heads} of each: one for each key head"
    )]
    CacheScales {
        /// The tensor's name.
        name: &'static str,
        /// The number of scales that were given.
        found: usize,
        /// The number of key heads.
        key_heads: u32,
    },
    /// Scales were given for a cache that has none.
    #[error("K and V have Q's type, so there are no scales: only a cache in e4m3 has them")]
    NoScales,
    /// The number of starts does not belong to the number of sequences for which the launch was
    /// planned.
    #[error(
        "the starts of {name} have {found} elements; {expected} are those of the planned sequences and the end of the last"
    )]
    Starts {
        /// The name of the starts: `queries` or `keys`.
        name: &'static str,
        /// The number of elements that were given.
        found: usize,
        /// The number of sequences, plus 1.
        expected: u64,
    },
    /// The operand of a part does not have one element for each head.
    #[error("{name} are {found}; there is one for each of {heads} heads")]
    OfHeads {
        /// The name of the part's operand.
        name: &'static str,
        /// The number of elements that were given.
        found: usize,
        /// The number of heads of Q.
        heads: u32,
    },
    /// The operands do not belong to the kernel's parts.
    #[error("the kernel computes {kernel:?}; the operands are those of {given:?}")]
    Parts {
        /// The kernel's parts.
        kernel: AttentionParts,
        /// The parts whose operands were given.
        given: AttentionParts,
    },
    /// No operand provides an argument of the kernel.
    #[error("no operand is the kernel's argument `{name}`")]
    Argument {
        /// The argument.
        name: &'static str,
    },
    /// The number of lengths is not the number of sequences.
    #[error("there are {found} lengths; there are {expected} sequences")]
    Lengths {
        /// The number of lengths that were given.
        found: usize,
        /// The number of sequences.
        expected: u32,
    },
    /// The page table does not have the same number of pages for each sequence.
    #[error(
        "the page table has {found} elements, which are not as many for each of {sequences} sequences"
    )]
    Table {
        /// The length of the page table.
        found: usize,
        /// The number of sequences.
        sequences: u32,
    },
    /// A sequence has more keys than its pages can hold.
    #[error(
        "sequence {sequence} has {length} keys, which are {needed} pages of {page_size}; it has {found}"
    )]
    TooFewPages {
        /// The number of the sequence.
        sequence: usize,
        /// The number of its keys.
        length: u32,
        /// The number of keys of a page.
        page_size: u32,
        /// The number of pages that the sequence needs.
        needed: u64,
        /// The number of pages that the sequence has.
        found: usize,
    },
    /// The cache does not have a page that a sequence lists.
    #[error("page {index} of sequence {sequence} is {page}; the cache has {pages}")]
    NoSuchPage {
        /// The number of the sequence.
        sequence: usize,
        /// The page's position among the sequence's pages.
        index: usize,
        /// The number of the page.
        page: u32,
        /// The number of pages of the cache.
        pages: u32,
    },
    /// The tensors describe another problem than the one for which the launches of decoding were
    /// planned.
    #[error("the launches were planned for {planned:?}; the tensors are those of {found:?}")]
    OtherDecoding {
        /// The problem of the tensors.
        found: Box<DecodeProblem>,
        /// The problem of the plan.
        planned: Box<DecodeProblem>,
    },
    /// The tensors describe another problem than the one for which the launch was planned.
    #[error("the launch was planned for {planned:?}; the tensors are those of {found:?}")]
    OtherProblem {
        /// The problem of the tensors.
        found: Box<AttentionProblem>,
        /// The problem of the plan.
        planned: Box<AttentionProblem>,
    },
    /// The gradients' tensors describe another problem than the one for which the launches were
    /// planned.
    #[error("the launches were planned for {planned:?}; the tensors are those of {found:?}")]
    OtherGradients {
        /// The problem of the tensors.
        found: Box<AttentionBackwardProblem>,
        /// The problem of the plan.
        planned: Box<AttentionBackwardProblem>,
    },
    /// An error of the device, the module or the launch.
    #[error(transparent)]
    Host(#[from] Error),
}

/// Writes the same as `Display`: a test that ends with this error prints its sentence.
impl std::fmt::Debug for AttentionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

//! The parts of a kernel of attention besides its element, head dimension and tile: scores, and the
//! sequences that it takes.
//!
//! ```text
//!   AttentionParts { sequences, soft_cap, alibi, sinks } ─ AttentionKernel ─► the arguments that each part adds
//! ```

/// Which sequences a kernel computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KernelSequences {
    /// Those of one length, a batch each.
    #[default]
    Uniform,
    /// Those of any lengths, one behind the other, by the starts of each.
    Packed,
    /// Both, as [`flags::PACKED`](super::flags::PACKED) says; the starts of the first kind are
    /// null.
    Either,
    /// Queries of either kind, as [`Either`](Self::Either), to keys and values in pages of a cache,
    /// of a length and pages of each sequence.
    Paged,
}

/// The parts of a kernel, or those that a launch asks for.
///
/// ```
/// use kernel_abi::attention::AttentionParts;
/// let kernel = AttentionParts::NONE.either().alibi().sinks();
/// assert!(kernel.computes(AttentionParts::NONE.packed().alibi().sinks()));
/// assert!(!kernel.computes(AttentionParts::NONE.alibi()));
/// assert!(!kernel.computes(AttentionParts::NONE.paged().alibi().sinks()));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AttentionParts {
    /// The sequences.
    pub sequences: KernelSequences,
    /// Scores become `cap tanh(score / cap)`.
    pub soft_cap: bool,
    /// A score loses a head's slope for each key between the query's own place and its key.
    pub alibi: bool,
    /// A logit of each head joins the denominator of its rows.
    pub sinks: bool,
}

impl AttentionParts {
    /// Sequences of one length, and scores as they are.
    pub const NONE: Self = Self {
        sequences: KernelSequences::Uniform,
        soft_cap: false,
        alibi: false,
        sinks: false,
    };

    /// The same of packed sequences.
    #[must_use]
    pub const fn packed(self) -> Self {
        let sequences = KernelSequences::Packed;
        Self { sequences, ..self }
    }
    /// The same of sequences of either kind.
    #[must_use]
    pub const fn either(self) -> Self {
        let sequences = KernelSequences::Either;
        Self { sequences, ..self }
    }
    /// The same with a soft cap.
    #[must_use]
    pub const fn soft_cap(self) -> Self {
        Self {
            soft_cap: true,
            ..self
        }
    }
    /// The same with ALiBi.
    #[must_use]
    pub const fn alibi(self) -> Self {
        Self {
            alibi: true,
            ..self
        }
    }
    /// The same with sinks.
    #[must_use]
    pub const fn sinks(self) -> Self {
        Self {
            sinks: true,
            ..self
        }
    }

    /// The same of keys in pages.
    #[must_use]
    pub const fn paged(self) -> Self {
        let sequences = KernelSequences::Paged;
        Self { sequences, ..self }
    }

    /// Whether a kernel of these parts computes what a launch of the parts `wanted` asks for, whose
    /// sequences are of one kind.
    #[must_use]
    pub fn computes(self, wanted: Self) -> bool {
        let sequences = wanted.sequences;
        let either = self.sequences == KernelSequences::Either;
        let of_either = either && sequences != KernelSequences::Paged;
        (of_either || self.sequences == sequences) && Self { sequences, ..self } == wanted
    }
}

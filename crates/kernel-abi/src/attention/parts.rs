//! The parts of a kernel of attention: what the kernel does to scores, and which sequences it
//! takes. Its element type, head dimension and tile are not parts.
//!
//! ```text
//!   AttentionParts { sequences, soft_cap, alibi, sinks } ─ AttentionKernel ─► the arguments that each part adds
//! ```

/// Which sequences a kernel computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KernelSequences {
    /// Sequences of one length. Each sequence is a batch.
    #[default]
    Uniform,
    /// Packed sequences of any lengths, which follow each other. The kernel reads where each
    /// sequence begins.
    Packed,
    /// Sequences of either kind, as [`flags::PACKED`](super::flags::PACKED) says. For sequences of
    /// one length the addresses of the starts are null.
    Either,
    /// Queries of either kind, as [`Either`](Self::Either), with keys and values in pages of a
    /// cache. Each sequence has its own number of keys and its own pages.
    Paged,
}

/// The parts that a kernel has, or that a launch requires.
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
    /// The kind of sequences.
    pub sequences: KernelSequences,
    /// Scores become `cap tanh(score / cap)`.
    pub soft_cap: bool,
    /// A head's slope, times the number of keys between the query's own position and the key, is
    /// subtracted from each score.
    pub alibi: bool,
    /// Each head has a further logit, whose exponential is added to the denominator in the head's
    /// rows.
    pub sinks: bool,
}

impl AttentionParts {
    /// The parts of a kernel for sequences of one length, which leaves scores as they are.
    pub const NONE: Self = Self {
        sequences: KernelSequences::Uniform,
        soft_cap: false,
        alibi: false,
        sinks: false,
    };

    /// Returns these parts for packed sequences.
    #[must_use]
    pub const fn packed(self) -> Self {
        let sequences = KernelSequences::Packed;
        Self { sequences, ..self }
    }
    /// Returns these parts for sequences of either kind.
    #[must_use]
    pub const fn either(self) -> Self {
        let sequences = KernelSequences::Either;
        Self { sequences, ..self }
    }
    /// Returns these parts with a soft cap.
    #[must_use]
    pub const fn soft_cap(self) -> Self {
        Self {
            soft_cap: true,
            ..self
        }
    }
    /// Returns these parts with ALiBi.
    #[must_use]
    pub const fn alibi(self) -> Self {
        Self {
            alibi: true,
            ..self
        }
    }
    /// Returns these parts with sinks.
    #[must_use]
    pub const fn sinks(self) -> Self {
        Self {
            sinks: true,
            ..self
        }
    }

    /// Returns these parts for keys in pages.
    #[must_use]
    pub const fn paged(self) -> Self {
        let sequences = KernelSequences::Paged;
        Self { sequences, ..self }
    }

    /// Whether a kernel with these parts computes a launch that requires the parts `wanted`. The
    /// sequences of `wanted` are of one kind.
    #[must_use]
    pub fn computes(self, wanted: Self) -> bool {
        let sequences = wanted.sequences;
        let either = self.sequences == KernelSequences::Either;
        let of_either = either && sequences != KernelSequences::Paged;
        (of_either || self.sequences == sequences) && Self { sequences, ..self } == wanted
    }
}

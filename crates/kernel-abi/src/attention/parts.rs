//! The parts of a kernel of the forward pass besides its element, head dimension and tile, and the
//! arguments that each part brings.
//!
//! ```text
//!   kernel(o, lse, params, maps of Q, K, V | addresses of Q, K, V, reads, [queries, keys], [score], [slopes], [sinks])
//!                                                                         sequences        soft cap ALiBi    sinks
//! ```
//!
//! Law: a kernel's arguments behind its tensors are those of its parts, in the order of
//! [`AttentionParts::arguments`]. Hosts bind them, manifests describe them and checks make them by
//! this list.

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
/// use kernel_abi::attention::{AttentionArgument, AttentionParts};
/// let kernel = AttentionParts::NONE.either().alibi().sinks();
/// assert!(kernel.computes(AttentionParts::NONE.packed().alibi().sinks()));
/// assert!(!kernel.computes(AttentionParts::NONE.alibi()));
/// assert!(!kernel.computes(AttentionParts::NONE.paged().alibi().sinks()));
/// let names: Vec<&str> = kernel.arguments().map(AttentionArgument::name).collect();
/// assert_eq!(names, ["queries", "keys", "slopes", "sinks"]);
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

    /// The arguments behind the tensors, in their order.
    pub fn arguments(self) -> impl Iterator<Item = AttentionArgument> {
        let paged = self.sequences == KernelSequences::Paged;
        let starts = self.sequences != KernelSequences::Uniform;
        [
            (starts, AttentionArgument::QueryStarts),
            (starts && !paged, AttentionArgument::KeyStarts),
            (paged, AttentionArgument::KeyLengths),
            (paged, AttentionArgument::PageTable),
            (paged, AttentionArgument::Pages),
            (self.soft_cap, AttentionArgument::SoftCap),
            (self.alibi, AttentionArgument::Slopes),
            (self.sinks, AttentionArgument::Sinks),
        ]
        .into_iter()
        .filter_map(|(has, argument)| has.then_some(argument))
    }
}

/// An argument of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttentionArgument {
    /// Where each sequence begins in Q and O, and the end of the last.
    QueryStarts,
    /// The same in K and V.
    KeyStarts,
    /// The keys of each sequence, in pages.
    KeyLengths,
    /// The pages of each sequence.
    PageTable,
    /// The size of a page and the pages of a sequence, by value:
    /// [`PageParams`](super::PageParams).
    Pages,
    /// The soft cap: two numbers of f32, by value.
    SoftCap,
    /// A slope of each head of Q, f32.
    Slopes,
    /// A logit of each head of Q, f32.
    Sinks,
}

impl AttentionArgument {
    /// The argument's name in the kernel.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::QueryStarts => "queries",
            Self::KeyStarts => "keys",
            Self::KeyLengths => "lengths",
            Self::PageTable => "table",
            Self::Pages => "pages",
            Self::SoftCap => "score",
            Self::Slopes => "slopes",
            Self::Sinks => "sinks",
        }
    }

    /// Its name in messages.
    #[must_use]
    pub const fn said(self) -> &'static str {
        match self {
            Self::QueryStarts => "the starts of queries",
            Self::KeyStarts => "the starts of keys",
            Self::KeyLengths => "the lengths",
            Self::PageTable => "the page table",
            Self::Pages => "the pages",
            Self::SoftCap => "the soft cap",
            Self::Slopes => "the slopes",
            Self::Sinks => "the sinks",
        }
    }

    /// Its type in the kernel.
    #[must_use]
    pub const fn type_name(self) -> &'static str {
        match self {
            Self::QueryStarts | Self::KeyStarts | Self::KeyLengths | Self::PageTable => {
                "*const u32"
            }
            Self::Pages => "PageParams",
            Self::SoftCap => "SoftCap",
            Self::Slopes | Self::Sinks => "*const f32",
        }
    }
}

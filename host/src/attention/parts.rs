//! What a kernel's parts are given: each argument by its name, bound by the one list of the parts.
//!
//! ```text
//!   PartOperands { starts, pages, soft_cap, slopes, sinks } ─ AttentionParts::arguments ─► the kernel's last arguments, in their order
//! ```

use super::{
    AttentionElement, AttentionError, AttentionOperands, PagedKeys, PreparedAttention,
    SequenceStarts,
};
use crate::args::{Argument, ByValue, KernelArg};
use crate::buffer::View;
use crate::device::Device;
use crate::kernel::Kernel;
use kernel_abi::attention::{
    AttentionArgument, AttentionParts, AttentionPlan, KernelSequences, PackedAttentionPlan,
    PageParams,
};

/// The operands of a kernel's parts. What a kernel of sequences of either kind has no use for may
/// be absent; what it computes may not.
#[derive(Clone, Copy, Debug, Default)]
pub struct PartOperands<'a> {
    /// Where each of packed sequences begins; those of keys have no use where keys are in pages.
    pub starts: Option<SequenceStarts<'a>>,
    /// The keys of each sequence, where K and V are a cache of pages.
    pub pages: Option<PagedKeys<'a>>,
    /// The soft cap, as the kernel's score function holds it.
    pub soft_cap: Option<[f32; 2]>,
    /// ALiBi's slope of each head of Q.
    pub slopes: Option<View<'a, f32>>,
    /// A logit of each head of Q, which joins the denominator of its rows; -inf is none.
    pub sinks: Option<View<'a, f32>>,
}

/// An argument behind the tensors, and the elements of it that the kernel reads.
pub(super) struct PartArgument {
    pub argument: Argument,
    /// Name, elements and alignment of a buffer that no launch of a plan lists.
    pub buffer: Option<(&'static str, usize, usize)>,
}

impl From<Argument> for PartArgument {
    fn from(argument: Argument) -> Self {
        let buffer = None;
        Self { argument, buffer }
    }
}

/// Checks that there are as many elements as heads.
pub(super) fn of_each_head(
    name: &'static str,
    found: usize,
    heads: u32,
) -> Result<(), AttentionError> {
    if found == heads as usize {
        return Ok(());
    }
    Err(AttentionError::OfHeads { name, found, heads })
}

impl PartOperands<'_> {
    /// What a launch of them asks for.
    #[must_use]
    pub fn parts(&self) -> AttentionParts {
        AttentionParts {
            sequences: match (self.pages, self.starts) {
                (Some(_), _) => KernelSequences::Paged,
                (None, Some(_)) => KernelSequences::Packed,
                (None, None) => KernelSequences::Uniform,
            },
            soft_cap: self.soft_cap.is_some(),
            alibi: self.slopes.is_some(),
            sinks: self.sinks.is_some(),
        }
    }

    /// The arguments of a kernel of these parts, for so many heads of Q.
    ///
    /// # Errors
    /// [`AttentionError::Parts`] for operands of other parts; [`AttentionError::OfHeads`] for
    /// another number of elements than heads.
    pub(super) fn lower(
        &self,
        device: &Device,
        (parts, pages): (AttentionParts, Option<PageParams>),
        heads: u32,
    ) -> Result<Vec<PartArgument>, AttentionError> {
        if !parts.computes(self.parts()) {
            return Err(AttentionError::Parts {
                kernel: parts,
                given: self.parts(),
            });
        }
        let of_heads = |argument: AttentionArgument, view: Option<View<'_, f32>>| {
            // `computes` has seen that it is there.
            let view = view.ok_or(AttentionError::Parts {
                kernel: parts,
                given: self.parts(),
            })?;
            of_each_head(argument.said(), view.len(), heads)?;
            Ok(PartArgument {
                argument: view.lower(),
                buffer: Some((argument.said(), view.len(), 4)),
            })
        };
        let read = |argument: AttentionArgument, view: View<'_, u32>| PartArgument {
            argument: view.lower(),
            buffer: Some((argument.said(), view.len(), 4)),
        };
        let missing = || AttentionError::Parts {
            kernel: parts,
            given: self.parts(),
        };
        let no_starts = device.alloc::<u32>(0)?;
        let arguments = parts.arguments().map(|argument| match argument {
            AttentionArgument::QueryStarts | AttentionArgument::KeyStarts => {
                let of = match (self.starts, argument) {
                    (None, _) => no_starts.all().lower(),
                    (Some(starts), AttentionArgument::QueryStarts) => starts.queries.lower(),
                    (Some(starts), _) => starts.keys.lower(),
                };
                Ok(of.into())
            }
            AttentionArgument::KeyLengths => {
                Ok(read(argument, self.pages.ok_or_else(missing)?.lengths))
            }
            AttentionArgument::PageTable => {
                Ok(read(argument, self.pages.ok_or_else(missing)?.table))
            }
            AttentionArgument::Pages => {
                let params = pages.ok_or_else(missing)?.to_u32s();
                Ok(ByValue(params).lower().into())
            }
            AttentionArgument::SoftCap => {
                Ok(ByValue(self.soft_cap.unwrap_or_default()).lower().into())
            }
            AttentionArgument::Slopes => of_heads(argument, self.slopes),
            AttentionArgument::Sinks => of_heads(argument, self.sinks),
        });
        arguments.collect()
    }
}

impl<'a, T: AttentionElement> AttentionOperands<'a, T> {
    /// Binds the tensors and the operands of the kernel's parts to a plan's launch of sequences of
    /// one length.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare); [`AttentionError::Parts`] and [`AttentionError::OfHeads`]
    /// for operands that are not those of the kernel's parts.
    pub fn prepare_parts(
        self,
        kernel: &Kernel,
        plan: &AttentionPlan,
        operands: PartOperands<'a>,
    ) -> Result<PreparedAttention<'a>, AttentionError> {
        let more = operands.lower(kernel.device(), (plan.parts(), None), plan.problem().heads)?;
        self.bind_plan(kernel, plan, (plan.launch(), plan.params()), more)
    }

    /// Binds the tensors, one batch of the rows of all sequences, and the operands of the kernel's
    /// parts to the launch of packed sequences.
    ///
    /// # Errors
    /// As of [`prepare_parts`](Self::prepare_parts), and [`AttentionError::Starts`] where there are
    /// more or fewer sequences than planned.
    pub fn prepare_packed_parts(
        self,
        kernel: &Kernel,
        plan: &PackedAttentionPlan,
        operands: PartOperands<'a>,
    ) -> Result<PreparedAttention<'a>, AttentionError> {
        if let Some(starts) = &operands.starts {
            starts.check(plan.problem().sequences)?;
        }
        let all = plan.all();
        let more = operands.lower(kernel.device(), (all.parts(), None), all.problem().heads)?;
        self.bind_plan(kernel, all, (plan.launch(), plan.params()), more)
    }
}

//! The operands of a kernel's parts. Each operand is bound to the argument with its name.
//!
//! ```text
//!   PartOperands { starts, pages, soft_cap, slopes, sinks } ─ the kernel's list of arguments ─► a value for each part's argument
//! ```

use super::arguments::{Bound, unbound};
use super::{
    AttentionElement, AttentionError, AttentionOperands, PagedKeys, PreparedAttention,
    SequenceStarts,
};
use crate::args::KernelArg;
use crate::buffer::View;
use crate::device::Device;
use crate::kernel::Kernel;
use kernel_abi::ArgumentName;
use kernel_abi::attention::{
    AttentionArgument, AttentionParts, AttentionPlan, KernelSequences, PackedAttentionPlan,
    PageParams,
};

/// The operands of a kernel's parts. An operand that a kernel for sequences of either kind does not
/// use may be absent. An operand that the kernel computes with must be given.
#[derive(Clone, Copy, Debug, Default)]
pub struct PartOperands<'a> {
    /// Where each packed sequence begins. If the keys are in pages, the starts of keys are not
    /// used.
    pub starts: Option<SequenceStarts<'a>>,
    /// The keys of each sequence, if K and V are a cache of pages.
    pub pages: Option<PagedKeys<'a>>,
    /// The soft cap, as the kernel's score function holds it.
    pub soft_cap: Option<[f32; 2]>,
    /// ALiBi's slopes: one for each head of Q.
    pub slopes: Option<View<'a, f32>>,
    /// The sinks: one logit for each head of Q, whose exponential is added to the denominator in
    /// the head's rows. The logit -inf has no effect.
    pub sinks: Option<View<'a, f32>>,
}

/// Checks that an operand has one element for each head.
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
    /// Returns the parts that a launch with these operands requires.
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

    /// Checks that the operands belong to a kernel's parts, for `heads` heads of Q.
    ///
    /// # Errors
    /// Returns [`AttentionError::Parts`] for operands of other parts. Returns
    /// [`AttentionError::OfHeads`] if the number of elements is not the number of heads.
    pub(super) fn check(&self, kernel: AttentionParts, heads: u32) -> Result<(), AttentionError> {
        let given = self.parts();
        if !kernel.computes(given) {
            return Err(AttentionError::Parts { kernel, given });
        }
        for (argument, view) in [
            (AttentionArgument::Slopes, self.slopes),
            (AttentionArgument::Sinks, self.sinks),
        ] {
            if let Some(view) = view {
                of_each_head(argument.said(), view.len(), heads)?;
            }
        }
        Ok(())
    }

    /// Returns the value of a part's argument. `pages` describes the pages of a cache.
    pub(super) fn value(
        &self,
        device: &Device,
        pages: Option<PageParams>,
        argument: AttentionArgument,
    ) -> Result<Bound, AttentionError> {
        let missing = || unbound(argument);
        let start = |of: Option<View<'_, u32>>| match of {
            Some(starts) => Ok(starts.lower().into()),
            // A kernel reads no starts if sequences have one length.
            None => Ok(device.alloc::<u32>(0)?.all().lower().into()),
        };
        let list = self.pages.ok_or_else(missing);
        let each = |of: Option<View<'_, f32>>| Ok(Bound::all(argument, &of.ok_or_else(missing)?));
        match argument {
            AttentionArgument::QueryStarts => start(self.starts.map(|of| of.queries)),
            AttentionArgument::KeyStarts => start(self.starts.map(|of| of.keys)),
            AttentionArgument::KeyLengths => Ok(Bound::all(argument, &list?.lengths)),
            AttentionArgument::PageTable => Ok(Bound::all(argument, &list?.table)),
            AttentionArgument::Pages => Ok(Bound::words(pages.ok_or_else(missing)?.to_u32s())),
            AttentionArgument::SoftCap => Ok(Bound::words(self.soft_cap.ok_or_else(missing)?)),
            AttentionArgument::Slopes => each(self.slopes),
            AttentionArgument::Sinks => each(self.sinks),
            _ => Err(missing()),
        }
    }
}

impl<'a, T: AttentionElement> AttentionOperands<'a, T> {
    /// Binds the tensors and the operands of the kernel's parts to a plan's launch of sequences of
    /// one length.
    ///
    /// # Errors
    /// Returns the errors of [`prepare`](Self::prepare). Returns [`AttentionError::Parts`] and
    /// [`AttentionError::OfHeads`] for operands that do not belong to the kernel's parts.
    pub fn prepare_parts(
        self,
        kernel: &Kernel,
        plan: &AttentionPlan,
        operands: PartOperands<'a>,
    ) -> Result<PreparedAttention<'a>, AttentionError> {
        operands.check(plan.parts(), plan.problem().heads)?;
        let more = |of| operands.value(kernel.device(), None, of);
        self.bind_plan(kernel, plan, (plan.launch(), plan.params()), more, None)
    }

    /// Binds the tensors, which are one batch with the rows of all sequences, and the operands of
    /// the kernel's parts to the launch of packed sequences.
    ///
    /// # Errors
    /// Returns the errors of [`prepare_parts`](Self::prepare_parts), and [`AttentionError::Starts`]
    /// if there are more or fewer sequences than planned.
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
        operands.check(all.parts(), all.problem().heads)?;
        let more = |of| operands.value(kernel.device(), None, of);
        self.bind_plan(kernel, all, (plan.launch(), plan.params()), more, None)
    }
}

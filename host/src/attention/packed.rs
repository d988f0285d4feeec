//! Packed sequences on a device: where each begins, beside tensors of the rows of all.
//!
//! ```text
//!   lengths 3 0 5  ─ starts ─►  0 3 3 8  ─ upload ─►  SequenceStarts
//! ```

use super::backward::launch_of_tiles;
use super::parts::PartArgument;
use super::{
    AttentionBackwardOperands, AttentionElement, AttentionError, PartOperands,
    PreparedAttentionBackward,
};
use crate::args::{ByValue, KernelArg};
use crate::buffer::View;
use crate::contract::Contract;
use crate::kernel::Kernel;
use bytemuck::Pod;
use kernel_abi::attention::{AttentionBackwardPlan, PackedBackwardPlan};

/// Where each sequence begins: one element more than there are sequences, the last being the end of
/// the last.
///
/// Law: they do not decrease and are at most the rows that there are. Others are taken for the
/// nearest of these, so that no kernel leaves its tensors; which rows a sequence has is not defined
/// then.
#[derive(Clone, Copy, Debug)]
pub struct SequenceStarts<'a> {
    /// In Q and O.
    pub queries: View<'a, u32>,
    /// In K and V.
    pub keys: View<'a, u32>,
}

/// The starts of sequences of these lengths, and the end of the last: sums, which saturate.
///
/// ```
/// assert_eq!(host::attention::starts(&[3, 0, 5]), [0, 3, 3, 8]);
/// assert_eq!(host::attention::starts(&[]), [0]);
/// ```
#[must_use]
pub fn starts(lengths: &[u32]) -> Vec<u32> {
    let mut end = 0_u32;
    let mut starts = vec![0];
    starts.extend(lengths.iter().map(|&length| {
        end = end.saturating_add(length);
        end
    }));
    starts
}

impl SequenceStarts<'_> {
    /// Checks that the starts are those of so many sequences.
    pub(super) fn check(&self, sequences: u32) -> Result<(), AttentionError> {
        let expected = u64::from(sequences) + 1;
        for (name, of) in [("queries", &self.queries), ("keys", &self.keys)] {
            if of.len() as u64 != expected {
                return Err(AttentionError::Starts {
                    name,
                    found: of.len(),
                    expected,
                });
            }
        }
        Ok(())
    }
}

impl<'a, T: AttentionElement> AttentionBackwardOperands<'a, T> {
    /// Binds the tensors, one batch of the rows of all sequences, to the three launches of packed
    /// sequences.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare), and [`AttentionError::Starts`] where there are more or
    /// fewer sequences than planned.
    pub fn prepare_packed(
        self,
        kernels: [&Kernel; 3],
        plan: &PackedBackwardPlan,
        starts: SequenceStarts<'a>,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        let operands = PartOperands {
            starts: Some(starts),
            ..PartOperands::default()
        };
        self.prepare_packed_parts(kernels, plan, operands)
    }

    /// Binds the tensors, one batch of the rows of all sequences, and the operands of the parts of
    /// the kernels of tiles to the three launches of packed sequences. Sinks are no part of theirs.
    ///
    /// # Errors
    /// As of [`prepare_packed`](Self::prepare_packed); [`AttentionError::Parts`] and
    /// [`AttentionError::OfHeads`] for operands that are not those of the kernels' parts.
    pub fn prepare_packed_parts(
        self,
        kernels: [&Kernel; 3],
        plan: &PackedBackwardPlan,
        operands: PartOperands<'a>,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        let missing = || AttentionError::Parts {
            kernel: plan.parts(),
            given: operands.parts(),
        };
        let starts = operands.starts.ok_or_else(missing)?;
        let heads = plan.problem().all.forward.heads;
        let lower = |operands: PartOperands<'a>| {
            operands.lower(kernels[0].device(), (plan.parts(), None), heads)
        };
        // The tensors that stay in a tile of keys have the starts of keys.
        let of_keys = lower(PartOperands {
            starts: Some(SequenceStarts {
                queries: starts.keys,
                keys: starts.queries,
            }),
            ..operands
        })?;
        let more = [of_keys, lower(operands)?];
        self.bind_packed(kernels, plan, starts, more)
    }

    /// [`prepare_packed`](Self::prepare_packed) for kernels of dK and dV and of dQ that have a
    /// score function of their own; `score` is the function's value, their last argument.
    ///
    /// # Errors
    /// As of [`prepare_packed`](Self::prepare_packed); a kernel without such an argument, or with
    /// one of another size, is refused.
    pub fn prepare_packed_with<S: Pod>(
        self,
        kernels: [&Kernel; 3],
        plan: &PackedBackwardPlan,
        starts: SequenceStarts<'a>,
        score: ByValue<S>,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        let (queries, keys) = (starts.queries, starts.keys);
        let more = |starts: [View<'a, u32>; 2]| {
            let starts = starts.map(|of| of.lower()).into_iter();
            let all = starts.chain([score.lower()]);
            all.map(PartArgument::from).collect()
        };
        let more = [more([keys, queries]), more([queries, keys])];
        self.bind_packed(kernels, plan, starts, more)
    }

    /// Binds tensors of sequences of one length to the launches of kernels that take packed ones,
    /// too, of which no start is read then; `score` is as of
    /// [`prepare_packed_with`](Self::prepare_packed_with).
    ///
    /// # Errors
    /// As of [`prepare_with`](Self::prepare_with).
    pub fn prepare_unpacked_with<S: Pod>(
        self,
        kernels: [&Kernel; 3],
        plan: &AttentionBackwardPlan,
        score: ByValue<S>,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        let no_starts = kernels[0].device().alloc::<u32>(0)?;
        let start = || no_starts.all().lower();
        let more = || {
            let all = [start(), start(), score.lower()];
            all.map(PartArgument::from).into()
        };
        self.bind_plan(kernels, plan, [more(), more()])
    }

    /// Binds the tensors to the three launches of packed sequences; `more` are the arguments of
    /// each kernel of tiles behind their maps, or behind their strides.
    fn bind_packed(
        self,
        kernels: [&Kernel; 3],
        plan: &PackedBackwardPlan,
        starts: SequenceStarts<'a>,
        [of_keys, of_queries]: [Vec<PartArgument>; 2],
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        starts.check(plan.problem().sequences)?;
        self.check_planned(&plan.problem().all)?;
        let of_rows = (plan.rows_params(), Contract::from(plan.rows()).launch());
        let of_tiles = [(plan.keys(), of_keys), (plan.queries(), of_queries)]
            .map(|(of, more)| launch_of_tiles(of, plan.loads(), more));
        let values = plan.problem().values();
        let starts = vec![starts.queries.lower()];
        self.bind(kernels, values, (of_rows, starts), of_tiles)
    }
}

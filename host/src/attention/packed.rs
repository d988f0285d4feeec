//! Packed sequences on a device: where each begins, beside tensors of the rows of all.
//!
//! ```text
//!   lengths 3 0 5  ─ starts ─►  0 3 3 8  ─ upload ─►  SequenceStarts
//! ```

use super::backward::launch_of_tiles;
use super::{
    AttentionBackwardOperands, AttentionElement, AttentionError, PreparedAttentionBackward,
};
use crate::args::{Argument, ByValue, KernelArg};
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
        self.bind_packed(kernels, plan, starts, None)
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
        self.bind_packed(kernels, plan, starts, Some(score.lower()))
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
        let more = [
            no_starts.all().lower(),
            no_starts.all().lower(),
            score.lower(),
        ];
        self.bind_plan(kernels, plan, &more)
    }

    /// Binds the tensors to the three launches of packed sequences; `score` is the last argument of
    /// the kernels of tiles, if they have one.
    fn bind_packed(
        self,
        kernels: [&Kernel; 3],
        plan: &PackedBackwardPlan,
        starts: SequenceStarts<'a>,
        score: Option<Argument>,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        starts.check(plan.problem().sequences)?;
        self.check_planned(&plan.problem().all)?;
        let (of_queries, of_keys) = (starts.queries.lower(), starts.keys.lower());
        let of_rows = (plan.rows_params(), Contract::from(plan.rows()).launch());
        let of_tiles = [
            (plan.keys(), vec![of_keys.clone(), of_queries.clone()]),
            (plan.queries(), vec![of_queries.clone(), of_keys]),
        ]
        .map(|(of, mut more)| {
            more.extend(score.clone());
            launch_of_tiles(of, plan.loads(), &more)
        });
        let values = plan.problem().values();
        self.bind(kernels, values, (of_rows, vec![of_queries]), of_tiles)
    }
}

//! Packed sequences on a device: tensors with the rows of all sequences, and the starts of the
//! sequences.
//!
//! ```text
//!   lengths 3 0 5  ─ starts ─►  0 3 3 8  ─ upload ─►  SequenceStarts
//! ```

use super::arguments::Bound;
use super::{
    AttentionBackwardOperands, AttentionElement, AttentionError, PartOperands,
    PreparedAttentionBackward,
};
use crate::args::{Argument, ByValue, KernelArg};
use crate::buffer::View;
use crate::kernel::Kernel;
use bytemuck::Pod;
use kernel_abi::attention::{
    AttentionArgument, AttentionBackwardPlan, AttentionKernel, PackedBackwardPlan,
};

/// Where each sequence begins. There is one element more than sequences: the last element is the
/// end of the last sequence.
///
/// Law: the starts do not decrease and are at most the number of rows. Kernels replace starts that
/// break this law by the nearest starts that satisfy it, so that no kernel leaves its tensors. The
/// results of the sequences are then not defined.
#[derive(Clone, Copy, Debug)]
pub struct SequenceStarts<'a> {
    /// The starts of the sequences in Q and O.
    pub queries: View<'a, u32>,
    /// The starts of the sequences in K and V.
    pub keys: View<'a, u32>,
}

/// Returns the starts of sequences of these lengths, followed by the end of the last sequence. The
/// sums saturate.
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
    /// Checks that the number of starts belongs to `sequences` sequences.
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
    /// Binds the tensors, which are one batch with the rows of all sequences, to the three launches
    /// of packed sequences.
    ///
    /// # Errors
    /// Returns the errors of [`prepare`](Self::prepare), and [`AttentionError::Starts`] if there
    /// are more or fewer sequences than planned.
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

    /// Binds the tensors and the operands of parts to the three launches of packed sequences. The
    /// tensors are one batch with the rows of all sequences, and the parts are those of the kernels
    /// of tiles. Sinks are not a part of these kernels.
    ///
    /// # Errors
    /// Returns the errors of [`prepare_packed`](Self::prepare_packed). Returns
    /// [`AttentionError::Parts`] and [`AttentionError::OfHeads`] for operands that do not belong to
    /// the kernels' parts.
    pub fn prepare_packed_parts(
        self,
        kernels: [&Kernel; 3],
        plan: &PackedBackwardPlan,
        operands: PartOperands<'a>,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        let starts = operands.starts.ok_or_else(|| AttentionError::Parts {
            kernel: plan.parts(),
            given: operands.parts(),
        })?;
        operands.check(plan.parts(), plan.problem().all.forward.heads)?;
        let [rows, ..] = kernels;
        let more = |of| operands.value(rows.device(), None, of);
        self.bind_packed(kernels, plan, starts, more, None)
    }

    /// Binds the tensors as [`prepare_packed`](Self::prepare_packed) does, for kernels of dK and dV
    /// and of dQ that have a score function of the caller's. `score` is the value that the function
    /// receives: the last argument of both kernels.
    ///
    /// # Errors
    /// Returns the errors of [`prepare_packed`](Self::prepare_packed). A kernel without this last
    /// argument, or whose last argument has another size, is refused.
    pub fn prepare_packed_with<S: Pod>(
        self,
        kernels: [&Kernel; 3],
        plan: &PackedBackwardPlan,
        starts: SequenceStarts<'a>,
        score: ByValue<S>,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        let operands = PartOperands {
            starts: Some(starts),
            ..PartOperands::default()
        };
        let [rows, ..] = kernels;
        let more = |of| operands.value(rows.device(), None, of);
        self.bind_packed(kernels, plan, starts, more, Some(score.lower()))
    }

    /// Binds tensors of sequences of one length to the launches of kernels that also take packed
    /// sequences. The kernels then read no starts. `score` is the same as for
    /// [`prepare_packed_with`](Self::prepare_packed_with).
    ///
    /// # Errors
    /// Returns the errors of [`prepare_with`](Self::prepare_with).
    pub fn prepare_unpacked_with<S: Pod>(
        self,
        kernels: [&Kernel; 3],
        plan: &AttentionBackwardPlan,
        score: ByValue<S>,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        let operands = PartOperands::default();
        let [rows, ..] = kernels;
        let more = |of| operands.value(rows.device(), None, of);
        let kernel = AttentionKernel::Tiles(plan.loads(), plan.parts().either());
        let list = kernel.arguments(T::TYPE);
        self.bind_plan(kernels, plan, [list, list], more, Some(score.lower()))
    }

    /// Binds the tensors to the three launches of packed sequences. `more` returns the values of
    /// the arguments that the kernels' parts add, and `score` follows the other arguments of the
    /// kernels of tiles.
    fn bind_packed(
        self,
        kernels: [&Kernel; 3],
        plan: &PackedBackwardPlan,
        starts: SequenceStarts<'a>,
        more: impl Fn(AttentionArgument) -> Result<Bound, AttentionError>,
        score: Option<Argument>,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        starts.check(plan.problem().sequences)?;
        self.check_planned(&plan.problem().all)?;
        let rows = (plan.rows(), plan.rows_arguments(), plan.rows_params());
        let tiles = [plan.keys(), plan.queries()].map(|of| (of, of.arguments()));
        let values = plan.problem().values();
        self.bind(kernels, values, rows, tiles, more, score)
    }
}

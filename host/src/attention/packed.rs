//! Packed sequences on a device: where each begins, beside tensors of the rows of all.
//!
//! ```text
//!   lengths 3 0 5  ─ starts ─►  0 3 3 8  ─ upload ─►  SequenceStarts
//! ```

use super::{AttentionElement, AttentionError, AttentionOperands, PreparedAttention};
use crate::args::KernelArg;
use crate::buffer::View;
use crate::contract::Contract;
use crate::kernel::Kernel;
use kernel_abi::attention::PackedAttentionPlan;

/// Where each sequence begins: one element more than there are sequences, the last being the end of the last.
///
/// Law: they do not decrease and are at most the rows that there are. Others are taken for the nearest of these, so that no
/// kernel leaves its tensors; which rows a sequence has is not defined then.
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

impl<'a, T: AttentionElement> AttentionOperands<'a, T> {
    /// Binds the tensors, one batch of the rows of all sequences, to the launch of packed sequences.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare), and [`AttentionError::Starts`] where there are more or fewer sequences than planned.
    pub fn prepare_packed(
        self,
        kernel: &Kernel,
        plan: &PackedAttentionPlan,
        starts: SequenceStarts<'a>,
    ) -> Result<PreparedAttention<'a>, AttentionError> {
        let expected = u64::from(plan.problem().sequences) + 1;
        for (name, of) in [("queries", &starts.queries), ("keys", &starts.keys)] {
            if of.len() as u64 != expected {
                return Err(AttentionError::Starts {
                    name,
                    found: of.len(),
                    expected,
                });
            }
        }
        let of = (&plan.problem().all, Contract::from(plan.launch()).launch());
        let more = [starts.queries.lower(), starts.keys.lower()];
        self.bind(kernel, of, (plan.params(), plan.maps()), more)
    }
}

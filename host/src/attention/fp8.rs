//! Attention of 8-bit floats on a device: Q, K and V are e4m3 with scales, and a first launch
//! transposes V.
//!
//! ```text
//!   AttentionOperands<FloatE4M3, bf16> ─┬─ problem ─► Fp8AttentionProblem ─ a kernel's plan ─► prepare_fp8 ─► PreparedAttention: two launches
//!   AttentionScales q, k, v ────────────┘
//! ```

use super::arguments::{Bound, bind, unbound};
use super::{AttentionElement, AttentionError, AttentionOperands, PreparedAttention};
use crate::args::KernelArg;
use crate::buffer::View;
use crate::kernel::Kernel;
use kernel_abi::attention::{
    AttentionArgument, AttentionMask, Fp8AttentionPlan, Fp8AttentionProblem,
};
use layout_types::atom::element::FloatE4M3;

/// The factors by which the elements of Q, K and V are multiplied. Each tensor has one factor, or
/// each tensor has (batches, key heads) factors: one for each key head of each batch.
/// FlashAttention-3 calls such a factor `descale`.
///
/// Law: scales are above 0. Query heads that share a key head also share one scale of Q.
#[derive(Clone, Copy, Debug)]
pub struct AttentionScales<'a> {
    /// The factors of Q.
    pub q: View<'a, f32>,
    /// The factors of K.
    pub k: View<'a, f32>,
    /// The factors of V.
    pub v: View<'a, f32>,
}

impl<'a, O: AttentionElement> AttentionOperands<'a, FloatE4M3, O> {
    /// Returns the problem that the tensors and their scales describe.
    ///
    /// # Errors
    /// Returns an [`AttentionError`] with the tensors and the values, if the tensors or the scales
    /// do not fit together.
    pub fn fp8_problem(
        &self,
        scales: &AttentionScales<'_>,
        mask: AttentionMask,
        scale: f32,
    ) -> Result<Fp8AttentionProblem, AttentionError> {
        let of = self.problem(mask, scale)?;
        let of_heads = u64::from(of.batches) * u64::from(of.key_heads);
        for (name, of) in [("Q", &scales.q), ("K", &scales.k), ("V", &scales.v)] {
            let found = of.len();
            if found != scales.q.len() || (found != 1 && found as u64 != of_heads) {
                return Err(AttentionError::Scales {
                    name,
                    found,
                    of_heads,
                });
            }
        }
        Ok(Fp8AttentionProblem {
            of,
            scales_of_heads: scales.q.len() != 1,
        })
    }

    /// Binds the tensors to the launches of a plan by its two kernels: the one that transposes V,
    /// and the one that computes attention.
    ///
    /// # Errors
    /// Returns [`AttentionError::OtherProblem`] if the plan is for other tensors,
    /// [`AttentionError::Scales`] if it is for other scales, and [`AttentionError::Host`] for a
    /// launch that is refused.
    pub fn prepare_fp8(
        self,
        [transpose, attention]: [&Kernel; 2],
        plan: &Fp8AttentionPlan,
        scales: AttentionScales<'a>,
    ) -> Result<PreparedAttention<'a>, AttentionError> {
        let of = plan.problem();
        self.check_planned(&of.of)?;
        let found = self.fp8_problem(&scales, of.of.mask, of.of.scale)?;
        if found != *of {
            return Err(AttentionError::Scales {
                name: "Q",
                found: scales.q.len(),
                of_heads: of.scales(),
            });
        }
        let device = attention.device();
        let mut transposed = device.alloc::<u8>(plan.transposed() as usize)?;
        let written = transposed.all_mut().lower();
        let [_, _, map_v] = plan.maps();
        let of_transpose = |argument| match argument {
            AttentionArgument::Transposed => Ok(written.clone().into()),
            AttentionArgument::ToTranspose => Ok(self.v.view.lower().into()),
            AttentionArgument::Params => Ok(Bound::words(plan.transpose_params().to_u64s())),
            other => Err(unbound(other)),
        };
        let of_attention = |argument| match argument {
            AttentionArgument::MapV => Ok(Bound::map(&transposed.all(), map_v)?),
            AttentionArgument::ScalesOfQ => Ok(scales.q.lower().into()),
            AttentionArgument::ScalesOfK => Ok(scales.k.lower().into()),
            AttentionArgument::ScalesOfV => Ok(scales.v.lower().into()),
            other => self.value(device, plan.params(), plan.maps(), other),
        };
        let launch = plan.launch();
        let launch = bind(attention, launch, plan.arguments(), of_attention, None)?;
        let (ahead, list) = (plan.transpose(), plan.transpose_arguments());
        let ahead = bind(transpose, ahead, list, of_transpose, None)?;
        Ok(PreparedAttention {
            launch,
            ahead: Some((ahead, transposed)),
        })
    }
}

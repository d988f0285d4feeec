//! The gradient of the sinks. One launch computes it from the values of rows, after the kernel of
//! the rows has written them.
//!
//! ```text
//!   one CTA per head: d sink = -Σ e^(sink - LSE) δ over the rows of all batches or sequences
//! ```
//!
//! Law: every run gives the same bits, since a head's CTA adds in a fixed order. A row that sees no
//! key adds 0, and so does a row of a head's padding. A sink of -inf has a gradient of 0.

use super::{
    AttentionArgument, AttentionBackwardParams, AttentionBackwardPlan, AttentionKernel,
    AttentionType, FusedBackwardPlan, PackedBackwardPlan,
};
use crate::{KernelArguments, LaunchSpec};

/// The number of threads in a CTA of the kernel of the sinks.
pub const SINK_THREADS: u32 = 512;

/// A kernel of the sinks' gradient: one kernel serves all elements, head dimensions and kinds of
/// sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SinkGradientConfiguration {
    /// The kernel's name in the PTX.
    pub kernel: &'static str,
    /// Dynamic shared memory of a CTA, in bytes.
    pub shared_bytes: u32,
}

/// The launch of the sinks' gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SinkGradientPlan {
    launch: LaunchSpec<3>,
    params: AttentionBackwardParams,
}

impl SinkGradientPlan {
    /// Returns the kernel's arguments, which do not depend on the element type.
    #[must_use]
    pub const fn arguments(&self) -> KernelArguments<AttentionArgument> {
        AttentionKernel::Sinks.arguments(AttentionType::F16)
    }

    /// Returns the kernel, its grid and its buffers: the gradient, the sinks and the values of
    /// rows.
    #[must_use]
    pub const fn launch(&self) -> &LaunchSpec<3> {
        &self.launch
    }

    /// Returns the kernel's parameters, which are those of the kernel of the rows.
    #[must_use]
    pub const fn params(&self) -> &AttentionBackwardParams {
        &self.params
    }
}

impl SinkGradientConfiguration {
    /// Returns the launch that computes the sinks' gradient after a kernel of the rows with these
    /// parameters.
    fn launch(&self, params: &AttentionBackwardParams) -> SinkGradientPlan {
        let heads = params.of.heads;
        let values = 2 * u64::from(params.value_heads) * u64::from(params.value_rows);
        let arguments = AttentionKernel::Sinks.arguments(AttentionType::F16);
        SinkGradientPlan {
            launch: LaunchSpec {
                kernel: self.kernel,
                grid: [heads, 1, 1],
                block: [SINK_THREADS, 1, 1],
                cluster: [1; 3],
                shared_bytes: self.shared_bytes as usize,
                buffers: [
                    arguments.buffer(AttentionArgument::GradientOfSinks, heads.into(), 4),
                    arguments.buffer(AttentionArgument::Sinks, heads.into(), 4),
                    arguments.buffer(AttentionArgument::Values, values, 16),
                ],
            },
            params: *params,
        }
    }

    /// Returns the launch that follows the launches of `behind`, for sequences of one length.
    ///
    /// ```
    /// # use kernel_abi::attention::*;
    /// # let tiles = GradientKernel { kernel: "tiles", base: None, tile: [128, 64], threads: 384, shared_bytes: 1024 };
    /// # let of = AttentionBackwardConfiguration {
    /// #     parts: AttentionParts::NONE, element: AttentionType::Bf16, dim: 64, loads: AttentionLoads::Tma, ctas: [1, 1], rows: "rows",
    /// #     keys: tiles, queries: tiles,
    /// # };
    /// let forward = AttentionProblem::new(AttentionType::Bf16, (3, 2, 300, 64), AttentionMask::Causal, 0.125);
    /// let plan = of.plan(&AttentionBackwardProblem::new(forward), 132)?;
    /// let sinks = SinkGradientConfiguration { kernel: "sinks", shared_bytes: 64 }.plan(&plan);
    /// // Of each of two heads of three batches 384 rows, with two values each.
    /// assert_eq!((sinks.launch().grid, sinks.launch().buffers[2].elements), ([2, 1, 1], 2 * 3 * 2 * 384));
    /// # Ok::<(), kernel_abi::ProblemError>(())
    /// ```
    #[must_use]
    pub fn plan(&self, behind: &AttentionBackwardPlan) -> SinkGradientPlan {
        self.launch(behind.rows_params())
    }

    /// Returns the launch that follows the launches of `behind`, a plan of the fused kernels.
    #[must_use]
    pub fn plan_fused(&self, behind: &FusedBackwardPlan) -> SinkGradientPlan {
        self.launch(behind.rows_params())
    }

    /// Returns the launch that follows the launches of `behind`, for packed sequences.
    #[must_use]
    pub fn plan_packed(&self, behind: &PackedBackwardPlan) -> SinkGradientPlan {
        self.launch(behind.rows_params())
    }
}

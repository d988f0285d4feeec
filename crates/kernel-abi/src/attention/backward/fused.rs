//! The gradients computed by one kernel of tiles, with five products for each block. The kernel is
//! faster for long sequences, but dQ's bits differ between runs.
//!
//! ```text
//!   kernel of the rows       LSE log2(e) and δ of each query; sets the sums to zero
//!   kernel of the gradients  a tile of keys, queries in blocks: dK, dV; sums += dSᵀ K
//!   kernel of dQ             scale sums, rounded
//! ```
//!
//! Law: the law of [`AttentionBackwardProblem`](super::AttentionBackwardProblem) holds, with one
//! exception: tiles of keys add to a sum of dQ in any order. dK and dV have the same bits on every
//! run of the same device, and dQ differs between runs by the rounding of sums in f32.

use super::super::{
    AttentionArgument, AttentionKernel, AttentionLoads, AttentionMask, AttentionParts,
};
use super::{
    AttentionBackwardConfiguration, AttentionBackwardParams, AttentionBackwardProblem,
    AttentionType, GradientKernel, GradientPlan, ROWS_THREADS,
};
use crate::{BufferSpec, KernelArguments, LaunchSpec, ProblemError};

/// The three kernels for an element type and a head dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FusedBackwardConfiguration {
    /// The type of all elements.
    pub element: AttentionType,
    /// The head dimension.
    pub dim: u32,
    /// The kernel of the rows.
    pub rows: &'static str,
    /// The kernel of the gradients, whose tiles are of keys.
    pub gradients: GradientKernel,
    /// The kernel of dQ.
    pub dq: &'static str,
}

/// The three launches of a problem, in their order. [`FusedBackwardConfiguration::plan`] has
/// checked them, and nothing can change them afterwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FusedBackwardPlan {
    problem: AttentionBackwardProblem,
    rows: LaunchSpec<5>,
    rows_params: AttentionBackwardParams,
    gradients: GradientPlan<4>,
    dq: LaunchSpec<2>,
    dq_params: AttentionBackwardParams,
}

impl FusedBackwardPlan {
    /// Returns the problem.
    #[must_use]
    pub const fn problem(&self) -> &AttentionBackwardProblem {
        &self.problem
    }

    /// Returns the kernel of the rows and its buffers: O, dO, the log-sum-exp, the values and the
    /// sums.
    #[must_use]
    pub const fn rows(&self) -> &LaunchSpec<5> {
        &self.rows
    }

    /// Returns the arguments of the kernel of the rows.
    #[must_use]
    pub const fn rows_arguments(&self) -> KernelArguments<AttentionArgument> {
        AttentionKernel::FusedRows.arguments(self.problem.forward.element)
    }

    /// Returns the parameters of the kernel of the rows.
    #[must_use]
    pub const fn rows_params(&self) -> &AttentionBackwardParams {
        &self.rows_params
    }

    /// Returns the launch of the gradients, whose arguments include the maps of K, V, Q and dO, and
    /// the sums.
    #[must_use]
    pub const fn gradients(&self) -> &GradientPlan<4> {
        &self.gradients
    }

    /// Returns the kernel of dQ and its buffers: dQ and the sums.
    #[must_use]
    pub const fn dq(&self) -> &LaunchSpec<2> {
        &self.dq
    }

    /// Returns the arguments of the kernel of dQ.
    #[must_use]
    pub const fn dq_arguments(&self) -> KernelArguments<AttentionArgument> {
        AttentionKernel::FusedDq.arguments(self.problem.forward.element)
    }

    /// Returns the parameters of the kernel of dQ.
    #[must_use]
    pub const fn dq_params(&self) -> &AttentionBackwardParams {
        &self.dq_params
    }
}

impl FusedBackwardConfiguration {
    /// Whether the kernels compute the problem.
    #[must_use]
    pub fn computes(&self, problem: &AttentionBackwardProblem) -> bool {
        self.element == problem.forward.element && self.dim == problem.forward.dim
    }

    /// The fused kernels are faster than the kernels of seven products if a head has at least this
    /// many queries and, without a mask, at least this many keys. At 1024 they take 0.92 of the
    /// time of the kernels of seven products at d 64 and 0.95 at d 128; at 512 they take 1.04 and
    /// 1.08 (NVIDIA H100, bf16, batches × rows = 16384, heads × D = 2048;
    /// `docs/benchmarks/gradients.md`).
    pub const LEAST_ROWS: u32 = 1024;

    /// Returns the least mean number of keys seen by a query at which, under a mask, the fused
    /// kernels are faster than the kernels of seven products.
    ///
    /// At d 64 they take 0.98 of the time of the kernels of seven products at 512 keys (causal,
    /// 1024 rows), 0.97 at 504 (a window of 512 in 16384 rows) and 1.09 at 256 (causal, 512 rows).
    /// At d 128 they take 0.94 at 2048 (causal, 4096 rows), 0.94 at 1920 (a window of 2048 in 16384
    /// rows), 1.03 at 1792 (the same window in 8192 rows) and 1.08 at 1024 (causal, 2048 rows).
    #[must_use]
    pub const fn least_seen_under_mask(&self) -> u32 {
        match self.dim {
            64 => 500,
            _ => 1900,
        }
    }

    /// Whether the fused kernels take less time for a problem than the kernels of seven products,
    /// according to measurements.
    ///
    /// ```
    /// use kernel_abi::attention::{AttentionBackwardProblem, AttentionMask, AttentionProblem, AttentionType, FusedBackwardConfiguration, GradientKernel};
    /// let of = FusedBackwardConfiguration {
    ///     element: AttentionType::F16,
    ///     dim: 128,
    ///     rows: "rows",
    ///     gradients: GradientKernel { kernel: "gradients", base: None, tile: [128, 64], threads: 384, shared_bytes: 0 },
    ///     dq: "dq",
    /// };
    /// let faster = |rows, mask| {
    ///     let forward = AttentionProblem::new(AttentionType::F16, (1, 16, rows, 128), mask, 0.1);
    ///     of.is_faster(&AttentionBackwardProblem::new(forward))
    /// };
    /// assert!(faster(1024, AttentionMask::Full) && !faster(1000, AttentionMask::Full));
    /// assert!(faster(4096, AttentionMask::Causal) && !faster(2048, AttentionMask::Causal));
    /// let window = AttentionMask::Window { before: 2047, after: 0 };
    /// assert!(faster(16384, window) && !faster(8192, window));
    /// // At d 64 an exponential is a larger part, and each of them is computed once instead of twice.
    /// let of = FusedBackwardConfiguration { dim: 64, ..of };
    /// let forward = AttentionProblem::new(AttentionType::F16, (1, 32, 1024, 64), AttentionMask::Causal, 0.1);
    /// assert!(of.is_faster(&AttentionBackwardProblem::new(forward)));
    /// ```
    #[must_use]
    pub fn is_faster(&self, problem: &AttentionBackwardProblem) -> bool {
        let of = &problem.forward;
        // The mean number of keys that a query sees on one side of its position: queries near that
        // end of the keys see fewer.
        let side = |keys: u32| {
            let (keys, queries) = (keys.min(of.queries), u64::from(of.queries.max(1)));
            keys - (u64::from(keys) * u64::from(keys) / (2 * queries)) as u32
        };
        let (seen, least) = match of.mask {
            AttentionMask::Full => (of.keys, Self::LEAST_ROWS),
            // The last query sees all keys, and the first query sees `queries` fewer.
            AttentionMask::Causal => (
                of.keys - of.queries.min(of.keys) / 2,
                self.least_seen_under_mask(),
            ),
            AttentionMask::Window { before, after } => (
                side(before).saturating_add(side(after)).min(of.keys),
                self.least_seen_under_mask(),
            ),
        };
        self.computes(problem) && of.queries >= Self::LEAST_ROWS && seen >= least
    }

    /// Returns the number of elements in the sums of dQ. The sums have the padded rows of all
    /// heads.
    #[must_use]
    pub fn sums(problem: &AttentionBackwardProblem) -> u64 {
        problem.values() / 2 * u64::from(problem.forward.dim)
    }

    /// Plans the launches of a problem on a device with this number of multiprocessors.
    ///
    /// # Errors
    /// Returns a [`ProblemError`] with the number, the value given and the values allowed.
    pub fn plan(
        &self,
        problem: &AttentionBackwardProblem,
        multiprocessors: u32,
    ) -> Result<FusedBackwardPlan, ProblemError> {
        // The tiles, maps and parameters are those of the kernel of dK and dV. The kernel that
        // rounds the sums takes the parameters of the plan for dQ.
        let of = AttentionBackwardConfiguration {
            parts: AttentionParts::NONE,
            element: self.element,
            dim: self.dim,
            loads: AttentionLoads::Tma,
            ctas: [1, 1],
            rows: self.rows,
            keys: self.gradients,
            queries: self.gradients,
        }
        .plan(problem, multiprocessors)?;
        let [rows, gradients, rounding] = [
            AttentionKernel::FusedRows,
            AttentionKernel::FusedTiles,
            AttentionKernel::FusedDq,
        ]
        .map(|kernel| kernel.arguments(self.element));
        let buffer = |of: KernelArguments<AttentionArgument>, argument, like: BufferSpec| {
            of.buffer(argument, like.elements, like.alignment)
        };
        let sums = |of: KernelArguments<AttentionArgument>| {
            of.buffer(AttentionArgument::Sums, Self::sums(problem), 16)
        };
        let [o, d_o, lse, values] = of.rows.buffers;
        let [dk, dv, values_read] = of.keys.launch.buffers;
        let [dq, _, _] = of.queries.launch.buffers;
        Ok(FusedBackwardPlan {
            problem: *problem,
            rows: with_buffers(
                &of.rows,
                [
                    buffer(rows, AttentionArgument::O, o),
                    buffer(rows, AttentionArgument::GradientOfO, d_o),
                    buffer(rows, AttentionArgument::Lse, lse),
                    buffer(rows, AttentionArgument::Values, values),
                    sums(rows),
                ],
            ),
            rows_params: of.rows_params,
            gradients: GradientPlan {
                launch: with_buffers(
                    &of.keys.launch,
                    [
                        buffer(gradients, AttentionArgument::GradientOfK, dk),
                        buffer(gradients, AttentionArgument::GradientOfV, dv),
                        buffer(gradients, AttentionArgument::Values, values_read),
                        sums(gradients),
                    ],
                ),
                params: of.keys.params,
                maps: of.keys.maps,
                arguments: gradients,
            },
            dq: LaunchSpec {
                kernel: self.dq,
                grid: of.rows.grid,
                block: [ROWS_THREADS, 1, 1],
                cluster: [1; 3],
                shared_bytes: 0,
                buffers: [
                    buffer(rounding, AttentionArgument::GradientOfQ, dq),
                    sums(rounding),
                ],
            },
            dq_params: of.queries.params,
        })
    }
}

/// Returns the same launch with other buffers.
const fn with_buffers<const OLD: usize, const NEW: usize>(
    launch: &LaunchSpec<OLD>,
    buffers: [BufferSpec; NEW],
) -> LaunchSpec<NEW> {
    LaunchSpec {
        kernel: launch.kernel,
        grid: launch.grid,
        block: launch.block,
        cluster: launch.cluster,
        shared_bytes: launch.shared_bytes,
        buffers,
    }
}

#[cfg(test)]
mod tests {
    use super::super::AttentionProblem;
    use super::*;

    const OF: FusedBackwardConfiguration = FusedBackwardConfiguration {
        element: AttentionType::Bf16,
        dim: 128,
        rows: "rows",
        gradients: GradientKernel {
            kernel: "gradients",
            base: None,
            tile: [128, 64],
            threads: 384,
            shared_bytes: 1024,
        },
        dq: "dq",
    };

    #[test]
    fn a_plan_has_the_sums_behind_the_other_arguments() {
        let extents = (2, 6, 300, 128);
        let forward =
            AttentionProblem::new(AttentionType::Bf16, extents, AttentionMask::Causal, 0.5);
        let problem = AttentionBackwardProblem::new(forward.with_keys(77, 3));
        let plan = OF.plan(&problem, 132).unwrap();
        // Rows are padded to 384.
        let sums = 2 * 6 * 384 * 128;
        assert_eq!(FusedBackwardConfiguration::sums(&problem), sums);
        let places = |buffers: &[BufferSpec]| {
            let of: Vec<_> = buffers.iter().map(|of| (of.argument, of.written)).collect();
            (of, buffers.last().unwrap().elements)
        };
        let read = |argument| (argument, false);
        let written = |argument| (argument, true);
        assert_eq!(
            places(&plan.rows.buffers),
            (
                vec![read(0), read(1), read(2), written(3), written(5)],
                sums
            )
        );
        assert_eq!(
            places(&plan.gradients.launch.buffers),
            (vec![written(0), written(1), read(2), written(8)], sums)
        );
        assert_eq!(places(&plan.dq.buffers), (vec![written(0), read(1)], sums));
        // There is one tile of keys, for three heads of two batches. The kernel that rounds dQ has
        // tiles of queries.
        assert_eq!(plan.gradients.launch.grid, [6, 1, 1]);
        assert_eq!(plan.gradients.params.of.queries, 77);
        assert_eq!(
            (plan.dq_params.of.queries, plan.dq.grid),
            (300, plan.rows.grid)
        );
    }
}

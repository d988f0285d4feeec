//! Attention of 8-bit floats: Q, K and V in e4m3 with scales, O in f16 or bf16.
//!
//! ```text
//!   S = scale q_scale k_scale Q Kᵀ        O = v_scale P V / l        scales: one, or one per (batch, key head)
//! ```
//!
//! Law: O differs from the float64 result for the scaled elements only by the rounding of P to
//! e4m3, the rounding in the tensor cores' sums, and one rounding of O. P is scaled so that the
//! largest P of a row up to the current block is 2^8. Sums of 8-bit products keep 13 bits of
//! fraction, relative to the largest summand. If V has no NaN, all its elements are finite, because
//! e4m3 has no infinities.

use super::plan::{map_of, mismatch};
use super::problem::multiple_of;
use super::{
    AttentionArgument, AttentionConfiguration, AttentionKernel, AttentionMapPlan, AttentionParams,
    AttentionProblem, flags,
};
use crate::{KernelArguments, LaunchSpec, ProblemError};

/// The number of keys per CTA in the kernel that transposes V. The rows of Vᵀ are padded to a
/// multiple of this number.
const TRANSPOSED_KEYS: u32 = 128;
/// The head dimension of the kernels of 8-bit floats.
const DIM: u32 = 128;

/// Attention whose Q, K and V are 8-bit floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fp8AttentionProblem {
    /// The problem, whose `element` is the type of O. Q, K and V are e4m3.
    pub of: AttentionProblem,
    /// Whether each key head of each batch has scales of its own. Otherwise each tensor has one
    /// scale.
    pub scales_of_heads: bool,
}

impl Fp8AttentionProblem {
    /// Checks the conditions that every kernel sets for the problem's numbers.
    ///
    /// # Errors
    /// Returns a [`ProblemError`]. For a number that is not allowed, its message has the number's
    /// name, the value given and the values allowed.
    pub fn check(&self) -> Result<(), ProblemError> {
        self.of.check()?;
        self.of.check_one_dim("8-bit floats")?;
        self.of.check_scale(super::scale::EXPONENTS_OF_FP8 / 4.0)?;
        // 16 bytes are 16 elements of Q, K and V.
        let [q, k, v, _] = &self.of.strides;
        let (queries, keys) = (
            (self.of.queries, self.of.heads),
            (self.of.keys, self.of.key_heads),
        );
        for (strides, (rows, heads), names) in [
            (q, queries, super::problem::stride_names!("Q")),
            (k, keys, super::problem::stride_names!("K")),
            (v, keys, super::problem::stride_names!("V")),
        ] {
            let of = [
                (strides.row, rows),
                (strides.head, heads),
                (strides.batch, self.of.batches),
            ];
            for (name, (stride, count)) in names.into_iter().zip(of) {
                if count > 1 {
                    multiple_of(name, stride, 16)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the number of scales that each tensor has.
    #[must_use]
    pub const fn scales(&self) -> u64 {
        if self.scales_of_heads {
            self.of.batches as u64 * self.of.key_heads as u64
        } else {
            1
        }
    }
}

/// The parameters of the kernel that transposes V, by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct TransposeParams {
    /// The number of keys of a head.
    pub keys: u32,
    /// The number of columns of Vᵀ for a head: the keys, rounded up to a multiple of 128.
    pub places: u32,
    /// The number of key heads of a batch.
    pub heads: u32,
    /// Padding, which is 0.
    pub reserved: u32,
    /// Elements between neighbouring rows of V.
    pub row: u64,
    /// Elements between neighbouring heads of V.
    pub head: u64,
    /// Elements between neighbouring batches of V.
    pub batch: u64,
}

impl TransposeParams {
    /// Returns the structure's bytes as 64-bit numbers: a kernel argument of 40 bytes.
    #[must_use]
    pub const fn to_u64s(&self) -> [u64; 5] {
        [
            self.keys as u64 | (self.places as u64) << 32,
            self.heads as u64 | (self.reserved as u64) << 32,
            self.row,
            self.head,
            self.batch,
        ]
    }
}

const _: () = assert!(size_of::<TransposeParams>() == 40 && align_of::<TransposeParams>() == 8);

/// The launches of a problem. [`AttentionConfiguration::plan_fp8`] has checked them, and nothing
/// can change them afterwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fp8AttentionPlan {
    problem: Fp8AttentionProblem,
    transpose: LaunchSpec<2>,
    transpose_params: TransposeParams,
    launch: LaunchSpec<5>,
    params: AttentionParams,
    maps: [AttentionMapPlan; 3],
}

impl Fp8AttentionPlan {
    /// The name of the kernel that transposes V.
    pub const TRANSPOSE: &str = "attention_transpose_b8";

    /// Returns the problem.
    #[must_use]
    pub const fn problem(&self) -> &Fp8AttentionProblem {
        &self.problem
    }

    /// Returns the first launch, which transposes V, and its buffers: Vᵀ and V.
    #[must_use]
    pub const fn transpose(&self) -> &LaunchSpec<2> {
        &self.transpose
    }

    /// Returns the arguments of the kernel that transposes V.
    #[must_use]
    pub const fn transpose_arguments(&self) -> KernelArguments<AttentionArgument> {
        AttentionKernel::Transpose.arguments(self.problem.of.element)
    }

    /// Returns the parameters of the kernel that transposes V.
    #[must_use]
    pub const fn transpose_params(&self) -> &TransposeParams {
        &self.transpose_params
    }

    /// Returns the number of elements of Vᵀ.
    #[must_use]
    pub const fn transposed(&self) -> u64 {
        self.transpose.buffers[0].elements
    }

    /// Returns the kernel, its grid and its own buffers: O, the log-sum-exp, and the scales of Q, K
    /// and V.
    #[must_use]
    pub const fn launch(&self) -> &LaunchSpec<5> {
        &self.launch
    }

    /// Returns the kernel's arguments.
    #[must_use]
    pub const fn arguments(&self) -> KernelArguments<AttentionArgument> {
        AttentionKernel::Fp8.arguments(self.problem.of.element)
    }

    /// Returns the kernel's parameters.
    #[must_use]
    pub const fn params(&self) -> &AttentionParams {
        &self.params
    }

    /// Returns the maps of Q, K and Vᵀ.
    #[must_use]
    pub const fn maps(&self) -> &[AttentionMapPlan; 3] {
        &self.maps
    }
}

impl AttentionConfiguration {
    /// Plans the launches of a problem of 8-bit floats on a device with this number of
    /// multiprocessors. The kernel must be one for 8-bit floats.
    ///
    /// # Errors
    /// Returns a [`ProblemError`]. For a number that is not allowed, its message has the number's
    /// name, the value given and the values allowed.
    pub fn plan_fp8(
        &self,
        problem: &Fp8AttentionProblem,
        multiprocessors: u32,
    ) -> Result<Fp8AttentionPlan, ProblemError> {
        problem.check()?;
        let of = &problem.of;
        if of.dim != DIM {
            return Err(mismatch(self.kernel, "the head dimension"));
        }
        let plan = self.plan(of, multiprocessors)?;
        let blocks = of.keys.div_ceil(TRANSPOSED_KEYS);
        let places = blocks * TRANSPOSED_KEYS;
        let heads = u64::from(of.key_heads) * u64::from(of.batches);
        let ctas = u64::from(blocks) * heads;
        // The kernels count rows of Vᵀ and CTAs in 32 bits.
        let most = u64::from(u32::MAX / DIM);
        for (what, given) in [
            ("the number of key heads", heads),
            ("the number of blocks of keys", ctas),
        ] {
            if given > most {
                return Err(ProblemError::TooLarge {
                    what,
                    given,
                    max: most,
                });
            }
        }
        let [q, k, v, _] = of.strides;
        let transposed = heads * u64::from(DIM) * u64::from(places);
        let arguments = AttentionKernel::Fp8.arguments(self.element);
        let scales = |argument| arguments.buffer(argument, problem.scales(), 4);
        let of_transpose = AttentionKernel::Transpose.arguments(self.element);
        let of_v = v.reach(of.batches, of.key_heads, of.keys, DIM);
        let [rows, keys] = self.tile;
        let map =
            |extents: [u32; 4], strides: [u64; 3], rows: u32| map_of(extents, strides, [128, rows]);
        let of_rows = u64::from(places);
        let LaunchSpec {
            kernel,
            grid,
            block,
            cluster,
            shared_bytes,
            buffers: [o, lse],
        } = *plan.launch();
        Ok(Fp8AttentionPlan {
            problem: *problem,
            transpose: LaunchSpec {
                kernel: Fp8AttentionPlan::TRANSPOSE,
                grid: [ctas as u32, 1, 1],
                block: [128, 1, 1],
                cluster: [1; 3],
                shared_bytes: (DIM * TRANSPOSED_KEYS) as usize,
                buffers: [
                    of_transpose.buffer(AttentionArgument::Transposed, transposed, 16),
                    of_transpose.buffer(AttentionArgument::ToTranspose, of_v, 16),
                ],
            },
            transpose_params: TransposeParams {
                keys: of.keys,
                places,
                heads: of.key_heads,
                reserved: 0,
                row: v.row,
                head: v.head,
                batch: v.batch,
            },
            launch: LaunchSpec {
                kernel,
                grid,
                block,
                cluster,
                shared_bytes,
                buffers: [
                    arguments.buffer(AttentionArgument::O, o.elements, o.alignment),
                    arguments.buffer(AttentionArgument::Lse, lse.elements, lse.alignment),
                    scales(AttentionArgument::ScalesOfQ),
                    scales(AttentionArgument::ScalesOfK),
                    scales(AttentionArgument::ScalesOfV),
                ],
            },
            params: AttentionParams {
                flags: plan.params().flags
                    | if problem.scales_of_heads {
                        flags::SCALES_OF_HEADS
                    } else {
                        0
                    },
                ..*plan.params()
            },
            maps: [
                map(
                    [DIM, of.queries, of.heads, of.batches],
                    [q.row, q.head, q.batch],
                    rows,
                ),
                map(
                    [DIM, of.keys, of.key_heads, of.batches],
                    [k.row, k.head, k.batch],
                    keys,
                ),
                map(
                    [places, DIM, of.key_heads, of.batches],
                    [
                        of_rows,
                        of_rows * u64::from(DIM),
                        of_rows * u64::from(DIM) * u64::from(of.key_heads),
                    ],
                    DIM,
                ),
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AttentionLoads, AttentionMask, AttentionParts, AttentionType};
    use super::*;

    const OF: AttentionConfiguration = AttentionConfiguration {
        kernel: "attention",
        base: None,
        parts: AttentionParts::NONE,
        element: AttentionType::Bf16,
        dim: 128,
        dim_v: 128,
        tile: [128, 128],
        loads: AttentionLoads::Tma,
        stages: 2,
        threads: 384,
        ctas: 1,
        shared_bytes: 98_400,
        speed: 100,
    };

    fn problem() -> Fp8AttentionProblem {
        let extents = (2, 6, 1000, 128);
        Fp8AttentionProblem {
            of: AttentionProblem::new(AttentionType::Bf16, extents, AttentionMask::Causal, 0.1)
                .with_keys(300, 3),
            scales_of_heads: true,
        }
    }

    #[test]
    fn v_is_transposed_by_a_launch_ahead() {
        let plan = OF.plan_fp8(&problem(), 132).unwrap();
        // 300 keys are 3 blocks of 128, for 3 heads of 2 batches.
        assert_eq!(plan.transpose().grid, [18, 1, 1]);
        assert_eq!(plan.transposed(), 6 * 128 * 384);
        assert_eq!(plan.transpose_params().places, 384);
        let [q, k, v] = plan.maps();
        assert_eq!(
            (q.extents, q.box_extents),
            ([128, 1000, 6, 2], [128, 128, 1, 1])
        );
        assert_eq!(k.strides, [128, 128 * 300, 128 * 300 * 3]);
        assert_eq!(
            (v.extents, v.strides),
            ([384, 128, 3, 2], [384, 384 * 128, 384 * 128 * 3])
        );
        assert_eq!(v.swizzle_bytes(1), 128);
        assert_eq!(plan.launch().buffers[2].elements, 6);
        assert_eq!(plan.params().flags, flags::SCALES_OF_HEADS);
        let one = Fp8AttentionProblem {
            scales_of_heads: false,
            ..problem()
        };
        let plan = OF.plan_fp8(&one, 132).unwrap();
        assert_eq!(
            (plan.launch().buffers[4].elements, plan.params().flags),
            (1, 0)
        );
    }

    #[test]
    fn what_has_no_launch_is_said_with_its_number() {
        let said = |change: fn(&mut Fp8AttentionProblem)| {
            let mut problem = problem();
            change(&mut problem);
            OF.plan_fp8(&problem, 132).unwrap_err().to_string()
        };
        assert_eq!(
            said(|of| of.of.strides[0].row = 136),
            "the row stride of Q is 136; it must be a multiple of 16"
        );
        assert_eq!(
            said(|of| of.of.keys = 0),
            "the number of keys is 0; it must be at least 1"
        );
        assert_eq!(
            said(|of| of.of = AttentionProblem {
                dim: 64,
                dim_v: 64,
                ..of.of
            }),
            "attention is not for this product: the head dimension differs"
        );
    }
}

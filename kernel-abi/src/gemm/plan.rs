//! From a problem, a kernel and a schedule to a launch.
//!
//! ```text
//!   GemmProblem ─ check ─► extents, leading dimensions, batch strides
//!        └─ Configuration::plan(.., Schedule) ─► types, orders, alignment ─► Plan { launch, params, workspace }
//! ```
//!
//! Law: a plan is a launch that computes its problem, to the bit the same on every run: the order in which the accumulator adds
//! follows from the configuration, the schedule and the extents alone.

use super::problem::vector_bytes;
use super::{
    Activation, Configuration, Epilogue, GemmParams, GemmProblem, InputType, Major, Majors,
    OutputType, Schedule, TensorMapPlan, flags,
};
use crate::{BufferSpec, LaunchSpec, MAX_EXTENT, MAX_GRID_Z, ProblemError, checked_extent};

/// A launch of a configuration for a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The problem that the launch computes.
    pub problem: GemmProblem,
    /// The kernel, its grid, CTA and shared memory, and its buffers: D, A, B, C, bias, workspace, arguments 0 to 5. The kernel
    /// does not access a buffer of no elements. Elements are D's, A's, B's, C's, f32 and bytes.
    pub launch: LaunchSpec<6>,
    /// Argument 6.
    pub params: GemmParams,
    /// Arguments 7 to 9 of a kernel of Hopper's collective: the tensor maps of A, B and D. The third is D's where
    /// [`flags::VECTORS`] is set. Argument 10 is the number of batches.
    pub tensor_maps: Option<[TensorMapPlan; 3]>,
    /// Bytes at the workspace's start that must be zero before the first launch; each launch leaves them zero.
    pub zeroed_bytes: u64,
}

impl Plan {
    /// Bytes of workspace.
    #[must_use]
    pub const fn workspace_bytes(&self) -> u64 {
        self.launch.buffers[5].elements
    }
}

/// The most tiles of a batch, and the most k tiles of all its tiles.
const MAX_TILES: u64 = (1 << 31) - 1;
/// The largest leading dimension, as of extents.
const MAX_STRIDE: u64 = 1 << 31;
/// The largest batch stride.
const MAX_BATCH_STRIDE: u64 = 1 << 44;
/// Rows of tiles in a group of the rasterization.
const RASTER_GROUP: u32 = 8;

impl GemmProblem {
    /// Checks that the numbers are a product of matrices, whatever kernel computes it.
    ///
    /// # Errors
    /// [`ProblemError::Empty`], [`ProblemError::TooLarge`] for an extent or a stride; [`ProblemError::Overlapping`] for a leading
    /// dimension below the contiguous extent, or batches of D that overlap.
    pub fn check(&self) -> Result<(), ProblemError> {
        for (extent, given) in [("M", self.m), ("N", self.n), ("K", self.k)] {
            checked_extent(extent, given, MAX_EXTENT)?;
        }
        checked_extent("the number of batches", self.batches, MAX_GRID_Z)?;
        let [a, b] = self.contiguous();
        for (stride, given, min) in [
            ("lda", self.lda, a),
            ("ldb", self.ldb, b),
            ("ldc", self.ldc, self.n),
            ("ldd", self.ldd, self.n),
        ] {
            not_below(stride, given, u64::from(min))?;
            not_above(stride, given, MAX_STRIDE)?;
        }
        let names = ["A", "B", "C", "D"].into_iter().zip([
            "the batch stride of A",
            "the batch stride of B",
            "the batch stride of C",
            "the batch stride of D",
        ]);
        for ((operand, stride), given) in names.zip(self.batch_strides) {
            if operand == "D" && self.batches > 1 {
                not_below(stride, given, u64::from(self.n))?;
            }
            not_above(stride, given, MAX_BATCH_STRIDE)?;
        }
        Ok(())
    }
}

impl Configuration {
    /// The launch of this kernel that computes `problem` by `schedule`.
    ///
    /// # Errors
    /// [`ProblemError::Mismatch`] where the kernel computes something else: other types, other orders, rows or a D that are not
    /// aligned enough, a schedule that it does not accept; and as [`GemmProblem::check`].
    ///
    /// ```
    /// use kernel_abi::gemm::*;
    /// let kernel = Configuration {
    ///     kernel: "gemm_f16_f32_tn_128x128x32_s3",
    ///     input: InputType::F16,
    ///     accumulator: AccumulatorType::F32,
    ///     majors: Majors::Tn,
    ///     tile: [128, 128, 32],
    ///     warps: [2, 2],
    ///     stages: 3,
    ///     threads: 128,
    ///     shared_bytes: 49_152,
    ///     load_bytes: 16,
    ///     partial_bytes: 65_536,
    ///     persistent: false,
    ///     arch: 80,
    ///     hopper: None,
    /// };
    /// let problem = GemmProblem::new(1000, 520, 264, InputType::F16, OutputType::Same);
    /// let plan = kernel.plan(&problem, Schedule::Tiles)?;
    /// assert_eq!(plan.launch.grid, [8 * 5, 1, 1]);
    /// assert_eq!(plan.launch.buffers[0].elements, 1000 * 520);
    /// assert_eq!((plan.params.k_slices, plan.workspace_bytes()), (1, 0));
    /// # Ok::<(), kernel_abi::ProblemError>(())
    /// ```
    pub fn plan(&self, problem: &GemmProblem, schedule: Schedule) -> Result<Plan, ProblemError> {
        self.matches(problem)?;
        problem.check()?;
        let accepted = match schedule {
            Schedule::Tiles | Schedule::SplitK(0 | 1) => true,
            Schedule::SplitK(_) | Schedule::StreamK(_) => !self.persistent,
            Schedule::Persistent(_) => self.persistent,
        };
        if !accepted {
            return self.mismatch("the schedule");
        }
        let &GemmProblem { m, n, k, .. } = problem;
        let tiles = u64::from(m.div_ceil(self.tile[0])) * u64::from(n.div_ceil(self.tile[1]));
        let k_tiles = u64::from(k.div_ceil(self.tile[2]));
        not_above("the number of tiles", tiles, MAX_TILES)?;
        // CTAs, the parameter, and partial accumulator tiles in the workspace.
        let (ctas, k_slices, partials) = match schedule {
            Schedule::Tiles | Schedule::SplitK(0 | 1) => (tiles, 1, 0),
            Schedule::SplitK(slices) => {
                // A slice has at least one k tile.
                let slices = u64::from(slices).min(k_tiles);
                let partials = if slices > 1 { tiles * slices } else { 0 };
                (tiles * slices, slices as u32, partials)
            }
            Schedule::StreamK(ctas) => {
                let ctas = u64::from(ctas).clamp(1, tiles * k_tiles);
                (ctas, 0, 2 * ctas)
            }
            Schedule::Persistent(ctas) => (u64::from(ctas).clamp(1, tiles), 1, 0),
        };
        // Hopper's kernels go through the batches themselves, in whole clusters.
        let (ctas, cluster) = match self.hopper {
            None => (ctas, 1),
            Some(hopper) => {
                let size = u64::from(hopper.ctas());
                let of = |extent: u32, along: usize| {
                    u64::from(extent.div_ceil(self.tile[along] * hopper.cluster[along]))
                };
                let clusters = of(m, 0) * of(n, 1) * u64::from(problem.batches);
                not_above("the number of tiles", clusters * size, MAX_TILES)?;
                let most = match schedule {
                    Schedule::Persistent(ctas) => (u64::from(ctas) / size).max(1),
                    _ => clusters,
                };
                (clusters.min(most) * size, hopper.ctas())
            }
        };
        not_above("the number of CTAs", ctas, MAX_TILES)?;
        if k_slices != 1 {
            not_above("the number of k tiles", tiles * k_tiles, MAX_TILES)?;
        }
        let batches = u64::from(problem.batches);
        // A 32-bit counter for each tile, then the partial accumulator tiles.
        let zeroed_bytes = if partials == 0 {
            0
        } else {
            (4 * tiles * batches).next_multiple_of(256)
        };
        let workspace = zeroed_bytes + partials * batches * u64::from(self.partial_bytes);
        let epilogue = epilogue_flags(problem);
        Ok(Plan {
            problem: *problem,
            launch: LaunchSpec {
                kernel: self.kernel,
                grid: [
                    ctas as u32,
                    1,
                    if self.hopper.is_some() {
                        1
                    } else {
                        problem.batches
                    },
                ],
                block: [self.threads, 1, 1],
                cluster: [cluster, 1, 1],
                shared_bytes: self.shared_bytes as usize,
                buffers: self.buffers(problem, epilogue, workspace),
            },
            params: GemmParams {
                m,
                n,
                k,
                k_slices,
                lda: problem.lda,
                ldb: problem.ldb,
                ldc: problem.ldc,
                ldd: problem.ldd,
                batch_a: problem.batch_strides[0],
                batch_b: problem.batch_strides[1],
                batch_c: problem.batch_strides[2],
                batch_d: problem.batch_strides[3],
                alpha: problem.epilogue.alpha,
                beta: problem.epilogue.beta,
                epilogue: epilogue | majors_flags(problem.majors),
                raster_group: RASTER_GROUP,
            },
            tensor_maps: self
                .hopper
                .map(|hopper| TensorMapPlan::of(problem, &hopper, epilogue)),
            zeroed_bytes,
        })
    }

    /// Refuses a problem of other types, orders or alignments than the kernel's.
    fn matches(&self, problem: &GemmProblem) -> Result<(), ProblemError> {
        if self.input != problem.input {
            return self.mismatch("the type of A and B");
        }
        if self.accumulator != problem.accumulator {
            return self.mismatch("the accumulator type");
        }
        if self.majors != problem.majors {
            return self.mismatch("the order of A and B");
        }
        match (problem.output, problem.input) {
            (OutputType::S32, InputType::S8) if problem.epilogue != Epilogue::NONE => {
                return self.mismatch("an epilogue on integers");
            }
            (OutputType::S32, InputType::S8) | (OutputType::Same | OutputType::F32, _) => {}
            (OutputType::S32, _) => return self.mismatch("an integer output of floats"),
        }
        if problem.alignment() < self.load_bytes {
            return self.mismatch("the alignment of rows of A or B");
        }
        let element = problem.output.bytes(problem.input);
        if vector_bytes(u64::from(problem.output_alignment)) < element {
            return self.mismatch("the alignment of D's address");
        }
        Ok(())
    }

    fn mismatch<T>(&self, what: &'static str) -> Result<T, ProblemError> {
        Err(ProblemError::Mismatch {
            kernel: self.kernel,
            what,
        })
    }

    /// The six buffers of a launch, of which those that no flag names have no elements.
    fn buffers(&self, problem: &GemmProblem, epilogue: u32, workspace: u64) -> [BufferSpec; 6] {
        let &GemmProblem { m, n, k, .. } = problem;
        let [stride_a, stride_b, stride_c, stride_d] = problem.batch_strides;
        // Elements from the first to the last of all batches.
        let span = |rows: u32, columns: u32, ld: u64, stride: u64| {
            u64::from(problem.batches - 1) * stride + u64::from(rows - 1) * ld + u64::from(columns)
        };
        let a = match problem.majors.a() {
            Major::K => span(m, k, problem.lda, stride_a),
            Major::Mn => span(k, m, problem.lda, stride_a),
        };
        let b = match problem.majors.b() {
            Major::K => span(n, k, problem.ldb, stride_b),
            Major::Mn => span(k, n, problem.ldb, stride_b),
        };
        let with = |flag: u32, elements: u64| if epilogue & flag == 0 { 0 } else { elements };
        let c = with(flags::C, span(m, n, problem.ldc, stride_c));
        let bias = with(flags::BIAS, u64::from(n));
        let d = span(m, n, problem.ldd, stride_d);
        let output = if epilogue & flags::VECTORS == 0 {
            problem.output.bytes(problem.input) as usize
        } else {
            16
        };
        let input = self.load_bytes as usize;
        let buffer = |argument, name, elements, alignment, written| BufferSpec {
            argument,
            name,
            elements,
            alignment,
            written,
        };
        [
            buffer(0, "D", d, output, true),
            buffer(1, "A", a, input, false),
            buffer(2, "B", b, input, false),
            buffer(3, "C", c, output, false),
            buffer(4, "bias", bias, output.max(4), false),
            buffer(5, "workspace", workspace, 256, true),
        ]
    }
}

fn not_above(what: &'static str, given: u64, max: u64) -> Result<(), ProblemError> {
    if given <= max {
        return Ok(());
    }
    Err(ProblemError::TooLarge { what, given, max })
}

fn not_below(stride: &'static str, given: u64, min: u64) -> Result<(), ProblemError> {
    if given >= min {
        return Ok(());
    }
    Err(ProblemError::Overlapping { stride, given, min })
}

/// The bits of [`GemmParams::epilogue`] for the majors of A and B.
const fn majors_flags(majors: Majors) -> u32 {
    let a = match majors.a() {
        Major::K => 0,
        Major::Mn => flags::A_MN,
    };
    let b = match majors.b() {
        Major::K => 0,
        Major::Mn => flags::B_MN,
    };
    a | b
}

/// The bits of [`GemmParams::epilogue`] for the epilogue, the output type and its alignment.
fn epilogue_flags(problem: &GemmProblem) -> u32 {
    let Epilogue {
        alpha,
        beta,
        bias,
        activation,
    } = problem.epilogue;
    let mut set = match problem.output {
        OutputType::Same if problem.input.bytes() == 4 => flags::WIDE,
        OutputType::Same => 0,
        OutputType::F32 => flags::WIDE,
        OutputType::S32 => flags::INTEGER,
    };
    if beta != 0.0 {
        set |= flags::C;
    }
    if bias {
        set |= flags::BIAS;
    }
    set |= match activation {
        Activation::None => 0,
        Activation::Relu => flags::RELU,
        Activation::Gelu => flags::GELU,
    };
    // 8-bit integers are scaled in f32 and clamped: never by the identity epilogue.
    let clamped = problem.input == InputType::S8 && problem.output != OutputType::S32;
    if alpha != 1.0 || set & (flags::C | flags::BIAS | flags::RELU | flags::GELU) != 0 || clamped {
        set |= flags::GENERAL;
    }
    let of_c = if beta != 0.0 {
        problem.ldc | problem.batch_strides[2]
    } else {
        0
    };
    let bytes = u64::from(problem.output.bytes(problem.input));
    let rows = (u64::from(problem.n) | problem.ldd | problem.batch_strides[3] | of_c) * bytes;
    if vector_bytes(rows | u64::from(problem.output_alignment)) == 16 {
        set |= flags::VECTORS;
    }
    set
}

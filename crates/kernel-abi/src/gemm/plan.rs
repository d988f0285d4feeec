//! Plans the launch of a kernel for a problem by a schedule.
//!
//! ```text
//!   GemmProblem ─ check ─► extents, leading dimensions, batch strides
//!        └─ Configuration::plan(.., Schedule) ─► types, orders, alignment ─► Plan { launch, params, workspace }
//! ```
//!
//! Law: a plan's launch computes the plan's problem, with the same bits on every run, because the
//! order of additions depends only on the configuration, the schedule and the extents.

use super::problem::vector_bytes;
use super::stream_k::{MOST_PARTS, stream_k_counter_bytes};
use super::{
    Activation, Configuration, Epilogue, GemmArgument, GemmParams, GemmProblem,
    HopperConfiguration, InputType, Major, Majors, OutputType, Packing, Reduction, Scaling,
    Schedule, TensorMapPlan, collective_arguments, flags,
};
use crate::{BufferSpec, LaunchSpec, MAX_EXTENT, MAX_GRID_Z, ProblemError, checked_extent};

/// A launch of a configuration for a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The problem that the launch computes.
    pub problem: GemmProblem,
    /// The kernel, its grid, CTA and shared memory, and its buffers: D, A, B, C, bias, workspace.
    /// Their lengths are counted in elements of D, A, B and again D, then in f32 and in bytes. The
    /// kernel does not access a buffer of no elements: planning refuses a problem that lacks a C or
    /// a bias that the kernel's operation reads.
    pub launch: LaunchSpec<6>,
    /// The parameters of [`launch`](Self::launch).
    pub params: GemmParams,
    /// The tensor maps of A, B and D, for a kernel of Hopper's collective. The third map is A's
    /// again if the kernel does not store by TMA.
    pub tensor_maps: Option<[TensorMapPlan; 3]>,
    /// The launches before that of the product. They copy A and B, if a tensor map does not accept
    /// their rows.
    pub packing: [Option<Packing>; 2],
    /// The launch after that of the product. It adds the slices of a split-K product on Hopper.
    pub reduction: Option<Reduction>,
    /// The number of bytes at the workspace's start that must be zero before the first launch. Each
    /// launch leaves these bytes zero.
    pub zeroed_bytes: u64,
}

impl Plan {
    /// Returns the size of the workspace in bytes.
    #[must_use]
    pub const fn workspace_bytes(&self) -> u64 {
        let [.., workspace] = &self.launch.buffers;
        workspace.elements
    }

    /// Returns the number of batches, or of groups: an argument of a kernel that takes tensor maps.
    #[must_use]
    pub const fn batches(&self) -> u32 {
        match self.problem.groups {
            0 => self.problem.batches,
            groups => groups,
        }
    }

    /// Returns the kernels of the plan, in the order of their launches.
    pub fn kernels(&self) -> impl Iterator<Item = &'static str> {
        let packing = self.packing.iter().flatten();
        packing
            .map(|packing| packing.launch.kernel)
            .chain([self.launch.kernel])
            .chain(self.reduction.map(|reduction| reduction.launch.kernel))
    }
}

/// The most tiles of a batch, and the most k tiles in all tiles of a batch.
const MAX_TILES: u64 = (1 << 31) - 1;
/// The largest leading dimension, which is also the largest extent.
const MAX_STRIDE: u64 = 1 << 31;
/// The largest batch stride.
const MAX_BATCH_STRIDE: u64 = 1 << 44;
/// The number of rows of tiles in a group of the rasterization.
const RASTER_GROUP: u32 = 8;
/// The number of rows of D in a group of the rasterization of Hopper's kernels. With this number, a
/// wave of CTAs reads the fewest bytes of A and B, and the CTAs of a group store neighbouring rows.
const RASTER_ROWS: u32 = 1536;
/// The most CTAs of a cluster that runs on every Hopper (CUDA programming guide).
pub const MAX_CLUSTER: u32 = 8;

impl GemmProblem {
    /// Checks that the numbers describe a product of matrices, whatever kernel computes it.
    ///
    /// # Errors
    /// Returns [`ProblemError::Empty`] or [`ProblemError::TooLarge`] for an extent or a stride.
    /// Returns [`ProblemError::Overlapping`] for a leading dimension below the contiguous extent,
    /// or a batch stride of D below the number of columns.
    pub fn check(&self) -> Result<(), ProblemError> {
        for (extent, given) in [("M", self.m), ("N", self.n), ("K", self.k)] {
            checked_extent(extent, given, MAX_EXTENT)?;
        }
        checked_extent("the number of batches", self.batches, MAX_GRID_Z)?;
        not_above(
            "the number of groups",
            self.groups.into(),
            MAX_GRID_Z.into(),
        )?;
        let [a, b] = self.contiguous();
        for (stride, given, min) in [
            ("lda", self.lda, a),
            ("ldb", self.ldb, b),
            ("ldc", self.ldc, self.n),
            ("ldd", self.ldd, self.n),
        ] {
            // All rows of D may read the same row of C.
            if stride != "ldc" || given != 0 {
                not_below(stride, given, u64::from(min))?;
            }
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
    /// Plans the launch of this kernel that computes `problem` by `schedule`.
    ///
    /// # Errors
    /// Returns [`ProblemError::Mismatch`] if the kernel computes something else: other types, other
    /// orders, rows or a D that are not aligned enough, or a schedule that it does not accept.
    /// Returns [`ProblemError::NoBuffer`] if its epilogue operation reads a C or a bias that the
    /// problem does not have. Also returns the errors of [`GemmProblem::check`].
    ///
    /// ```
    /// use kernel_abi::gemm::*;
    /// let kernel = Configuration {
    ///     name: "gemm",
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
    ///     reads: None,
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
            Schedule::SplitK(_) => {
                // On Hopper a second launch adds the slices, with the problem's operation.
                let adds = |hopper: HopperConfiguration| hopper.splits_k() && self.reads.is_none();
                !self.persistent || self.hopper.is_some_and(adds)
            }
            Schedule::StreamK(_) => {
                !self.persistent || self.hopper.is_some_and(|hopper| hopper.stream_k)
            }
            Schedule::ClusterSplitK(_) => self.hopper.is_some_and(|hopper| hopper.cluster_split),
            Schedule::Persistent(_) => self.persistent,
        };
        let accepted = accepted
            && (!self.is_grouped()
                || matches!(schedule, Schedule::Tiles | Schedule::Persistent(_)));
        if !accepted {
            return self.mismatch("the schedule");
        }
        let &GemmProblem { m, n, k, .. } = problem;
        let tiles = u64::from(m.div_ceil(self.tile[0])) * u64::from(n.div_ceil(self.tile[1]));
        let k_tiles = u64::from(k.div_ceil(self.tile[2]));
        not_above("the number of tiles", tiles, MAX_TILES)?;
        // The number of CTAs, the parameter `k_slices`, and the number of partial accumulator tiles
        // in the workspace.
        let (ctas, k_slices, partials) = match schedule {
            Schedule::Tiles | Schedule::SplitK(0 | 1) => (tiles, 1, 0),
            Schedule::SplitK(slices) => {
                // Each slice has at least one k tile.
                let slices = u64::from(slices).min(k_tiles);
                let partials = if slices > 1 { tiles * slices } else { 0 };
                (tiles * slices, slices as u32, partials)
            }
            Schedule::StreamK(ctas) => {
                let ctas = u64::from(ctas).clamp(1, tiles * k_tiles);
                (ctas, 0, 2 * ctas)
            }
            Schedule::ClusterSplitK(ctas) => {
                // Each CTA of the cluster has at least one k tile.
                let of_tiles = self.hopper.map_or(1, |hopper| hopper.ctas());
                let most = k_tiles
                    .min(u64::from(ctas.min(MAX_CLUSTER / of_tiles)))
                    .max(1);
                (tiles, most as u32, 0)
            }
            Schedule::Persistent(ctas) => (u64::from(ctas).clamp(1, tiles), 1, 0),
        };
        // Hopper's kernels loop over the batches and slices themselves, in whole clusters.
        let (ctas, cluster) = match self.hopper {
            None => (ctas, 1),
            Some(hopper) => {
                let size = match schedule {
                    Schedule::ClusterSplitK(_) => hopper.ctas() * k_slices,
                    _ => hopper.ctas(),
                };
                let [rows, columns] = [0, 1].map(|along| self.tile[along] * hopper.cluster[along]);
                let slices = match schedule {
                    Schedule::SplitK(_) => u64::from(k_slices),
                    _ => 1,
                };
                let clusters = problem.tile_rows(rows) * u64::from(n.div_ceil(columns)) * slices;
                not_above("the number of tiles", clusters * u64::from(size), MAX_TILES)?;
                let count = match schedule {
                    Schedule::Persistent(ctas) => clusters.min(u64::from(ctas / size).max(1)),
                    Schedule::StreamK(ctas) => {
                        let most = clusters * k_tiles.min(MOST_PARTS.into());
                        u64::from(ctas).clamp(1, most)
                    }
                    _ => clusters,
                };
                (count * u64::from(size), size)
            }
        };
        not_above("the number of CTAs", ctas, MAX_TILES)?;
        if k_slices != 1 {
            not_above("the number of k tiles", tiles * k_tiles, MAX_TILES)?;
        }
        let batches = u64::from(problem.batches);
        let epilogue = self.epilogue_flags(problem);
        let params = GemmParams {
            k_slices,
            epilogue: epilogue | majors_flags(problem.majors) | self.cluster_flags(),
            raster_group: match self.hopper {
                None => RASTER_GROUP,
                Some(hopper) => {
                    let along = usize::from(hopper.swapped);
                    (RASTER_ROWS / (self.tile[along] * hopper.cluster[along])).max(1)
                }
            },
            ..problem.params()
        };
        if let Some(reads) = self.reads {
            reads.check(self.kernel, &params)?;
        }
        if let Some(hopper) = &self.hopper {
            let launch = (ctas as u32, cluster);
            return self.hopper_plan(problem, hopper, schedule, params, launch);
        }
        // The workspace has a 32-bit counter for each tile, and then the partial accumulator tiles.
        let zeroed_bytes = if partials == 0 {
            0
        } else {
            (4 * tiles * batches).next_multiple_of(256)
        };
        let workspace = zeroed_bytes + partials * batches * u64::from(self.partial_bytes);
        Ok(Plan {
            problem: *problem,
            launch: LaunchSpec {
                kernel: self.kernel,
                grid: [ctas as u32, 1, problem.batches],
                block: [self.threads, 1, 1],
                cluster: [1; 3],
                shared_bytes: self.shared_bytes as usize,
                buffers: self.buffers(problem, epilogue, workspace),
            },
            params,
            tensor_maps: None,
            packing: [None; 2],
            reduction: None,
            zeroed_bytes,
        })
    }

    /// Returns the bits that tell a kernel for any cluster which cluster the configuration's
    /// launches have, or 0 for other kernels.
    const fn cluster_flags(&self) -> u32 {
        match self.hopper {
            Some(HopperConfiguration {
                any_cluster: true,
                cluster: [m, n],
                ..
            }) => flags::cluster_bits([m.ilog2(), n.ilog2()]),
            _ => 0,
        }
    }

    /// Plans the launches of a kernel of Hopper's collective in a grid of `ctas` CTAs, in clusters
    /// of `cluster` CTAs. The workspace holds stream-K's counters and partial tiles, then the
    /// packed operands, then the slices.
    fn hopper_plan(
        &self,
        problem: &GemmProblem,
        hopper: &HopperConfiguration,
        schedule: Schedule,
        mut params: GemmParams,
        (ctas, cluster): (u32, u32),
    ) -> Result<Plan, ProblemError> {
        let mut epilogue = self.epilogue_flags(problem);
        let in_slices = matches!(schedule, Schedule::SplitK(_)) && params.k_slices > 1;
        // The kernel does not store D by TMA if the operands are swapped.
        let is_reduced = !hopper.swapped && is_reduced(problem, epilogue);
        if !in_slices && self.reads.is_none() && is_reduced {
            let of_c = flags::C | flags::GENERAL;
            epilogue = epilogue & !of_c | flags::REDUCE;
            params.epilogue = params.epilogue & !of_c | flags::REDUCE;
        }
        let mut workspace = 0u64;
        let mut zeroed_bytes = 0;
        if matches!(schedule, Schedule::StreamK(_)) {
            let [tile_m, tile_n, _] = self.tile;
            let tiles = problem.tile_rows(tile_m) * u64::from(problem.n.div_ceil(tile_n));
            zeroed_bytes = stream_k_counter_bytes(tiles as u32);
            workspace = zeroed_bytes + 2 * u64::from(ctas) * u64::from(self.partial_bytes);
        }
        let mut packing = [None; 2];
        let mut buffers = self.buffers(problem, epilogue, 0);
        let [d, a, b, c, bias, of_workspace] = &mut buffers;
        for ((operand, packing), buffer) in packing.iter_mut().enumerate().zip([a, b]) {
            *packing = Packing::of(problem, operand, *buffer, workspace)?;
            if let Some(packing) = packing {
                workspace += packing.bytes().next_multiple_of(256);
                let [_, from] = packing.launch.buffers;
                buffer.alignment = from.alignment;
            }
        }
        let mut reduction = None;
        if in_slices {
            let outputs = [*d, *c, *bias];
            let slices = params.k_slices;
            reduction = Some(Reduction::of(problem, params, outputs, slices, workspace)?);
            if hopper.swapped || hopper.chunk < 64 {
                params.ldd = Reduction::leading(problem);
                params.batch_d = params.ldd * u64::from(problem.m);
                params.batch_c = workspace / 4;
            }
            workspace += Reduction::bytes(problem, slices);
            params.epilogue = Reduction::slice_flags(problem.input)
                | majors_flags(problem.majors)
                | self.cluster_flags();
            (params.alpha, params.beta) = (1.0, 0.0);
        } else if matches!(schedule, Schedule::ClusterSplitK(_)) && params.k_slices > 1 {
            params.epilogue |= flags::CLUSTER_SPLIT;
        }
        of_workspace.elements = workspace;
        let maps = TensorMapPlan::of(
            problem,
            hopper,
            params.epilogue,
            &packing,
            reduction.as_ref(),
        );
        Ok(Plan {
            problem: *problem,
            launch: LaunchSpec {
                kernel: self.kernel,
                grid: [ctas, 1, 1],
                block: [self.threads, 1, 1],
                cluster: [cluster, 1, 1],
                shared_bytes: self.shared_bytes as usize,
                buffers,
            },
            params,
            tensor_maps: Some(maps),
            packing,
            reduction,
            zeroed_bytes,
        })
    }

    /// Refuses a problem whose types, orders or alignments differ from the kernel's.
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
            (OutputType::Bf16, input) if input.is_fp8() => {}
            (OutputType::Bf16, _) => return self.mismatch("a bf16 output of other inputs"),
            (OutputType::S32, _) => return self.mismatch("an integer output of floats"),
        }
        if self.is_grouped() != (problem.groups > 0) {
            return self.mismatch("the number of groups");
        }
        if problem.groups > 0 {
            if problem.batches > 1 {
                return self.mismatch("the number of batches, one with groups,");
            }
            if problem.epilogue.beta != 0.0 {
                return self.mismatch("the epilogue, without C with groups,");
            }
        }
        let scaling = self.scaling();
        if scaling != problem.scaling {
            return self.mismatch("the kind of scales");
        }
        if scaling == Scaling::Blocks {
            if problem.batches > 1 {
                return self.mismatch("the number of batches, one with scales of blocks,");
            }
            if problem.epilogue.beta != 0.0 || problem.epilogue.bias {
                return self.mismatch("the epilogue, without C and a bias with scales of blocks,");
            }
        }
        // Operands that the tensor memory accelerator cannot address are packed.
        if self.hopper.is_none() && problem.alignment() < self.load_bytes {
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
            kernel: self.name,
            what,
        })
    }

    /// Returns the six buffers of a launch. C and the bias have no elements if their flags are not
    /// set.
    fn buffers(&self, problem: &GemmProblem, epilogue: u32, workspace: u64) -> [BufferSpec; 6] {
        let &GemmProblem { m, n, k, .. } = problem;
        let [stride_a, stride_b, stride_c, stride_d] = problem.batch_strides;
        // The number of elements from the matrix's first element to its last, over all batches or
        // groups.
        let span = |rows: u32, columns: u32, ld: u64, (count, stride): (u32, u64)| {
            u64::from(count - 1) * stride + u64::from(rows - 1) * ld + u64::from(columns)
        };
        let [of_a, of_b, of_c, of_d] = problem.matrices();
        let a = match problem.majors.a() {
            Major::K => span(m, k, problem.lda, (of_a, stride_a)),
            Major::Mn => span(k, m, problem.lda, (of_a, stride_a)),
        };
        let b = match problem.majors.b() {
            Major::K => span(n, k, problem.ldb, (of_b, stride_b)),
            Major::Mn => span(k, n, problem.ldb, (of_b, stride_b)),
        };
        let with = |flag: u32, elements: u64| if epilogue & flag == 0 { 0 } else { elements };
        let c = with(flags::C, span(m, n, problem.ldc, (of_c, stride_c)));
        let bias = with(flags::BIAS, u64::from(n));
        let d = span(m, n, problem.ldd, (of_d, stride_d));
        let output = if epilogue & flags::VECTORS == 0 {
            problem.output.bytes(problem.input) as usize
        } else {
            16
        };
        let input = self.load_bytes as usize;
        let bytes_d = problem.output.bytes(problem.input) as usize;
        let bytes_ab = problem.input.bytes() as usize;
        let of_list = u64::from(problem.groups) * u64::from(problem.numbers_of_group());
        let all = collective_arguments(self.hopper.is_some());
        let of_c = |elements, alignment| all.buffer(GemmArgument::C, elements, alignment);
        let of_bias = |elements, alignment| {
            let bias = all.buffer(GemmArgument::Bias, elements, alignment);
            bias.of_bytes(4)
        };
        let [c, bias] = match problem.scaling {
            // C's argument is the list of groups.
            Scaling::Tensor if problem.groups > 0 => [
                of_c(of_list, 4).named("the list of groups").of_bytes(4),
                of_bias(bias, output.max(4)),
            ],
            Scaling::Tensor => [
                of_c(c, output).of_bytes(bytes_d),
                of_bias(bias, output.max(4)),
            ],
            // The arguments of C and the bias are scales: the product has neither C nor bias.
            Scaling::Blocks => {
                let [of_a, of_b] = problem.scaling.counts(problem);
                [
                    of_c(of_b, 4).named("scales of B").of_bytes(4),
                    of_bias(of_a, 4).named("scales of A"),
                ]
            }
        };
        [
            all.buffer(GemmArgument::D, d, output).of_bytes(bytes_d),
            all.buffer(GemmArgument::A, a, input).of_bytes(bytes_ab),
            all.buffer(GemmArgument::B, b, input).of_bytes(bytes_ab),
            c,
            bias,
            all.buffer(GemmArgument::Workspace, workspace, 256),
        ]
    }
}

pub(super) fn not_above(what: &'static str, given: u64, max: u64) -> Result<(), ProblemError> {
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

/// Returns the bits of [`GemmParams::epilogue`] for the majors of A and B.
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

/// Whether a store by TMA can add the product to D in place of this epilogue, in the 16-bit type of
/// D's tensor map.
fn is_reduced(problem: &GemmProblem, epilogue: u32) -> bool {
    let sum = Epilogue {
        beta: 1.0,
        ..Epilogue::NONE
    };
    problem.reducing_store
        && problem.epilogue == sum
        && problem.output == OutputType::Same
        && problem.input.bytes() == 2
        && epilogue & flags::VECTORS != 0
}

impl Configuration {
    /// Returns the bits of [`GemmParams::epilogue`] for a problem, without those of the majors.
    /// Hopper's kernels clamp integers to a byte in the identity epilogue too.
    fn epilogue_flags(&self, problem: &GemmProblem) -> u32 {
        let set = epilogue_flags(problem);
        if self.hopper.is_some() && problem.epilogue == Epilogue::NONE {
            return set & !flags::GENERAL;
        }
        set
    }
}

impl GemmProblem {
    /// Returns the parameters of a kernel that computes the problem in one slice of k, one row of
    /// tiles after the other.
    pub(crate) fn params(&self) -> GemmParams {
        GemmParams {
            m: self.m,
            n: self.n,
            k: self.k,
            k_slices: 1,
            lda: self.lda,
            ldb: self.ldb,
            ldc: self.ldc,
            ldd: self.ldd,
            batch_a: self.batch_strides[0],
            batch_b: self.batch_strides[1],
            batch_c: if self.groups > 0 {
                self.numbers_of_group().into()
            } else {
                self.batch_strides[2]
            },
            batch_d: self.batch_strides[3],
            alpha: self.epilogue.alpha,
            beta: self.epilogue.beta,
            epilogue: epilogue_flags(self) | majors_flags(self.majors),
            raster_group: 1,
        }
    }
}

/// Returns the bits of [`GemmParams::epilogue`] for the epilogue, the output type and its
/// alignment.
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
        OutputType::Bf16 => flags::BF16,
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
    // 8-bit integers are scaled in f32 and clamped, which the identity epilogue does not do.
    // Hopper's kernels do it in the identity epilogue too, so their plans clear the flag again.
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

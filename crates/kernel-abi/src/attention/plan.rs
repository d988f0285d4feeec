//! A kernel of the table, and its launch for a problem.
//!
//! ```text
//!   AttentionProblem ─ AttentionConfiguration::plan(multiprocessors) ─► AttentionPlan: grid, parameters, three tensor maps
//! ```
//!
//! Law: a plan's launch reads only Q, K and V, and writes only O and, if the problem has it, the
//! log-sum-exp. Every access is within the reach of these tensors.

use super::{
    AttentionArgument, AttentionKernel, AttentionMask, AttentionParams, AttentionParts,
    AttentionProblem, AttentionReads, AttentionStrides, AttentionType, flags,
};
use crate::{BufferSpec, KernelArguments, LaunchSpec, ProblemError};

/// How a kernel reads Q, K and V, which decides on which GPUs it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttentionLoads {
    /// By `cp.async`, from their addresses. These kernels run on every GPU from compute capability
    /// 8.0 on.
    CpAsync,
    /// By TMA, from tensor maps. These kernels run on compute capability 9.0.
    Tma,
    /// By TMA, for `tcgen05.mma`. These kernels are for compute capability 10.0, and have not yet
    /// run on such a GPU.
    TmaUmma,
}

impl AttentionLoads {
    /// All ways, those of newer GPUs first.
    pub const ALL: [Self; 3] = [Self::TmaUmma, Self::Tma, Self::CpAsync];

    /// Whether a kernel reads Q, K and V from tensor maps, and not from their addresses.
    #[must_use]
    pub const fn has_maps(self) -> bool {
        !matches!(self, Self::CpAsync)
    }
}

/// A kernel of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttentionConfiguration {
    /// The kernel's name in the PTX.
    pub kernel: &'static str,
    /// The other kernel with which this kernel's configuration is compiled, or `None` if the
    /// configuration has one kernel. Of two such kernels, neither can be built without the other.
    pub base: Option<&'static str>,
    /// The kernel's parts, which decide its arguments after the tensors.
    pub parts: AttentionParts,
    /// The type of all elements.
    pub element: AttentionType,
    /// The head dimension of Q and K.
    pub dim: u32,
    /// The head dimension of V and O.
    pub dim_v: u32,
    /// The number of queries and of keys of a tile.
    pub tile: [u32; 2],
    /// The number of stages of K and of V.
    pub stages: u32,
    /// How the kernel reads Q, K and V.
    pub loads: AttentionLoads,
    /// The number of threads of a CTA.
    pub threads: u32,
    /// The number of CTAs that a multiprocessor holds at a time on the GPU for which the kernel was
    /// made. They fill the multiprocessor's registers and shared memory.
    pub ctas: u32,
    /// Dynamic shared memory of a CTA, in bytes.
    pub shared_bytes: u32,
    /// The number of scores computed per second in long sequences, relative to the other kernels of
    /// the head dimension (measured on an H200).
    pub speed: u32,
}

/// The tensor map of Q, K or V. It has four dimensions (D, sequence, head, batch), and each row of
/// a box fills one row of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttentionMapPlan {
    /// The number of elements along each dimension, the contiguous one first.
    pub extents: [u64; 4],
    /// The distance in elements between neighbours along the second, third and fourth dimension.
    pub strides: [u64; 3],
    /// The number of elements of a box along each dimension.
    pub box_extents: [u32; 4],
}

impl AttentionMapPlan {
    /// Returns the size in bytes of a row of a box, whose elements have `element_bytes` bytes. Rows
    /// of 128 and 64 bytes have the swizzle of that name. Rows of other lengths, which a cache in
    /// e4m3 has, are not swizzled.
    #[must_use]
    pub const fn swizzle_bytes(&self, element_bytes: u32) -> u32 {
        element_bytes * self.box_extents[0]
    }
}

/// The launch of a problem by a configuration. [`AttentionConfiguration::plan`] has checked it, and
/// nothing can change it afterwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionPlan {
    problem: AttentionProblem,
    launch: LaunchSpec<2>,
    params: AttentionParams,
    loads: AttentionLoads,
    parts: AttentionParts,
    maps: [AttentionMapPlan; 3],
}

impl AttentionPlan {
    /// Returns the problem.
    #[must_use]
    pub const fn problem(&self) -> &AttentionProblem {
        &self.problem
    }

    /// Returns the kernel, its grid and its own buffers: O and the log-sum-exp.
    #[must_use]
    pub const fn launch(&self) -> &LaunchSpec<2> {
        &self.launch
    }

    /// Returns the kernel's arguments.
    #[must_use]
    pub const fn arguments(&self) -> KernelArguments<AttentionArgument> {
        AttentionKernel::Forward(self.loads, self.parts).arguments(self.problem.element)
    }

    /// Returns the kernel's parameters.
    #[must_use]
    pub const fn params(&self) -> &AttentionParams {
        &self.params
    }

    /// Returns how the kernel reads Q, K and V: by their [`maps`](Self::maps), or by their
    /// addresses and [`reads`](Self::reads).
    #[must_use]
    pub const fn loads(&self) -> AttentionLoads {
        self.loads
    }

    /// Returns the kernel's parts.
    #[must_use]
    pub const fn parts(&self) -> AttentionParts {
        self.parts
    }

    /// Returns the maps of Q, K and V.
    #[must_use]
    pub const fn maps(&self) -> &[AttentionMapPlan; 3] {
        &self.maps
    }

    /// Returns the strides of Q, K and V, for a kernel that reads by `cp.async`.
    #[must_use]
    pub const fn reads(&self) -> AttentionReads {
        let [q, k, v, _] = self.problem.strides;
        AttentionReads {
            row_q: q.row,
            head_q: q.head,
            batch_q: q.batch,
            row_k: k.row,
            head_k: k.head,
            batch_k: k.batch,
            row_v: v.row,
            head_v: v.head,
            batch_v: v.batch,
        }
    }

    /// Returns the buffers of Q, K and V, for a kernel that reads by `cp.async`.
    #[must_use]
    pub fn inputs(&self) -> [BufferSpec; 3] {
        let (of, all) = (&self.problem, self.arguments());
        let [q, k, v, _] = &of.strides;
        let (queries, keys) = ((of.heads, of.queries), (of.key_heads, of.keys));
        [
            all.buffer(
                AttentionArgument::Q,
                q.reach(of.batches, queries.0, queries.1, of.dim),
                16,
            ),
            all.buffer(
                AttentionArgument::K,
                k.reach(of.batches, keys.0, keys.1, of.dim),
                16,
            ),
            all.buffer(
                AttentionArgument::V,
                v.reach(of.batches, keys.0, keys.1, of.dim_v),
                16,
            ),
        ]
    }
}

impl AttentionConfiguration {
    /// Returns the number of rows in a box of Q. A box holds a whole tile. For Blackwell's kernels,
    /// whose tile is two boxes, it holds half a tile.
    #[must_use]
    pub const fn rows_of_q(&self) -> u32 {
        match self.loads {
            AttentionLoads::TmaUmma => self.tile[0] / 2,
            AttentionLoads::CpAsync | AttentionLoads::Tma => self.tile[0],
        }
    }

    /// Returns the arguments of the kernel, which is one of the forward pass.
    #[must_use]
    pub const fn arguments(&self) -> KernelArguments<AttentionArgument> {
        AttentionKernel::Forward(self.loads, self.parts).arguments(self.element)
    }

    /// Whether the kernel computes the problem.
    #[must_use]
    pub fn computes(&self, problem: &AttentionProblem) -> bool {
        self.element == problem.element && self.dim == problem.dim && self.dim_v == problem.dim_v
    }

    /// Whether the tile with fewer queries than the others is a head's first tile
    /// ([`flags::SHORT_TILE_FIRST`]). Otherwise it is the last tile, which under a causal mask
    /// reads the most keys for these few queries. Only the kernels with three consumer groups, of
    /// 64 queries each, support a short first tile. For more than 4096 queries it gains nothing.
    fn short_tile_first(&self, problem: &AttentionProblem) -> bool {
        self.tile[0] == 192
            && matches!(self.loads, AttentionLoads::Tma)
            && matches!(problem.mask, AttentionMask::Causal)
            && problem.queries % 64 == 0
            && problem.queries <= 4096
    }

    /// Returns the kernel's speed under a mask. The kernel with tiles of 192 x 80 is slower under a
    /// sliding window, which cuts blocks of a tile on both sides.
    const fn speed_under(&self, mask: AttentionMask) -> u32 {
        match (self.loads, self.tile, mask) {
            (AttentionLoads::Tma, [192, 80], AttentionMask::Window { .. }) => 90,
            _ => self.speed,
        }
    }

    /// Returns the time that a head of the problem takes, relative to other kernels of the head
    /// dimension.
    ///
    /// The time is the number of scores in all blocks that the kernel computes, whether a query
    /// sees them or not, divided by the kernel's speed. Scores of masked blocks count 1.7 times on
    /// Hopper, as measured. Small tiles compute fewer scores that no query sees.
    /// [`check`](AttentionProblem::check) must accept the problem.
    #[must_use]
    pub fn cost(&self, problem: &AttentionProblem) -> u64 {
        let [rows, keys] = self.tile.map(i64::from);
        let (lower, upper) = problem.mask.band(problem.queries, problem.keys);
        let (lower, upper) = (i64::from(lower), i64::from(upper));
        let queries = i64::from(problem.queries);
        let of_keys = i64::from(problem.keys).max(1);
        let of_masked = match self.loads {
            AttentionLoads::CpAsync => 10,
            AttentionLoads::Tma | AttentionLoads::TmaUmma => 17,
        };
        let mut tenths = 0;
        let mut first = 0;
        while first < queries {
            let of_tile = if first == 0 && self.short_tile_first(problem) {
                (queries - 1) % rows + 1
            } else {
                rows
            };
            // The keys that at least one query of the tile sees, and the keys that all its queries
            // see.
            let end = (first + of_tile + upper).clamp(1, of_keys);
            let begin = (first + lower).clamp(0, end - 1);
            let full_end = (first + 1 + upper).clamp(begin, end);
            let full_begin = (first + of_tile - 1 + lower).clamp(begin, full_end);
            let blocks = (end + keys - 1) / keys - begin / keys;
            let full = (full_end / keys - (full_begin + keys - 1) / keys).max(0);
            tenths += 10 * full + of_masked * (blocks - full);
            first += of_tile;
        }
        // In this order the numbers fit in 64 bits for as many rows as a problem may have.
        (tenths * rows / 10 * keys) as u64 / u64::from(self.speed_under(problem.mask))
    }

    /// Plans the launch of a problem on a device with this number of multiprocessors.
    ///
    /// # Errors
    /// Returns a [`ProblemError`] with the number, the value given and the values allowed.
    pub fn plan(
        &self,
        problem: &AttentionProblem,
        multiprocessors: u32,
    ) -> Result<AttentionPlan, ProblemError> {
        problem.check()?;
        if self.element != problem.element {
            return Err(mismatch(self.kernel, "the type of the elements"));
        }
        if self.dim != problem.dim {
            return Err(mismatch(self.kernel, "the head dimension"));
        }
        if self.dim_v != problem.dim_v {
            return Err(mismatch(self.kernel, "the head dimension of V"));
        }
        let [rows, keys] = self.tile;
        let tiles = u64::from(problem.queries.div_ceil(rows))
            * u64::from(problem.heads)
            * u64::from(problem.batches);
        // The kernels count tiles in 32 bits, up to one round beyond the last one.
        let most = u64::from(u32::MAX / 4);
        if tiles > most {
            return Err(ProblemError::TooLarge {
                what: "the number of tiles",
                given: tiles,
                max: most,
            });
        }
        let (heads, key_heads, batches) = (problem.heads, problem.key_heads, problem.batches);
        let [q, k, v, o] = problem.strides;
        let lse = if problem.lse {
            u64::from(batches) * u64::from(heads) * u64::from(problem.queries)
        } else {
            0
        };
        let resident = multiprocessors.max(1).saturating_mul(self.ctas);
        let resident = resident.min(tiles as u32);
        let ctas = match self.loads {
            AttentionLoads::CpAsync => tiles as u32,
            AttentionLoads::Tma | AttentionLoads::TmaUmma => resident,
        };
        let of_head = problem.queries.div_ceil(rows);
        let section = section(problem.mask, heads * batches, of_head, resident);
        let of_o = o.reach(batches, heads, problem.queries, self.dim_v);
        let arguments = self.arguments();
        let mut params = problem.params(section);
        if self.short_tile_first(problem) {
            params.flags |= flags::SHORT_TILE_FIRST;
        }
        Ok(AttentionPlan {
            problem: *problem,
            launch: LaunchSpec {
                kernel: self.kernel,
                grid: [ctas, 1, 1],
                block: [self.threads, 1, 1],
                cluster: [1; 3],
                shared_bytes: self.shared_bytes as usize,
                buffers: [
                    arguments.buffer(AttentionArgument::O, of_o, 16),
                    arguments.buffer(AttentionArgument::Lse, lse, 4),
                ],
            },
            params,
            loads: self.loads,
            parts: self.parts,
            maps: [
                map(problem, (problem.queries, heads), q, self.rows_of_q()),
                map(problem, (problem.keys, key_heads), k, keys),
                map(&problem.of_values(), (problem.keys, key_heads), v, keys),
            ],
        })
    }
}

/// Returns the error for a kernel that differs from a problem in the property `what`.
pub(super) const fn mismatch(kernel: &'static str, what: &'static str) -> ProblemError {
    ProblemError::Mismatch { kernel, what }
}

/// Returns the tensor map, in boxes of `rows` rows, of a tensor with `heads` heads of
/// `rows_of_head` rows each.
pub(super) fn map(
    problem: &AttentionProblem,
    (rows_of_head, heads): (u32, u32),
    strides: AttentionStrides,
    rows: u32,
) -> AttentionMapPlan {
    let columns = if problem.dim % 64 == 0 { 64 } else { 32 };
    let extents = [problem.dim, rows_of_head, heads, problem.batches];
    let AttentionStrides { row, head, batch } = strides;
    map_of(extents, [row, head, batch], [columns, rows])
}

/// Returns the tensor map with these extents and strides, in boxes of `columns` and `rows` elements
/// along the first two dimensions.
pub(super) fn map_of(
    extents: [u32; 4],
    strides: [u64; 3],
    [columns, rows]: [u32; 2],
) -> AttentionMapPlan {
    // A dimension of extent 1 has no neighbours, but its stride must be one that a map accepts.
    let stride = |i: usize| match extents[i + 1] {
        1 => extents[0].into(),
        _ => strides[i],
    };
    AttentionMapPlan {
        extents: extents.map(u64::from),
        strides: [stride(0), stride(1), stride(2)],
        box_extents: [columns, rows, 1, 1],
    }
}

/// Returns how many of the `heads` heads, counted over all batches, are computed together, tile by
/// tile.
///
/// Without a mask the result is 1: the CTAs share what they read of K and V. With a mask the
/// longest tiles come first, and enough heads are computed together to fill pairs of rounds: the
/// second round of a pair goes through the tiles in the opposite direction. All CTAs then have the
/// same amount of work, and K and V of these heads stay in L2 if they fit.
pub(super) fn section(mask: AttentionMask, heads: u32, tiles_of_head: u32, ctas: u32) -> u32 {
    const fn common_divisor(a: u32, b: u32) -> u32 {
        if b == 0 { a } else { common_divisor(b, a % b) }
    }
    match mask {
        AttentionMask::Full => 1,
        _ => (2 * ctas / common_divisor(tiles_of_head, 2 * ctas)).min(heads),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF: AttentionConfiguration = AttentionConfiguration {
        kernel: "attention",
        base: None,
        parts: AttentionParts::NONE,
        element: AttentionType::Bf16,
        dim: 128,
        dim_v: 128,
        tile: [128, 96],
        stages: 2,
        loads: AttentionLoads::Tma,
        threads: 384,
        ctas: 1,
        shared_bytes: 1024,
        speed: 100,
    };

    fn problem() -> AttentionProblem {
        AttentionProblem::new(
            AttentionType::Bf16,
            (2, 6, 300, 128),
            AttentionMask::Causal,
            0.5,
        )
    }

    #[test]
    fn a_plan_has_the_problems_extents_and_strides() {
        let plan = OF
            .plan(&problem().with_keys(77, 3).with_lse(), 132)
            .unwrap();
        assert_eq!(plan.launch.grid, [36, 1, 1]);
        assert_eq!(OF.plan(&problem(), 20).unwrap().launch.grid, [20, 1, 1]);
        assert_eq!(
            plan.launch.buffers.map(|of| of.elements),
            [2 * 6 * 300 * 128, 2 * 6 * 300]
        );
        let [q, k, v] = plan.maps;
        assert_eq!(
            (q.extents, q.box_extents),
            ([128, 300, 6, 2], [64, 128, 1, 1])
        );
        assert_eq!(
            (k.extents, k.box_extents),
            ([128, 77, 3, 2], [64, 96, 1, 1])
        );
        assert_eq!((k, v.strides), (v, [128, 77 * 128, 3 * 77 * 128]));
        assert_eq!(
            (plan.params.heads_per_key, plan.params.upper),
            (2, 77 - 300)
        );
        assert_eq!(plan.params.section, 12);
    }

    #[test]
    fn a_kernel_by_addresses_has_a_cta_a_tile() {
        let of = AttentionConfiguration {
            loads: AttentionLoads::CpAsync,
            ctas: 2,
            ..OF
        };
        let plan = of.plan(&problem().with_keys(77, 3), 5).unwrap();
        assert_eq!(plan.launch.grid, [36, 1, 1]);
        assert_eq!((plan.reads().row_k, plan.reads().head_v), (128, 77 * 128));
        assert_eq!(
            plan.inputs().map(|of| of.elements),
            [460_800, 59_136, 59_136]
        );
        // The section is computed for the ten CTAs that are resident.
        assert_eq!(plan.params.section, 12);
    }

    #[test]
    fn boxes_have_lines_that_divide_the_head_dimension() {
        let of = AttentionConfiguration {
            dim: 96,
            dim_v: 96,
            ..OF
        };
        let extents = (1, 1, 50, 96);
        let problem = AttentionProblem::new(AttentionType::Bf16, extents, AttentionMask::Full, 0.5);
        let [q, _, _] = *of.plan(&problem, 132).unwrap().maps();
        assert_eq!((q.box_extents, q.swizzle_bytes(2)), ([32, 128, 1, 1], 64));
    }

    #[test]
    fn a_tile_for_blackwell_is_two_boxes_of_queries() {
        let of = AttentionConfiguration {
            tile: [256, 128],
            loads: AttentionLoads::TmaUmma,
            ..OF
        };
        let plan = of.plan(&problem(), 148).unwrap();
        let [q, k, v] = plan.maps().map(|map| map.box_extents);
        assert_eq!((q, k, v), ([64, 128, 1, 1], k, k));
        assert_eq!(k, [64, 128, 1, 1]);
        // A head of 300 queries has two tiles.
        assert_eq!(plan.launch().grid, [2 * 2 * 6, 1, 1]);
    }

    #[test]
    fn small_tiles_are_for_short_masked_sequences() {
        let wide = AttentionConfiguration {
            tile: [192, 128],
            speed: 120,
            ..OF
        };
        let small = AttentionConfiguration {
            tile: [128, 128],
            ..OF
        };
        let of = |rows| {
            AttentionProblem::new(
                AttentionType::Bf16,
                (1, 1, rows, 128),
                AttentionMask::Causal,
                1.0,
            )
        };
        assert!(small.cost(&of(1024)) < wide.cost(&of(1024)));
        assert!(small.cost(&of(2048)) > wide.cost(&of(2048)));
        assert!(small.cost(&of(4096)) > wide.cost(&of(4096)));
        assert!(small.cost(&of(16384)) > wide.cost(&of(16384)));
        // The 8 tiles have 1, 2, .. 8 blocks. One block of each tile is masked.
        assert_eq!(
            small.cost(&of(1024)),
            (36 * 10 + 8 * 7) * 128 / 10 * 128 / 100
        );
        // The 6 tiles, the first with 64 queries, have 1, 2, 4, 5, 7 and 8 blocks. Two blocks of
        // each tile are masked, except for the first tile, which has one.
        assert_eq!(
            wide.cost(&of(1024)),
            (27 * 10 + 11 * 7) * 192 / 10 * 128 / 120
        );
    }

    #[test]
    fn blocks_of_80_keys_are_for_long_sequences() {
        let wide = AttentionConfiguration {
            tile: [192, 80],
            speed: 107,
            ..OF
        };
        let narrow = AttentionConfiguration {
            tile: [128, 128],
            ..OF
        };
        let is_wide = |rows, mask| {
            let problem = AttentionProblem::new(AttentionType::Bf16, (1, 1, rows, 128), mask, 1.0);
            wide.cost(&problem) < narrow.cost(&problem)
        };
        for (rows, full, causal) in [
            (512, false, false),
            (1024, false, false),
            (2048, false, false),
            (3072, true, false),
            (4096, true, false),
            (8192, true, true),
            (16384, true, true),
        ] {
            assert_eq!(is_wide(rows, AttentionMask::Full), full, "{rows}");
            assert_eq!(is_wide(rows, AttentionMask::Causal), causal, "{rows}");
            let window = AttentionMask::Window {
                before: 512,
                after: 0,
            };
            assert!(!is_wide(rows, window), "{rows}");
        }
    }

    #[test]
    fn a_short_tile_comes_first_under_a_causal_mask() {
        let of = AttentionConfiguration {
            tile: [192, 128],
            ..OF
        };
        let flagged = |rows, mask| {
            let extents = (1, 1, rows, 128);
            let problem = AttentionProblem::new(AttentionType::Bf16, extents, mask, 1.0);
            of.plan(&problem, 132).unwrap().params.flags & flags::SHORT_TILE_FIRST != 0
        };
        assert!(flagged(1024, AttentionMask::Causal));
        assert!(!flagged(1000, AttentionMask::Causal) && !flagged(1024, AttentionMask::Full));
    }

    #[test]
    fn what_has_no_launch_is_said_with_its_number() {
        let said = |change: &dyn Fn(&mut AttentionProblem)| {
            let mut problem = problem();
            change(&mut problem);
            OF.plan(&problem, 132).unwrap_err().to_string()
        };
        for (found, expected) in [
            (
                said(&|of| of.keys = 0),
                "the number of keys is 0; it must be at least 1",
            ),
            (
                said(&|of| of.key_heads = 4),
                "the number of heads is 6; it must be a multiple of 4",
            ),
            (
                said(&|of| of.scale = -0.5),
                "the scale is -0.5; it must be above 0 and finite",
            ),
            (
                said(&|of| of.strides[1].row = 132),
                "the row stride of K is 132; it must be a multiple of 8",
            ),
            (
                said(&|of| of.strides[3].head = 8),
                "the head stride of O is 8; it must be at least 128",
            ),
            (
                said(&|of| of.dim = 64),
                "attention is not for this product: the head dimension differs",
            ),
        ] {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn operations_are_those_of_what_is_seen() {
        let full =
            AttentionProblem::new(AttentionType::F16, (1, 1, 4, 64), AttentionMask::Full, 1.0);
        assert_eq!(full.operations(), 4.0 * 16.0 * 64.0);
        let of = |mask| AttentionProblem { mask, ..full }.operations() / 256.0;
        assert_eq!(of(AttentionMask::Causal), 10.0);
        assert_eq!(
            of(AttentionMask::Window {
                before: 1,
                after: 0
            }),
            7.0
        );
    }
}

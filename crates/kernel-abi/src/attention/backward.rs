//! The backward pass, which computes the gradients of Q, K and V from the gradient of O: its
//! problem, its parameters and its three launches.
//!
//! ```text
//!   P = e^(scale Q Kᵀ - LSE)     dP = dO Vᵀ     δ = row sums of dO ∘ O     dS = P ∘ (dP - δ)
//!   dV = Pᵀ dO                   dK = scale dSᵀ Q                          dQ = scale dS K
//!
//!   kernel of the rows       O, dO, LSE ─► values: LSE log2(e) and δ of each query
//!   kernel of dK and dV      first, second: dK, dV     x 0, x 1: K, V, a tile      y 0, y 1: Q, dO, in blocks
//!   kernel of dQ             first: dQ                 x 0, x 1: Q, dO, a tile     y 0, y 1: K, V, in blocks
//!   kernel of the sinks      after the kernel of the rows, if sinks have a gradient
//! ```
//!
//! Law: the gradients differ from those in float64 only by the rounding of P and dS to the
//! elements' type, the rounding of sums in f32, and one rounding of the result. Each element of a
//! gradient is computed by one CTA, which adds in a fixed order: every run on the same device gives
//! the same bits. A query that sees no key has a gradient of zeros, and adds nothing to others.
//! Score parts change S, and dS has their derivative: `cap' = 1 - (S / cap)^2`. Slopes of ALiBi
//! have no gradient. The sinks are in the log-sum-exp, and so in P. A sink's gradient is minus the
//! sum of `e^(sink - LSE) δ` over a head's rows.

mod fused;
mod packed;
mod reads;
mod sinks;

pub use fused::{FusedBackwardConfiguration, FusedBackwardPlan};
pub use packed::{PackedBackwardPlan, PackedBackwardProblem};
pub use reads::GradientReads;
pub use sinks::{SINK_THREADS, SinkGradientConfiguration, SinkGradientPlan};

use super::plan::{map, section};
use super::{
    AttentionArgument, AttentionKernel, AttentionLoads, AttentionMapPlan, AttentionParams,
    AttentionParts, AttentionProblem, AttentionStrides, AttentionType, KernelSequences, flags,
    problem,
};
use crate::{KernelArguments, LaunchSpec, ProblemError};

/// In the buffer of values, the rows of a head are padded to a multiple of this number. The number
/// of queries of every tile divides it.
const PADDED_TO: u32 = 128;
/// The number of queries in a tile of the kernel of the rows.
const ROWS_OF_TILE: u32 = 64;
/// The number of threads in a CTA of the kernel of the rows.
pub const ROWS_THREADS: u32 = 128;

/// The backward pass of an attention, which computes the gradients of Q, K and V from the gradient
/// of O.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionBackwardProblem {
    /// The attention whose gradients are computed, with its log-sum-exp.
    pub forward: AttentionProblem,
    /// The strides of dO, dQ, dK and dV.
    pub gradients: [AttentionStrides; 4],
}

impl AttentionBackwardProblem {
    /// Returns the problem whose gradients are compact. The forward pass also writes its
    /// log-sum-exp.
    #[must_use]
    pub const fn new(forward: AttentionProblem) -> Self {
        let AttentionProblem {
            heads,
            key_heads,
            queries,
            keys,
            dim,
            ..
        } = forward;
        let of_queries = AttentionStrides::compact(heads, queries, dim);
        let of_keys = AttentionStrides::compact(key_heads, keys, dim);
        Self {
            forward: forward.with_lse(),
            gradients: [of_queries, of_queries, of_keys, of_keys],
        }
    }

    /// Returns the number of multiplications and additions in the five products S, dP, dV, dK and
    /// dQ, counted for the pairs of a query and a key that see each other.
    #[must_use]
    pub fn operations(&self) -> f64 {
        2.5 * self.forward.operations()
    }

    /// Checks the problem for numbers that every kernel must refuse.
    ///
    /// # Errors
    /// Returns a [`ProblemError`] with the number, the value given and the values allowed.
    pub fn check(&self) -> Result<(), ProblemError> {
        let of = &self.forward;
        of.check()?;
        of.check_one_dim("gradients")?;
        of.check_scale(super::scale::EXPONENTS_OF_GRADIENTS)?;
        let queries = (of.queries, of.heads);
        let keys = (of.keys, of.key_heads);
        let [d_o, dq, dk, dv] = self.gradients;
        of.check_strides(&d_o, queries, problem::stride_names!("dO"))?;
        for (strides, extents, names) in [
            (&dq, queries, problem::stride_names!("dQ")),
            (&dk, keys, problem::stride_names!("dK")),
            (&dv, keys, problem::stride_names!("dV")),
        ] {
            of.check_strides(strides, extents, names)?;
            of.check_apart(strides, extents, names)?;
        }
        Ok(())
    }

    /// Returns the number of rows that a head has in the buffer of values, padding included.
    fn value_rows(&self) -> u32 {
        self.forward.queries.next_multiple_of(PADDED_TO)
    }

    /// Returns the number of query heads in all batches.
    fn value_heads(&self) -> u32 {
        self.forward.heads * self.forward.batches
    }

    /// Returns the number of elements in the buffer of values, which holds the log-sum-exp and δ of
    /// each padded row.
    #[must_use]
    pub fn values(&self) -> u64 {
        2 * u64::from(self.value_heads()) * u64::from(self.value_rows())
    }
}

/// The parameters of the three kernels, by value.
///
/// `of` describes the kernel's tiles and what each tile sees. The kernel of dK and dV exchanges the
/// roles: its "queries" are the keys, its "heads" are those of K and V, and its band bounds
/// `i - j`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct AttentionBackwardParams {
    /// The description of the tiles. Its strides are those of the kernel's first tensor: O, dK or
    /// dQ.
    pub of: AttentionParams,
    /// The number of heads streamed for a tile: in the kernel of dK and dV the query heads that
    /// share a key head, otherwise 1.
    pub streamed_heads: u32,
    /// The number of rows that a head has in the buffer of values.
    pub value_rows: u32,
    /// The number of heads of all batches in the buffer of values. The buffer's second half, which
    /// holds δ, begins after the rows of these heads.
    pub value_heads: u32,
    /// The scale of the scores.
    pub scale: f32,
    /// Elements between neighbouring rows of the kernel's second tensor: dO or dV.
    pub row_second: u64,
    /// Elements between neighbouring heads of the second tensor.
    pub head_second: u64,
    /// Elements between neighbouring batches of the second tensor.
    pub batch_second: u64,
}

impl AttentionBackwardParams {
    /// Returns the structure's bytes as 64-bit numbers: a kernel argument of 104 bytes.
    #[must_use]
    pub const fn to_u64s(&self) -> [u64; 13] {
        let [a, b, c, d, e, f, g, h] = self.of.to_u64s();
        [
            a,
            b,
            c,
            d,
            e,
            f,
            g,
            h,
            self.streamed_heads as u64 | (self.value_rows as u64) << 32,
            self.value_heads as u64 | (self.scale.to_bits() as u64) << 32,
            self.row_second,
            self.head_second,
            self.batch_second,
        ]
    }

    /// Returns the index in the buffer of values of a row's log-sum-exp (`which` 0) or δ (1). The
    /// row is one of a query head.
    #[must_use]
    #[inline(always)]
    pub const fn value_at(&self, which: u32, (head, batch): (u32, u32), row: u32) -> usize {
        let heads = self.of.heads as u64 * self.streamed_heads as u64;
        let head = which as u64 * self.value_heads as u64 + batch as u64 * heads + head as u64;
        (head * self.value_rows as u64 + row as u64) as usize
    }

    /// Returns the index of a packed sequence's first row within a head of the buffer of values.
    /// The padded rows of the preceding sequences come first; without padding those sequences have
    /// `before` rows.
    ///
    /// ```
    /// use kernel_abi::attention::AttentionBackwardParams;
    /// // Sequences of 5, 0 and 300 rows: each has 128 rows at least, the last 384.
    /// let of = [(0, 0), (5, 1), (5, 2), (305, 3)];
    /// assert_eq!(of.map(|(before, sequence)| AttentionBackwardParams::packed_row(before, sequence)), [0, 128, 256, 640]);
    /// ```
    #[must_use]
    #[inline(always)]
    pub const fn packed_row(before: u32, sequence: u32) -> u32 {
        (before / PADDED_TO + sequence) * PADDED_TO
    }
}

const _: () = assert!(
    size_of::<AttentionBackwardParams>() == 104 && align_of::<AttentionBackwardParams>() == 8
);

/// A kernel of tiles: the one that computes dK and dV, or the one that computes dQ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GradientKernel {
    /// The kernel's name in the PTX.
    pub kernel: &'static str,
    /// The other kernel with which this kernel's configuration is compiled, or `None` if the
    /// configuration has one kernel. Of two such kernels, neither can be built without the other.
    pub base: Option<&'static str>,
    /// The number of rows in a tile, and in a streamed block.
    pub tile: [u32; 2],
    /// Threads of a CTA.
    pub threads: u32,
    /// Dynamic shared memory of a CTA, in bytes.
    pub shared_bytes: u32,
}

/// The three kernels for an element type and a head dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttentionBackwardConfiguration {
    /// What the kernels compute: the kind of sequences that the kernel of the rows takes, and the
    /// score parts. Sinks are not among these parts, because the log-sum-exp contains them.
    pub parts: AttentionParts,
    /// The type of all elements.
    pub element: AttentionType,
    /// The head dimension.
    pub dim: u32,
    /// How the kernels of tiles read their tensors.
    pub loads: AttentionLoads,
    /// The CTAs that a multiprocessor holds at a time: for the kernel of dK and dV, and for the
    /// kernel of dQ.
    pub ctas: [u32; 2],
    /// The kernel of the rows.
    pub rows: &'static str,
    /// The kernel of dK and dV, whose tiles are of keys.
    pub keys: GradientKernel,
    /// The kernel of dQ, whose tiles are of queries.
    pub queries: GradientKernel,
}

/// The launch of a kernel of tiles, with `BUFFERS` buffers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradientPlan<const BUFFERS: usize = 3> {
    launch: LaunchSpec<BUFFERS>,
    params: AttentionBackwardParams,
    maps: [AttentionMapPlan; 4],
    arguments: KernelArguments<AttentionArgument>,
}

impl<const BUFFERS: usize> GradientPlan<BUFFERS> {
    /// Returns the kernel, its grid and its buffers: the two results and the values. For packed
    /// sequences, the buffers also include the starts of the tile's sequences and of the streamed
    /// sequences.
    #[must_use]
    pub const fn launch(&self) -> &LaunchSpec<BUFFERS> {
        &self.launch
    }

    /// Returns the kernel's arguments.
    #[must_use]
    pub const fn arguments(&self) -> KernelArguments<AttentionArgument> {
        self.arguments
    }

    /// Returns the kernel's parameters.
    #[must_use]
    pub const fn params(&self) -> &AttentionBackwardParams {
        &self.params
    }

    /// Returns the maps of the tile's two tensors, and then those of the two streamed tensors.
    #[must_use]
    pub const fn maps(&self) -> &[AttentionMapPlan; 4] {
        &self.maps
    }
}

/// The three launches of a problem, in their order. [`AttentionBackwardConfiguration::plan`] has
/// checked them, and nothing can change them afterwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionBackwardPlan {
    problem: AttentionBackwardProblem,
    parts: AttentionParts,
    loads: AttentionLoads,
    rows: LaunchSpec<4>,
    rows_params: AttentionBackwardParams,
    keys: GradientPlan,
    queries: GradientPlan,
}

impl AttentionBackwardPlan {
    /// Returns the problem.
    #[must_use]
    pub const fn problem(&self) -> &AttentionBackwardProblem {
        &self.problem
    }

    /// Returns the parts of the kernels of tiles:
    /// [`parts_of_tiles`](AttentionBackwardConfiguration::parts_of_tiles).
    #[must_use]
    pub const fn parts(&self) -> AttentionParts {
        self.parts
    }

    /// Returns how the kernels of tiles read their tensors: by their [`maps`](GradientPlan::maps),
    /// or by their addresses and [`reads`](GradientPlan::reads).
    #[must_use]
    pub const fn loads(&self) -> AttentionLoads {
        self.loads
    }

    /// Returns the kernel of the rows and its buffers: O, dO, the log-sum-exp and the values.
    #[must_use]
    pub const fn rows(&self) -> &LaunchSpec<4> {
        &self.rows
    }

    /// Returns the arguments of the kernel of the rows.
    #[must_use]
    pub const fn rows_arguments(&self) -> KernelArguments<AttentionArgument> {
        let element = self.problem.forward.element;
        AttentionKernel::Rows(KernelSequences::Uniform).arguments(element)
    }

    /// Returns the parameters of the kernel of the rows.
    #[must_use]
    pub const fn rows_params(&self) -> &AttentionBackwardParams {
        &self.rows_params
    }

    /// Returns the launch that computes dK and dV. Its maps are those of K, V, Q and dO.
    #[must_use]
    pub const fn keys(&self) -> &GradientPlan {
        &self.keys
    }

    /// Returns the launch that computes dQ. Its maps are those of Q, dO, K and V.
    #[must_use]
    pub const fn queries(&self) -> &GradientPlan {
        &self.queries
    }
}

impl AttentionBackwardConfiguration {
    /// Whether the kernels compute the problem.
    #[must_use]
    pub fn computes(&self, problem: &AttentionBackwardProblem) -> bool {
        self.element == problem.forward.element && self.dim == problem.forward.dim
    }

    /// Whether the kernels compute the gradients of a forward pass with these parts. They take any
    /// sinks, which are part of the log-sum-exp that the kernels read.
    ///
    /// ```
    /// # use kernel_abi::attention::*;
    /// # const TILES: GradientKernel = GradientKernel {
    /// #     kernel: "tiles", base: None, tile: [128, 64], threads: 384, shared_bytes: 1024,
    /// # };
    /// # const OF: AttentionBackwardConfiguration = AttentionBackwardConfiguration {
    /// #     parts: AttentionParts::NONE, element: AttentionType::Bf16, dim: 128, loads: AttentionLoads::Tma, ctas: [1, 1], rows: "rows",
    /// #     keys: TILES, queries: TILES,
    /// # };
    /// let of = OF.with_score(AttentionParts::NONE.alibi(), ["keys", "queries"]);
    /// assert!(of.has(AttentionParts::NONE.alibi()) && of.has(AttentionParts::NONE.alibi().sinks()));
    /// assert!(!of.has(AttentionParts::NONE) && !of.has(AttentionParts::NONE.packed().alibi()));
    /// ```
    #[must_use]
    pub fn has(&self, parts: AttentionParts) -> bool {
        let sinks = self.parts.sinks;
        self.parts == AttentionParts { sinks, ..parts }
    }

    /// Returns the configuration with the kernels of tiles `keys` and `queries`, which have these
    /// score parts and compute sequences of either kind.
    #[must_use]
    pub const fn with_score(
        self,
        parts: AttentionParts,
        [keys, queries]: [&'static str; 2],
    ) -> Self {
        let sequences = self.parts.sequences;
        Self {
            parts: AttentionParts { sequences, ..parts },
            keys: GradientKernel {
                kernel: keys,
                ..self.keys
            },
            queries: GradientKernel {
                kernel: queries,
                ..self.queries
            },
            ..self
        }
    }

    /// Returns the parts of the kernels of tiles. With a score part, they compute sequences of
    /// either kind.
    #[must_use]
    pub const fn parts_of_tiles(&self) -> AttentionParts {
        if self.parts.soft_cap || self.parts.alibi {
            self.parts.either()
        } else {
            self.parts
        }
    }

    /// Returns the arguments of the kernel of the rows.
    #[must_use]
    pub const fn rows_arguments(&self) -> KernelArguments<AttentionArgument> {
        AttentionKernel::Rows(self.parts.sequences).arguments(self.element)
    }

    /// Returns the arguments of the kernels of tiles.
    #[must_use]
    pub const fn tiles_arguments(&self) -> KernelArguments<AttentionArgument> {
        AttentionKernel::Tiles(self.loads, self.parts_of_tiles()).arguments(self.element)
    }

    /// Returns the kernel of tiles with this name, or `None` if neither has it.
    #[must_use]
    pub fn of_tiles(&self, name: &str) -> Option<&GradientKernel> {
        let both = [&self.keys, &self.queries];
        both.into_iter().find(|kernel| kernel.kernel == name)
    }

    /// Plans the launches of a problem on a device with this number of multiprocessors.
    ///
    /// # Errors
    /// Returns a [`ProblemError`] with the number, the value given and the values allowed.
    pub fn plan(
        &self,
        problem: &AttentionBackwardProblem,
        multiprocessors: u32,
    ) -> Result<AttentionBackwardPlan, ProblemError> {
        problem.check()?;
        if !self.computes(problem) {
            return Err(ProblemError::Mismatch {
                kernel: self.keys.kernel,
                what: "the type of the elements or the head dimension",
            });
        }
        let of = &problem.forward;
        let multiprocessors = multiprocessors.max(1);
        let [q, k, v, o] = of.strides;
        let [d_o, dq, dk, dv] = problem.gradients;
        problem.tiles_are_numbered()?;
        let [key_rows, queries_of_block] = self.keys.tile;
        let key_tiles = of.keys.div_ceil(key_rows);
        let of_keys = self.ctas_of(key_tiles * of.key_heads * of.batches, 0, multiprocessors);
        let key_section = section(of.mask, of.key_heads * of.batches, key_tiles, of_keys.1);
        let [query_rows, keys_of_block] = self.queries.tile;
        let query_tiles = of.queries.div_ceil(query_rows);
        let of_queries = self.ctas_of(query_tiles * of.heads * of.batches, 1, multiprocessors);
        let query_section = section(of.mask, of.heads * of.batches, query_tiles, of_queries.1);
        let heads_per_key = of.heads / of.key_heads;
        let arguments = self.tiles_arguments();
        let [of_dk, of_dv] = [dk, dv].map(|strides| problem.reach_of_keys(strides));
        let of_dq = problem.reach_of_queries(dq);
        let launch = |kernel: &GradientKernel, ctas, [first, second]: [(u64, &'static str); 2]| {
            let buffer = |argument, (elements, name): (u64, &'static str)| {
                arguments.buffer(argument, elements, 16).named(name)
            };
            LaunchSpec {
                kernel: kernel.kernel,
                grid: [ctas, 1, 1],
                block: [kernel.threads, 1, 1],
                cluster: [1; 3],
                shared_bytes: kernel.shared_bytes as usize,
                buffers: [
                    buffer(AttentionArgument::First, first),
                    buffer(AttentionArgument::Second, second),
                    arguments.buffer(AttentionArgument::Values, problem.values(), 16),
                ],
            }
        };
        Ok(AttentionBackwardPlan {
            problem: *problem,
            parts: self.parts_of_tiles(),
            loads: self.loads,
            rows: self.rows_launch(problem, multiprocessors),
            rows_params: problem.params(problem.params_of_queries(1, o), 1, d_o),
            keys: GradientPlan {
                launch: launch(&self.keys, of_keys.0, [(of_dk, "dK"), (of_dv, "dV")]),
                params: problem.params(problem.params_of_keys(key_section), heads_per_key, dv),
                maps: [
                    problem.map_of_keys(k, key_rows),
                    problem.map_of_keys(v, key_rows),
                    problem.map_of_queries(q, queries_of_block),
                    problem.map_of_queries(d_o, queries_of_block),
                ],
                arguments,
            },
            queries: GradientPlan {
                launch: launch(&self.queries, of_queries.0, [(of_dq, "dQ"), (0, "nothing")]),
                params: problem.params(problem.params_of_queries(query_section, dq), 1, dq),
                maps: [
                    problem.map_of_queries(q, query_rows),
                    problem.map_of_queries(d_o, query_rows),
                    problem.map_of_keys(k, keys_of_block),
                    problem.map_of_keys(v, keys_of_block),
                ],
                arguments,
            },
        })
    }

    /// Returns the number of CTAs of a gradient's launch, and how many of them are resident at a
    /// time. A kernel that reads by TMA launches only the resident CTAs. A kernel that reads by
    /// `cp.async` launches one CTA for each tile.
    fn ctas_of(&self, tiles: u32, gradient: usize, multiprocessors: u32) -> (u32, u32) {
        let resident = multiprocessors
            .saturating_mul(self.ctas[gradient])
            .min(tiles);
        match self.loads {
            AttentionLoads::CpAsync => (tiles, resident),
            AttentionLoads::Tma | AttentionLoads::TmaUmma => (resident, resident),
        }
    }

    /// Returns the launch that computes the values of rows.
    fn rows_launch(
        &self,
        problem: &AttentionBackwardProblem,
        multiprocessors: u32,
    ) -> LaunchSpec<4> {
        let row_tiles = problem.value_rows() / ROWS_OF_TILE * problem.value_heads();
        let lse = u64::from(problem.value_heads()) * u64::from(problem.forward.queries);
        let (o, d_o) = (problem.forward.strides[3], problem.gradients[0]);
        let arguments = self.rows_arguments();
        LaunchSpec {
            kernel: self.rows,
            // The CTAs are small: sixteen fit on a multiprocessor.
            grid: [row_tiles.min(multiprocessors.saturating_mul(16)), 1, 1],
            block: [ROWS_THREADS, 1, 1],
            cluster: [1; 3],
            shared_bytes: 0,
            buffers: [
                arguments.buffer(AttentionArgument::O, problem.reach_of_queries(o), 16),
                arguments.buffer(
                    AttentionArgument::GradientOfO,
                    problem.reach_of_queries(d_o),
                    16,
                ),
                arguments.buffer(AttentionArgument::Lse, lse, 4),
                arguments.buffer(AttentionArgument::Values, problem.values(), 16),
            ],
        }
    }
}

/// The problem as the kernels take it: with tiles of queries, and with tiles of keys.
impl AttentionBackwardProblem {
    /// Checks that the kernels can number the tiles. The smallest tiles have 64 rows.
    fn tiles_are_numbered(&self) -> Result<(), ProblemError> {
        let of = &self.forward;
        for (rows, heads) in [(self.value_rows(), of.heads), (of.keys, of.key_heads)] {
            let tiles =
                u64::from(rows.div_ceil(ROWS_OF_TILE)) * u64::from(heads) * u64::from(of.batches);
            let most = u64::from(u32::MAX / 4);
            if tiles > most {
                return Err(ProblemError::TooLarge {
                    what: "the number of tiles",
                    given: tiles,
                    max: most,
                });
            }
        }
        Ok(())
    }

    fn params(
        &self,
        of: AttentionParams,
        streamed_heads: u32,
        second: AttentionStrides,
    ) -> AttentionBackwardParams {
        AttentionBackwardParams {
            of,
            streamed_heads,
            value_rows: self.value_rows(),
            value_heads: self.value_heads(),
            scale: self.forward.scale,
            row_second: second.row,
            head_second: second.head,
            batch_second: second.batch,
        }
    }

    /// Returns the parameters of a kernel whose tiles are of queries and whose first tensor has
    /// these strides.
    fn params_of_queries(&self, section: u32, strides: AttentionStrides) -> AttentionParams {
        AttentionParams {
            row_o: strides.row,
            head_o: strides.head,
            batch_o: strides.batch,
            ..self.forward.params(section)
        }
    }

    /// Returns the parameters of the kernel of dK and dV, whose tiles are of keys.
    fn params_of_keys(&self, section: u32) -> AttentionParams {
        let of = &self.forward;
        let of_queries = of.params(section);
        let dk = self.gradients[2];
        AttentionParams {
            queries: of.keys,
            keys: of.queries,
            heads: of.key_heads,
            heads_per_key: 1,
            lower: negated(of_queries.upper),
            upper: negated(of_queries.lower),
            flags: flags::FIRST_ROWS_FIRST,
            row_o: dk.row,
            head_o: dk.head,
            batch_o: dk.batch,
            ..of_queries
        }
    }

    fn map_of_queries(&self, strides: AttentionStrides, rows: u32) -> AttentionMapPlan {
        let of = &self.forward;
        map(of, (of.queries, of.heads), strides, rows)
    }

    fn map_of_keys(&self, strides: AttentionStrides, rows: u32) -> AttentionMapPlan {
        let of = &self.forward;
        map(of, (of.keys, of.key_heads), strides, rows)
    }

    fn reach_of_queries(&self, strides: AttentionStrides) -> u64 {
        let of = &self.forward;
        strides.reach(of.batches, of.heads, of.queries, of.dim)
    }

    fn reach_of_keys(&self, strides: AttentionStrides) -> u64 {
        let of = &self.forward;
        strides.reach(of.batches, of.key_heads, of.keys, of.dim)
    }
}

/// Returns the bound of a band seen from the other side. A missing bound stays missing.
const fn negated(bound: i32) -> i32 {
    match bound {
        i32::MIN => i32::MAX,
        i32::MAX => i32::MIN,
        bound => -bound,
    }
}

#[cfg(test)]
mod tests {
    use super::super::AttentionMask;
    use super::*;

    const KERNEL: GradientKernel = GradientKernel {
        kernel: "gradients",
        base: None,
        tile: [128, 64],
        threads: 384,
        shared_bytes: 1024,
    };
    pub(super) const OF: AttentionBackwardConfiguration = AttentionBackwardConfiguration {
        parts: AttentionParts::NONE,
        element: AttentionType::Bf16,
        dim: 128,
        loads: AttentionLoads::Tma,
        ctas: [1, 1],
        rows: "rows",
        keys: KERNEL,
        queries: KERNEL,
    };

    pub(super) fn problem() -> AttentionBackwardProblem {
        let extents = (2, 6, 300, 128);
        let forward =
            AttentionProblem::new(AttentionType::Bf16, extents, AttentionMask::Causal, 0.5);
        AttentionBackwardProblem::new(forward.with_keys(77, 3))
    }

    #[test]
    fn keys_have_the_band_from_the_other_side() {
        let plan = OF.plan(&problem(), 132).unwrap();
        let (keys, queries) = (plan.keys.params, plan.queries.params);
        assert_eq!((queries.of.lower, queries.of.upper), (i32::MIN, 77 - 300));
        assert_eq!((keys.of.lower, keys.of.upper), (300 - 77, i32::MAX));
        assert_eq!((keys.of.queries, keys.of.keys), (77, 300));
        assert_eq!((keys.of.heads, keys.streamed_heads), (3, 2));
        assert_eq!(keys.value_rows, 384);
        assert_eq!(keys.value_at(1, (4, 1), 5), (12 + 6 + 4) * 384 + 5);
        assert_eq!(keys.value_at(1, (4, 1), 5), queries.value_at(1, (4, 1), 5));
        assert_eq!(plan.rows.grid, [72, 1, 1]);
        assert_eq!(plan.keys.maps[2].extents, [128, 300, 6, 2]);
    }

    #[test]
    fn what_has_no_launch_is_said_with_its_number() {
        let mut wrong = problem();
        wrong.gradients[2].row = 132;
        assert_eq!(
            OF.plan(&wrong, 132).unwrap_err().to_string(),
            "the row stride of dK is 132; it must be a multiple of 8"
        );
        let mut wrong = problem();
        wrong.gradients[3] = AttentionStrides {
            row: 128,
            head: 128,
            batch: 1 << 20,
        };
        assert_eq!(
            OF.plan(&wrong, 132).unwrap_err().to_string(),
            "the head stride of dV is 128; it must be at least 9856"
        );
    }
}

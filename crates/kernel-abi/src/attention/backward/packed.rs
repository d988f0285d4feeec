//! The gradients of packed sequences: the three launches of [`super`] with one more input, the
//! starts of the sequences.
//!
//! ```text
//!   by TMA                   as many CTAs as are resident                     by cp.async: one for each place of a tile
//!   values of a head         ├ 0 ───────┼ 1 ───┼ 2 ─────────────┤      each sequence padded to a multiple of 128 rows, 128 at least
//! ```
//!
//! Law: the gradients of a sequence's rows are those of only its own queries, keys and values. A
//! sequence without keys or without queries has gradients of zeros. Rows of no sequence are left as
//! they are. With TMA all of Q, K, V and dO must be finite: a block is multiplied whole, with
//! weights of 0 for the rows of the next sequence. With `cp.async` the kernel reads zeros in place
//! of the rows of the next sequence.

use super::super::{
    AttentionArgument, AttentionLoads, AttentionParams, AttentionParts, KernelSequences,
    PackedAttentionProblem,
};
use super::{
    AttentionBackwardConfiguration, AttentionBackwardParams, AttentionBackwardProblem,
    AttentionKernel, GradientKernel, GradientPlan, PADDED_TO, ROWS_OF_TILE, flags, negated,
};
use crate::{KernelArguments, LaunchSpec, ProblemError};

/// The backward pass of attention over packed sequences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackedBackwardProblem {
    /// The tensors of all sequences, as one batch: `queries` and `keys` count the rows of all
    /// sequences. The mask applies to each sequence separately.
    pub all: AttentionBackwardProblem,
    /// The number of sequences.
    pub sequences: u32,
}

impl PackedBackwardProblem {
    /// Checks that the problem has no number that every kernel must refuse.
    ///
    /// # Errors
    /// Returns a [`ProblemError`] with the number, the value given and the values allowed.
    pub fn check(&self) -> Result<(), ProblemError> {
        let forward = PackedAttentionProblem {
            all: self.all.forward,
            sequences: self.sequences,
        };
        forward.check()?;
        self.all.check()
    }

    /// Returns the number of rows that a head has in the buffer of values. They are enough for any
    /// lengths of the sequences.
    fn value_rows(&self) -> u32 {
        AttentionBackwardParams::packed_row(self.all.forward.queries, self.sequences)
    }

    /// Returns the number of elements in the buffer of values.
    #[must_use]
    pub fn values(&self) -> u64 {
        2 * u64::from(self.all.forward.heads) * u64::from(self.value_rows())
    }
}

/// The three launches of packed sequences, in their order.
/// [`AttentionBackwardConfiguration::plan_packed`] has checked them, and nothing can change them
/// afterwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackedBackwardPlan {
    problem: PackedBackwardProblem,
    parts: AttentionParts,
    loads: AttentionLoads,
    rows: LaunchSpec<5>,
    rows_params: AttentionBackwardParams,
    keys: GradientPlan<5>,
    queries: GradientPlan<5>,
}

impl PackedBackwardPlan {
    /// Returns the problem.
    #[must_use]
    pub const fn problem(&self) -> &PackedBackwardProblem {
        &self.problem
    }

    /// Returns the parts of the kernels of tiles, as
    /// [`AttentionBackwardPlan::parts`](super::AttentionBackwardPlan::parts) does.
    #[must_use]
    pub const fn parts(&self) -> AttentionParts {
        self.parts
    }

    /// Returns how the kernels of tiles read their tensors, as
    /// [`AttentionBackwardPlan::loads`](super::AttentionBackwardPlan::loads) does.
    #[must_use]
    pub const fn loads(&self) -> AttentionLoads {
        self.loads
    }

    /// Returns the kernel of the rows and its buffers: O, dO, the log-sum-exp, the values and the
    /// starts of queries.
    #[must_use]
    pub const fn rows(&self) -> &LaunchSpec<5> {
        &self.rows
    }

    /// Returns the arguments of the kernel of the rows.
    #[must_use]
    pub const fn rows_arguments(&self) -> KernelArguments<AttentionArgument> {
        let element = self.problem.all.forward.element;
        AttentionKernel::Rows(KernelSequences::Packed).arguments(element)
    }

    /// Returns the parameters of the kernel of the rows.
    #[must_use]
    pub const fn rows_params(&self) -> &AttentionBackwardParams {
        &self.rows_params
    }

    /// Returns the launch that computes dK and dV. Its arguments include the maps of K, V, Q and
    /// dO, and the starts of keys and of queries.
    #[must_use]
    pub const fn keys(&self) -> &GradientPlan<5> {
        &self.keys
    }

    /// Returns the launch that computes dQ. Its arguments include the maps of Q, dO, K and V, and
    /// the starts of queries and of keys.
    #[must_use]
    pub const fn queries(&self) -> &GradientPlan<5> {
        &self.queries
    }
}

/// Returns the number of tiles in `heads` heads with `tiles` tiles each, or an error if kernels
/// cannot number that many.
fn of_heads(tiles: u64, heads: u32) -> Result<u32, ProblemError> {
    let tiles = tiles * u64::from(heads);
    let most = u64::from(u32::MAX / 4);
    if tiles > most {
        return Err(ProblemError::TooLarge {
            what: "the number of tiles",
            given: tiles,
            max: most,
        });
    }
    Ok(tiles as u32)
}

impl AttentionBackwardConfiguration {
    /// Plans the launches of packed sequences on a device with this number of multiprocessors. The
    /// kernels must be ones for packed sequences.
    ///
    /// # Errors
    /// Returns a [`ProblemError`] with the number, the value given and the values allowed.
    pub fn plan_packed(
        &self,
        problem: &PackedBackwardProblem,
        multiprocessors: u32,
    ) -> Result<PackedBackwardPlan, ProblemError> {
        problem.check()?;
        let all = self.plan(&problem.all, multiprocessors)?;
        let multiprocessors = multiprocessors.max(1);
        let of = &problem.all.forward;
        let sequences = u64::from(problem.sequences);
        // The largest number of tiles for any lengths of the sequences: each sequence can have one
        // tile that is not full.
        let tiles = |rows: u32, tile: u32| {
            (u64::from(rows) + sequences * (u64::from(tile) - 1)) / u64::from(tile)
        };
        let value_rows = problem.value_rows();
        let params = |of: AttentionBackwardParams, band: (i32, i32)| AttentionBackwardParams {
            of: AttentionParams {
                batches: problem.sequences,
                section: 1,
                lower: band.0,
                upper: band.1,
                flags: of.of.flags | flags::PACKED,
                ..of.of
            },
            value_rows,
            value_heads: problem.all.forward.heads,
            ..of
        };
        let band = of.mask.band(0, 0);
        let starts = |of: KernelArguments<AttentionArgument>, argument| {
            of.buffer(argument, sequences + 1, 4)
        };
        let (of_queries, of_keys) = ("the starts of queries", "the starts of keys");
        let of_tiles = |by: &GradientKernel,
                        plan: &GradientPlan,
                        (rows, heads): (u32, u32),
                        band: (i32, i32),
                        names: [&'static str; 2]|
         -> Result<GradientPlan<5>, ProblemError> {
            let [first, second, _] = plan.launch.buffers;
            let tile = by.tile[0];
            let ctas = match self.loads {
                // Each tile of a sequence has its own place, and each place has a CTA for every
                // head. A sequence's places begin at the quotient of its first row and the rows of
                // a tile, plus one for each preceding sequence.
                AttentionLoads::CpAsync => of_heads(u64::from(rows / tile) + sequences, heads)?,
                AttentionLoads::Tma | AttentionLoads::TmaUmma => {
                    of_heads(tiles(rows, tile), heads)?.min(multiprocessors)
                }
            };
            let arguments = plan.arguments;
            let values = arguments.buffer(AttentionArgument::Values, problem.values(), 16);
            Ok(GradientPlan {
                launch: LaunchSpec {
                    kernel: by.kernel,
                    grid: [ctas, 1, 1],
                    block: plan.launch.block,
                    cluster: plan.launch.cluster,
                    shared_bytes: plan.launch.shared_bytes,
                    buffers: [
                        first,
                        second,
                        values,
                        starts(arguments, AttentionArgument::TileStarts).named(names[0]),
                        starts(arguments, AttentionArgument::StreamedStarts).named(names[1]),
                    ],
                },
                params: params(plan.params, band),
                maps: plan.maps,
                arguments,
            })
        };
        let keys = of_tiles(
            &self.keys,
            &all.keys,
            (of.keys, of.key_heads),
            (negated(band.1), negated(band.0)),
            [of_keys, of_queries],
        )?;
        let queries = of_tiles(
            &self.queries,
            &all.queries,
            (of.queries, of.heads),
            band,
            [of_queries, of_keys],
        )?;
        let row_tiles = of_heads(tiles(value_rows, ROWS_OF_TILE), of.heads)?;
        let [o, d_o, lse, _] = all.rows.buffers;
        let arguments = AttentionKernel::Rows(KernelSequences::Packed).arguments(self.element);
        Ok(PackedBackwardPlan {
            problem: *problem,
            parts: self.parts_of_tiles(),
            loads: self.loads,
            rows: LaunchSpec {
                kernel: self.rows,
                grid: [row_tiles.min(multiprocessors.saturating_mul(16)), 1, 1],
                block: all.rows.block,
                cluster: all.rows.cluster,
                shared_bytes: 0,
                buffers: [
                    o,
                    d_o,
                    lse,
                    arguments.buffer(AttentionArgument::Values, problem.values(), 16),
                    starts(arguments, AttentionArgument::QueryStarts),
                ],
            },
            rows_params: params(all.rows_params, band),
            keys,
            queries,
        })
    }
}

const _: () = assert!(PADDED_TO % ROWS_OF_TILE == 0);

#[cfg(test)]
mod tests {
    use super::super::super::{AttentionLoads, AttentionMask, AttentionProblem, AttentionType};
    use super::*;

    const KERNEL: GradientKernel = GradientKernel {
        kernel: "gradients",
        base: None,
        tile: [128, 64],
        threads: 384,
        shared_bytes: 1024,
    };
    const OF: AttentionBackwardConfiguration = AttentionBackwardConfiguration {
        parts: AttentionParts::NONE.packed(),
        element: AttentionType::Bf16,
        dim: 128,
        loads: AttentionLoads::Tma,
        ctas: [1, 1],
        rows: "rows",
        keys: KERNEL,
        queries: KERNEL,
    };

    fn problem(sequences: u32) -> PackedBackwardProblem {
        let mask = AttentionMask::Causal;
        let all = AttentionProblem::new(AttentionType::Bf16, (1, 6, 300, 128), mask, 0.5);
        PackedBackwardProblem {
            all: AttentionBackwardProblem::new(all.with_keys(500, 3)),
            sequences,
        }
    }

    #[test]
    fn a_plan_has_room_for_lengths_of_any_kind() {
        let plan = OF.plan_packed(&problem(4), 132).unwrap();
        // Four sequences with 300 rows in all have six tiles at most, and with 500 rows seven.
        assert_eq!(plan.queries.launch.grid, [36, 1, 1]);
        assert_eq!(plan.keys.launch.grid, [21, 1, 1]);
        let (keys, queries) = (plan.keys.params, plan.queries.params);
        assert_eq!((queries.of.lower, queries.of.upper), (i32::MIN, 0));
        assert_eq!((keys.of.lower, keys.of.upper), (0, i32::MAX));
        assert_eq!((keys.of.batches, keys.of.queries), (4, 500));
        assert_eq!(keys.of.flags, flags::FIRST_ROWS_FIRST | flags::PACKED);
        // There are six blocks of 128 rows: 300 rows have two full blocks, and each of the four
        // sequences has one that is not full.
        assert_eq!(keys.value_rows, 768);
        assert_eq!(plan.rows.buffers[3].elements, 2 * 6 * 768);
        assert_eq!(keys.value_at(1, (5, 0), 767) + 1, 2 * 6 * 768);
        let arguments = plan.keys.launch.buffers.map(|of| of.argument);
        assert_eq!(arguments, [0, 1, 2, 8, 9]);
    }

    #[test]
    fn a_plan_by_cp_async_has_a_place_for_each_tile() {
        let of = AttentionBackwardConfiguration {
            loads: AttentionLoads::CpAsync,
            ctas: [2, 2],
            ..OF
        };
        let plan = of.plan_packed(&problem(4), 132).unwrap();
        assert_eq!(plan.loads(), AttentionLoads::CpAsync);
        assert_eq!(plan.queries.launch.grid, [(300 / 128 + 4) * 6, 1, 1]);
        assert_eq!(plan.keys.launch.grid, [(500 / 128 + 4) * 3, 1, 1]);
        let arguments = plan.keys.launch.buffers.map(|of| of.argument);
        assert_eq!(arguments, [0, 1, 2, 9, 10]);
        assert_eq!(plan.keys.inputs().map(|of| of.argument), [4, 5, 6, 7]);
        assert_eq!(plan.keys.reads().y_0.row, 128);
    }

    /// Checks the law of the padded rows: they do not overlap, and they end inside the buffer of
    /// values.
    #[test]
    fn padded_rows_of_sequences_do_not_overlap() {
        for lengths in [&[0, 0, 0][..], &[1, 127, 128, 129], &[300, 0, 1, 255, 257]] {
            let (mut before, mut end) = (0, 0);
            for (sequence, length) in (0..).zip(lengths) {
                let first = AttentionBackwardParams::packed_row(before, sequence);
                assert!(first >= end, "{lengths:?}");
                end = first + length.max(&1_u32).next_multiple_of(128);
                before += length;
            }
            assert!(end <= AttentionBackwardParams::packed_row(before, lengths.len() as u32));
        }
    }

    #[test]
    fn what_has_no_launch_is_said_with_its_number() {
        let said = |of| OF.plan_packed(&of, 132).unwrap_err().to_string();
        assert_eq!(
            said(problem(0)),
            "the number of sequences is 0; it must be at least 1"
        );
    }
}

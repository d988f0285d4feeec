//! Packed sequences: sequences of any lengths that follow each other in tensors without padding.
//!
//! ```text
//!   Q, O   (rows of all, D) of head h     ├ 0 ─────┼ 1 ─┼ 2 ──────────┤     starts of queries   0  9  14  28
//!   K, V   (rows of all, D) of head h     ├ 0 ──┼ 1 ───────┼ 2 ───┤         starts of keys      0  6  17  24
//!   LSE    f32, of head h at  h rows of all + i
//! ```
//!
//! Law: a sequence's rows of O are attention of only that sequence's queries, keys and values. In
//! its mask, the sequence's last query and last key lie on one diagonal. A sequence may have no
//! queries. A sequence without keys has zeros, and -inf for its log-sum-exps. Rows of no sequence
//! are left as they are. With TMA all of V must be finite: a block of keys is multiplied whole,
//! with weights of 0 for the keys of the next sequence. With `cp.async` the kernel reads zeros in
//! place of the keys of the next sequence.

use super::{
    AttentionArgument, AttentionConfiguration, AttentionLoads, AttentionMapPlan, AttentionParams,
    AttentionPlan, AttentionProblem, AttentionReads, flags,
};
use crate::{BufferSpec, LaunchSpec, ProblemError};

/// Attention of packed sequences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackedAttentionProblem {
    /// The tensors of all sequences, as one batch: `queries` and `keys` count the rows of all
    /// sequences. The mask applies to each sequence separately.
    pub all: AttentionProblem,
    /// The number of sequences.
    pub sequences: u32,
}

impl PackedAttentionProblem {
    /// Checks that the problem has no number that every kernel must refuse.
    ///
    /// # Errors
    /// Returns a [`ProblemError`] with the number, the value given and the values allowed.
    pub fn check(&self) -> Result<(), ProblemError> {
        self.all.check()?;
        crate::checked_extent("the number of sequences", self.sequences, 1 << 20)?;
        if self.all.batches > 1 {
            return Err(ProblemError::TooLarge {
                what: "the number of batches of packed sequences",
                given: self.all.batches.into(),
                max: 1,
            });
        }
        Ok(())
    }

    /// Returns how the fastest kernel loads the tensors where every way has a kernel, or `None` if
    /// it is the GPU's usual way.
    ///
    /// Of sequences of few rows, `cp.async` is the better way on every GPU: a tile of `wgmma` has
    /// 128 rows, and a multiprocessor has one such CTA. An H200 takes 0.69 and 0.81 of the time for
    /// 512 sequences of 1 to 64 rows (heads of 64 and 128), and 1.00 for 32 to 96 rows.
    ///
    /// ```
    /// use kernel_abi::attention::{
    ///     AttentionLoads, AttentionMask, AttentionProblem, AttentionType, PackedAttentionProblem,
    /// };
    /// let all = AttentionProblem::new(AttentionType::Bf16, (1, 16, 4096, 64), AttentionMask::Causal, 0.125);
    /// let of = |sequences| PackedAttentionProblem { all, sequences }.fastest_loads();
    /// assert_eq!((of(128), of(8)), (Some(AttentionLoads::CpAsync), None));
    /// ```
    #[must_use]
    pub fn fastest_loads(&self) -> Option<AttentionLoads> {
        const MOST_ROWS: u64 = 48;
        let rows = u64::from(self.all.queries.max(self.all.keys));
        let is_short = rows <= MOST_ROWS * u64::from(self.sequences);
        is_short.then_some(AttentionLoads::CpAsync)
    }
}

/// The launch of packed sequences. [`AttentionConfiguration::plan_packed`] has checked it, and
/// nothing can change it afterwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackedAttentionPlan {
    problem: PackedAttentionProblem,
    launch: LaunchSpec<4>,
    params: AttentionParams,
    all: AttentionPlan,
}

impl PackedAttentionPlan {
    /// Returns the problem.
    #[must_use]
    pub const fn problem(&self) -> &PackedAttentionProblem {
        &self.problem
    }

    /// Returns the kernel, its grid and its own buffers: O, the log-sum-exp, and the starts of
    /// queries and of keys.
    #[must_use]
    pub const fn launch(&self) -> &LaunchSpec<4> {
        &self.launch
    }

    /// Returns the kernel's parameters: `batches` is the number of sequences, and the band is that
    /// of a mask over as many queries as keys.
    #[must_use]
    pub const fn params(&self) -> &AttentionParams {
        &self.params
    }

    /// Returns the plan of all rows as one sequence, which says how the kernel reads Q, K and V.
    #[must_use]
    pub const fn all(&self) -> &AttentionPlan {
        &self.all
    }

    /// Returns how the kernel reads Q, K and V: by their [`maps`](Self::maps), or by their
    /// addresses and [`reads`](Self::reads).
    #[must_use]
    pub const fn loads(&self) -> AttentionLoads {
        self.all.loads()
    }

    /// Returns the maps of Q, K and V.
    #[must_use]
    pub const fn maps(&self) -> &[AttentionMapPlan; 3] {
        self.all.maps()
    }

    /// Returns the strides of Q, K and V, for a kernel that reads by `cp.async`.
    #[must_use]
    pub const fn reads(&self) -> AttentionReads {
        self.all.reads()
    }

    /// Returns the buffers of Q, K and V, for a kernel that reads by `cp.async`.
    #[must_use]
    pub fn inputs(&self) -> [BufferSpec; 3] {
        self.all.inputs()
    }
}

impl AttentionConfiguration {
    /// Plans the launch of packed sequences on a device with this number of multiprocessors. The
    /// kernel must be one for packed sequences.
    ///
    /// # Errors
    /// Returns a [`ProblemError`] with the number, the value given and the values allowed.
    pub fn plan_packed(
        &self,
        problem: &PackedAttentionProblem,
        multiprocessors: u32,
    ) -> Result<PackedAttentionPlan, ProblemError> {
        problem.check()?;
        let all = self.plan(&problem.all, multiprocessors)?;
        let [rows, _] = self.tile.map(u64::from);
        let (queries, sequences) = (u64::from(problem.all.queries), u64::from(problem.sequences));
        let of_head = match self.loads {
            // Each tile of a sequence has its own place, and each place has a CTA for every head. A
            // sequence's places begin at the quotient of its first row and the rows of a tile, plus
            // one for each preceding sequence.
            AttentionLoads::CpAsync => queries / rows + sequences,
            // The largest number of tiles for any lengths of the sequences: each sequence can have
            // one tile that is not full.
            AttentionLoads::Tma | AttentionLoads::TmaUmma => {
                (queries + sequences * (rows - 1)) / rows
            }
        };
        let tiles = of_head * u64::from(problem.all.heads);
        let most = u64::from(u32::MAX / 4);
        if tiles > most {
            return Err(ProblemError::TooLarge {
                what: "the number of tiles",
                given: tiles,
                max: most,
            });
        }
        let LaunchSpec {
            kernel,
            block,
            cluster,
            shared_bytes,
            buffers: [o, lse],
            ..
        } = *all.launch();
        // A CTA of a kernel that reads by `cp.async` computes the tile of one place. CTAs of other
        // kernels compute several tiles.
        let ctas = match self.loads {
            AttentionLoads::CpAsync => tiles as u32,
            AttentionLoads::Tma | AttentionLoads::TmaUmma => {
                (tiles as u32).min(multiprocessors.max(1))
            }
        };
        let starts = |argument| self.arguments().buffer(argument, sequences + 1, 4);
        let (lower, upper) = problem.all.mask.band(0, 0);
        Ok(PackedAttentionPlan {
            problem: *problem,
            launch: LaunchSpec {
                kernel,
                grid: [ctas, 1, 1],
                block,
                cluster,
                shared_bytes,
                buffers: [
                    o,
                    lse,
                    starts(AttentionArgument::QueryStarts),
                    starts(AttentionArgument::KeyStarts),
                ],
            },
            params: AttentionParams {
                batches: problem.sequences,
                lower,
                upper,
                flags: all.params().flags | flags::PACKED,
                ..*all.params()
            },
            all,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AttentionLoads, AttentionMask, AttentionParts, AttentionType};
    use super::*;

    const OF: AttentionConfiguration = AttentionConfiguration {
        kernel: "attention_packed",
        base: None,
        parts: AttentionParts::NONE.packed(),
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

    fn problem(sequences: u32) -> PackedAttentionProblem {
        let mask = AttentionMask::Causal;
        let all = AttentionProblem::new(AttentionType::Bf16, (1, 6, 300, 128), mask, 0.5);
        PackedAttentionProblem {
            all: all.with_keys(500, 3),
            sequences,
        }
    }

    #[test]
    fn a_plan_has_room_for_lengths_of_any_kind() {
        let plan = OF.plan_packed(&problem(4), 132).unwrap();
        // Four sequences with 300 rows in all have six tiles at most, for instance if one has 297
        // rows and three have one row each.
        assert_eq!(plan.launch.grid, [36, 1, 1]);
        let params = plan.params;
        assert_eq!((params.batches, params.queries, params.keys), (4, 300, 500));
        assert_eq!((params.lower, params.upper), (i32::MIN, 0));
        assert_eq!(params.flags, flags::PACKED);
        assert_eq!(plan.launch.buffers.map(|of| of.argument), [0, 1, 6, 7]);
        assert_eq!(plan.launch.buffers[3].elements, 5);
    }

    #[test]
    fn a_plan_by_cp_async_has_a_place_for_each_tile() {
        let of = AttentionConfiguration {
            loads: AttentionLoads::CpAsync,
            threads: 128,
            ctas: 2,
            ..OF
        };
        let plan = of.plan_packed(&problem(4), 132).unwrap();
        assert_eq!(plan.launch.grid, [(300 / 128 + 4) * 6, 1, 1]);
        assert_eq!(plan.launch.buffers.map(|of| of.argument), [0, 1, 7, 8]);
        assert_eq!(plan.inputs().map(|of| of.argument), [3, 4, 5]);
        assert_eq!(plan.reads().row_k, 128);
    }

    /// From `start / tile + number` on, a sequence has at least as many places as tiles, and none
    /// of its tiles has a place of the next sequence.
    #[test]
    fn the_tiles_of_a_sequence_have_places_of_their_own() {
        for (tile, a, b, c) in (1..6_u32)
            .flat_map(|tile| (0..14).map(move |a| (tile, a)))
            .flat_map(|(tile, a)| (0..14).map(move |b| (tile, a, b)))
            .flat_map(|(tile, a, b)| (0..14).map(move |c| (tile, a, b, c)))
        {
            let starts = [0, a, a + b, a + b + c];
            let first = |number: usize| starts[number] / tile + number as u32;
            for (i, length) in [a, b, c].into_iter().enumerate() {
                assert!(first(i) + length.div_ceil(tile) <= first(i + 1));
            }
        }
    }

    #[test]
    fn what_has_no_launch_is_said_with_its_number() {
        let said = |of| OF.plan_packed(&of, 132).unwrap_err().to_string();
        assert_eq!(
            said(problem(0)),
            "the number of sequences is 0; it must be at least 1"
        );
        let mut of = problem(2);
        of.all.batches = 2;
        assert_eq!(
            said(of),
            "the number of batches of packed sequences is 2; a launch covers at most 1"
        );
    }
}

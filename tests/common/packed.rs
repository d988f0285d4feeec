//! Packed sequences by chance: what attention and its gradients are tested on.
//!
//! ```text
//!   ├ unused ┼ sequence 0 ─────┼ 1 ┼ 2 ────────┼ unused ┤       rows of one tensor, of queries or of keys
//! ```
//!
//! Law: the sequences lie side by side; the rows before and behind them are of none.
#![allow(
    dead_code,
    reason = "each test file is a crate of its own and uses a part of this"
)]

use cutlet::attention::{AttentionMask, AttentionStrides, Heads, starts};
use host::reference::Random;
use std::ops::Range;

/// Sequences: queries and keys of each.
#[derive(Clone, Debug)]
pub struct Case {
    /// Queries and keys of each sequence.
    pub lengths: Vec<[u32; 2]>,
    /// Heads of queries and of keys.
    pub heads: [u32; 2],
    /// Of every sequence.
    pub mask: AttentionMask,
    /// (rows, heads, D) instead of (heads, rows, D).
    pub interleaved: bool,
    /// Rows of no sequence, before the first and behind the last.
    pub unused: u32,
}

impl Case {
    /// Sequences of so many queries and keys, of two heads that are interleaved and have the same
    /// keys.
    pub fn of(lengths: &[[u32; 2]], mask: AttentionMask) -> Self {
        Self {
            lengths: lengths.to_vec(),
            heads: [2, 1],
            mask,
            interleaved: true,
            unused: 0,
        }
    }

    /// Lengths of no rows, of one, and such as end beside a tile's end, with each mask.
    pub fn edges() -> Vec<Self> {
        let narrow = AttentionMask::Window {
            before: 3,
            after: 2,
        };
        let of = [
            // None has a row: nothing is written.
            (&[[0, 0], [0, 0]][..], AttentionMask::Full),
            (&[[0, 5], [1, 1], [0, 0], [1, 300]], AttentionMask::Causal),
            // Queries without keys, between others and at the end.
            (&[[3, 4], [2, 0], [130, 130], [5, 0]], AttentionMask::Full),
            // More queries than keys: rows that see none of their own, and not those before.
            (&[[129, 9], [9, 129], [1, 0]], AttentionMask::Causal),
            (&[[260, 260], [127, 128], [128, 1]], narrow),
            (&[[1, 1]; 70], AttentionMask::Causal),
            (&[[1, 3]; 70], AttentionMask::Full),
        ];
        of.map(|(lengths, mask)| Self::of(lengths, mask)).into()
    }

    /// At least two sequences: half of their lengths are 0, 1 or 128, the others of `lengths`;
    /// `counts` is how many numbers of sequences there are.
    pub fn by_chance(random: &mut Random, lengths: Range<u64>, counts: u32) -> Self {
        let mut below = |n: u64| random.below(n) as u32;
        let mut length = || match below(6) {
            0 => 0,
            1 => 1,
            2 => 128,
            _ => lengths.start as u32 + below(lengths.end - lengths.start),
        };
        let lengths = (0..2 + length() % counts)
            .map(|_| [length(), length()])
            .collect();
        let mask = match below(4) {
            0 => AttentionMask::Full,
            1 => AttentionMask::Window {
                before: below(100),
                after: below(40),
            },
            _ => AttentionMask::Causal,
        };
        Self {
            lengths,
            heads: [[1, 1], [2, 1], [3, 3], [4, 2]][below(4) as usize],
            mask,
            interleaved: below(2) == 0,
            unused: below(4),
        }
    }

    /// The first rows of the sequences, of queries (0) or of keys (1), and the end of the last.
    pub fn starts(&self, which: usize) -> Vec<u32> {
        let lengths: Vec<u32> = self.lengths.iter().map(|of| of[which]).collect();
        let starts = starts(&lengths);
        starts.iter().map(|start| self.unused + start).collect()
    }

    /// Those of the tensor of queries (0) or of keys (1).
    pub fn extents(&self, which: usize, columns: u32) -> Heads {
        let rows: u32 = self.lengths.iter().map(|of| of[which]).sum();
        Heads {
            batches: 1,
            heads: self.heads[which],
            // A tensor has a row at least.
            rows: (rows + 2 * self.unused).max(1),
            columns,
        }
    }

    /// Those of a tensor.
    pub fn strides(&self, of: Heads) -> AttentionStrides {
        if self.interleaved {
            of.interleaved()
        } else {
            of.compact()
        }
    }

    /// The elements of a row of a head.
    pub fn row(&self, of: Heads, head: u32, row: u32) -> Range<usize> {
        let strides = self.strides(of);
        let at = u64::from(head) * strides.head + u64::from(row) * strides.row;
        at as usize..at as usize + of.columns as usize
    }
}

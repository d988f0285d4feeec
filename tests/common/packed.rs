//! Makes random packed sequences, with which attention and its gradients are tested.
//!
//! ```text
//!   ├ unused ┼ sequence 0 ─────┼ 1 ┼ 2 ────────┼ unused ┤       rows of one tensor, of queries or of keys
//! ```
//!
//! Law: the sequences are neighbours; the rows before and after them belong to no sequence.
#![allow(
    dead_code,
    reason = "each test file is a crate of its own and uses a part of this"
)]

use cutlet::attention::{AttentionMask, AttentionStrides, Heads, starts};
use host::reference::Random;
use std::ops::Range;

/// A case: the lengths and the layout of packed sequences.
#[derive(Clone, Debug)]
pub struct Case {
    /// The numbers of queries and keys of each sequence.
    pub lengths: Vec<[u32; 2]>,
    /// The numbers of query heads and of key heads.
    pub heads: [u32; 2],
    /// The mask of every sequence.
    pub mask: AttentionMask,
    /// Whether tensors are (rows, heads, D) instead of (heads, rows, D).
    pub interleaved: bool,
    /// The number of rows that belong to no sequence, before the first sequence and after the last.
    pub unused: u32,
}

impl Case {
    /// Returns sequences with these numbers of queries and keys. They have two interleaved query
    /// heads, which share one key head.
    pub fn of(lengths: &[[u32; 2]], mask: AttentionMask) -> Self {
        Self {
            lengths: lengths.to_vec(),
            heads: [2, 1],
            mask,
            interleaved: true,
            unused: 0,
        }
    }

    /// Returns cases with lengths of 0 rows and of 1, and lengths that end next to a tile's end,
    /// with each mask.
    pub fn edges() -> Vec<Self> {
        let narrow = AttentionMask::Window {
            before: 3,
            after: 2,
        };
        let of = [
            // No sequence has a row, so nothing is written.
            (&[[0, 0], [0, 0]][..], AttentionMask::Full),
            (&[[0, 5], [1, 1], [0, 0], [1, 300]], AttentionMask::Causal),
            // Some queries have no keys, between other queries and at the end.
            (&[[3, 4], [2, 0], [130, 130], [5, 0]], AttentionMask::Full),
            // There are more queries than keys: some rows see no key of their own sequence, and
            // must not see the keys before.
            (&[[129, 9], [9, 129], [1, 0]], AttentionMask::Causal),
            (&[[260, 260], [127, 128], [128, 1]], narrow),
            (&[[1, 1]; 70], AttentionMask::Causal),
            (&[[1, 3]; 70], AttentionMask::Full),
        ];
        of.map(|(lengths, mask)| Self::of(lengths, mask)).into()
    }

    /// Returns at least two sequences. Half of their lengths are 0, 1 or 128, the others are in
    /// `lengths`; `counts` is the number of possible numbers of sequences.
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

    /// Returns the first rows of the sequences, for queries (0) or keys (1), and the end of the
    /// last sequence.
    pub fn starts(&self, which: usize) -> Vec<u32> {
        let lengths: Vec<u32> = self.lengths.iter().map(|of| of[which]).collect();
        let starts = starts(&lengths);
        starts.iter().map(|start| self.unused + start).collect()
    }

    /// Returns the extents of the tensor with the queries (0) or the keys (1).
    pub fn extents(&self, which: usize, columns: u32) -> Heads {
        let rows: u32 = self.lengths.iter().map(|of| of[which]).sum();
        Heads {
            batches: 1,
            heads: self.heads[which],
            // A tensor has at least one row.
            rows: (rows + 2 * self.unused).max(1),
            columns,
        }
    }

    /// Returns the strides of a tensor.
    pub fn strides(&self, of: Heads) -> AttentionStrides {
        if self.interleaved {
            of.interleaved()
        } else {
            of.compact()
        }
    }

    /// Returns the indices of the elements in a row of a head.
    pub fn row(&self, of: Heads, head: u32, row: u32) -> Range<usize> {
        let strides = self.strides(of);
        let at = u64::from(head) * strides.head + u64::from(row) * strides.row;
        at as usize..at as usize + of.columns as usize
    }
}

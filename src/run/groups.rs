//! The groups of a grouped product, read from its list.
//!
//! ```text
//!   list   rows of each: [20, 0, 10]                    or M, N and K of each: [20, 24, 16,  10, 8, 16]
//!   A, D   rows 0 .. 20 ┊ none ┊ 20 .. 30               D's columns 0 .. N, A's columns 0 .. K, of a group's rows
//! ```
//!
//! Law: a row belongs to at most one group. The elements beyond its group's N and K are neither
//! read nor written.

use crate::gemm::GemmProblem;

/// M, N and K of each group. The list is empty for a product that is not grouped.
#[derive(Clone)]
pub(super) struct Groups {
    extents: Vec<[usize; 3]>,
    /// For each group, the index of the first row after it.
    ends: Vec<usize>,
    /// N and K of a product without groups.
    whole: [usize; 2],
}

impl Groups {
    /// Reads the groups of a problem from a list with
    /// [`numbers_of_group`](GemmProblem::numbers_of_group) numbers for each group. As in the
    /// kernel, a group that reaches beyond the matrices ends where they end.
    pub fn new(problem: &GemmProblem, list: &[u32]) -> Self {
        let [m, n, k] = [problem.m, problem.n, problem.k].map(|x| x as usize);
        let whole = [n, k];
        let numbers = problem.numbers_of_group() as usize;
        let mut rows_left = m;
        let extents: Vec<[usize; 3]> = list
            .chunks_exact(numbers)
            .map(|of| {
                let rows = rows_left.min(of[0] as usize);
                rows_left -= rows;
                match of {
                    &[_, of_n, of_k] => [rows, n.min(of_n as usize), k.min(of_k as usize)],
                    _ => [rows, n, k],
                }
            })
            .collect();
        let ends = extents
            .iter()
            .scan(0, |end, &[rows, ..]| {
                *end += rows;
                Some(*end)
            })
            .collect();
        Self {
            extents,
            ends,
            whole,
        }
    }

    /// Returns the number of rows of all groups.
    pub fn rows(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Returns the group of a row.
    pub fn of_row(&self, row: usize) -> usize {
        self.ends.partition_point(|&end| end <= row)
    }

    /// Returns N and K of the product to which a row of D belongs. For a group with a K of 0, which
    /// has no D, they are `[0, 0]`, and so the row has no columns.
    pub fn extents_of(&self, row: usize) -> [usize; 2] {
        match self.extents.get(self.of_row(row)) {
            None => self.whole,
            Some(&[_, _, 0]) => [0, 0],
            Some(&[_, n, k]) => [n, k],
        }
    }

    /// Overwrites with `nothing` the elements of A (rows, K) and of B (groups, N, K) that belong to
    /// no group.
    pub fn clear_rest<T: Copy>(&self, a: &mut [T], b: &mut [T], nothing: T) {
        let [n, k] = self.whole;
        for (row, of_row) in a.chunks_mut(k).enumerate().take(self.rows()) {
            of_row[self.extents_of(row)[1]..].fill(nothing);
        }
        for (&[_, of_n, of_k], b) in self.extents.iter().zip(b.chunks_mut(n * k)) {
            for (column, of_column) in b.chunks_mut(k).enumerate() {
                of_column[if column < of_n { of_k } else { 0 }..].fill(nothing);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gemm::{InputType, OutputType};

    fn problem(m: u32, groups: u32) -> GemmProblem {
        GemmProblem::new(m, 4, 3, InputType::F16, OutputType::Same).with_groups(groups)
    }

    #[test]
    fn rows_of_groups_share_n_and_k() {
        let groups = Groups::new(&problem(5, 3), &[2, 0, 3]);
        assert_eq!(groups.rows(), 5);
        let of: Vec<usize> = (0..5).map(|row| groups.of_row(row)).collect();
        assert_eq!(of, [0, 0, 2, 2, 2]);
        assert_eq!(groups.extents_of(4), [4, 3]);
    }

    #[test]
    fn extents_of_their_own() {
        let own = problem(3, 3).with_own_extents(true);
        let groups = Groups::new(&own, &[1, 2, 3, 1, 4, 0, 1, 4, 2]);
        let of: Vec<[usize; 2]> = (0..3).map(|row| groups.extents_of(row)).collect();
        assert_eq!(of, [[2, 3], [0, 0], [4, 2]]);
        let (mut a, mut b) = (vec![1; 9], vec![1; 36]);
        groups.clear_rest(&mut a, &mut b, 0);
        assert_eq!(a, [1, 1, 1, 0, 0, 0, 1, 1, 0]);
        let of_b: Vec<i32> = b.chunks(12).map(|of| of.iter().sum()).collect();
        assert_eq!(of_b, [6, 0, 8]);
    }

    #[test]
    fn a_product_without_groups_is_whole() {
        let plain = GemmProblem::new(2, 4, 3, InputType::F16, OutputType::Same);
        let groups = Groups::new(&plain, &[]);
        assert_eq!((groups.rows(), groups.extents_of(1)), (0, [4, 3]));
    }
}

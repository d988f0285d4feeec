//! Which tile of D a block computes: groups of eight rows of tiles, down a group first, then across.
//!
//! ```text
//!   blocks in the order they start      0  8 16 ..        a wave of blocks covers a compact patch of D,
//!                                       1  9 17 ..        so that the tiles of A and B which it reads are
//!                                       .. .. ..          few, and are found in the L2 cache
//!                                       7 15 23 ..
//! ```
//!
//! Law: a bijection of the grid onto the tiles; the last group is as many rows as are left.

/// The (row, column) of tile `number` of a `(columns, rows)` grid of tiles, in groups of `group` rows, at least 1.
///
/// Precondition: `number < columns * rows < 2^31`.
#[inline(always)]
pub fn linear(number: u32, (columns, rows): (u32, u32), group: u32) -> (u32, u32) {
    let group = group.min(rows);
    let (groups, in_group) = divide(number, group * columns);
    let first = groups * group;
    let (column, row) = divide(in_group, (rows - first).min(group));
    (first + row, column)
}

/// Quotient and remainder; both 0 where the divisor is, so that no panic is left in a kernel.
#[inline(always)]
pub fn divide(number: u32, by: u32) -> (u32, u32) {
    match core::num::NonZeroU32::new(by) {
        Some(by) => (number / by, number % by),
        None => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::linear;
    use std::collections::HashSet;

    #[test]
    fn every_number_is_one_tile() {
        for (columns, rows, group) in
            (1..=9).flat_map(|c| (1..=20).flat_map(move |r| (1..=10).map(move |g| (c, r, g))))
        {
            let tiles: HashSet<_> = (0..columns * rows)
                .map(|number| linear(number, (columns, rows), group))
                .filter(|&(row, column)| row < rows && column < columns)
                .collect();
            assert_eq!(tiles.len() as u32, columns * rows);
        }
        assert_eq!(
            [0, 1, 2, 3].map(|i| linear(i, (2, 3), 8)),
            [(0, 0), (1, 0), (2, 0), (0, 1)]
        );
    }
}

//! Writing a thread's sums to D.
//!
//! ```text
//!   acc[m16][n8] = [ (l/4, 2(l%4)), (.., +1), (l/4 + 8, 2(l%4)), (.., +1) ]     two pairs of neighbours along n
//! ```
//!
//! Law: each element of the tile that lies inside D is written once; nothing else is.

use super::layouts::{Accumulators, Out, TileD};
use super::mainloop::Acc;
use layout_types::prelude::*;

/// (thread, half, m16, n8) to (m, n) of the tile.
type Coordinates = Composition<TileD, Accumulators>;

/// Rounds and stores `acc` to the tile of D whose first element is `(row, column)`.
///
/// # Safety
/// D is (m, n), row-major, writable, aligned for a pair, and no other block writes this tile.
#[inline(always)]
pub unsafe fn store<O: Out>(
    acc: &Acc,
    d: *mut O,
    (row, column): (u32, u32),
    (m, n): (u32, u32),
    thread: u32,
) {
    // A pair starts at an even column: aligned in every row when rows have even length.
    let pairs = n.is_multiple_of(2);
    unroll::<4>(|i| {
        unroll::<8>(|j| {
            unroll::<2>(|half| {
                let [tile_row, tile_column] =
                    Coordinates::coordinate((thread, half as u32, i as u32, j as u32));
                let (row, column) = (row + tile_row, column + tile_column);
                if row < m && column < n {
                    let pair = O::pair(acc[i][j][2 * half], acc[i][j][2 * half + 1]);
                    // SAFETY: (row, column) lies inside D, and where a second element is written so does it.
                    unsafe {
                        let at = d.add(row as usize * n as usize + column as usize);
                        if pairs {
                            *at.cast::<O::Pair>() = pair;
                        } else {
                            let [low, high] = O::split(pair);
                            *at = low;
                            if column + 1 < n {
                                *at.add(1) = high;
                            }
                        }
                    }
                }
            });
        });
    });
}

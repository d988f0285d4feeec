//! category: layouts and divides
//! mistake: Every third row of a tile of 4 rows by 8 columns is taken: the step of 3 does not divide the
//!   rows.
//! cure: Choose a step that divides the mode, or coalesce the layout first.
//! CuTe: compiles, of static layouts too; element 2 is at 3 instead of 7.
//! source: NVIDIA/cutlass#3177
use layout_types::prelude::*;
type Tile = layout!((4,6,8):(2,3,5));
#[cfg(mistake)]
type Rows = Composition<Tile, layout!(6:3)>;
#[cfg(not(mistake))]
type Rows = Composition<Tile, layout!(6:4)>;
pub fn use_it() -> usize {
    Rows::SIZE
}

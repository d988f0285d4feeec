//! category: layouts and divides
//! mistake: A tile of rows is repeated by `logical_product` over a layout that has gaps which no repetition
//!   fills.
//! cure: Make the tile compact, or give the repetition its own strides.
//! CuTe: static assertion in `complement`, without the operands.
use layout_types::prelude::*;
#[cfg(mistake)]
type Tile = layout!((2,2):(2,3));
#[cfg(not(mistake))]
type Tile = layout!((2,2):(2,1));
type Blocks = LogicalProduct<Tile, layout!(4:1)>;
pub fn use_it() -> usize {
    Blocks::SIZE
}

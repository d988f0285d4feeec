//! category: layouts and divides
//! mistake: A row-major tile is declared with the strides of a column-major one, (1,128) for (32,1).
//! cure: State what you mean once, `LayoutRight` or `LayoutLeft`, and assert equality where two places must
//!   agree.
//! CuTe: silent: the transposed tile.
use layout_types::prelude::*;
use layout_types::LayoutRight;
#[cfg(mistake)]
type Tile = layout!((128,32):(1,128));
#[cfg(not(mistake))]
type Tile = layout!((128,32):(32,1));
assert_layout_eq!(Tile, LayoutRight<shape!((128, 32))>);

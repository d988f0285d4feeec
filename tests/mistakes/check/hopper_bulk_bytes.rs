//! category: Hopper
//! mistake: A bulk copy of 30 bytes.
//! cure: A multiple of 16 bytes.
//! CuTe: ptxas cannot see it; undefined at run time.
use layout_types::{assert_bulk_copy, prelude::*};
#[cfg(mistake)]
type Tile = layout!((5,3):(3,1));
#[cfg(not(mistake))]
type Tile = layout!((5,8):(8,1));
assert_bulk_copy!(Tile, half::f16);

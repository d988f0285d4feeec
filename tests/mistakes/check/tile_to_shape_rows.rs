//! category: layouts and divides
//! mistake: A swizzle atom of 8 rows is repeated to a tile of 100 rows.
//! cure: Choose a tile whose extents are multiples of the atom.
//! CuTe: static assertion "LHS does not evenly divide RHS", without the numbers.
use layout_types::prelude::*;
type Atom = Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>;
#[cfg(mistake)]
type Smem = TileToShape<Atom, shape!((100, 32))>;
#[cfg(not(mistake))]
type Smem = TileToShape<Atom, shape!((104, 32))>;
pub fn use_it() -> usize {
    Smem::SIZE
}

//! category: swizzles and banks
//! mistake: A swizzle that moves runs of 4 elements is to leave vectors of 8 whole.
//! cure: M at least the logarithm of the vector's elements.
//! CuTe: the vector is silently narrowed, or misaligned at run time.
use layout_types::prelude::*;
#[cfg(mistake)]
type Tile = Composition<Swizzle<2, 2, 3>, layout!((32,8):(1,32))>;
#[cfg(not(mistake))]
type Tile = Composition<Swizzle<2, 3, 3>, layout!((32,8):(1,32))>;
assert_contiguous!(Tile, 8, 2);

//! category: Hopper
//! mistake: The tensor map writes 64-byte lines, the descriptors of `wgmma` read 128-byte ones.
//! cure: One layout type for both: `assert_same_tile!`.
//! CuTe: silent: wrong numbers.
use layout_types::{assert_same_tile, atom::gmma::*, prelude::*};
#[cfg(mistake)]
type Written = TileToShape<LayoutKSw64Atom<half::f16>, shape!((128, 64, 4))>;
#[cfg(not(mistake))]
type Written = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128, 64, 4))>;
type Read = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128, 64, 4))>;
assert_same_tile!(Written, Read);

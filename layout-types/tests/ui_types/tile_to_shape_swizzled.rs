//! 32 does not divide 48 in a swizzled layout either.
use layout_types::prelude::*;
fn refused(_: TileToShape<Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>, shape!((128,48,3))>) {}
fn main() {}

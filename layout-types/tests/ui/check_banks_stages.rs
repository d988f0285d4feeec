//! Stages that begin inside the period of the swizzle cannot be counted together.
use layout_types::prelude::*;
type Smem = Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>;
type Staged = TileToShape<Composition<Swizzle<3, 3, 3>, layout!((2,64):(64,1))>, shape!((2,64,3))>;
assert_bank_conflict_free!(Staged, 16 bits, rows of 16 bytes);
fn main() {}

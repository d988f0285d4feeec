use layout_types::atom::{element::TFloat32, gmma::LayoutMnSw128Atom, mma::MajorMn};
use layout_types::{assert_umma_operand, prelude::*};
// The tile has the swizzle of 16-byte units, in which the hardware reads no MN-major tf32.
type Smem = TileToShape<LayoutMnSw128Atom<TFloat32>, shape!((128,32))>;
assert_umma_operand!(Smem, TFloat32, MajorMn, 128);
fn main() {}

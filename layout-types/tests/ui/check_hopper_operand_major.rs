use layout_types::{assert_wgmma_operand, atom::{gmma::LayoutKSw128Atom, mma::MajorMn}, prelude::*};
type Smem = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128, 64))>;
assert_wgmma_operand!(Smem, half::f16, MajorMn, 64); // K is contiguous

fn main() {}

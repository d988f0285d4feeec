use layout_types::{assert_wgmma_operand, atom::{gmma::LayoutKSw128Atom, mma::MajorK}, prelude::*};
type Smem = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128, 64))>;
assert_wgmma_operand!(Smem, f32, MajorK, 64); // swizzled for f16

fn main() {}

use layout_types::{assert_tma_box, atom::gmma::LayoutKSw128Atom, prelude::*};
type Smem = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128, 64))>;
assert_tma_box!(Smem, half::f16, 8192); // half of it

fn main() {}

use layout_types::{assert_same_tile, atom::gmma::*, prelude::*};
type Written = TileToShape<LayoutKSw64Atom<half::f16>, shape!((128, 64, 4))>;
type Read = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128, 64, 4))>;
assert_same_tile!(Written, Read); // a map of 64-byte lines, descriptors of 128-byte ones

fn main() {}

//! Two warp groups take 64 rows each, but the tile has 64 rows.
use layout_types::prelude::*;
use layout_types::atom::{gmma::LayoutKSw128Atom, mma::Sm90_64x128x16_F32F16F16_SS};
use layout_types::tensor::Shared;
use layout_types::tiled::TiledMma;
type Mma = TiledMma<Sm90_64x128x16_F32F16F16_SS, layout!((2,1,1))>;
type Smem = TileToShape<LayoutKSw128Atom<half::f16>, shape!((64,64,4))>;
fn main() {
    let s = unsafe { Tensor::<Shared<half::f16>, Smem>::shared(0) };
    let _ = Mma::get_slice(0).partition_descriptors_a(&s);
}

//! The instruction multiplies f16, but the tile has bf16.
use layout_types::prelude::*;
use layout_types::atom::{gmma::LayoutKSw128Atom, mma::Sm90_64x128x16_F32F16F16_SS};
use layout_types::tensor::Shared;
use layout_types::tiled::TiledMma;
type Mma = TiledMma<Sm90_64x128x16_F32F16F16_SS, layout!((2,1,1))>;
type Smem = TileToShape<LayoutKSw128Atom<half::bf16>, shape!((128,64,4))>;
fn main() {
    let s = unsafe { Tensor::<Shared<half::bf16>, Smem>::shared(0) };
    let _ = Mma::get_slice(0).partition_descriptors_a(&s);
}

//! The call of a copy that stores 64 bits of accumulators at a time is refused too.
use layout_types::prelude::*;
use layout_types::algorithm::copy;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tensor::{Fragment, Registers, Shared, Tensor};
use layout_types::tiled::{CopyPartitionOf, Destination, MakeTiledCopyC};
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::TiledMma;
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
type SmemC = TileToShape<Composition<Swizzle<2, 3, 3>, layout!((32,32):(32,1))>, shape!((32,32,2))>;
type R2s = MakeTiledCopyC<UniversalCopy<u64>, half::f16, Mma>;
type Part = CopyPartitionOf<R2s, Destination, SmemC>;
fn store(from: &Tensor<Registers<'_, half::f16>, layout!(((4,2),1,1,2):((1,4),0,0,8))>, to: &Tensor<Shared<half::f16>, Part>) {
    unsafe { copy(R2s::default(), from, to) }
}
fn main() {
    let _ = Fragment::<half::f16, layout!(4)>::new();
}

//! A has four blocks along K, but B has eight.
use layout_types::prelude::*;
use layout_types::algorithm::warpgroup;
use layout_types::atom::{gmma::LayoutKSw128Atom, mma::Sm90_64x128x16_F32F16F16_SS};
use layout_types::tensor::{Shared, identity_tensor};
use layout_types::tiled::TiledMma;
type Mma = TiledMma<Sm90_64x128x16_F32F16F16_SS, layout!((2,1,1))>;
type Smem = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64))>;
type Short = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,128))>;
fn main() {
    let (mma, thr) = (Mma::default(), Mma::get_slice(0));
    let s = unsafe { Tensor::<Shared<half::f16>, Smem>::shared(0) };
    let t = unsafe { Tensor::<Shared<half::f16>, Short>::shared(0) };
    let (a, b) = (thr.partition_descriptors_a(&s), thr.partition_descriptors_b(&t));
    let c = thr.partition_fragment_c(&identity_tensor::<layout!((128,128):(1@0,1@1)), 2>());
    let mut c = unsafe { warpgroup::arrive(mma, c) };
    unsafe { warpgroup::gemm(mma, &a, &b, &mut c, 1) };
}

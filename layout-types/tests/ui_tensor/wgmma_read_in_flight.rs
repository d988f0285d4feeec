//! The epilogue reads the accumulator while `wgmma` is still in flight.
use layout_types::prelude::*;
use layout_types::algorithm::{axpby, warpgroup};
use layout_types::atom::{gmma::LayoutKSw128Atom, mma::Sm90_64x128x16_F32F16F16_SS};
use layout_types::tensor::Shared;
use layout_types::tiled::TiledMma;
type Mma = TiledMma<Sm90_64x128x16_F32F16F16_SS, layout!((1,1,1))>;
type Smem = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64))>;
unsafe fn early(d: *mut f32) {
    let (mma, thr) = (Mma::default(), Mma::get_slice(0));
    let s = unsafe { Tensor::<Shared<half::f16>, Smem>::shared(0) };
    let (a, b) = (thr.partition_descriptors_a(&s), thr.partition_descriptors_b(&s));
    let g = unsafe { Tensor::global_mut(d, [128, 128], [128.into(), 1]) }.local_tile::<tile!(128, 128), _>((0, 0));
    let t_gd = thr.partition_c(&g);
    let mut c = unsafe { warpgroup::arrive(mma, thr.partition_fragment_c(&g)) };
    unsafe { warpgroup::gemm(mma, &a, &b, &mut c, 1) };
    axpby(1.0, &c.view(), 0.0, &t_gd);
}
fn main() {}

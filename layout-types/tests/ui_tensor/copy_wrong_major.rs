//! The copy takes 16 bytes along k of a matrix that is contiguous along m.
use layout_types::algorithm::copy;
use layout_types::atom::copy::UniversalCopy;
use layout_types::prelude::*;
use layout_types::tensor::Fragment;
use layout_types::tiled::MakeTiledCopy;
type G2r = MakeTiledCopy<UniversalCopy<u128>, half::f16, layout!((32,4):(4,1)), layout!((1,8))>;
fn main() {
    let a = core::ptr::null::<half::f16>();
    let g_a = unsafe { Tensor::global(a, [128, 64], (Int::<1>, 128)) }.local_tile::<tile!(32, 32), _>((0, 0));
    let t_ga = G2r::get_slice(0).partition_s(&g_a);
    let held = Fragment::<half::f16, layout!(((8,1),1,1))>::new();
    unsafe { copy(G2r::default(), &t_ga, &held.view()) };
}

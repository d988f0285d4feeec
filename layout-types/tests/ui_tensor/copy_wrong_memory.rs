//! ldmatrix reads shared memory, but the source is in registers.
use layout_types::prelude::*;
use layout_types::algorithm::copy;
use layout_types::atom::copy::Sm75_U32x4_LDSM_N;
use layout_types::tensor::Fragment;
use layout_types::tiled::MakeTiledCopyA;
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::TiledMma;
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
type S2r = MakeTiledCopyA<Sm75_U32x4_LDSM_N, half::f16, Mma>;
fn main() {
    let (a, b) = (Fragment::<half::f16, layout!(((8,1),1,1))>::new(), Fragment::<half::f16, layout!(((8,1),1,1))>::new());
    unsafe { copy(S2r::default(), &a.view(), &b.view()) };
}

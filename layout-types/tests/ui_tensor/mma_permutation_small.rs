//! A permutation of 16 does not hold two atoms of 16.
use layout_types::prelude::*;
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::{TiledMma, TiledMmaTraits};
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(16, 32, 16)>;
fn refused(_: <Mma as TiledMmaTraits>::ThrLayoutVmnk) {}
fn main() {}

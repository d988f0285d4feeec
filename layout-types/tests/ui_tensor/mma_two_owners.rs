//! The atoms along N belong to the same threads as those along M.
use layout_types::prelude::*;
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::{TiledMma, TiledMmaTraits};
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1):(1,1,0))>;
fn refused(_: <Mma as TiledMmaTraits>::ThrLayoutVmnk) {}
fn main() {}

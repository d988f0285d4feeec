use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::prelude::*;
use layout_types::tiled::{TiledMma, TiledMmaTraits};

// Two atoms of 16 along M do not fit into 16.
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(16, 32, 16)>;

fn main() {
    let _ = <Mma as TiledMmaTraits>::ThrLayoutVmnk::default();
}

use layout_types::atom::{Supports, mma::Sm89_16x8x32_F32E4M3E4M3F32_TN};
use layout_types::prelude::*;

fn kernel<Atom>()
where
    int!(80): Supports<Atom>,
{
}

fn main() {
    kernel::<Sm89_16x8x32_F32E4M3E4M3F32_TN>();
}

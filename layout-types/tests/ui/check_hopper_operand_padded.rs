use layout_types::{assert_wgmma_operand, atom::mma::MajorK, prelude::*};
assert_wgmma_operand!(layout!((64,64):(72,1)), half::f16, MajorK, 64);

fn main() {}

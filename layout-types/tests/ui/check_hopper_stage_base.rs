use layout_types::{assert_wgmma_operand, atom::mma::MajorK, prelude::*};
type Smem = Composition<Swizzle<3, 3, 3>, layout!((64,64,4):(64,1,4160))>;
assert_wgmma_operand!(Smem, half::f16, MajorK, 64); // 8320 bytes a stage

fn main() {}

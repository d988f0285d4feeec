use layout_types::{assert_tma_box, prelude::*};
type Smem = Composition<Swizzle<3, 3, 3>, layout!((64,128):(128,1))>;
assert_tma_box!(Smem, half::f16); // rows of 256 bytes

fn main() {}

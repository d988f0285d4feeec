use layout_types::{assert_tma_box, prelude::*};
assert_tma_box!(layout!((64,4):(4,1)), half::f16); // rows of 8 bytes

fn main() {}

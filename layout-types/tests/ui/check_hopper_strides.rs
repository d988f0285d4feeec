use layout_types::{assert_tma_strides, prelude::*};
assert_tma_strides!(layout!((1000,300):(300,1)), half::f16); // 600 bytes

fn main() {}

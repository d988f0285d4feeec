use layout_types::{assert_bulk_copy, prelude::*};
assert_bulk_copy!(layout!((5,3):(3,1)), half::f16); // 30 bytes

fn main() {}

use layout_types::{assert_bulk_copy, prelude::*};
assert_bulk_copy!(layout!((64,8):(16,1)), half::f16); // every other run of 16 bytes

fn main() {}

//! A stride that falls between the elements of a mode: CuTe accepts it and is wrong at element 2.
use layout_types::prelude::*;
assert_composable!(layout!((4,6,8):(2,3,5)), layout!(6:3));
fn main() {}

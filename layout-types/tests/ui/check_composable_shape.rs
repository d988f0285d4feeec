//! The steps cannot be split where a mode of the left side ends.
use layout_types::prelude::*;
assert_composable!(layout!((6,8):(1,16)), layout!(4:2));
fn main() {}

//! A 1-tuple is not equal to an integer.
use layout_types::prelude::*;
assert_layout_eq!(layout!((8):(1)), 8:1);
fn main() {}

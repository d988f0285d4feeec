//! 48 does not divide 128.
use layout_types::prelude::*;
fn refused(_: ExactLogicalDivide<layout!((128,64):(64,1)), tile!(48, 16)>) {}
fn main() {}

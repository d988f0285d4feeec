//! 16 is more than 8.
use layout_types::prelude::*;
fn refused(_: ExactZippedDivide<layout!((8,6):(6,1)), tile!(16, 2)>) {}
fn main() {}

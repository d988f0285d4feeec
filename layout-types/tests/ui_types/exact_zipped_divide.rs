//! The tile's mode 0 has 16 elements, more than the 8 of the layout.
use layout_types::prelude::*;
fn refused(_: ExactZippedDivide<layout!((8,6):(6,1)), tile!(16, 2)>) {}
fn main() {}

//! CuTe gives a tile that is not the composition.
use layout_types::prelude::*;
fn refused(_: LogicalDivide<layout!((4,3):(3,1)), layout!(4:3)>) {}
fn main() {}

//! CuTe's tile is not the composition of the layout with the tiler.
use layout_types::prelude::*;
fn refused(_: LogicalDivide<layout!((4,3):(3,1)), layout!(4:3)>) {}
fn main() {}

//! The tiler hits an element twice.
use layout_types::prelude::*;
fn refused(_: LogicalDivide<layout!((2,2):(1,1)), layout!((2,2):(1,1))>) {}
fn main() {}

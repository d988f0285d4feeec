//! The tiler is a layout, and 3 of its 4 steps lie within mode 0.
use layout_types::prelude::*;
fn refused(_: FlatDivide<layout!((6,5):(1,8)), layout!(4:2)>) {}
fn main() {}

//! A layout as tiler.
use layout_types::prelude::*;
fn refused(_: FlatDivide<layout!((6,5):(1,8)), layout!(4:2)>) {}
fn main() {}

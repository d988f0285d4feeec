//! 5 elements do not split (4,3).
use layout_types::prelude::*;
fn refused(_: LogicalDivide<layout!((4,3):(3,1)), layout!(5:1)>) {}
fn main() {}

//! `_` keeps mode 1 whole, which is no pair of tile and rest.
use layout_types::prelude::*;
fn refused(_: ZippedDivide<layout!((4,3):(3,1)), tile!(2, _)>) {}
fn main() {}

//! `_` keeps 3 whole, which is not a pair.
use layout_types::prelude::*;
fn refused(_: ZippedDivide<layout!((4,3):(3,1)), tile!(2, _)>) {}
fn main() {}

//! `_` leaves 3 whole, which is no pair.
use layout_types::prelude::*;
fn refused(_: ZippedDivide<layout!((4,3):(3,1)), tile!(2, _)>) {}
fn main() {}

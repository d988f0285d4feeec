//! Three tilers for two modes.
use layout_types::prelude::*;
fn refused(_: LogicalDivide<layout!((4,3):(3,1)), tile!(2, 3, 1)>) {}
fn main() {}

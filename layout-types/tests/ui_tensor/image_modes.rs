//! The layout has more modes than are sorted, and they do not nest in their order.
use layout_types::prelude::*;
fn refused(_: IsInjective<layout!((2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2):(3,1,4,1,5,9,2,6,5,3,5,8,9,7,9,3,1000000))>) {}
fn main() {}

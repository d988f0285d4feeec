//! No swizzle applied after the layout (8,6) does what this one does before it.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((8,6):(6,1)), Swizzle<2, 0, 3>>) {}
fn main() {}

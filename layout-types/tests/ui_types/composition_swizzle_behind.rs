//! No swizzle applied after the layout (8,6) does what this one does before it.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((8,6):(6,1)), Composition<Swizzle<2, 0, 3>, layout!((8,8):(8,1))>>) {}
fn main() {}

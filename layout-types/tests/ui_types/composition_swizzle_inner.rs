//! The inner layout of the swizzled right side has no composition with the left side.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,4):(4,1)), Composition<Swizzle<1, 0, 2>, layout!((2,2):(3,1))>>) {}
fn main() {}

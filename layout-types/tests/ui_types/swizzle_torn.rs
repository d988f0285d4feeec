//! Sw<2,1,-3> moves the elements of a unit of 4 apart.
use layout_types::prelude::*;
fn refused(_: Upcast<Composition<Swizzle<2, 1, -3>, layout!((8,8):(8,1))>, int!(4)>) {}
fn main() {}

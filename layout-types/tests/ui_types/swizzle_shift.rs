//! The shift is less than the number of bits that are exchanged.
use layout_types::prelude::*;
fn refused(_: Composition<Swizzle<3, 0, 2>, layout!((8,8):(8,1))>) {}
fn main() {}

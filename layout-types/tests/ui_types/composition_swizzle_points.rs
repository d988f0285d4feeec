//! (64,33) is not linear over bits, and has more than 1024 elements to compare.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((64,33):(1,64)), Composition<Swizzle<2, 0, 3>, layout!((8,8):(8,1))>>) {}
fn main() {}

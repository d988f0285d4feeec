//! A swizzled layout is downcast only by a power of two.
use layout_types::prelude::*;
fn refused(_: Downcast<Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>, int!(3)>) {}
fn main() {}

//! A swizzled layout is upcast only by a power of two.
use layout_types::prelude::*;
fn refused(_: Upcast<Composition<Swizzle<2, 3, 3>, layout!((9,32):(33,1))>, int!(3)>) {}
fn main() {}

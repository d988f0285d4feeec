//! The inner layout of a swizzled left side must admit the composition.
use layout_types::prelude::*;
fn refused(_: Composition<Composition<Swizzle<2, 0, 3>, layout!((8,8):(8,1))>, layout!(4:3)>) {}
fn main() {}

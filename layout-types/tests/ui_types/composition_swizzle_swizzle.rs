//! Both sides are swizzled; a swizzle cannot be moved through the left inner layout.
use layout_types::prelude::*;
type A = Composition<Swizzle<1, 4, 3>, layout!((8,6):(6,1))>;
fn refused(_: Composition<A, Composition<Swizzle<2, 0, 3>, layout!((8,8):(8,1))>>) {}
fn main() {}

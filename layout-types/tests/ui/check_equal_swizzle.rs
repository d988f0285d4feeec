//! Layouts with different swizzles are not equal.
use layout_types::prelude::*;
assert_layout_eq!(Composition<Swizzle<3, 3, 3>, layout!((8,32):(32,1))>, Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>);
fn main() {}

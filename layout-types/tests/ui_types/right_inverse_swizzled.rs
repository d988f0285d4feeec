//! No swizzle of the indices does what this swizzle does to rows of 48.
use layout_types::prelude::*;
fn refused(_: RightInverse<Composition<Swizzle<1, 3, 3>, layout!((8,48):(48,1))>>) {}
fn main() {}

//! 3 is no multiple of 2.
use layout_types::prelude::*;
fn refused(_: LeftInverse<layout!((2,3):(2,3))>) {}
fn main() {}

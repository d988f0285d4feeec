//! 9 is no multiple of 2.
use layout_types::prelude::*;
fn refused(_: LeftInverse<layout!((4,3):(2,9))>) {}
fn main() {}

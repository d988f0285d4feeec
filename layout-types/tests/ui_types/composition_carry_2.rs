//! The strides 2 and 3 add up to 5, which is past the end of the mode of 4.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,4):(4,1)), layout!((2,2):(2,3))>) {}
fn main() {}

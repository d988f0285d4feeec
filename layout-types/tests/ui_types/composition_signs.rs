//! Strides of both signs borrow from the next mode of the left side.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,4):(4,1)), layout!((2,2):(-1,4))>) {}
fn main() {}

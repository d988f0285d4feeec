//! The second mode, inside a tuple, is refused.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((8,8):(8,1)), layout!((2,(2,4)):(1,(2,3)))>) {}
fn main() {}

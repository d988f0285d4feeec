//! The steps run past the size of the left side, and over the end of its mode 0 too.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((5,2):(2,1)), layout!(10:3)>) {}
fn main() {}

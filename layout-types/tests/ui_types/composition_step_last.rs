//! The steps run past the size, still over a boundary.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((5,2):(2,1)), layout!(10:3)>) {}
fn main() {}

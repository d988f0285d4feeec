//! Three of four steps lie before the boundary.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((8,8):(8,1)), layout!(4:3)>) {}
fn main() {}

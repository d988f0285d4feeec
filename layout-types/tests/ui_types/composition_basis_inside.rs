//! Mode 1 of the left side does not admit 3:3.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,(4,2)):(8,(2,1))), layout!((4,4):(1@0,3@1))>) {}
fn main() {}

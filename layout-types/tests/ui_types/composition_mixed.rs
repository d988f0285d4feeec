//! The right side has a stride that is an integer and one that names a mode.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,4):(4,1)), layout!((4,4):(1,1@1))>) {}
fn main() {}

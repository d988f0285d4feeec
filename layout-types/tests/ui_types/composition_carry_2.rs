//! A carry from 2 + 3 to 5.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,4):(4,1)), layout!((2,2):(2,3))>) {}
fn main() {}

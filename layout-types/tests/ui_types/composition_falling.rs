//! The modes of negative stride have no composition on their own.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((8,8):(8,1)), layout!((2,4):(8,-3))>) {}
fn main() {}

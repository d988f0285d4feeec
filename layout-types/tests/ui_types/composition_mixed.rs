//! An index and a coordinate at once.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,4):(4,1)), layout!((4,4):(1,1@1))>) {}
fn main() {}

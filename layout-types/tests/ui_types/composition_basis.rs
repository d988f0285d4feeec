//! The left side has no mode 2.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,4):(4,1)), layout!((4,4):(1@0,1@2))>) {}
fn main() {}

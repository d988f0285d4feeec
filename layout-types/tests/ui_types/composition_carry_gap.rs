//! The left side has a hole after 6.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((6,4):(1,8)), layout!((4,2):(1,4))>) {}
fn main() {}

//! The left side has no element at the offsets 6 and 7, after its first mode.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((6,4):(1,8)), layout!((4,2):(1,4))>) {}
fn main() {}

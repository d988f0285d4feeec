//! The shape 5 does not split at 4.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,3):(1,8)), layout!(5:1)>) {}
fn main() {}

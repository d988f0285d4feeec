//! 5 elements cannot be split where the mode of 4 ends.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,3):(1,8)), layout!(5:1)>) {}
fn main() {}

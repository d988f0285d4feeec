//! The stride of a mode of size 1 is checked too.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,4):(4,1)), layout!(1:7)>) {}
fn main() {}

//! CuTe gives (2,2):(16,1), which is another function.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((6,4):(4,1)), layout!(4:4)>) {}
fn main() {}

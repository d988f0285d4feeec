//! CuTe gives (2,4):(9,1), which is 1 at index 2, where A(6) is 7.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,3):(3,1)), layout!(8:3)>) {}
fn main() {}

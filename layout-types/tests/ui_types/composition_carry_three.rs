//! CuTe gives ((2,2),4):((12,1),4), which is another function.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,4):(4,1)), layout!((4,4):(3,1))>) {}
fn main() {}

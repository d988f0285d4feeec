//! Each mode by itself is admissible; together they carry.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,4):(4,1)), layout!((2,2):(3,1))>) {}
fn main() {}

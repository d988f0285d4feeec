//! In CuTe's result the copies overlap.
use layout_types::prelude::*;
fn refused(_: RakedProduct<layout!((2,2):(3,24)), layout!((2,2):(2,1))>) {}
fn main() {}

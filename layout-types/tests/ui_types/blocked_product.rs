//! In CuTe's result the copies overlap.
use layout_types::prelude::*;
fn refused(_: BlockedProduct<layout!((2):(3)), layout!((2,2):(2,1))>) {}
fn main() {}

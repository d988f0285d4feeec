//! In CuTe's result the copies overlap.
use layout_types::prelude::*;
fn refused(_: TiledProduct<layout!((4,16):(64,4)), layout!((4,3):(3,1))>) {}
fn main() {}

//! In CuTe's result the copies overlap.
use layout_types::prelude::*;
fn refused(_: LogicalProduct<layout!((8):(3)), layout!((2,8):(1,2))>) {}
fn main() {}

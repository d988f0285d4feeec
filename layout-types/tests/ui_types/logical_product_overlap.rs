//! The block is not injective.
use layout_types::prelude::*;
fn refused(_: LogicalProduct<layout!((2,2):(2,3)), layout!(4:1)>) {}
fn main() {}

//! The repeats do not fit the holes.
use layout_types::prelude::*;
fn refused(_: LogicalProduct<layout!((2,2):(2,8)), layout!(5:2)>) {}
fn main() {}

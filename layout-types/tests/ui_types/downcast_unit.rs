//! No mode has stride 1, so no two elements are neighbours.
use layout_types::prelude::*;
fn refused(_: Downcast<layout!((8,8):(2,16)), int!(4)>) {}
fn main() {}

//! The stride 6 and the factor 4 do not divide one another.
use layout_types::prelude::*;
fn refused(_: Upcast<layout!((8,8):(1,6)), int!(4)>) {}
fn main() {}

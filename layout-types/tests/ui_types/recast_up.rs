//! The stride 3 and the factor 8 do not divide one another.
use layout_types::prelude::*;
fn refused(_: Recast<layout!((8,8):(3,24)), int!(16), int!(128)>) {}
fn main() {}

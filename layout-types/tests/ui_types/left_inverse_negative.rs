//! CuTe's result has negative extents.
use layout_types::prelude::*;
fn refused(_: LeftInverse<layout!((2,2):(-1,2))>) {}
fn main() {}

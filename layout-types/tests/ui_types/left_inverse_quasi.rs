//! CuTe's result is no quasi-inverse.
use layout_types::prelude::*;
fn refused(_: LeftInverse<layout!((4,8):(24,6))>) {}
fn main() {}

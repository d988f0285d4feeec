//! CuTe gives 2:12; layout and complement together end at 23 of 24.
use layout_types::prelude::*;
fn refused(_: Complement<layout!((2,4):(1,3)), int!(24)>) {}
fn main() {}

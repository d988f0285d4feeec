//! CuTe gives 2:4; layout and complement together end at 18 of 20.
use layout_types::prelude::*;
fn refused(_: Complement<layout!((4,2):(1,10)), int!(20)>) {}
fn main() {}

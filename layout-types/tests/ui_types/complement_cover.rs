//! CuTe gives 2:12, which ends at 23 of 24.
use layout_types::prelude::*;
fn refused(_: Complement<layout!((2,4):(1,3)), int!(24)>) {}
fn main() {}

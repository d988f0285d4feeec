//! Layout and complement cover 20 of 24: to divide (3,8) by 5, 5 / 3 is rounded up to 2.
use layout_types::prelude::*;
fn refused(_: Complement<layout!((5):(1)), shape!((3,8))>) {}
fn main() {}

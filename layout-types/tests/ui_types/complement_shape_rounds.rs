//! 20 of 24: dividing a tuple rounds what is carried from mode to mode.
use layout_types::prelude::*;
fn refused(_: Complement<layout!((5):(1)), shape!((3,8))>) {}
fn main() {}

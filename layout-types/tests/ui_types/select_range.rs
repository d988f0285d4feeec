//! There is no mode 2.
use layout_types::prelude::*;
fn refused(_: Select<layout!((4,6):(6,1)), coord!(0, 2)>) {}
fn main() {}

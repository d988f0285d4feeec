//! There is no mode 2.
use layout_types::prelude::*;
fn refused(_: Replace<layout!((4,6):(6,1)), int!(2), layout!(3:1)>) {}
fn main() {}

//! The range is 1 to 5, but there are two modes.
use layout_types::prelude::*;
fn refused(_: Take<layout!((4,6):(6,1)), int!(1), int!(5)>) {}
fn main() {}

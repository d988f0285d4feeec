//! Modes 1 to 5 of two.
use layout_types::prelude::*;
fn refused(_: Take<layout!((4,6):(6,1)), int!(1), int!(5)>) {}
fn main() {}

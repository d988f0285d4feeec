//! The range of modes is empty.
use layout_types::prelude::*;
fn refused(_: Group<layout!((4,6):(6,1)), int!(1), int!(1)>) {}
fn main() {}

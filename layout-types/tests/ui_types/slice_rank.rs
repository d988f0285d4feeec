//! Three coordinates for two modes.
use layout_types::prelude::*;
fn refused(_: Slice<layout!((4,6)), coord!(_, 1, 2)>) {}
fn main() {}

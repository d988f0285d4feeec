//! Three tilers for two modes.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,6):(6,1)), tile!(2, 3, 1)>) {}
fn main() {}

//! Three tilers for two modes.
use layout_types::prelude::*;
fn refused(_: ZippedProduct<layout!((2,5)), tile!(3, 4, 2)>) {}
fn main() {}

//! The layout has 33 leaves.
use layout_types::prelude::*;
fn refused(_: layout!((2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2))) {}
fn main() {}

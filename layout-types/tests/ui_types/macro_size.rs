//! The size of a compact layout is above 2^40.
use layout_types::prelude::*;
fn refused(_: layout!((1048576,1048576,2))) {}
fn main() {}

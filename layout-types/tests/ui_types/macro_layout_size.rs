//! The layout has 2^80 elements.
use layout_types::prelude::*;
fn refused(_: layout!((1099511627776,1099511627776):(1,0))) {}
fn main() {}

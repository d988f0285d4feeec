//! The offsets go up to about 2^80.
use layout_types::prelude::*;
fn refused(_: layout!((4,1099511627776):(1,1099511627776))) {}
fn main() {}

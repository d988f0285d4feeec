//! The stride would be 2^80.
use layout_types::prelude::*;
fn refused(_: Composition<layout!(4:1099511627776), layout!(2:1099511627776)>) {}
fn main() {}

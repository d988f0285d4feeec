//! The stride would be 2^80.
use layout_types::prelude::*;
fn refused(_: Downcast<layout!((4,2):(1,1099511627776)), int!(1099511627776)>) {}
fn main() {}

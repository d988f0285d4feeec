//! The product would have 2^80 elements.
use layout_types::prelude::*;
fn refused(_: LogicalProduct<layout!(1099511627776:1), layout!(1099511627776:1)>) {}
fn main() {}

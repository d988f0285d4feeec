//! The first ten elements are not a layout, as mode 0 has four.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,3):(1,8)), int!(10)>) {}
fn main() {}

//! The first ten of a layout that splits at 4.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,3):(1,8)), int!(10)>) {}
fn main() {}

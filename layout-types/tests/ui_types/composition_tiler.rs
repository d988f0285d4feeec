//! The first 6 elements of mode 0, (4,6), are not a layout.
use layout_types::prelude::*;
fn refused(_: Composition<layout!(((4,6),2):((6,1),24)), tile!(6, 2)>) {}
fn main() {}

//! Three of the four steps lie before the end of the left side's mode 0.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((8,8):(8,1)), layout!(4:3)>) {}
fn main() {}

//! The layouts have the ranks 2 and 3.
use layout_types::prelude::*;
fn refused(_: Zip<layout!((2,3)), layout!((2,3,4))>) {}
fn main() {}

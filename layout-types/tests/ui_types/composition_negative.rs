//! A negative stride is checked as its magnitude is.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,4):(-1,4)), layout!(3:-2)>) {}
fn main() {}

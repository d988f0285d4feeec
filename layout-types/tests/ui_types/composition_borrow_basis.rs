//! A(5) is 11@0, but mode by mode it is 12@1 - 1@0: the two differ along both modes.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((2,3,4):(1@0,5@0,12@1)), layout!((2,2):(-1,6))>) {}
fn main() {}

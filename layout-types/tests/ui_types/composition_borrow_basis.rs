//! The sum is 0 along neither basis element.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((2,3,4):(1@0,5@0,12@1)), layout!((2,2):(-1,6))>) {}
fn main() {}

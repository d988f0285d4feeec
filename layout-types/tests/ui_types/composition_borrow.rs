//! 5 is one of mode 0 and two of mode 1, of the offset 11; 13 - 1 is 12.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((2,3,4):(1,5,13)), layout!((2,2,512):(-1,6,24))>) {}
fn main() {}

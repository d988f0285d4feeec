//! A(5) is 11, but the composition mode by mode gives 13 - 1 = 12.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((2,3,4):(1,5,13)), layout!((2,2,512):(-1,6,24))>) {}
fn main() {}

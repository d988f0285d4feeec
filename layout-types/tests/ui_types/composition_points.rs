//! Only a comparison of all elements could tell, and at most 256 elements are compared.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((5,512):(0,1)), layout!(512:3)>) {}
fn main() {}

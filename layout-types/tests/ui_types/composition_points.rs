//! A broadcast mode stepped over unevenly can be right by luck; more than 256 elements are not compared.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((5,512):(0,1)), layout!(512:3)>) {}
fn main() {}

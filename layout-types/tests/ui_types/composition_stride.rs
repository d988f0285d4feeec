//! The stride passes a boundary that it neither divides nor is divided by.
use layout_types::prelude::*;
fn refused(_: Composition<layout!((4,6,8,10):(2,3,5,7)), layout!(6:10)>) {}
fn main() {}

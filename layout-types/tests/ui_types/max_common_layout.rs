//! A layout with scaled-basis strides has no inverse.
use layout_types::prelude::*;
fn refused(_: MaxCommonLayout<layout!((8,2):(2,1)), layout!((8,2):(1@0,1@1))>) {}
fn main() {}

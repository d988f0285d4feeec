//! A layout with scaled-basis strides has no alignment.
use layout_types::prelude::*;
fn refused(_: MaxAlignment<layout!((8,2):(1@0,1@1))>) {}
fn main() {}

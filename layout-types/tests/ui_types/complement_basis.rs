//! A layout with scaled-basis strides has no complement.
use layout_types::prelude::*;
fn refused(_: Complement<layout!((2,2):(1@0,1@1)), int!(8)>) {}
fn main() {}

//! A layout with scaled-basis strides has no inverse.
use layout_types::prelude::*;
fn refused(_: RightInverse<layout!((4,8):(1@0,1@1))>) {}
fn main() {}

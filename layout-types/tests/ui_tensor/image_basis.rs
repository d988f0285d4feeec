//! A layout with scaled-basis strides gives coordinates, which are no offsets.
use layout_types::prelude::*;
fn refused(_: IsInjective<layout!((4,2):(1@0,1@1))>) {}
fn main() {}

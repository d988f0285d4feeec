//! Scaled-basis strides have no order.
use layout_types::prelude::*;
fn refused(_: MakeLike<layout!((2,2):(1@0,1@1))>) {}
fn main() {}

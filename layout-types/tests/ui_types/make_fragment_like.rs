//! Scaled-basis strides have no order.
use layout_types::prelude::*;
fn refused(_: MakeFragmentLike<layout!((2,2,2):(1,1@0,1@1))>) {}
fn main() {}

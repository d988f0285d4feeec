//! The first element has the offset -16 before the swizzle.
use layout_types::prelude::*;
fn refused(_: SliceAndOffset<Composition<Swizzle<1, 0, 3>, layout!((4,8):(-8,1))>, coord!(2, _)>) {}
fn main() {}

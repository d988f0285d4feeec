//! The first element has the offset -16, which is no number of the type level.
use layout_types::prelude::*;
fn refused(_: SliceAndOffset<layout!((4,8):(-8,1)), coord!(2, _)>) {}
fn main() {}

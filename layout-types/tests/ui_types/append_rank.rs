//! The layout already has three modes, more than two.
use layout_types::prelude::*;
fn refused(_: AppendTo<layout!((4,6,2)), int!(2)>) {}
fn main() {}

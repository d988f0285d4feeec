//! 9 does not divide 48.
use layout_types::prelude::*;
fn refused(_: WithShape<layout!((16,3,3):(3,48,1)), shape!((9,16))>) {}
fn main() {}

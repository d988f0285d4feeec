//! Three profiles for two modes.
use layout_types::prelude::*;
fn refused(_: CoalesceBy<layout!((2,4):(1,2)), shape!((1,1,1))>) {}
fn main() {}

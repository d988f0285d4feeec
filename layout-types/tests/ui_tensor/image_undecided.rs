//! Only looking at every difference could tell.
use layout_types::prelude::*;
fn refused(_: IsInjective<layout!((64,64,64):(4099,4096,4093))>) {}
fn main() {}

//! Only a look at every difference of offsets could tell whether the layout is injective.
use layout_types::prelude::*;
fn refused(_: IsInjective<layout!((64,64,64):(4099,4096,4093))>) {}
fn main() {}

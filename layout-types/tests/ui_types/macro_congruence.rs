//! Three strides for two shapes.
use layout_types::prelude::*;
fn refused(_: layout!((4,2):(1,4,8))) {}
fn main() {}

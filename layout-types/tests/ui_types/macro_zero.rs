//! A shape is positive.
use layout_types::prelude::*;
fn refused(_: layout!((4,0):(1,4))) {}
fn main() {}

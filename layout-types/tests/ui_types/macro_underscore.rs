//! `_` is not a shape.
use layout_types::prelude::*;
fn refused(_: layout!((4,_):(1,4))) {}
fn main() {}

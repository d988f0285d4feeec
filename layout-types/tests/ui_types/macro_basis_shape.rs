//! A basis element is no shape.
use layout_types::prelude::*;
fn refused(_: shape!((4,1@0))) {}
fn main() {}

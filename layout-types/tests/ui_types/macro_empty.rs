//! A tuple has no element.
use layout_types::prelude::*;
fn refused(_: shape!(())) {}
fn main() {}

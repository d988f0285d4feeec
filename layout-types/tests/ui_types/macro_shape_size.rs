//! The shape has 2^80 elements.
use layout_types::prelude::*;
fn refused(_: shape!((1099511627776,1099511627776))) {}
fn main() {}

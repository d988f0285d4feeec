//! The number is above 2^40.
use layout_types::prelude::*;
fn refused(_: int!(1099511627777)) {}
fn main() {}

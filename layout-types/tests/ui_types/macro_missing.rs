//! A stride is missing.
use layout_types::prelude::*;
fn refused(_: layout!((4,2):)) {}
fn main() {}

//! Mode 0, (4,6), cannot give its first 6 elements.
use layout_types::prelude::*;
fn refused(_: Composition<layout!(((4,6),2):((6,1),24)), tile!(6, 2)>) {}
fn main() {}

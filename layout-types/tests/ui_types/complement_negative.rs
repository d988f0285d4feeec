//! CuTe's result has a negative extent.
use layout_types::prelude::*;
fn refused(_: Complement<layout!(4:-1), int!(8)>) {}
fn main() {}

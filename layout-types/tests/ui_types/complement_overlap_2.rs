//! The modes overlap.
use layout_types::prelude::*;
fn refused(_: Complement<layout!((2,2):(1,1)), int!(8)>) {}
fn main() {}

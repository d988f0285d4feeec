//! The modes overlap.
use layout_types::prelude::*;
fn refused(_: Complement<layout!((2,2):(2,3)), int!(19)>) {}
fn main() {}

//! `u32` is a Rust type, but not a static integer.
use layout_types::prelude::*;
fn refused(_: Lay<(u32, typenum::U4), (typenum::U1, typenum::U4)>) {}
fn main() {}

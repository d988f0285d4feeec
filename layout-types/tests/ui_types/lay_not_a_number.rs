//! A Rust type that is no number.
use layout_types::prelude::*;
fn refused(_: Lay<(u32, typenum::U4), (typenum::U1, typenum::U4)>) {}
fn main() {}

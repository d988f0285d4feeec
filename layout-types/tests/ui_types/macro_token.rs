//! `0x10` is no decimal integer.
use layout_types::prelude::*;
fn refused(_: layout!((4,0x10):(1,4))) {}
fn main() {}

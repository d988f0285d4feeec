//! 8 does not divide 12.
use layout_types::prelude::*;
fn refused(_: TileToShape<layout!((8,8):(8,1)), shape!((12,16))>) {}
fn main() {}

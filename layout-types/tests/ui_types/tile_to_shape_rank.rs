//! The block has three modes, but the shape has two.
use layout_types::prelude::*;
fn refused(_: TileToShape<layout!((8,8,2):(8,1,64)), shape!((16,16))>) {}
fn main() {}

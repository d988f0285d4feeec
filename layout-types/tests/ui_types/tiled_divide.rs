//! Mode 0 is refused.
use layout_types::prelude::*;
fn refused(_: TiledDivide<layout!(((4,3),8):((3,1),12)), tile!(5, 4)>) {}
fn main() {}

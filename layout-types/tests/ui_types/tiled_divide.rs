//! Mode 0, (4,3), cannot be divided by 5.
use layout_types::prelude::*;
fn refused(_: TiledDivide<layout!(((4,3),8):((3,1),12)), tile!(5, 4)>) {}
fn main() {}

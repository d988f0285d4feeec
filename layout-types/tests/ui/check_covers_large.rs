//! The last thread of 128 in a tile of 128x128.
use layout_types::prelude::*;
assert_covers!(layout!(((16,8),(8,16)):((8,2047),(1,128))), (128,128));
fn main() {}

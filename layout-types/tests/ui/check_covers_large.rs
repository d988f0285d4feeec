//! A wrong stride gives one cell of a tile of 128x128 to threads 15 and 16.
use layout_types::prelude::*;
assert_covers!(layout!(((16,8),(8,16)):((8,2047),(1,128))), (128,128));
fn main() {}

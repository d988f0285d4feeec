//! The copy moves 4 bytes at a time, but an element has 8 bytes.
use layout_types::atom::copy::Sm80_CP_ASYNC_CACHEALWAYS;
use layout_types::prelude::*;
use layout_types::tiled::MakeTiledCopy;
type Copy = MakeTiledCopy<Sm80_CP_ASYNC_CACHEALWAYS<u32>, f64, layout!((16,2)), layout!((1,2))>;
assert_covers!(copy Copy);
fn main() {}

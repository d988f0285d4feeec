//! A copy of 64 rows does not divide a tile of 96 rows.
use layout_types::prelude::*;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tensor::{GetSlice, identity_tensor};
use layout_types::tiled::MakeTiledCopy;
type Copy = MakeTiledCopy<UniversalCopy<u128>, half::f16, layout!((64,4):(4,1)), layout!((1,8))>;
fn main() {
    let tile = identity_tensor::<layout!((96,32):(1@0,1@1)), 2>();
    let _ = Copy::get_slice(0).partition_s(&tile);
}

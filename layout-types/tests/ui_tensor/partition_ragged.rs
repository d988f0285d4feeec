//! A tensor of 24 rows cannot be cut into tiles of 16 by this copy's threads.
use layout_types::prelude::*;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tensor::{GetSlice, identity_tensor};
use layout_types::tiled::MakeTiledCopy;
type Copy = MakeTiledCopy<UniversalCopy<u32>, f32, layout!((16,8):(8,1)), layout!((1,4))>;
fn main() {
    let _ = Copy::get_slice(0).partition_s(&identity_tensor::<layout!(((6,4),32):((1@0,7@0),1@1)), 2>());
}

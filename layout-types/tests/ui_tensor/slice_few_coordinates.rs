//! Three coordinates for the four modes of a partition.
use layout_types::prelude::*;
use layout_types::tensor::{__, identity_tensor};
fn main() {
    let parts = identity_tensor::<layout!(((8,1),4,2,3):((1@0,0),32@0,16@1,1@2)), 3>();
    let _ = parts.slice((__, __, 1u32));
}

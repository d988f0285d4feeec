use layout_types::{assert_tensor_memory, prelude::*};
type D = layout!((128,256):(65536,1));
assert_tensor_memory!(D of f32, D of f32, layout!((128,32):(262144,1)) of u8); // two accumulators leave no column for scales
fn main() {}

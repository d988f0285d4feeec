use layout_types::assert_tmem_lanes;
assert_tmem_lanes!(2, 32, 16); // the lanes of warp 1
fn main() {}

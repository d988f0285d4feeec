use layout_types::{assert_umma_operand, atom::mma::MajorK, prelude::*};
assert_umma_operand!(layout!((128,64):(72,1)), half::bf16, MajorK, 128);
fn main() {}

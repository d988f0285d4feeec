//! The accumulator of a 16x8 mma.sync with the strides of its values exchanged by mistake.
use layout_types::prelude::*;
assert_covers!(layout!(((4,8),(2,2)):((32,1),(8,8))), (16,8));
fn main() {}

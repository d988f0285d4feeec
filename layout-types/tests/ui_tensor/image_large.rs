//! The strides of the two modes have multiples in common, and there are 2^32 elements.
use layout_types::prelude::*;
fn store_to<L: Injective>() {}
fn main() {
    store_to::<layout!((65536,65536):(3,5))>();
}

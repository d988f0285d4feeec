//! The coordinates (3,0) and (0,1) both have the offset 3.
use layout_types::prelude::*;
fn store_to<L: Injective>() {}
fn main() {
    store_to::<layout!((4,2):(1,3))>();
}

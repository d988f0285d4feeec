//! Both layouts have the offset 4.
use layout_types::prelude::*;
fn tile_and_rest<A: DisjointFrom<B>, B>() {}
fn main() {
    tile_and_rest::<layout!(4:2), layout!((2,2):(1,4))>();
}

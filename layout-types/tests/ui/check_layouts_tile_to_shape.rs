//! The block does not fill the shape.
use layout_types::prelude::*;
layouts! {
    type Atom = composition(Swizzle<2, 3, 3>, (8,32):(32,1));
    type Smem = tile_to_shape(Atom, (100,32,3));
}
fn main() {}

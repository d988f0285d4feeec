//! The tiles extend past the layout.
use layout_types::prelude::*;
layouts! {
    type Tiles = exact_zipped_divide((128,64):(64,1), (48, 16));
}
fn main() {}

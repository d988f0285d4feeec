//! A mode that `_` leaves whole is no pair of tile and rest.
use layout_types::prelude::*;
layouts! {
    type Tiles = zipped_divide((128,64):(64,1), (32, _));
}
fn main() {}

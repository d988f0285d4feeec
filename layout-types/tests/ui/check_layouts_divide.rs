//! Even a divide that rounds up needs copies that cover the layout.
use layout_types::prelude::*;
layouts! {
    type Tiles = logical_divide(24:1, (2,4):(1,3));
}
fn main() {}

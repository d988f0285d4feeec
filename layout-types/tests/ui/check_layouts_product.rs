//! The block has elements twice.
use layout_types::prelude::*;
layouts! {
    type Copies = logical_product((4,4):(1,2), 6:1);
}
fn main() {}
